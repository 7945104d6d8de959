#include "report/visible_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "sources/text.hpp"

namespace freegap::report {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

/// Characters that are not seen themselves: they change how others are, or make two names that look
/// alike. U+200C, U+200D and variation selectors are not among them: they belong to the spelling of
/// words in Persian and in Indic scripts, and to emoji.
constexpr std::array<Range, 18> invisible{{{0x00, 0x1F},
                                           {0x7F, 0x9F},
                                           {0xAD, 0xAD},      // soft hyphen
                                           {0x034F, 0x034F},  // grapheme joiner
                                           {0x061C, 0x061C},
                                           {0x115F, 0x1160},  // fillers of Hangul
                                           {0x17B4, 0x17B5},  // inherent vowels of Khmer
                                           {0x180E, 0x180E},  // Mongolian vowel separator
                                           {0x200B, 0x200B},  // space of no width
                                           {0x200E, 0x200F},
                                           {0x2028, 0x2029},
                                           {0x202A, 0x202E},
                                           {0x2060, 0x206F},  // joiners, operators, direction
                                           {0x3164, 0x3164},  // fillers of Hangul
                                           {0xFEFF, 0xFEFF},
                                           {0xFFA0, 0xFFA0},
                                           {0xFFF9, 0xFFFB},      // annotations
                                           {0xE0000, 0xE007F}}};  // tags

bool is_invisible(std::uint32_t character) {
  return std::any_of(invisible.begin(), invisible.end(), [&](const Range& range) {
    return range.first <= character && character <= range.last;
  });
}

/// Bytes of the character that begins with this one, if it is one.
std::size_t length_by_first(unsigned char first) {
  if (first < 0xC0) {
    return 1;
  }
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/// The code point of a well-formed character.
std::uint32_t code_point(std::string_view character) {
  constexpr std::array<unsigned, 5> masks{0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t code = static_cast<unsigned char>(character.front()) & masks.at(character.size());
  for (const char c : character.substr(1)) {
    code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return code;
}

bool is_utf8(std::string_view character) {
  // Control characters are a problem to the readers, but they are UTF-8.
  const bool ascii = static_cast<unsigned char>(character.front()) < 0x80;
  const bool c1 = character.size() == 2 && character[0] == '\xC2';
  return ascii || sources::text_problem(character) == nullptr ||
         (c1 && (static_cast<unsigned char>(character[1]) & 0xC0U) == 0x80U);
}

}  // namespace

std::string visible(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::string_view character = text.substr(at, length_by_first(first));
    if (!is_utf8(character)) {
      result += fmt::format("\\x{:02X}", first);
      ++at;
      continue;
    }
    const std::uint32_t code = code_point(character);
    result += is_invisible(code) ? fmt::format("\\u{{{:04X}}}", code) : std::string(character);
    at += character.size();
  }
  return result;
}

std::string visible_lines(std::string_view text) {
  std::string result;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    result += visible(text.substr(0, end)) + "\n";
    text.remove_prefix(end + 1);
  }
  return result + visible(text);
}

}  // namespace freegap::report

#include "sources/text.hpp"

#include <cstring>

namespace freegap::sources {
namespace {

constexpr const char* not_utf8 = "it is not valid UTF-8";
constexpr const char* control_character = "it has a control character";

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// Whether each of eight bytes is printable ASCII.
bool all_printable(const char* bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t tops = 0x80 * ones;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  const std::uint64_t below_space = (word - 0x20 * ones) & ~word;
  const std::uint64_t delete_zero = word ^ (0x7f * ones);
  const std::uint64_t is_delete = (delete_zero - ones) & ~delete_zero;
  return ((word | below_space | is_delete) & tops) == 0;
}

/// A character's form by its first byte: the Unicode Standard, table 3-7.
struct Form {
  std::size_t length = 0;  // 0: no character begins like this
  unsigned low = 0x80;     // bounds of the second byte
  unsigned high = 0xbf;
};

Form form_of(unsigned first) {
  if (first < 0xc2) {
    return {};
  }
  if (first < 0xe0) {
    return {.length = 2};
  }
  if (first < 0xf0) {
    return {
        .length = 3, .low = first == 0xe0 ? 0xa0U : 0x80U, .high = first == 0xed ? 0x9fU : 0xbfU};
  }
  if (first < 0xf5) {
    return {
        .length = 4, .low = first == 0xf0 ? 0x90U : 0x80U, .high = first == 0xf4 ? 0x8fU : 0xbfU};
  }
  return {};
}

/// The length of the character beyond ASCII at `at`; 0 if it is malformed.
std::size_t character_length(std::string_view text, std::size_t at) {
  const Form form = form_of(byte_at(text, at));
  if (form.length == 0 || text.size() - at < form.length) {
    return 0;
  }
  const unsigned second = byte_at(text, at + 1);
  if (second < form.low || second > form.high) {
    return 0;
  }
  for (std::size_t i = 2; i < form.length; ++i) {
    if ((byte_at(text, at + i) & 0xc0U) != 0x80) {
      return 0;
    }
  }
  return form.length;
}

}  // namespace

const char* text_problem(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= 8 && all_printable(text.data() + at)) {
      at += 8;
      continue;
    }
    const unsigned byte = byte_at(text, at);
    if (byte < 0x80) {
      if (byte == 0x7f || (byte < 0x20 && byte != '\t')) {
        return control_character;
      }
      ++at;
      continue;
    }
    const std::size_t length = character_length(text, at);
    if (length == 0) {
      return not_utf8;
    }
    if (byte == 0xc2 && byte_at(text, at + 1) < 0xa0) {  // U+0080 to U+009F
      return control_character;
    }
    at += length;
  }
  return nullptr;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

Strip sort_strip_plainly(const char* bytes) {
  Strip strip;
  for (unsigned i = 0; i < 64; ++i) {
    const char c = bytes[i];
    const bool separates = is_blank(c) || c == '\n' || c == '\r';
    const bool printable = c > ' ' && c < '\x7f';
    strip.separators |= std::uint64_t{separates} << i;
    strip.odd |= std::uint64_t{!separates && !printable} << i;
  }
  return strip;
}

#if defined(__SSE2__)

Strip sort_strip(const char* bytes) {
  using Part = signed char __attribute__((vector_size(16)));
  const auto mask = [](Part lanes) {
    return std::uint64_t{static_cast<std::uint16_t>(__builtin_ia32_pmovmskb128(
        reinterpret_cast<char __attribute__((vector_size(16)))>(lanes)))};
  };
  Strip strip;
  for (unsigned i = 0; i < 64; i += 16) {
    Part part;
    std::memcpy(&part, bytes + i, sizeof part);
    const auto separator = (part == ' ') | (part == '\t') | (part == '\n') | (part == '\r');
    const auto printable = (part > ' ') & (part < '\x7f');  // bytes beyond ASCII are negative
    strip.separators |= mask(separator) << i;
    strip.odd |= mask(~(separator | printable)) << i;
  }
  return strip;
}

#else

Strip sort_strip(const char* bytes) { return sort_strip_plainly(bytes); }

#endif

}  // namespace freegap::sources

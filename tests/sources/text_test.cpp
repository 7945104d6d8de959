// The rules for text, compared with simple definitions.
#include "sources/text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace freegap::sources {
namespace {

std::string encoded(unsigned code) {
  const auto tail = [&](unsigned shift) {
    return static_cast<char>(0x80U | ((code >> shift) & 0x3fU));
  };
  if (code < 0x80) {
    return {static_cast<char>(code)};
  }
  if (code < 0x800) {
    return {static_cast<char>(0xc0U | (code >> 6U)), tail(0)};
  }
  if (code < 0x10000) {
    return {static_cast<char>(0xe0U | (code >> 12U)), tail(6), tail(0)};
  }
  return {static_cast<char>(0xf0U | (code >> 18U)), tail(12), tail(6), tail(0)};
}

TEST(Text, TakesEveryCharacterButControls) {
  for (unsigned code = 0; code <= 0x10ffff; ++code) {
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    const bool control = (code < 0x20 && code != '\t') || (code >= 0x7f && code < 0xa0);
    const char* problem = text_problem(std::string("x").append(encoded(code)).append("y"));
    ASSERT_EQ(problem == nullptr, !surrogate && !control) << code;
    if (surrogate) {
      ASSERT_STREQ(problem, "it is not valid UTF-8") << code;
    } else if (control) {
      ASSERT_STREQ(problem, "it has a control character") << code;
    }
  }
}

/// Whether bytes are the encoding of some characters, found by decoding and encoding again.
bool is_utf8(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) {
      return static_cast<unsigned>(static_cast<unsigned char>(text[i]));
    };
    const unsigned first = byte(at);
    const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (at + length > text.size()) {
      return false;
    }
    constexpr std::array<unsigned, 5> payload{0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned code = first & payload.at(length);
    for (std::size_t i = 1; i < length; ++i) {
      code = (code << 6U) | (byte(at + i) & 0x3fU);
    }
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ||
        text.compare(at, length, encoded(code)) != 0) {
      return false;
    }
    at += length;
  }
  return true;
}

TEST(Text, RefusesExactlyWhatIsNoEncoding) {
  // Bytes at the edges of their ranges, in all arrangements of up to four.
  const std::vector<unsigned char> bytes{0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0,
                                         0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee,
                                         0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xff};
  const std::size_t n = bytes.size();
  for (std::size_t code = 0; code < n * n * n * n; ++code) {
    std::string text;
    for (std::size_t rest = code; text.size() < 4; rest /= n) {
      text += static_cast<char>(bytes[rest % n]);
    }
    const char* problem = text_problem(text);
    const bool malformed = problem != nullptr && std::string(problem) == "it is not valid UTF-8";
    const bool control = problem != nullptr && !malformed;
    ASSERT_TRUE(control || malformed == !is_utf8(text)) << code;
    for (std::size_t length = 1; length < 4; ++length) {
      const std::string part = text.substr(0, length);
      ASSERT_TRUE(is_utf8(part) || text_problem(part) != nullptr) << code;
    }
  }
}

TEST(Text, FindsAByteAnywhere) {
  for (std::size_t length = 1; length < 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(length, '~');
        text[at] = static_cast<char>(byte);
        const bool fine = byte == '\t' || (byte >= 0x20 && byte < 0x7f);
        ASSERT_EQ(text_problem(text) == nullptr, fine) << length << ' ' << at << ' ' << byte;
      }
    }
  }
}

TEST(Text, SortsStripsAlikeInBothWays) {
  std::mt19937_64 random(7);
  const std::string common = " \t\n\rab09~!\x7f\x80\x1f\xff";
  for (int i = 0; i < 20'000; ++i) {
    std::string strip(64, ' ');
    for (char& c : strip) {
      c = i % 2 == 0 ? static_cast<char>(random()) : common[random() % common.size()];
    }
    const Strip quick = sort_strip(strip.data());
    const Strip plain = sort_strip_plainly(strip.data());
    ASSERT_EQ(quick.separators, plain.separators);
    ASSERT_EQ(quick.odd, plain.odd);
    for (unsigned bit = 0; bit < 64; ++bit) {
      const char c = strip[bit];
      const bool separator = c == ' ' || c == '\t' || c == '\n' || c == '\r';
      ASSERT_EQ((plain.separators >> bit) & 1U, separator ? 1U : 0U);
      ASSERT_EQ((plain.odd >> bit) & 1U, separator || (c >= '!' && c <= '~') ? 0U : 1U);
    }
  }
}

TEST(Text, TrimsBlanksAlone) {
  EXPECT_EQ(trimmed(" \t a b\t "), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("\xc2\xa0z"), "\xc2\xa0z");  // no-break space is not a blank
}

}  // namespace
}  // namespace freegap::sources

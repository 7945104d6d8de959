// Lines do not depend on how the bytes arrive.
#include "sources/blocks.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace freegap::sources {
namespace {

std::vector<std::string> lines_of(std::string_view text, Reading reading, std::size_t at_once) {
  const auto bytes = in_memory(text, at_once);
  Lines lines(*bytes, reading);
  std::vector<std::string> result;
  while (const auto line = lines.next()) {
    EXPECT_EQ(line->number, result.size() + 1);
    result.push_back(line->too_long ? "too long" : std::string(line->text));
  }
  EXPECT_FALSE(lines.next().has_value());
  return result;
}

using Texts = std::vector<std::string>;

TEST(Lines, EndAtLineFeedsAndAtTheEnd) {
  EXPECT_EQ(lines_of("", {}, 9), Texts());
  EXPECT_EQ(lines_of("\n", {}, 9), Texts{""});
  EXPECT_EQ(lines_of("a", {}, 9), Texts{"a"});
  EXPECT_EQ(lines_of("a\n", {}, 9), Texts{"a"});
  EXPECT_EQ(lines_of("a\r\n\r\nb\r", {}, 9), (Texts{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\rb\n", {}, 9), Texts{"a\rb"});
  EXPECT_EQ(lines_of("a\r\r\n", {}, 9), Texts{"a\r"});
}

TEST(Lines, LoseAByteOrderMark) {
  EXPECT_EQ(lines_of("\xef\xbb\xbf", {}, 9), Texts{""});
  EXPECT_EQ(lines_of("\xef\xbb\xbf"
                     "a\n\xef\xbb\xbf"
                     "b\nc\xef\xbb\xbf\n",
                     {}, 9),
            (Texts{"a", "b", "c\xef\xbb\xbf"}));
}

TEST(Lines, AreTooLongBeyondTheLimitAlone) {
  for (std::size_t chunk = 1; chunk < 12; ++chunk) {
    const Reading reading{.chunk = chunk, .longest_line = 4};
    EXPECT_EQ(lines_of("1234\n12345\n1\n", reading, 99), (Texts{"1234", "too long", "1"}));
    EXPECT_EQ(lines_of("12345\n\n123456789012345678901234567890\nab", reading, 99),
              (Texts{"too long", "", "too long", "ab"}));
    EXPECT_EQ(lines_of("12345", reading, 99), Texts{"too long"});
    EXPECT_EQ(lines_of("1\n123456789", reading, 99), (Texts{"1", "too long"}));
  }
}

TEST(Lines, DoNotDependOnTheirArrival) {
  std::mt19937_64 random(23);
  const std::string letters =
      "\n\n\r\r\xef\xbb\xbf"
      "abc ";
  for (int i = 0; i < 3'000; ++i) {
    std::string text(random() % 60, ' ');
    for (char& c : text) {
      c = letters[random() % letters.size()];
    }
    const std::size_t longest = random() % 12 + 1;
    const Texts whole = lines_of(text, {.chunk = 1000, .longest_line = longest}, 1000);
    const Reading reading{.chunk = random() % 9 + 1, .longest_line = longest};
    ASSERT_EQ(lines_of(text, reading, random() % 9 + 1), whole);
  }
}

}  // namespace
}  // namespace freegap::sources

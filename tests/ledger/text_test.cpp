// The texts that a ledger stores, and that numbers of any length are read back as they were
// written.
#include "ledger/text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace freegap::testing {
namespace {

using namespace std::string_literals;
using ledger::exact_number;
using ledger::is_document;
using ledger::is_label;

TEST(LedgerText, AcceptsUtf8Labels) {
  for (const std::string& text : {"a"s, "clicks 2024"s, "Zürich"s, "点击"s, "🙂"s, "a\"b'c"s,
                                  std::string(200, 'x'), "\xf4\x8f\xbf\xbf"s, "\xc2\xa0"s}) {
    EXPECT_TRUE(is_label(text)) << text;
    EXPECT_TRUE(is_document(text)) << text;
  }
}

TEST(LedgerText, RefusesControlCharactersInLabels) {
  for (const std::string& text : {"a\nb"s, "\t"s, "\x1b[2J"s, "\x7f"s, "\xc2\x85"s, "\xc2\x9f"s}) {
    EXPECT_FALSE(is_label(text)) << text;
    EXPECT_TRUE(is_document(text)) << text;
  }
  EXPECT_FALSE(is_label(""));
  EXPECT_TRUE(is_document(""));
  EXPECT_FALSE(is_label(std::string(201, 'x')));
}

TEST(LedgerText, RefusesWhatIsNotUtf8) {
  for (const std::string& text :
       {"a\0b"s, "\x80"s, "\xff"s, "\xc3"s, "\xc3("s, "\xc0\x80"s, "\xc1\xbf"s, "\xe0\x80\x80"s,
        "\xe0\x9f\xbf"s, "\xed\xa0\x80"s, "\xed\xbf\xbf"s, "\xe2\x82"s, "\xf0\x80\x80\x80"s,
        "\xf0\x8f\xbf\xbf"s, "\xf4\x90\x80\x80"s, "\xf5\x80\x80\x80"s, "\xf0\x9f\x99"s,
        "ab\xe2\x28\xa1"s}) {
    EXPECT_FALSE(is_label(text)) << text;
    EXPECT_FALSE(is_document(text)) << text;
  }
}

TEST(LedgerText, ReadsOnlyTheOneTextOfANumber) {
  EXPECT_EQ(exact_number("0"), Rational(0));
  EXPECT_EQ(exact_number("3"), Rational(3));
  EXPECT_EQ(exact_number("7/10"), Rational(7, 10));
  for (const char* text : {"",    "/",   "7/",     "/10",   "14/20", "07/10", "7/010", "7/0",
                           "0/1", "3/1", "00",     "-7/10", "-0",    "+3",    "0.7",   "1e-3",
                           " 3",  "3 ",  "7/10/3", "7//10", "0x10",  "7/1 0", "7/-10"}) {
    EXPECT_FALSE(exact_number(text).has_value()) << text;
  }
}

TEST(LedgerText, LongNumbersComeBack) {
  Rational sum = 0;
  for (int i = 1; i <= 400; ++i) {
    sum = sum + Rational(1, i);
  }
  ASSERT_GT(sum.str().size(), 300U);
  EXPECT_EQ(exact_number(sum.str()), sum);
}

TEST(LedgerText, ShowsShortNumbersExactlyAndLongOnesBySize) {
  EXPECT_EQ(ledger::shown(Rational(7, 10)), "7/10");
  EXPECT_EQ(ledger::shown(Rational(1, 3) + Rational::power_of_two(-200)), "about 0.333333");
  EXPECT_EQ(ledger::shown("1e-9"_rational), "1/1000000000");
  EXPECT_EQ(ledger::shown("1e-40"_rational), "about 1e-40");
}

}  // namespace
}  // namespace freegap::testing

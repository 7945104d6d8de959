#include "report/visible_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace freegap::report {
namespace {

TEST(VisibleText, LeavesOrdinaryTextAlone) {
  for (const std::string text : {"", "plain", "ä ε 日本 🙂", "a\\b 'c' \"d\"", "\u00A0\u2013",
                                 "\u0645\u06CC\u200C\u062E", "\U0001F469\u200D\U0001F680\uFE0F"}) {
    EXPECT_EQ(visible(text), text);
  }
}

TEST(VisibleText, SpellsOutControlCharacters) {
  EXPECT_EQ(visible(std::string("a\0b", 3)), "a\\u{0000}b");
  EXPECT_EQ(visible("\x1b[31m\t\r\n\x7f"), "\\u{001B}[31m\\u{0009}\\u{000D}\\u{000A}\\u{007F}");
  EXPECT_EQ(visible("\u0080\u009B\u009F"), "\\u{0080}\\u{009B}\\u{009F}");
  EXPECT_EQ(visible("\u00A0"), "\u00A0");
}

TEST(VisibleText, SpellsOutWhatSetsTheDirectionOfText) {
  EXPECT_EQ(visible("\u200E\u200F\u061C"), "\\u{200E}\\u{200F}\\u{061C}");
  EXPECT_EQ(visible("\u202A\u202B\u202C\u202D\u202E"),
            "\\u{202A}\\u{202B}\\u{202C}\\u{202D}\\u{202E}");
  EXPECT_EQ(visible("\u2066\u2067\u2068\u2069"), "\\u{2066}\\u{2067}\\u{2068}\\u{2069}");
  EXPECT_EQ(visible("\u2028\u2029\uFEFF"), "\\u{2028}\\u{2029}\\u{FEFF}");
}

TEST(VisibleText, SpellsOutWhatTakesNoRoom) {
  EXPECT_EQ(visible("\u00AD\u034F\u115F\u1160\u180E\u200B"),
            "\\u{00AD}\\u{034F}\\u{115F}\\u{1160}\\u{180E}\\u{200B}");
  EXPECT_EQ(visible("\u2060\u2064\u2065\u206A\u206F"),
            "\\u{2060}\\u{2064}\\u{2065}\\u{206A}\\u{206F}");
  EXPECT_EQ(visible("\u3164\uFFA0\uFFF9\uFFFB"), "\\u{3164}\\u{FFA0}\\u{FFF9}\\u{FFFB}");
  EXPECT_EQ(visible("\U000E0001\U000E0041\U000E007F"), "\\u{E0001}\\u{E0041}\\u{E007F}");
}

TEST(VisibleText, SpellsOutBytesThatAreNotUtf8) {
  EXPECT_EQ(visible("a\xFFz"), "a\\xFFz");
  EXPECT_EQ(visible("\xE2\x80"), "\\xE2\\x80");                    // cut off
  EXPECT_EQ(visible("\xC0\xAF"), "\\xC0\\xAF");                    // too long
  EXPECT_EQ(visible("\xED\xA0\x80"), "\\xED\\xA0\\x80");           // half of a pair
  EXPECT_EQ(visible("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");  // beyond Unicode
  EXPECT_EQ(visible("\xC2z"), "\\xC2z");
  EXPECT_EQ(visible("\x9B"), "\\x9B");
}

TEST(VisibleText, KeepsLinesOfMessages) {
  EXPECT_EQ(visible_lines("one\ntwo\x1b\n"), "one\ntwo\\u{001B}\n");
  EXPECT_EQ(visible_lines("\n\r"), "\n\\u{000D}");
}

}  // namespace
}  // namespace freegap::report

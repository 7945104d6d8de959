// Transactions: what is counted, what is malformed, and that the fast code agrees with the rules.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sources/reading.hpp"
#include "sources/text.hpp"

namespace freegap::sources {
namespace {

using Counts = std::map<std::string, std::int64_t>;
using Texts = std::vector<std::string>;

Values read_dat(std::string_view text) { return read_text(Format::transactions, text); }
Texts bad_dat(std::string_view text) { return bad_records(Format::transactions, text); }

TEST(Transactions, CountAnItemOnceEach) {
  const Values values = read_dat("b a b\na\tc  a\n");
  EXPECT_EQ(values.items, (Texts{"b", "a", "c"}));
  EXPECT_EQ(values.whole, (std::vector<std::int64_t>{1, 2, 1}));
  EXPECT_EQ(values.unit, "transaction");
  EXPECT_EQ(values.records, 2U);
  EXPECT_TRUE(values.real.empty());
  EXPECT_TRUE(values.bad.empty());
}

TEST(Transactions, MayBeNoneOrEmpty) {
  EXPECT_EQ(shown(read_dat("")), "(0 of transaction)");
  EXPECT_EQ(shown(read_dat("\n \t\n\r\n")), "(0 of transaction)");
  EXPECT_EQ(shown(read_dat("\na\n\n")), "a=1 (1 of transaction)");
}

TEST(Transactions, KeepTheirLinesApartInLargeBlocks) {
  // Lines of a batch are numbered by 16 bits: beyond them, two transactions must not become one.
  const Way large{.reading = {.chunk = std::size_t{1} << 18U}};
  for (const std::size_t blank : {59'998U, 59'999U, 60'000U, 65'534U, 65'535U, 65'536U, 131'071U}) {
    const std::string text = "a\n" + std::string(blank, '\n') + "a";
    EXPECT_EQ(shown(read_text(Format::transactions, text, {}, large)), "a=2 (2 of transaction)")
        << blank;
  }
}

TEST(Transactions, EndAsLinesDo) {
  EXPECT_EQ(shown(read_dat("a b\r\na\r\n")), "a=2 b=1 (2 of transaction)");
  EXPECT_EQ(shown(read_dat(" a \nb")), "a=1 b=1 (2 of transaction)");
  EXPECT_EQ(shown(read_dat("a\r")), "a=1 (1 of transaction)");
}

TEST(Transactions, HoldUtf8) {
  EXPECT_EQ(shown(read_dat("crème brûlée\n日本 crème\n")),
            "crème=2 brûlée=1 日本=1 (2 of transaction)");
  EXPECT_EQ(shown(read_dat("\xef\xbb\xbf"
                           "a b\n\xef\xbb\xbf"
                           "a\n\xef\xbb\xbf\n")),
            "a=2 b=1 (2 of transaction)");
}

TEST(Transactions, TellNamesApart) {
  // Around the eight bytes that fit a slot, and the sixteen that are hashed at a time.
  for (const std::size_t length : {1U, 7U, 8U, 9U, 15U, 16U, 17U, 24U, 31U, 32U, 33U, 1024U}) {
    for (std::size_t at = 0; at < length; ++at) {
      std::string other(length, 'x');
      other[at] = 'y';
      const std::string name(length, 'x');
      const std::string longer = name + (length < 1024 ? "x" : "");
      Counts expected{{name, 2}, {other, 1}};
      ++expected[longer];
      std::string text;
      for (const std::string& line : {name, other, longer, name}) {
        text.append(line).append("\n");
      }
      ASSERT_EQ(by_item(read_dat(text)), expected);
    }
  }
}

TEST(Transactions, AreMalformedByThemselves) {
  const std::string text =
      "a b\n"
      "a \xff\n"
      "a\x01 b\n"
      "a\r b\n"
      "a \xc2\x85\n"
      "b\x7f\n" +
      std::string(1025, 'x') + " a\n" + std::string(1024, 'x') + "\n" + "a b";
  EXPECT_EQ(bad_dat(text),
            (Texts{"2: it is not valid UTF-8", "3: it has a control character",
                   "4: it has a control character", "5: it has a control character",
                   "6: it has a control character", "7: it has an item longer than 1024 bytes"}));
  EXPECT_EQ(by_item(read_rest(Format::transactions, text)),
            (Counts{{"a", 2}, {"b", 2}, {std::string(1024, 'x'), 1}}));
  EXPECT_EQ(bad_dat(std::string("a\0b\n", 4)), Texts{"1: it has a control character"});
}

TEST(Transactions, AreRefusedWithTheirLine) {
  EXPECT_EQ(refusal([] { read_dat("a\n\nb\n\x80\n\x01\n"); }),
            "text, line 4: it is not valid UTF-8; mend it, or drop all such records with "
            "--skip-bad-records (freegap count --check lists them)");
}

TEST(Transactions, MayBeLongButNotTooLong) {
  const Way way{.reading = {.chunk = 16, .longest_line = 20}};
  const std::string text = "a b c d e f g h i j\na b c d e f g h i jk l\na\n";
  EXPECT_EQ(bad_records(Format::transactions, text, {}, way), Texts{"2: the line is too long"});
  EXPECT_EQ(by_item(read_rest(Format::transactions, text, {}, way)).at("a"), 2);

  std::string long_line;
  std::size_t items = 0;
  while (long_line.size() + 16 < Reading().longest_line) {
    long_line += std::to_string(items++) + " ";
  }
  const Values values = read_dat(long_line + "\n0\n");
  EXPECT_EQ(values.items.size(), items);
  EXPECT_EQ(values.whole.front(), 2);
  long_line.resize(Reading().longest_line + 1, 'x');
  EXPECT_EQ(bad_dat(long_line + "\n0\n"), Texts{"1: the line is too long"});
}

TEST(Transactions, OutnumberABatch) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) {
    text += i % 3 == 0 ? "a\n" : i % 3 == 1 ? "\n" : "\x01\n";
  }
  const Way way{.reading = {.chunk = std::size_t{1} << 22U}};
  Problems problems = Problems::noted(3);
  const Values values = read_text(Format::transactions, text, problems, {}, way);
  EXPECT_EQ(values.whole, std::vector<std::int64_t>{66'667});
  const std::vector<BadRecord> bad = problems.take();
  ASSERT_EQ(bad.size(), 3U);
  EXPECT_EQ(bad.back().line, 9U);
}

TEST(Transactions, CountAnItemOnManyLinesHoweverFarApart) {
  // A batch numbers its lines with 16 bits: equal items must not meet on equal numbers.
  for (const std::size_t between :
       {59'998U, 59'999U, 60'000U, 65'534U, 65'535U, 65'536U, 131'071U}) {
    for (const std::size_t chunk : {Reading().chunk, std::size_t{1} << 22U}) {
      const Way way{.reading = {.chunk = chunk}};
      for (const char* line : {"\n", " \n", "\x01\n"}) {
        std::string text = "item b\n";
        for (std::size_t i = 0; i < between; ++i) {
          text += line;
        }
        text += "item\n";
        ASSERT_EQ(shown(read_rest(Format::transactions, text, {}, way)),
                  "item=2 b=1 (2 of transaction)")
            << between;
      }
    }
  }
}

TEST(Transactions, AreCountedInFullBatches) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) {
    text += i % 7 == 0 ? "a a b\n" : i % 7 == 1 ? "\xc3\xa9 a\n" : i % 7 == 2 ? "\n" : "c a\n";
  }
  EXPECT_EQ(shown(read_dat(text)), "a=8571 b=1429 \xc3\xa9=1429 c=5713 (8571 of transaction)");
}

TEST(Transactions, KeepTheirNumbersBehindALineThatIsTooLong) {
  const Way way{.reading = {.chunk = 16, .longest_line = 20}};
  EXPECT_EQ(
      bad_records(Format::transactions, "a\n" + std::string(50, 'b') + "\n\x01\nc\n\x02", {}, way),
      (Texts{"2: the line is too long", "3: it has a control character",
             "5: it has a control character"}));
}

TEST(Transactions, AreMalformedWithoutALineFeedToo) {
  for (const std::size_t length : {1025U, 65'536U + 3U}) {
    const std::string item(length, 'x');
    const Texts bad{"1: it has an item longer than 1024 bytes"};
    EXPECT_EQ(bad_dat("a " + item), bad);
    EXPECT_EQ(bad_dat("a " + item + "\n"), bad);
    EXPECT_EQ(shown(read_rest(Format::transactions, "a " + item)), "(0 of transaction)");
  }
  EXPECT_EQ(bad_dat("a \xff"), Texts{"1: it is not valid UTF-8"});
}

/// The rules, in the simplest code.
Values by_the_rules(const std::string& text) {
  Values values;
  values.unit = "transaction";
  std::map<std::string, std::size_t> places;
  std::istringstream lines(text);
  std::string line;
  for (std::uint64_t number = 1; std::getline(lines, line); ++number) {
    if (line.rfind("\xef\xbb\xbf", 0) == 0) {
      line.erase(0, 3);
    }
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    if (const char* problem = text_problem(line)) {
      values.bad.push_back({number, problem});
      continue;
    }
    std::set<std::string> seen;
    std::string item;
    for (const char c : line + " ") {
      if (c != ' ' && c != '\t') {
        item += c;
        continue;
      }
      if (!item.empty() && seen.insert(item).second) {
        const auto [place, is_new] = places.emplace(item, values.items.size());
        if (is_new) {
          values.items.push_back(item);
          values.whole.push_back(0);
        }
        ++values.whole[place->second];
      }
      item.clear();
    }
    values.records += seen.empty() ? 0U : 1U;
  }
  return values;
}

TEST(Transactions, AreReadByTheRulesHoweverTheyCome) {
  std::mt19937_64 random(31);
  const std::vector<std::string> pieces{" ",
                                        " ",
                                        " ",
                                        "\t",
                                        "\n",
                                        "\n",
                                        "\r\n",
                                        "\r",
                                        "a",
                                        "b",
                                        "c",
                                        "1",
                                        "22",
                                        "3",
                                        "longname",
                                        "\xc3\xa9",
                                        "\xef\xbb\xbf",
                                        "\xff",
                                        "\x02",
                                        "a somewhat longer item"};
  for (int i = 0; i < 4'000; ++i) {
    std::string text;
    const std::size_t length = random() % 200;
    const std::size_t common = i % 2 == 0 ? pieces.size() : 15;  // often none that is odd
    for (std::size_t j = 0; j < length; ++j) {
      text += pieces[random() % common];
    }
    const std::string expected = shown(by_the_rules(text));
    for (const std::size_t chunk : {std::size_t{1}, random() % 100 + 1, std::size_t{1} << 18U}) {
      Problems problems = Problems::noted(1000);
      Values values = read_text(Format::transactions, text, problems, {},
                                {.reading = {.chunk = chunk}, .at_once = random() % 50 + 1});
      values.bad = problems.take();
      ASSERT_EQ(shown(values), expected) << text;
    }
  }
}

}  // namespace
}  // namespace freegap::sources

// Contribution bounds: a unit keeps at most M of its distinct items. Which ones is uniform, and
// units are independent. False-alarm rate of the statistical tests: 1e-9 each.
#include "sources/contribution.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "sources/item_table.hpp"
#include "sources/reading.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/scale.hpp"

namespace freegap::sources {
namespace {

using freegap::testing::chi_square_p;
using freegap::testing::false_alarm_rate;
using freegap::testing::scaled;
using Texts = std::vector<std::string>;

/// The items that stay of one transaction.
std::set<std::string> kept(Cut& cut, const Texts& items) {
  std::string text;
  std::vector<Token> tokens;
  for (const std::string& item : items) {
    tokens.push_back({.offset = static_cast<std::uint32_t>(text.size()),
                      .length = static_cast<std::uint16_t>(item.size())});
    text += item;
  }
  text.append(ItemTable::padding, '\0');
  ItemTable table;
  const std::vector<std::size_t> ends{tokens.size()};
  table.count(text.data(), tokens, ends, 1, cut);
  const std::vector<std::int64_t> counts = table.counts();
  std::set<std::string> result;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    EXPECT_TRUE(counts[i] == 0 || counts[i] == 1);
    if (counts[i] == 1) {
      result.emplace(table.name(i));
    }
  }
  return result;
}

/// Five items, of which two stay: ten possible sets.
constexpr std::size_t sets = 10;
std::size_t set_number(const std::set<std::string>& two) {
  static const std::map<std::string, std::size_t> numbers = {
      {"ab", 0}, {"ac", 1}, {"ad", 2}, {"ae", 3}, {"bc", 4},
      {"bd", 5}, {"be", 6}, {"cd", 7}, {"ce", 8}, {"de", 9}};
  return numbers.at(*two.begin() + *two.rbegin());
}

/// The p-value of "each set of two is as likely as any other, and neighbouring units are
/// independent": the joint distribution of what two units keep.
double p_of_pairs(const std::function<std::size_t()>& next) {
  const std::size_t pairs = scaled(50'000, 20'000);
  std::vector<std::uint64_t> counts(sets * sets);
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t first = next();
    ++counts[first * sets + next()];
  }
  const std::vector<double> even(sets * sets, 1.0 / (sets * sets));
  return chi_square_p(counts, even);
}

/// What so many units keep of the items a to e, two each.
std::vector<std::size_t> kept_by_units(std::size_t many, std::uint64_t seed) {
  ItemTable units;
  ItemTable items;
  PairSet::Pairs pairs;
  for (std::size_t i = 0; i < many; ++i) {
    const std::uint64_t unit = units.id("unit " + std::to_string(i));
    for (const char* item : {"a", "b", "c", "d", "e"}) {
      pairs.push_back(unit << 32U | items.id(item));
    }
  }
  const auto bits = Cut::bits(seed);
  Cut(2, *bits).units(pairs, units, items);
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    EXPECT_EQ(pairs[i] >> 32U, pairs[i + 1] >> 32U);
    result.push_back(
        set_number({std::string(items.name(static_cast<std::uint32_t>(pairs[i]))),
                    std::string(items.name(static_cast<std::uint32_t>(pairs[i + 1])))}));
  }
  EXPECT_EQ(result.size(), many);
  return result;
}

TEST(DrawRising, IsUniformAndIndependent) {
  const auto bits = Cut::bits(1);
  for (const std::uint64_t n : {2U, 3U, 5U, 57U, 58U, 300U}) {
    // The first two numbers together, or the last one, where a word gives several.
    const std::uint64_t several = draw_rising(n, 8, *bits).count;
    EXPECT_EQ(several, n <= 57 ? 8U : n <= 249 ? 6U : 4U);
    const std::uint64_t last = n + several - 1;
    std::vector<std::uint64_t> counts(n < 10 ? n * (n + 1) : last);
    for (std::size_t i = 0; i < scaled(400'000, 60'000); ++i) {
      const Drawn drawn = draw_rising(n, 8, *bits);
      ++counts.at(n < 10 ? drawn.numbers[0] * (n + 1) + drawn.numbers[1]
                         : drawn.numbers[drawn.count - 1]);
    }
    const double each = 1.0 / static_cast<double>(counts.size());
    EXPECT_GT(chi_square_p(counts, std::vector<double>(counts.size(), each)), false_alarm_rate);
  }
}

TEST(DrawRising, DrawsAsManyAsAreWanted) {
  const auto bits = Cut::bits(2);
  EXPECT_EQ(draw_rising(1, 1, *bits).count, 1U);
  EXPECT_EQ(draw_rising(1, 1, *bits).numbers[0], 0U);
  EXPECT_EQ(draw_rising(60, 3, *bits).count, 3U);
  EXPECT_EQ(draw_rising(1, 64, *bits).count, 8U);
  EXPECT_EQ(draw_rising(std::uint64_t{1} << 40U, 9, *bits).count, 1U);
}

TEST(DrawRising, RefusesWordsThatWouldFavourSmallNumbers) {
  // Of three quarters of 2^64, a word in three would be counted twice without refusals.
  const std::uint64_t n = std::uint64_t{3} << 62U;
  const auto bits = Cut::bits(3);
  std::vector<std::uint64_t> counts(3);
  for (std::size_t i = 0; i < scaled(100'000, 10'000); ++i) {
    ++counts.at(draw_rising(n, 1, *bits).numbers[0] % 3);
  }
  EXPECT_GT(chi_square_p(counts, std::vector<double>(3, 1.0 / 3)), false_alarm_rate);
}

/// The same word for ever.
class OneWord final : public BitStream {
 public:
  explicit OneWord(std::uint64_t word) : word_(word) { use(own_); }

 private:
  void refill(Buffer& buffer) override {
    buffer.words.fill(word_);
    buffer.available = Buffer::capacity;
  }
  Buffer own_{};
  std::uint64_t word_;
};

/// How often each set stays of n items, over all numbers that can be drawn, if they fit into a
/// word.
std::map<std::set<std::size_t>, std::uint64_t> enumerated(std::size_t n, std::uint64_t most) {
  std::uint64_t possibilities = 1;
  for (std::uint64_t i = 0; i < most; ++i) {
    possibilities *= n - i;
  }
  std::map<std::set<std::size_t>, std::uint64_t> sets_kept;
  for (std::uint64_t i = 0; i < possibilities; ++i) {
    const mpz_class middle = ((mpz_class(2 * i + 1) << 63U)) / mpz_class(possibilities);
    OneWord bits(middle.get_ui());
    std::vector<std::size_t> items(n);
    std::iota(items.begin(), items.end(), 0);
    std::set<std::size_t> stay;
    Cut(most, bits).unit(std::span(items), [&](std::size_t item) { stay.insert(item); });
    ++sets_kept[stay];
  }
  return sets_kept;
}

TEST(Cut, EverySetComesFromAsManyNumbers) {
  const auto check = [](std::size_t n, std::uint64_t most) {
    const auto sets_kept = enumerated(n, most);
    mpz_class all;
    mpz_bin_uiui(all.get_mpz_t(), n, most);
    EXPECT_EQ(sets_kept.size(), all.get_ui()) << n << " items, " << most << " stay";
    for (const auto& [stay, times] : sets_kept) {
      EXPECT_EQ(stay.size(), most);
      EXPECT_EQ(times, sets_kept.begin()->second) << n << " items, " << most << " stay";
    }
  };
  for (std::size_t n = 2; n <= 8; ++n) {
    for (std::uint64_t most = 1; most < n; ++most) {
      check(n, most);
    }
  }
  for (const std::size_t n : {63U, 64U, 65U, 66U}) {
    check(n, 1);
    check(n, 2);
  }
}

TEST(Cut, SetsThatTakeSeveralWordsAreUniform) {
  const auto bits = Cut::bits(9);
  for (const std::uint64_t n : {12U, 64U, 66U}) {
    Cut cut(n - 2, *bits);  // the two that go, in order
    std::vector<std::uint64_t> counts(n * (n - 1) / 2);
    for (std::size_t i = 0; i < scaled(500, 150) * counts.size(); ++i) {
      std::vector<std::uint64_t> items(n);
      std::iota(items.begin(), items.end(), 0);
      std::vector<bool> stays(n);
      cut.unit(std::span(items), [&](std::uint64_t item) { stays[item] = true; });
      ASSERT_EQ(std::count(stays.begin(), stays.end(), false), 2);
      const auto first = std::find(stays.begin(), stays.end(), false);
      const auto a = static_cast<std::uint64_t>(first - stays.begin());
      const auto b =
          static_cast<std::uint64_t>(std::find(first + 1, stays.end(), false) - stays.begin());
      ++counts[b * (b - 1) / 2 + a];
    }
    const double each = 1.0 / static_cast<double>(counts.size());
    EXPECT_GT(chi_square_p(counts, std::vector<double>(counts.size(), each)), false_alarm_rate);
  }
}

TEST(Cut, LeavesSmallTransactionsAlone) {
  const auto bits = Cut::bits(3);
  Cut cut(3, *bits);
  EXPECT_EQ(kept(cut, {}), std::set<std::string>());
  EXPECT_EQ(kept(cut, {"a", "b", "c"}), (std::set<std::string>{"a", "b", "c"}));
  // Repetitions are no items of their own.
  EXPECT_EQ(kept(cut, {"a", "b", "a", "a", "b", "a"}), (std::set<std::string>{"a", "b"}));
}

TEST(Cut, KeepsAsManyDistinctItemsAsTheBound) {
  const auto bits = Cut::bits(4);
  // Items of up to eight bytes are compared as words, longer ones byte by byte.
  Texts items = {"a", "b", "ab", "ba", "12345678", "123456789", "1234567890123456"};
  for (int i = 0; i < 300; ++i) {
    items.push_back("item number " + std::to_string(i % 100));
  }
  for (const std::uint64_t most : {1U, 2U, 53U, 54U, 106U, 107U, 1000U}) {
    Cut cut(most, *bits);
    for (int i = 0; i < 50; ++i) {
      const std::set<std::string> stay = kept(cut, items);
      EXPECT_EQ(stay.size(), std::min<std::size_t>(most, 107));
      EXPECT_TRUE(std::all_of(stay.begin(), stay.end(), [&](const std::string& item) {
        return std::find(items.begin(), items.end(), item) != items.end();
      }));
    }
  }
}

TEST(Cut, TransactionsKeepUniformSetsIndependently) {
  const auto bits = Cut::bits(5);
  Cut cut(2, *bits);
  Cut large(7, *bits);
  int turn = 0;
  EXPECT_GT(
      p_of_pairs([&] {
        if (++turn % 8 == 0) {  // others in between take other numbers of words
          kept(large, {"1", "2", "3", "4", "5", "6", "7", "8", "9"});
        }
        return set_number(kept(cut, turn % 2 == 0 ? Texts{"a", "b", "c", "d", "e"}
                                                  : Texts{"e", "a", "a", "a", "b", "c", "d", "a"}));
      }),
      false_alarm_rate);
}

TEST(Cut, TheTestNoticesThatRepeatedItemsAreFavoured) {
  const auto bits = Cut::bits(6);
  EXPECT_LT(p_of_pairs([&] {
              const std::string items = "aabcde";  // chosen without looking for repetitions
              std::set<std::string> two;
              while (two.size() < 2) {
                two.insert(items.substr(draw_rising(items.size(), 1, *bits).numbers[0], 1));
              }
              return set_number(two);
            }),
            false_alarm_rate);
}

TEST(Cut, TheTestNoticesUnitsThatKeepTheSame) {
  const auto bits = Cut::bits(7);
  Cut cut(2, *bits);
  int turn = 0;
  std::size_t last = 0;
  EXPECT_LT(p_of_pairs([&] {
              last = turn++ % 2 == 0 ? set_number(kept(cut, {"a", "b", "c", "d", "e"})) : last;
              return last;
            }),
            false_alarm_rate);
}

TEST(Cut, UnitsKeepUniformSetsIndependently) {
  const std::vector<std::size_t> all = kept_by_units(scaled(100'000, 40'000), 8);
  std::size_t place = 0;
  EXPECT_GT(p_of_pairs([&] { return all[place++ % all.size()]; }), false_alarm_rate);
}

TEST(ItemRanks, AreTheHashThatEnginesCompute) {
  OneWord bits(0);  // for a key that is known
  const ItemRanks ranks(bits);
  const auto hex = [](const ItemRanks::Rank& rank) {
    std::string text;
    for (const unsigned byte : rank) {
      text += "0123456789abcdef"[byte >> 4U];
      text += "0123456789abcdef"[byte & 0xfU];
    }
    return text;
  };
  EXPECT_EQ(ranks.key(), std::string(64, '0'));
  // printf '%064d3:ann3:tea' 0 | sha256sum
  EXPECT_EQ(hex(ranks.of("ann", "tea")),
            "5846189197858a37a86539d559c9122d9dcc52987c5a53cf49d24b5895e22880");
  // Names of other units and items, written one after the other, would be the same text.
  EXPECT_NE(ranks.of("ann", "tea"), ranks.of("an", "ntea"));
  EXPECT_NE(ranks.of("1", "2:x"), ranks.of("1:2", "x"));
}

Input rows(std::uint64_t most, std::uint64_t seed) {
  Input input;
  input.item = "item";
  input.unit = "who";
  input.max_items = most;
  input.insecure_seed = seed;
  return input;
}

/// What is counted of a table.
std::map<std::string, std::int64_t> counted(const std::string& text, std::uint64_t most,
                                            std::uint64_t seed) {
  const auto bits = Cut::bits(seed);
  Cut cut(most, *bits);
  const auto bytes = in_memory(text, 4096);
  Problems problems = Problems::dropped();
  const Values values =
      read_table(*bytes, ',', rows(most, seed), problems, "text", {.chunk = 4096}, &cut);
  std::map<std::string, std::int64_t> result;
  for (std::size_t i = 0; i < values.items.size(); ++i) {
    if (values.whole[i] > 0) {
      result[values.items[i]] = values.whole[i];
    }
  }
  return result;
}

std::string table(const Texts& records) {
  std::string text = "who,item\n";
  for (const std::string& record : records) {
    text += record + "\n";
  }
  return text;
}

TEST(Cut, WhatAUnitKeepsDependsOnNoOtherUnit) {
  Texts ann;
  Texts others;
  for (int item = 0; item < 12; ++item) {
    ann.push_back("ann,a" + std::to_string(item));
    others.push_back("bob,b" + std::to_string(item));
    others.push_back("bob,a" + std::to_string(item));
    others.push_back("cat,b" + std::to_string(item % 4));
  }
  others.push_back("ann");            // malformed, and dropped
  others.push_back("\"unclosed,a1");  // the same
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto of_ann = counted(table(ann), 3, seed);
    const auto of_others = counted(table(others), 3, seed);
    EXPECT_EQ(of_ann.size(), 3U);
    Texts all;
    for (std::size_t i = 0; i < others.size(); ++i) {  // scattered, repeated, in another order
      all.push_back(others[others.size() - 1 - i]);
      all.push_back(ann[i % ann.size()]);
    }
    auto sum = of_others;
    for (const auto& [item, count] : of_ann) {
      sum[item] += count;
    }
    EXPECT_EQ(counted(table(all), 3, seed), sum);
  }
}

TEST(Cut, AUnitWithRepeatedRowsCountsItsDistinctItems) {
  EXPECT_EQ(counted(table({"ann,tea", "ann,rye", "ann,tea", "ann,tea"}), 2, 1),
            (std::map<std::string, std::int64_t>{{"tea", 1}, {"rye", 1}}));
}

TEST(Cut, SeparatedTransactionsAreCutToo) {
  const std::string text = "rye bread,tea,jam,tea\noil,salt\n";
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto bits = Cut::bits(seed);
    Cut cut(1, *bits);
    const auto bytes = in_memory(text, 4096);
    Problems problems = Problems::refused();
    const Values values = read_separated(*bytes, ',', problems, {}, &cut);
    EXPECT_EQ(values.items, (Texts{"rye bread", "tea", "jam", "oil", "salt"}));
    EXPECT_EQ(values.whole[0] + values.whole[1] + values.whole[2], 1);
    EXPECT_EQ(values.whole[3] + values.whole[4], 1);
    EXPECT_EQ(values.records, 2U);
    for (std::size_t i = 0; i < 5; ++i) {
      if (values.whole[i] == 1) {
        seen.insert(values.items[i]);
      }
    }
  }
  EXPECT_EQ(seen.size(), 5U);
}

TEST(Cut, WhichItemsThereAreDoesNotDependOnIt) {
  // Declared public are the items of the data. Those that outlast the cut depend on who has them.
  const std::string baskets = "a b c d\na b\n";
  const std::string records = table({"ann,a", "ann,b", "ann,c", "ann,d", "bob,a", "bob,b"});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto bits = Cut::bits(seed);
    Cut cut(1, *bits);
    Problems problems = Problems::refused();
    const auto lines = in_memory(baskets, 4096);
    const Values of_lines = read_transactions(*lines, problems, {}, std::nullopt, &cut);
    const auto bytes = in_memory(records, 4096);
    const Values of_rows = read_table(*bytes, ',', rows(1, seed), problems, "text", {}, &cut);
    for (const Values& values : {of_lines, of_rows}) {
      EXPECT_EQ(values.items, (Texts{"a", "b", "c", "d"}));
      EXPECT_EQ(values.whole[0] + values.whole[1] + values.whole[2] + values.whole[3], 2);
    }
  }
}

TEST(Cut, ATableThatGrowsMeanwhileLosesNothing) {
  const auto bits = Cut::bits(11);
  Cut cut(3, *bits);
  std::string text;
  for (int line = 0; line < 300; ++line) {
    for (int item = 0; item < 40; ++item) {
      text += "item" + std::to_string(line * 37 + item) + " ";
    }
    text += "\n";
  }
  Problems problems = Problems::refused();
  const auto bytes = in_memory(text, 4096);
  const Values values = read_transactions(*bytes, problems, {.chunk = 4096}, std::nullopt, &cut);
  EXPECT_EQ(values.items.size(), 299U * 37 + 40);
  EXPECT_EQ(std::accumulate(values.whole.begin(), values.whole.end(), std::int64_t{0}), 900);
}

TEST(Cut, EachTransactionOfABatchIsCutByItself) {
  const std::string text =
      "a1 a2 a3 a1\nb1\nc1 c1 c2 c1 c1\nd1 d2 d3 d4 d5 d6 d7\ne1 e1\nf1 f2 f3\n";
  const std::map<char, std::int64_t> bounded = {{'a', 2}, {'b', 1}, {'c', 2},
                                                {'d', 2}, {'e', 1}, {'f', 2}};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto bits = Cut::bits(seed);
    Cut cut(2, *bits);
    Problems problems = Problems::refused();
    const auto bytes = in_memory(text, 4096);
    const Values values = read_transactions(*bytes, problems, {}, std::nullopt, &cut);
    std::map<char, std::int64_t> counts;
    for (std::size_t i = 0; i < values.items.size(); ++i) {
      EXPECT_LE(values.whole[i], 1);
      counts[values.items[i].front()] += values.whole[i];
    }
    EXPECT_EQ(counts, bounded);
  }
}

TEST(Cut, ASeedGivesTheSameCutAndTheSystemAnother) {
  Texts records;
  for (int i = 0; i < 2000; ++i) {
    records.push_back("u" + std::to_string(i % 40) + ",i" + std::to_string(i));
  }
  const std::string text = table(records);
  EXPECT_EQ(counted(text, 2, 7), counted(text, 2, 7));
  EXPECT_NE(counted(text, 2, 7), counted(text, 2, 8));
  const auto secure = [&] {
    const auto bits = Cut::bits(std::nullopt);
    Cut cut(2, *bits);
    const auto bytes = in_memory(text, 4096);
    Problems problems = Problems::refused();
    return read_table(*bytes, ',', rows(2, 0), problems, "text", {}, &cut).whole;
  };
  EXPECT_NE(secure(), secure());
}

TEST(Bound, GoesWithTheRecordsThatItIsFor) {
  Input input;
  const auto refused = [&](Records records) -> std::string {
    try {
      check_bound(input, records);
      return "";
    } catch (const InvalidParameter& problem) {
      return problem.what();
    }
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  input.max_items = 3;
  EXPECT_EQ(refused(Records::transactions), "");
  EXPECT_EQ(refused(Records::rows), "");
  EXPECT_TRUE(has(refused(Records::numbers), "--bounded-by"));
  EXPECT_TRUE(has(refused(Records::stream), "stream"));
  input.unit = "who";
  EXPECT_EQ(bound_of(input, Records::rows), 3U);
  input.unit = "row";
  EXPECT_EQ(bound_of(input, Records::rows), 1U);
  input = {};
  EXPECT_EQ(bound_of(input, Records::rows), std::nullopt);
  input.bounded_by = 4;
  EXPECT_EQ(bound_of(input, Records::numbers), 4U);
  EXPECT_TRUE(has(refused(Records::transactions), "--max-items"));
  EXPECT_TRUE(has(refused(Records::rows), "--max-items"));
  EXPECT_TRUE(has(refused(Records::stream), "stream"));
  input.bounded_by = 0;
  EXPECT_TRUE(has(refused(Records::numbers), "at least 1"));
}

}  // namespace
}  // namespace freegap::sources

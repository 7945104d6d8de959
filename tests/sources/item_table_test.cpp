// The table of names, compared with the standard library's.
#include "sources/item_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sources/pair_set.hpp"

namespace freegap::sources {
namespace {

std::string made_up_name(std::mt19937_64& random, std::size_t longest, std::size_t letters) {
  std::string name(1 + random() % longest, 'a');
  for (char& c : name) {
    c = static_cast<char>('a' + random() % letters);
  }
  return name;
}

TEST(ItemTable, NumbersNamesInTheirOrder) {
  std::mt19937_64 random(3);
  ItemTable table;
  std::map<std::string, std::uint32_t> expected;
  std::vector<std::string> order;
  for (int i = 0; i < 200'000; ++i) {
    const std::string name = made_up_name(random, 1 + random() % 40, 1 + random() % 3);
    const auto [place, is_new] = expected.emplace(name, order.size());
    if (is_new) {
      order.push_back(name);
    }
    ASSERT_EQ(table.id(name), place->second);
  }
  EXPECT_GT(order.size(), 10'000U);
  EXPECT_EQ(table.size(), order.size());
  EXPECT_EQ(table.take_names(), order);
  EXPECT_EQ(table.size(), 0U);
}

TEST(ItemTable, CountsOnceALine) {
  ItemTable table;
  table.count("a", 1);
  table.count("a", 1);
  table.count("a", 2);
  table.count("a longer name", 2);
  table.count("a longer name", 3);
  table.count("a longer nam3", 3);
  EXPECT_EQ(table.counts(), (std::vector<std::int64_t>{2, 2, 1}));
}

TEST(ItemTable, CountsTokensOnceALine) {
  // Each token is followed by others: the bytes after it must not matter.
  const std::string text = "ab abc ab abcdefgh abcdefghi abc ab" + std::string(8, '!');
  const std::vector<Token> tokens{{0, 2, 0},  {3, 3, 0},  {7, 2, 0}, {10, 8, 1},
                                  {19, 9, 1}, {29, 3, 1}, {33, 2, 1}};
  ItemTable table;
  table.count(text.data(), tokens, 1);
  table.count(text.data(), tokens, 100);
  EXPECT_EQ(table.counts(), (std::vector<std::int64_t>{4, 4, 2, 2}));
  EXPECT_EQ(table.take_names(), (std::vector<std::string>{"ab", "abc", "abcdefgh", "abcdefghi"}));
}

TEST(ItemTable, KeepsCountsAndLinesWhenItGrows) {
  // The table grows several times between the first and the last name of a line.
  constexpr std::uint32_t names = 10'000;
  std::string text;
  std::vector<Token> tokens;
  const auto append = [&](const std::string& name, std::uint16_t line) {
    tokens.push_back(
        {static_cast<std::uint32_t>(text.size()), static_cast<std::uint16_t>(name.size()), line});
    text += name;
  };
  std::vector<std::string> expected{"a", "a longer name"};
  for (const std::string& name : expected) {
    append(name, 0);
    append(name, 1);
  }
  for (std::uint32_t i = 0; i < names; ++i) {
    expected.push_back(std::to_string(i));
    append(expected.back(), 1);
  }
  append("a", 1);
  append("a longer name", 1);
  append("a", 2);
  text.append(ItemTable::padding, '!');
  ItemTable table;
  table.count(text.data(), tokens, 1);
  const std::vector<std::int64_t> counts = table.counts();
  EXPECT_EQ(counts.at(0), 3);
  EXPECT_EQ(counts.at(1), 2);
  EXPECT_EQ(std::count(counts.begin() + 2, counts.end(), 1), names);
  EXPECT_EQ(table.take_names(), expected);
}

TEST(ItemTable, NamesTokensWithoutWhatFollows) {
  for (std::uint16_t length = 1; length <= 20; ++length) {
    std::string text;
    std::vector<Token> tokens;
    for (std::uint16_t line = 0; line < 10; ++line) {
      tokens.push_back({static_cast<std::uint32_t>(text.size()), length, line});
      text += std::string(length, 'n') + std::string(3, static_cast<char>('0' + line));
    }
    text.append(ItemTable::padding, '!');
    ItemTable table;
    table.count(text.data(), tokens, 1);
    EXPECT_EQ(table.counts(), std::vector<std::int64_t>{10}) << length;
    EXPECT_EQ(table.take_names(), std::vector<std::string>{std::string(length, 'n')});
  }
}

TEST(ItemTable, RemembersFirstLinesWhenItGrows) {
  ItemTable table;
  for (std::uint64_t line = 1; line <= 5'000; ++line) {
    ASSERT_EQ(table.first_line(std::to_string(line), line), 0U);
  }
  for (std::uint64_t line = 1; line <= 5'000; ++line) {
    ASSERT_EQ(table.first_line(std::to_string(line), 9'999), line);
  }
}

TEST(ItemTable, RemembersFirstLines) {
  ItemTable table;
  EXPECT_EQ(table.first_line("a", 5), 0U);
  EXPECT_EQ(table.first_line("b", 6), 0U);
  EXPECT_EQ(table.first_line("a", 7), 5U);
  EXPECT_EQ(table.first_line("a", 8), 5U);
}

TEST(PairSet, HoldsEachPairOnce) {
  std::mt19937_64 random(5);
  PairSet set;
  std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
  for (int i = 0; i < 200'000; ++i) {
    const auto first = static_cast<std::uint32_t>(random() % 500);
    const auto second =
        random() % 8 == 0 ? UINT32_MAX - 1 : static_cast<std::uint32_t>(random() % 500);
    ASSERT_EQ(set.insert(first, second), expected.emplace(first, second).second);
  }
  EXPECT_EQ(set.size(), expected.size());
}

TEST(PairSet, TellsLargeNumbersApart) {
  std::vector<std::uint32_t> numbers{0, 3, UINT32_MAX - 1};
  for (unsigned bit = 0; bit < 32; ++bit) {
    numbers.push_back(std::uint32_t{1} << bit);
  }
  PairSet set;
  for (const bool is_new : {true, false}) {
    for (const std::uint32_t first : numbers) {
      for (const std::uint32_t second : numbers) {
        ASSERT_EQ(set.insert(first, second), is_new) << first << ' ' << second;
      }
    }
  }
  EXPECT_EQ(set.size(), numbers.size() * numbers.size());
}

}  // namespace
}  // namespace freegap::sources

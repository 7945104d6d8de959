// The table of names, compared with the standard library's.
#include "sources/item_table.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace freegap::sources

// Shapes of candidates: every candidate stands in exactly one block, with its own answer; what is
// not listed in a universe is its complement; malformed shapes are refused.
#include "freegap/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "freegap/detail/core/answers.hpp"
#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/errors.hpp"

namespace freegap {
namespace {

using Counts = std::vector<std::int64_t>;
using Key = std::pair<std::int64_t, std::uint64_t>;

const Grid& units() {
  static const Grid grid(1, 1);
  return grid;
}

/// All candidates with their answers, as the list and the blocks show them. Checks each on the way,
/// and that the entries show the same.
std::map<Key, std::int64_t> shown(const Candidates& candidates, const Grid& grid = units()) {
  std::map<Key, std::int64_t> all;
  const Answers list = detail::CandidateAccess(candidates).listed();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Item item = detail::CandidateAccess(candidates).listed_item(i);
    EXPECT_TRUE(candidates.contains(item));
    EXPECT_EQ(detail::ticks(list, i, grid), detail::CandidateAccess(candidates).ticks(item, grid))
        << "item " << item.id;
    EXPECT_TRUE(all.emplace(Key{item.id, item.member}, detail::ticks(list, i, grid)).second);
  }
  detail::CandidateAccess(candidates)
      .for_each_run(2, grid, [&](const detail::CandidateAccess::Run& block) {
        ASSERT_GT(block.size(), 0U);
        std::int64_t most = INT64_MIN;
        for (std::uint64_t i = 0; i < block.size(); ++i) {
          const Item item = block.item(i);
          ASSERT_TRUE(candidates.contains(item));
          ASSERT_EQ(block.ticks(i), detail::CandidateAccess(candidates).ticks(item, grid))
              << "item " << item.id;
          ASSERT_TRUE(!block.constant() || block.ticks(i) == block.max_ticks());
          most = std::max(most, block.ticks(i));
          ASSERT_TRUE(all.emplace(Key{item.id, item.member}, block.ticks(i)).second)
              << "item " << item.id << " stands in two places";
        }
        ASSERT_EQ(block.max_ticks(), most);
      });
  EXPECT_EQ(all.size(), candidates.size());
  std::map<Key, std::int64_t> in_counts;
  const detail::CandidateAccess access(candidates);
  const std::vector<detail::ValueCount> entries = access.value_counts(grid);
  for (std::size_t entry = 0; entry < entries.size(); ++entry) {
    for (std::uint64_t member = 0; member < entries[entry].size; ++member) {
      const Item item = access.item_of(entry, member);
      EXPECT_TRUE(in_counts.emplace(Key{item.id, item.member}, entries[entry].ticks).second);
    }
  }
  EXPECT_EQ(in_counts, all);
  return all;
}

Counts random_counts(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Counts counts(n);
  std::generate(counts.begin(), counts.end(),
                [&] { return static_cast<std::int64_t>(random() % 1000) - 300; });
  return counts;
}

TEST(Candidates, DenseBlocksCoverEachOnce) {
  for (const std::size_t n : {1U, 2U, 255U, 256U, 257U, 1000U}) {
    const Counts counts = random_counts(n, n);
    const Candidates candidates = Candidates::counting(counts, Neighbours::add_remove);
    EXPECT_EQ(candidates.size(), n);
    EXPECT_TRUE(candidates.dense());
    EXPECT_TRUE(candidates.whole());
    const auto all = shown(candidates);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(all.at({static_cast<std::int64_t>(i), 0}), counts[i]);
    }
    EXPECT_FALSE(candidates.contains({static_cast<std::int64_t>(n), 0}));
    EXPECT_FALSE(candidates.contains({-1, 0}));
    EXPECT_FALSE(candidates.contains({0, 1}));
  }
}

TEST(Candidates, DenseRealsAreFloored) {
  const std::vector<double> reals{0.5, -0.5, 3.99, 1e300, -1e300, -0.0};
  const Candidates candidates =
      Candidates::general(std::span<const double>(reals), Neighbours::replace, 1);
  EXPECT_FALSE(candidates.whole());
  const auto all = shown(candidates);
  EXPECT_EQ(all.at({0, 0}), 0);
  EXPECT_EQ(all.at({1, 0}), -1);
  EXPECT_EQ(all.at({2, 0}), 3);
  EXPECT_EQ(all.at({3, 0}), Grid::limit_ticks);
  EXPECT_EQ(all.at({4, 0}), -Grid::limit_ticks);
  EXPECT_EQ(shown(candidates, Grid(Rational(1, 4), 1)).at({1, 0}), -2);
}

// A list that lives on converts; one that is gone with its line does not. What the compiler says is
// tested in tests/hygiene/refused_programs.py.
template <class List>
constexpr bool is_viewed = std::is_constructible_v<Answers, List>;
static_assert(is_viewed<Counts&> && is_viewed<const Counts&> && is_viewed<std::span<double>>);
static_assert(is_viewed<std::vector<double>&> && is_viewed<const std::vector<double>&>);
static_assert(is_viewed<std::vector<std::int32_t>&> && is_viewed<const double (&)[3]>);
static_assert(!is_viewed<Counts> && !is_viewed<const Counts> && !is_viewed<std::vector<double>>);
static_assert(!is_viewed<std::vector<std::int32_t>> && !is_viewed<std::array<double, 3>>);
static_assert(!is_viewed<std::initializer_list<double>> && !is_viewed<std::vector<float>&>);
static_assert(std::is_constructible_v<View<std::int64_t>, const Counts&>);
static_assert(!std::is_constructible_v<View<std::int64_t>, Counts>);
static_assert(!std::is_constructible_v<View<std::int64_t>, std::initializer_list<std::int64_t>>);

TEST(Candidates, VectorsAreViewedWhateverTheirType) {
  const std::vector<double> reals{2.5, -1.5, 7};
  const Counts counts{2, -2, 7};
  std::vector<std::int32_t> small{2, -2, 7};
  const std::map<Key, std::int64_t> expected{{{0, 0}, 2}, {{1, 0}, -2}, {{2, 0}, 7}};
  EXPECT_EQ(shown(Candidates::general(reals, Neighbours::replace, 1)), expected);
  EXPECT_EQ(shown(Candidates::growing(reals, Neighbours::replace, 1)), expected);
  EXPECT_EQ(shown(Candidates::general(counts, Neighbours::replace, 1)), expected);
  EXPECT_EQ(shown(Candidates::general(small, Neighbours::replace, 1)), expected);
  EXPECT_FALSE(Candidates::general(reals, Neighbours::replace, 1).whole());
  EXPECT_TRUE(Candidates::general(small, Neighbours::replace, 1).whole());
  const Counts ones{1, 1, 1};
  EXPECT_EQ(shown(Candidates::grouped(reals, ones, {})), expected);
  small[0] = 5;  // a view, not a copy
  EXPECT_EQ(shown(Candidates::counting(small, Neighbours::replace)).at({0, 0}), 5);
}

TEST(Candidates, MonotoneFollowsFromTheDeclarations) {
  const Counts one{1};
  const auto factor = [](const Candidates& c) { return c.queries().noise_factor(); };
  EXPECT_EQ(factor(Candidates::counting(one, Neighbours::add_remove)), 1);
  EXPECT_EQ(factor(Candidates::counting(one, Neighbours::replace)), 2);
  EXPECT_EQ(factor(Candidates::growing(std::span(one), Neighbours::add_remove, 3)), 1);
  EXPECT_EQ(factor(Candidates::growing(std::span(one), Neighbours::replace, 3)), 2);
  EXPECT_EQ(factor(Candidates::general(std::span(one), Neighbours::add_remove, 3)), 2);
  EXPECT_EQ(factor(Candidates::general(std::span(one), Neighbours::replace, 3)), 2);
  EXPECT_EQ(factor(Candidates::universe({0, 1}, {}, {}, Neighbours::add_remove)), 1);
  EXPECT_EQ(Candidates::general(std::span(one), Neighbours::replace, 3).queries().sensitivity,
            Rational(3));
}

TEST(Candidates, GroupsHoldTheirMembers) {
  const Counts values{5, 0, 90, 7};
  const Counts many{3, 400, 1, 0};
  const Candidates candidates = Candidates::grouped(std::span(values), many, {});
  EXPECT_EQ(candidates.size(), 404U);
  EXPECT_FALSE(candidates.dense());
  const auto all = shown(candidates);
  for (std::size_t g = 0; g < values.size(); ++g) {
    for (std::uint64_t m = 0; m < static_cast<std::uint64_t>(many[g]); ++m) {
      ASSERT_EQ(all.at({static_cast<std::int64_t>(g), m}), values[g]);
    }
    EXPECT_FALSE(
        candidates.contains({static_cast<std::int64_t>(g), static_cast<std::uint64_t>(many[g])}));
  }
  EXPECT_FALSE(candidates.contains({4, 0}));
  EXPECT_FALSE(candidates.contains({-1, 0}));
  std::vector<std::int64_t> order;
  detail::CandidateAccess(candidates).for_each_run(404, units(), [&](const auto& block) {
    order.push_back(block.max_ticks());
  });
  EXPECT_EQ(order, (Counts{90, 5, 0}));
}

TEST(Candidates, GroupsOfRealsComeByFallingValue) {
  const std::vector<double> values{-2.5, 0.25, 1e300, 0.5, -1e300};
  const Counts many{1, 1, 1, 1, 1};
  const Candidates candidates =
      Candidates::grouped(std::span<const double>(values), many, {Kind::general});
  std::vector<std::int64_t> order;
  detail::CandidateAccess(candidates)
      .for_each_run(5, Grid("1/4"_rational, 1),
                    [&](const auto& block) { order.push_back(block.max_ticks()); });
  EXPECT_EQ(order.size(), 5U);
  EXPECT_TRUE(std::is_sorted(order.rbegin(), order.rend()));
  EXPECT_EQ(shown(candidates).size(), 5U);
}

TEST(Candidates, GroupsComeInRunsThatGrow) {
  Counts values;
  Counts many;
  for (std::int64_t i = 0; i < 200; ++i) {
    values.push_back(i);
    many.push_back(1 + i % 3);
  }
  const Candidates candidates =
      Candidates::grouped(std::span<const std::int64_t>(values), many, {});
  std::vector<std::int64_t> first;
  detail::CandidateAccess(candidates).for_each_run(5, units(), [&](const auto& block) {
    first.push_back(block.max_ticks());
  });
  // 2, 1 and 3 candidates one group at a time, then runs of 8, 64 and the rest.
  EXPECT_EQ(first, (Counts{199, 198, 197, 196, 188, 124}));
  EXPECT_EQ(shown(candidates).size(), candidates.size());
}

TEST(Candidates, SmallerWholeNumbersAreTheSameNumbers) {
  const std::vector<std::int32_t> small{5, INT32_MIN, 0, INT32_MAX, -1};
  const Counts large(small.begin(), small.end());
  const auto of_small =
      Candidates::counting(std::span<const std::int32_t>(small), Neighbours::replace);
  EXPECT_TRUE(of_small.whole());
  EXPECT_EQ(shown(of_small), shown(Candidates::counting(large, Neighbours::replace)));
}

TEST(Candidates, GroupsHoldUpToTwoToThe63) {
  const Counts values{1, 2};
  const Counts most{INT64_MAX, 1};
  EXPECT_EQ(Candidates::grouped(std::span(values), most, {}).size(), std::uint64_t{1} << 63U);
  const Counts too_many{INT64_MAX, 2};
  EXPECT_THROW(Candidates::grouped(std::span(values), too_many, {}), InvalidParameter);
  const Counts negative{3, -1};
  EXPECT_THROW(Candidates::grouped(std::span(values), negative, {}), InvalidParameter);
  const Counts none{0, 0};
  EXPECT_THROW(Candidates::grouped(std::span(values), none, {}), InvalidParameter);
  const Counts one{1};
  EXPECT_THROW(Candidates::grouped(std::span(values), one, {}), InvalidParameter);
}

/// Listed ids with their counts; all others of the universe with zero.
void expect_universe(Universe universe, const Counts& ids, const Counts& counts) {
  const Candidates candidates = Candidates::universe(universe, ids, counts, Neighbours::add_remove);
  std::map<Key, std::int64_t> expected;
  for (std::int64_t id = universe.first;; ++id) {
    expected[{id, 0}] = 0;
    if (id == universe.last) {
      break;
    }
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (expected.count({ids[i], 0}) > 0) {
      expected[{ids[i], 0}] = counts[i];
    }
  }
  EXPECT_EQ(shown(candidates), expected);
}

TEST(Candidates, AUniverseIsTheListedIdsAndTheirComplement) {
  expect_universe({0, 9}, {}, {});
  expect_universe({0, 0}, {}, {});
  expect_universe({0, 0}, {0}, {7});
  expect_universe({0, 9}, {0, 9, 4, 5}, {1, 2, 3, 4});
  expect_universe({-5, 5}, {-6, 6, 100, -5, 5, INT64_MIN, INT64_MAX}, {1, 2, 3, 4, 5, 6, 7});
  expect_universe({INT64_MIN, INT64_MIN + 20}, {INT64_MIN + 3, INT64_MIN}, {3, 4});
  expect_universe({INT64_MAX - 20, INT64_MAX}, {INT64_MAX, INT64_MAX - 4}, {3, 4});
  expect_universe({0, 2}, {2, 1, 0}, {5, 6, 7});  // nothing is left over
  std::mt19937_64 random(71);
  for (int i = 0; i < 200; ++i) {
    const auto first = static_cast<std::int64_t>(random() % 1000) - 500;
    const Universe universe{first, first + static_cast<std::int64_t>(random() % 600)};
    std::set<std::int64_t> ids;
    for (std::uint64_t n = random() % 500; n > 0; --n) {
      ids.insert(static_cast<std::int64_t>(random() % 1400) - 700);
    }
    Counts listed(ids.begin(), ids.end());
    std::shuffle(listed.begin(), listed.end(), random);
    expect_universe(universe, listed, random_counts(listed.size(), random()));
  }
}

TEST(Candidates, AUniverseOfTwoToThe63) {
  const Counts ids{-1, INT64_MIN, -1000};
  const Counts counts{5, 6, 7};
  const Universe half{INT64_MIN, -1};
  const Candidates candidates = Candidates::universe(half, ids, counts, Neighbours::add_remove);
  EXPECT_EQ(candidates.size(), std::uint64_t{1} << 63U);
  EXPECT_EQ(detail::CandidateAccess(candidates).ticks({INT64_MIN, 0}, units()), 6);
  EXPECT_EQ(detail::CandidateAccess(candidates).ticks({INT64_MIN + 1, 0}, units()), 0);
  EXPECT_TRUE(candidates.contains({-1, 0}));
  EXPECT_FALSE(candidates.contains({0, 0}));
  EXPECT_FALSE(candidates.contains({-1, 1}));
  std::uint64_t size = detail::CandidateAccess(candidates).listed().size();
  detail::CandidateAccess(candidates)
      .for_each_run(1, units(), [&](const detail::CandidateAccess::Run& block) {
        size += block.size();
        EXPECT_TRUE(block.constant());  // INT64_MIN + 1, ..., -1001, -999, ..., -2
        EXPECT_EQ(block.size(), (std::uint64_t{1} << 63U) - 3);
        EXPECT_EQ(block.item(0).id, INT64_MIN + 1);
        EXPECT_EQ(block.item(block.size() - 1).id, -2);
        EXPECT_EQ(block.item(block.size() - 998).id, -999);
        EXPECT_EQ(block.item(block.size() - 999).id, -1001);
      });
  EXPECT_EQ(size, candidates.size());
  EXPECT_NO_THROW(Candidates::universe({0, INT64_MAX}, {}, {}, Neighbours::add_remove));
  EXPECT_THROW(Candidates::universe({-1, INT64_MAX}, {}, {}, Neighbours::add_remove),
               InvalidParameter);
  EXPECT_THROW(Candidates::universe({INT64_MIN, INT64_MAX}, {}, {}, Neighbours::add_remove),
               InvalidParameter);
}

TEST(Candidates, MalformedUniversesAreRefused) {
  const Counts twice{3, 4, 3};
  const Counts three{1, 2, 3};
  const Counts two{1, 2};
  EXPECT_THROW(Candidates::universe({0, 9}, twice, three, Neighbours::add_remove),
               InvalidParameter);
  EXPECT_THROW(Candidates::universe({0, 9}, three, two, Neighbours::add_remove), InvalidParameter);
  EXPECT_THROW(Candidates::universe({9, 0}, {}, {}, Neighbours::add_remove), InvalidParameter);
  // Outside the universe ids are dropped, twice or not.
  EXPECT_EQ(Candidates::universe({5, 9}, twice, three, Neighbours::add_remove).size(), 5U);
}

TEST(Candidates, UnknownItemsAreAListWithABound) {
  const Counts counts{5, 1, 3};
  const Candidates unknown = Candidates::unknown(counts, 20);
  EXPECT_TRUE(unknown.unknown_items());
  EXPECT_TRUE(unknown.dense());
  EXPECT_TRUE(unknown.queries().monotone());
  EXPECT_EQ(unknown.queries().max_items, 20U);
  EXPECT_EQ(unknown.queries().sensitivity, Rational(1));
  EXPECT_EQ(shown(unknown), shown(Candidates::counting(counts, Neighbours::add_remove)));
  const Counts values{1, 7};
  const Counts multiplicities{3, 2};
  const Candidates groups = Candidates::unknown_grouped(values, multiplicities, 4);
  EXPECT_TRUE(groups.unknown_items());
  EXPECT_EQ(groups.size(), 5U);
  EXPECT_EQ(groups.queries().max_items, 4U);
  EXPECT_EQ(shown(groups),
            shown(Candidates::grouped(std::span<const std::int64_t>(values), multiplicities,
                                      {Kind::counts, Neighbours::add_remove, 1})));
  EXPECT_FALSE(Candidates::counting(counts, Neighbours::add_remove).unknown_items());
}

TEST(Candidates, UnknownItemsMayBeNone) {
  const Counts none;
  EXPECT_EQ(Candidates::unknown(none, 1).size(), 0U);
  EXPECT_EQ(Candidates::unknown_grouped(none, none, 1).size(), 0U);
  const Counts one{1};
  const Counts zero{0};
  EXPECT_EQ(Candidates::unknown_grouped(one, zero, 1).size(), 0U);
  EXPECT_THROW(Candidates::grouped(std::span<const std::int64_t>(one), zero, {}),
               InvalidParameter);  // declared ones may not
}

TEST(Candidates, UnknownItemsOccurAndAreBounded) {
  const Counts good{1, 2};
  for (const Counts& bad : {Counts{1, 0}, Counts{-1, 1}}) {
    EXPECT_THROW(Candidates::unknown(bad, 1), InvalidParameter);
    EXPECT_THROW(Candidates::unknown_grouped(bad, good, 1), InvalidParameter);
  }
  const Counts some{1, 0};
  const Counts negative{1, -1};
  const Counts shorter{1};
  EXPECT_EQ(Candidates::unknown_grouped(good, some, 1).size(), 1U);
  EXPECT_THROW(Candidates::unknown(good, 0), InvalidParameter);
  EXPECT_THROW(Candidates::unknown_grouped(good, good, 0), InvalidParameter);
  EXPECT_THROW(Candidates::unknown_grouped(good, shorter, 1), InvalidParameter);
  EXPECT_THROW(Candidates::unknown_grouped(good, negative, 1), InvalidParameter);
}

TEST(Candidates, ABoundIsADeclaration) {
  const Counts counts{5, 1, 3};
  const Candidates listed = Candidates::counting(counts, Neighbours::replace, 2);
  EXPECT_EQ(listed.queries().max_items, std::nullopt);
  const Candidates bounded = listed.bounded(7);
  EXPECT_EQ(bounded.queries().max_items, 7U);
  EXPECT_EQ(bounded.queries().sensitivity, Rational(2));
  EXPECT_EQ(bounded.queries().neighbours, Neighbours::replace);
  EXPECT_FALSE(bounded.unknown_items());
  EXPECT_EQ(shown(bounded), shown(listed));
  EXPECT_TRUE(Candidates::unknown(counts, 3).bounded(2).unknown_items());
  EXPECT_THROW(static_cast<void>(listed.bounded(0)), InvalidParameter);
}

TEST(Queries, MostAnswersThatAUnitChanges) {
  Queries queries;
  EXPECT_EQ(queries.most_changed(10), 10U);  // no bound
  queries.max_items = 3;
  EXPECT_EQ(queries.most_changed(10), 3U);
  EXPECT_EQ(queries.most_changed(3), 3U);
  EXPECT_EQ(queries.most_changed(2), 2U);
  EXPECT_EQ(queries.most_changed(0), 0U);
  queries.neighbours = Neighbours::replace;  // one unit goes, another one comes
  EXPECT_EQ(queries.most_changed(10), 6U);
  EXPECT_EQ(queries.most_changed(6), 6U);
  EXPECT_EQ(queries.most_changed(5), 5U);
  queries.max_items = UINT64_MAX;
  EXPECT_EQ(queries.most_changed(10), 10U);
  EXPECT_EQ(queries.most_changed(UINT64_MAX), UINT64_MAX);
}

TEST(Candidates, MalformedAnswersAreRefused) {
  const Counts one{1};
  const Counts none;
  EXPECT_THROW(Candidates::counting(none, Neighbours::add_remove), InvalidParameter);
  EXPECT_THROW(Candidates::general(Answers(), Neighbours::replace, 1), InvalidParameter);
  EXPECT_THROW(Candidates::counting(one, Neighbours::add_remove, 0), InvalidParameter);
  EXPECT_THROW(Candidates::general(std::span(one), Neighbours::replace, -1), InvalidParameter);
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const std::vector<double> answers{1, bad, 2};
    EXPECT_THROW(Candidates::general(std::span<const double>(answers), Neighbours::replace, 1),
                 InvalidParameter);
    const Counts many{1, 1, 1};
    EXPECT_THROW(Candidates::grouped(std::span<const double>(answers), many, {}), InvalidParameter);
  }
}

}  // namespace
}  // namespace freegap

// The index of block maxima agrees with a look at every answer: the largest of blocks and tiles,
// which answers reach a bound, and where the largest of all are.
#include "freegap/detail/core/block_maxima.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace freegap {
namespace {

using Random = std::mt19937_64;

/// Ticks that whole numbers are multiples of and others, and one that does not fit two words.
std::vector<Grid> grids() {
  std::vector<Grid> result;
  for (const Rational& tick :
       {Rational(1), Rational(1, 64), Rational(3, 7), Rational(5), Rational::power_of_two(60),
        Rational::power_of_two(-60), Rational::power_of_two(-200)}) {
    result.emplace_back(tick, tick);
  }
  return result;
}

/// Tiles of one block, blocks of one answer, and what vectors like. Some are so small that several
/// threads share in a list of a few thousand.
const std::vector<detail::BlockSizes> all_sizes = {{1, 1},  {1, 3},  {3, 2},   {7, 5},  {8, 4},
                                                   {64, 4}, {64, 1}, {128, 2}, {256, 2}};

/// Answers of one type in one shape.
template <class T>
std::vector<std::vector<T>> lists(std::size_t n, Random& random) {
  using Limits = std::numeric_limits<T>;
  const auto filled = [&](const std::function<T(std::size_t)>& draw) {
    std::vector<T> result;
    for (std::size_t i = 0; i < n; ++i) {
      result.push_back(draw(i));
    }
    return result;
  };
  return {filled([&](std::size_t) { return static_cast<T>(static_cast<std::int32_t>(random())); }),
          filled([&](std::size_t) { return static_cast<T>(random() % 5); }),
          filled([&](std::size_t i) { return static_cast<T>(i); }),
          filled([&](std::size_t i) { return static_cast<T>(n - i) / 3; }),
          filled([&](std::size_t i) { return static_cast<T>(i % 512 == 300 ? 1000 : 0); }),
          filled([&](std::size_t) {
            return random() % 3 == 0 ? Limits::max() : random() % 2 == 0 ? Limits::lowest() : T{0};
          })};
}

/// One index, and the answers in ticks.
struct Case {
  detail::BlockMaxima maxima;
  std::vector<std::int64_t> ticks;
  detail::BlockSizes sizes;
  bool exact_bounds;  // whether bounds are exact: ticks fit two words
};

std::int64_t largest_in(const Case& c, const detail::BlockMaxima::Range& range) {
  return *std::max_element(c.ticks.begin() + static_cast<std::ptrdiff_t>(range.first),
                           c.ticks.begin() + static_cast<std::ptrdiff_t>(range.last));
}

std::size_t blocks_in(const Case& c) {
  return (c.ticks.size() + c.sizes.block - 1) / c.sizes.block;
}

/// Every answer is in one block and one tile, and behind the last there is nothing.
void expect_ranges(const Case& c) {
  std::size_t next = 0;
  std::size_t next_block = 0;
  for (std::size_t t = 0; t < c.maxima.tiles(); ++t) {
    ASSERT_EQ(c.maxima.tile(t).first, next);
    const detail::BlockMaxima::Range blocks = c.maxima.blocks_of(t);
    ASSERT_EQ(blocks.first, next_block);
    for (std::size_t b = blocks.first; b < blocks.last; ++b) {
      ASSERT_EQ(c.maxima.block(b).first, next);
      ASSERT_GT(c.maxima.block(b).size(), 0U);
      next = c.maxima.block(b).last;
    }
    next_block = blocks.last;
    ASSERT_EQ(c.maxima.tile(t).last, next);
  }
  ASSERT_EQ(next, c.ticks.size());
  ASSERT_EQ(next_block, blocks_in(c));
  EXPECT_EQ(c.maxima.tile(c.maxima.tiles()).first, c.ticks.size());
  EXPECT_EQ(c.maxima.block(next_block).first, c.ticks.size());
}

void expect_maxima(const Case& c) {
  for (std::size_t t = 0; t < c.maxima.tiles(); ++t) {
    ASSERT_EQ(c.maxima.tile_ticks(t), largest_in(c, c.maxima.tile(t)));
    ASSERT_EQ(c.maxima.ticks_of(c.maxima.tile_maximum(t)), c.maxima.tile_ticks(t));
  }
  for (std::size_t b = 0; b < blocks_in(c); ++b) {
    ASSERT_EQ(c.maxima.block_ticks(b), largest_in(c, c.maxima.block(b)));
  }
}

/// Whatever has `ticks` ticks reaches their bound, and where bounds are exact, nothing else does.
void expect_bound(Case& c, std::int64_t ticks) {
  const std::int64_t bound = c.maxima.bound(ticks);
  std::vector<bool> reaching;  // by block
  for (std::size_t b = 0; b < blocks_in(c); ++b) {
    const detail::BlockMaxima::Range range = c.maxima.block(b);
    const auto found = c.maxima.reaching(bound, b);
    std::vector<std::uint32_t> expected;
    for (std::size_t i = range.first; i < range.last; ++i) {
      if (c.ticks[i] >= ticks) {
        expected.push_back(static_cast<std::uint32_t>(i - range.first));
      }
    }
    ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
    ASSERT_TRUE(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
    if (c.exact_bounds && ticks <= Grid::limit_ticks && bound < INT64_MAX) {
      ASSERT_EQ(found.size(), expected.size());
    }
    reaching.push_back(!found.empty());
  }
  ASSERT_EQ(c.maxima.count_blocks_reaching(bound),
            static_cast<std::size_t>(std::count(reaching.begin(), reaching.end(), true)));
  for (std::size_t t = 0; t < c.maxima.tiles(); ++t) {
    const detail::BlockMaxima::Range of = c.maxima.blocks_of(t);
    std::vector<std::uint32_t> expected;
    for (std::size_t b = of.first; b < of.last; ++b) {
      if (reaching[b]) {
        expected.push_back(static_cast<std::uint32_t>(b - of.first));
      }
    }
    const auto found = c.maxima.blocks_reaching(bound, t);
    ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
    ASSERT_EQ(c.maxima.tile_maximum(t) < bound, expected.empty());
  }
}

void expect_largest(Case& c, std::size_t count) {
  std::vector<std::int64_t> expected = c.ticks;
  std::sort(expected.begin(), expected.end(), std::greater<>());
  expected.resize(std::min(count, expected.size()));
  const std::vector<std::size_t> places = c.maxima.largest(count);
  std::vector<std::int64_t> found;
  for (const std::size_t i : places) {
    found.push_back(c.ticks.at(i));
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  ASSERT_EQ(found, expected) << count << " largest";
  ASSERT_TRUE(std::is_sorted(places.begin(), places.end()));
  ASSERT_EQ(std::set(places.begin(), places.end()).size(), places.size());
}

template <class T>
class BlockMaximaOf : public ::testing::Test {
 protected:
  /// Calls `check` with all lists, grids and sizes.
  template <class Check>
  static void for_each_case(const Check& check) {
    Random random(72);
    for (const Grid& grid : grids()) {
      const bool exact_bounds =
          std::is_same_v<T, double> || grid.tick() > Rational::power_of_two(-100);
      for (const std::size_t n : {0U, 1U, 9U, 130U, 1500U, 3001U}) {
        for (const auto& list : lists<T>(n, random)) {
          const Answers answers{std::span<const T>(list)};
          std::vector<std::int64_t> ticks;
          for (const T answer : list) {
            ticks.push_back(grid.floor_ticks(answer));
          }
          const detail::BlockSizes sizes = all_sizes[random() % all_sizes.size()];
          for (const unsigned threads : {1U, 3U}) {
            SCOPED_TRACE(std::to_string(n) + " answers on " + grid.tick().str() + ", blocks of " +
                         std::to_string(sizes.block) + ", tiles of " + std::to_string(sizes.fan));
            Case c{detail::BlockMaxima(answers, grid, sizes, threads), ticks, sizes, exact_bounds};
            ASSERT_NO_FATAL_FAILURE(check(c));
          }
        }
      }
    }
  }
};
using Numbers = ::testing::Types<std::int64_t, std::int32_t, double>;
TYPED_TEST_SUITE(BlockMaximaOf, Numbers);

TYPED_TEST(BlockMaximaOf, AnswersKnowsTheirMaxima) {
  this->for_each_case([](Case& c) {
    expect_ranges(c);
    expect_maxima(c);
  });
}

TYPED_TEST(BlockMaximaOf, AnswersKnowsWhichReachABound) {
  Random random(73);
  this->for_each_case([&](Case& c) {
    std::vector<std::int64_t> bounds = {0, 1, -Grid::limit_ticks, Grid::limit_ticks};
    for (int i = 0; i < 4 && !c.ticks.empty(); ++i) {
      const std::int64_t at = c.ticks[random() % c.ticks.size()];
      bounds.insert(bounds.end(), {at, at + 1});
    }
    for (const std::int64_t ticks : bounds) {
      ASSERT_NO_FATAL_FAILURE(expect_bound(c, ticks)) << ticks << " ticks";
    }
  });
}

TYPED_TEST(BlockMaximaOf, AnswersFindsTheLargest) {
  this->for_each_case([](Case& c) {
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{2}, std::size_t{10}, std::size_t{100}, c.ticks.size() + 1}) {
      ASSERT_NO_FATAL_FAILURE(expect_largest(c, count));
    }
  });
}

TEST(BlockSizes, LeaveManyTilesForEachCandidateWanted) {
  for (const std::size_t n : {1U, 100U, 5'000U, 100'000U, 2'000'000U, 10'000'000U}) {
    for (const std::size_t m : {1U, 2U, 11U, 1'000U}) {
      const detail::BlockSizes sizes = detail::BlockSizes::for_top_m(n, m);
      ASSERT_GE(sizes.block, 1U);
      ASSERT_GE(sizes.fan, 1U);
      EXPECT_TRUE(sizes.fan == 1 || n / sizes.block / sizes.fan >= 4 * m) << n << ' ' << m;
      EXPECT_TRUE(sizes.block == 1 || n / sizes.block >= 4 * m) << n << ' ' << m;
    }
  }
}

}  // namespace
}  // namespace freegap

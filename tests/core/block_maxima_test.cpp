// A maxima knows exactly what a look at every answer would tell: the largest of blocks and tiles,
// and what is next to them, which answers are not below a mark, and where the largest of all are.
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
const std::vector<BlockSizes> all_sizes = {{1, 1, false},  {1, 3, true},    {3, 2, false},
                                           {7, 5, true},   {8, 4, true},    {64, 4, true},
                                           {64, 1, false}, {128, 2, false}, {256, 2, true}};

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

/// One maxima, and the answers in ticks.
struct Case {
  BlockMaxima maxima;
  std::vector<std::int64_t> ticks;
  BlockSizes sizes;
  bool exact_marks;  // whether marks are exact: ticks fit two words
};

std::int64_t largest_in(const Case& c, const BlockMaxima::Range& range) {
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
    const BlockMaxima::Range blocks = c.maxima.blocks_of(t);
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

/// The second largest of a block, and where the largest is.
void expect_others(Case& c, std::size_t b) {
  const BlockMaxima::Range range = c.maxima.block(b);
  std::vector<std::int64_t> falling(c.ticks.begin() + static_cast<std::ptrdiff_t>(range.first),
                                    c.ticks.begin() + static_cast<std::ptrdiff_t>(range.last));
  std::sort(falling.begin(), falling.end(), std::greater<>());
  const std::int64_t others = c.maxima.others_ticks(b);
  if (!c.sizes.second) {
    ASSERT_EQ(others, falling[0]);
  } else if (falling.size() > 1) {
    ASSERT_EQ(others, falling[1]);
  } else {
    ASSERT_LE(others, falling[0]);
  }
  const std::size_t place = c.maxima.place_of_largest(b);
  ASSERT_GE(place, range.first);
  ASSERT_LT(place, range.last);
  ASSERT_EQ(c.ticks[place], falling[0]);
}

void expect_maxima(Case& c) {
  for (std::size_t t = 0; t < c.maxima.tiles(); ++t) {
    ASSERT_EQ(c.maxima.tile_ticks(t), largest_in(c, c.maxima.tile(t)));
    std::int64_t others = INT64_MIN;
    const BlockMaxima::Range blocks = c.maxima.blocks_of(t);
    for (std::size_t b = blocks.first; b < blocks.last; ++b) {
      others = std::max(others, c.maxima.others_ticks(b));
    }
    EXPECT_FALSE(c.maxima.others_below(t, c.maxima.mark(others)));
    const std::int64_t above = c.maxima.mark(others + 1);
    if (c.exact_marks && others < Grid::limit_ticks && above < INT64_MAX) {
      EXPECT_TRUE(c.maxima.others_below(t, above));
    }
  }
  for (std::size_t b = 0; b < blocks_in(c); ++b) {
    ASSERT_EQ(c.maxima.block_ticks(b), largest_in(c, c.maxima.block(b)));
    ASSERT_NO_FATAL_FAILURE(expect_others(c, b));
  }
}

/// What is below a mark of `ticks` has fewer ticks, and where marks are exact, what is not has not.
void expect_mark(Case& c, std::int64_t ticks) {
  const std::int64_t mark = c.maxima.mark(ticks);
  std::size_t blocks = 0;
  for (std::size_t b = 0; b < blocks_in(c); ++b) {
    const BlockMaxima::Range range = c.maxima.block(b);
    const auto found = c.maxima.not_below(mark, b);
    std::vector<std::uint32_t> expected;
    for (std::size_t i = range.first; i < range.last; ++i) {
      if (c.ticks[i] >= ticks) {
        expected.push_back(static_cast<std::uint32_t>(i - range.first));
      }
    }
    ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
    ASSERT_TRUE(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
    ASSERT_EQ(c.maxima.block_below(b, mark), found.empty());
    if (c.exact_marks && ticks <= Grid::limit_ticks && mark < INT64_MAX) {
      ASSERT_EQ(found.size(), expected.size());
    }
    blocks += found.empty() ? 0U : 1U;
  }
  ASSERT_EQ(c.maxima.count_blocks_from(ticks), blocks);
  for (std::size_t t = 0; t < c.maxima.tiles(); ++t) {
    const BlockMaxima::Range of = c.maxima.blocks_of(t);
    std::vector<std::uint32_t> expected;
    for (std::size_t b = of.first; b < of.last; ++b) {
      if (!c.maxima.block_below(b, mark)) {
        expected.push_back(static_cast<std::uint32_t>(b - of.first));
      }
    }
    const auto found = c.maxima.blocks_not_below(mark, t);
    ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
    ASSERT_EQ(c.maxima.tile_below(t, mark), expected.empty());
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
  ASSERT_EQ(std::set(places.begin(), places.end()).size(), places.size());
}

template <class T>
class BlockMaximaOf : public ::testing::Test {
 protected:
  /// Calls `check` with surveys of all lists, grids and sizes.
  template <class Check>
  static void for_each_case(const Check& check) {
    Random random(72);
    for (const Grid& grid : grids()) {
      const bool exact_marks =
          std::is_same_v<T, double> || grid.tick() > Rational::power_of_two(-100);
      for (const std::size_t n : {0U, 1U, 9U, 130U, 1500U, 3001U}) {
        for (const auto& list : lists<T>(n, random)) {
          const Answers answers{std::span<const T>(list)};
          std::vector<std::int64_t> ticks;
          for (const T answer : list) {
            ticks.push_back(grid.floor_ticks(answer));
          }
          const BlockSizes sizes = all_sizes[random() % all_sizes.size()];
          for (const unsigned threads : {1U, 3U}) {
            SCOPED_TRACE(std::to_string(n) + " answers on " + grid.tick().str() + ", blocks of " +
                         std::to_string(sizes.block) + ", tiles of " + std::to_string(sizes.fan) +
                         (sizes.second ? ", second" : ""));
            Case c{BlockMaxima(answers, grid, sizes, threads), ticks, sizes, exact_marks};
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

TYPED_TEST(BlockMaximaOf, AnswersKnowsWhichAreNotBelowAMark) {
  Random random(73);
  this->for_each_case([&](Case& c) {
    std::vector<std::int64_t> marks = {0, 1, -Grid::limit_ticks, Grid::limit_ticks};
    for (int i = 0; i < 4 && !c.ticks.empty(); ++i) {
      const std::int64_t at = c.ticks[random() % c.ticks.size()];
      marks.insert(marks.end(), {at, at + 1});
    }
    for (const std::int64_t ticks : marks) {
      ASSERT_NO_FATAL_FAILURE(expect_mark(c, ticks)) << ticks << " ticks";
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

// Memory is handed on from one maxima to the next, larger or smaller, and to two at once.
TEST(SurveyMemory, IsNeverSharedByTwo) {
  const Grid grid(1, 1);
  std::vector<std::int64_t> rising(5'000);
  std::iota(rising.begin(), rising.end(), 0);
  const std::vector<std::int64_t> falling(rising.rbegin(), rising.rend());
  for (const std::size_t n : {5'000U, 100U, 3'000U, 5'000U, 1U}) {
    const BlockSizes sizes{8, 4, true};
    const BlockMaxima up(std::span<const std::int64_t>(rising).first(n), grid, sizes, 1);
    const BlockMaxima down(std::span<const std::int64_t>(falling).first(n), grid, sizes, 1);
    for (std::size_t b = 0; b < (n + 7) / 8; ++b) {
      ASSERT_EQ(up.block_ticks(b), rising[up.block(b).last - 1]);
      ASSERT_EQ(down.block_ticks(b), falling[down.block(b).first]);
    }
  }
}

// Made of how many there are and how many are wanted.
TEST(BlockSizes, LeaveManyTilesForEachLeader) {
  for (const std::size_t n : {1U, 100U, 5'000U, 100'000U, 2'000'000U, 10'000'000U}) {
    for (const std::size_t m : {1U, 2U, 11U, 1'000U}) {
      const BlockSizes sizes = BlockSizes::for_top_m(n, m);
      ASSERT_GE(sizes.block, 1U);
      ASSERT_GE(sizes.fan, 1U);
      EXPECT_TRUE(sizes.fan == 1 || n / sizes.block / sizes.fan >= 4 * m) << n << ' ' << m;
      EXPECT_TRUE(sizes.block == 1 || n / sizes.block >= 4 * m) << n << ' ' << m;
      EXPECT_EQ(sizes.second, n > (std::size_t{1} << 21U));
    }
  }
}

}  // namespace
}  // namespace freegap

// A walk writes out every candidate once, with its answer, whatever the shape and however the walk
// is cut into pieces.
#include "freegap/detail/core/candidate_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "freegap/errors.hpp"

namespace freegap::testing {
namespace {

using Counts = std::vector<std::int64_t>;

/// Walks in pieces of `piece` and compares each answer with `ticks(item)`. Every item is met once.
void expect_all(const Candidates& candidates, const Grid& grid, std::size_t piece) {
  const detail::CandidateAccess access(candidates);
  detail::CandidateAccess::Walk walk(access, grid);
  std::set<std::tuple<std::int64_t, std::uint64_t>> seen;
  Counts ticks;
  for (std::uint64_t left = candidates.size(); left > 0; left -= ticks.size()) {
    ticks.assign(static_cast<std::size_t>(std::min<std::uint64_t>(piece, left)), -77);
    walk.next(ticks);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const Item item = walk.item(i);
      ASSERT_TRUE(candidates.contains(item)) << item.id << ", member " << item.member;
      ASSERT_EQ(ticks[i], access.ticks(item, grid)) << item.id << ", pieces of " << piece;
      ASSERT_TRUE(seen.emplace(item.id, item.member).second) << "twice: " << item.id;
    }
  }
  EXPECT_EQ(seen.size(), candidates.size());
}

void expect_all(const Candidates& candidates) {
  for (const Grid& grid : {Grid(1, 1), Grid(Rational(1, 8), 1), Grid(Rational(2, 3), 1)}) {
    for (const std::size_t piece : {1U, 2U, 7U, 64U, 1000U}) {
      expect_all(candidates, grid, piece);
    }
  }
}

TEST(CandidateWalk, MeetsEveryCandidateOfAList) {
  const Counts counts{5, -3, 0, 7, 7, 1, INT64_MAX, INT64_MIN, 2, 9, 11};
  expect_all(Candidates::general(counts, Neighbours::add_remove, 1));
  const std::vector<double> reals{0.5, -0.25, 3.99, 1e300, -1e300, -0.0};
  expect_all(Candidates::general(reals, Neighbours::replace, 1));
}

// The first and the last id listed, none listed, all listed.
TEST(CandidateWalk, MeetsEveryIdOfAUniverse) {
  const auto universe = [](const Counts& ids, const Counts& counts) {
    expect_all(Candidates::universe({-20, 79}, ids, counts, Neighbours::add_remove));
  };
  universe({}, {});
  universe({-20}, {4});
  universe({79}, {4});
  universe({79, -20, 0, 1, 2, 50}, {4, 5, 0, 6, 7, 8});
  Counts all;
  for (std::int64_t id = -20; id <= 79; ++id) {
    all.push_back(id);
  }
  universe(all, Counts(all.size(), 3));
  const Counts last{INT64_MAX};
  expect_all(Candidates::universe({INT64_MAX - 2, INT64_MAX}, last, last, Neighbours::add_remove));
  const Counts none;
  expect_all(Candidates::universe({INT64_MIN, INT64_MIN + 2}, none, none, Neighbours::add_remove));
}

TEST(CandidateWalk, MeetsEveryMemberOfGroups) {
  const Queries queries{Kind::general, Neighbours::add_remove, 1};
  const Counts values{5, 0, 90, 7, -4, 90};
  const Counts many{3, 40, 1, 0, 2, 5};
  expect_all(Candidates::grouped(std::span(values), many, queries));
  const std::vector<std::int32_t> small{5, 0, 90, 7, -4, 90};
  expect_all(Candidates::grouped(std::span<const std::int32_t>(small), many, queries));
  const std::vector<double> reals{5.5, 0, 90.25, 7, -4.125, 90};
  expect_all(Candidates::grouped(std::span<const double>(reals), many, queries));
  const Counts one{1};
  expect_all(Candidates::grouped(std::span(one), one, queries));
}

TEST(CandidateWalk, FindsTheAnswersOfSomeIds) {
  const Counts ids{40'000, 3, 7, 32'768, 99'999};
  const Counts counts{9, 1, 2, 5, 4};
  const Candidates candidates =
      Candidates::universe({0, 99'999}, ids, counts, Neighbours::add_remove);
  const std::vector<Item> items{{99'999, 0}, {7, 0}, {8, 0}, {32'767, 0}, {32'768, 0},
                                {40'000, 0}, {7, 0}, {0, 0}, {3, 0}};
  const Grid grid(Rational(1, 4), 1);
  EXPECT_EQ(detail::ticks_by_walk(candidates, items, grid), (Counts{16, 8, 0, 0, 20, 36, 8, 0, 4}));
}

}  // namespace
}  // namespace freegap::testing

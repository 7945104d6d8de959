// The runs that jump over queries far below the threshold, against the library's sparse vector,
// which asks every query: what passes must have the same distribution.
#include "experiments/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/scale.hpp"

namespace freegap::experiments {
namespace {

/// Counts around a threshold after the third, with noise as wide as their distances, so that many
/// that pass come from below every bar.
const std::vector<std::int64_t> counts{60, 50, 45, 39, 36, 36, 30, 25, 20, 12, 11, 10, 10, 9, 8, 8,
                                       7,  7,  6,  6,  5,  5,  4,  4,  3,  3,  2,  2,  1,  1, 1, 1,
                                       1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1, 1, 1};
constexpr Ranks ranks{3, 3};

SparseVectorOptions options(Distribution distribution, std::size_t branches,
                            const char* epsilon = "1") {
  return {.k = 2,
          .epsilon = Epsilon::parse(epsilon),
          .threshold = threshold_below(counts, ranks.first).value,
          .noise = distribution,
          .branches = branches,
          .sigma = Rational(1, 2)};
}

/// What passed, in order: queries of equal count are alike, so their count stands for them; with
/// the branch, and the gap roughly.
std::string trace(const SparseVectorRelease& release) {
  std::string text;
  for (const SparseVectorAnswer& answer : release.answers) {
    if (answer.above) {
      text += std::to_string(counts[static_cast<std::size_t>(answer.item.id)] / 12) + "/" +
              std::to_string(answer.branch) + (release.shown(*answer.gap_ticks) < 8 ? "- " : "+ ");
    }
  }
  return text + release.cost.spent.str();
}

using Seen = std::map<std::string, std::uint64_t>;

Seen by_jumps(const SparseVectorOptions& asked, std::uint64_t runs, std::uint64_t seed) {
  InsecureSeededNoise noise(seed);
  RepeatedSparseVector selection(counts, Kind::counts, asked, ranks);
  Seen seen;
  for (std::uint64_t i = 0; i < runs; ++i) {
    ++seen[trace(selection.run(noise))];
  }
  return seen;
}

Seen one_by_one(const SparseVectorOptions& asked, std::uint64_t runs, std::uint64_t seed) {
  InsecureSeededNoise noise(seed);
  const Candidates candidates = candidates_of(counts, Kind::counts);
  Seen seen;
  for (std::uint64_t i = 0; i < runs; ++i) {
    ++seen[trace(sparse_vector(candidates, asked, noise))];
  }
  return seen;
}

/// p-value of two samples of equal size having the same distribution (Pearson); traces seen fewer
/// than 200 times in both together are put into one cell.
double same_distribution_p(const Seen& a, const Seen& b) {
  std::map<std::string, std::pair<double, double>> cells;
  for (const auto& [key, n] : a) {
    cells[key].first += static_cast<double>(n);
  }
  for (const auto& [key, n] : b) {
    cells[key].second += static_cast<double>(n);
  }
  std::pair<double, double> rare;
  double statistic = 0;
  double degrees = 0;
  const auto add = [&](const std::pair<double, double>& cell) {
    if (cell.first + cell.second > 0) {
      statistic +=
          (cell.first - cell.second) * (cell.first - cell.second) / (cell.first + cell.second);
      degrees += 1;
    }
  };
  for (const auto& [key, cell] : cells) {
    if (cell.first + cell.second < 200) {
      rare.first += cell.first;
      rare.second += cell.second;
    } else {
      add(cell);
    }
  }
  add(rare);
  return testing::chi_square_tail(statistic, degrees - 1);
}

class Jumps : public ::testing::TestWithParam<std::tuple<Distribution, std::size_t>> {};

TEST_P(Jumps, HaveTheDistributionOfAskingEveryQuery) {
  const auto [distribution, branches] = GetParam();
  const std::uint64_t runs = testing::scaled(60'000);
  const SparseVectorOptions asked = options(distribution, branches);
  const Seen plain = one_by_one(asked, runs, 1);
  EXPECT_GT(same_distribution_p(by_jumps(asked, runs, 2), plain), testing::false_alarm_rate / 6);
  // A budget a fifth larger is noticed.
  if (runs >= 60'000) {
    EXPECT_LT(same_distribution_p(by_jumps(options(distribution, branches, "1.2"), runs, 2), plain),
              1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Jumps,
                         ::testing::Combine(::testing::Values(Distribution::exponential,
                                                              Distribution::laplace,
                                                              Distribution::geometric),
                                            ::testing::Values(std::size_t{1}, std::size_t{3})));

TEST(Simulation, ThresholdsLieHalfwayBetweenRanks) {
  const DrawnThreshold threshold = threshold_below(counts, 2);
  EXPECT_EQ(threshold.value, Rational(95, 2));
  EXPECT_EQ(threshold.above, 2U);
  const DrawnThreshold tied = threshold_below(counts, 5);  // 36 and 36
  EXPECT_EQ(tied.value, Rational(36));
  EXPECT_EQ(tied.above, 6U);
  EXPECT_THROW(threshold_below(counts, counts.size()), InvalidParameter);
  EXPECT_THROW(threshold_below(counts, 0), InvalidParameter);
}

TEST(Simulation, EveryRankOfTheRangeIsDrawn) {
  std::vector<std::int64_t> far_apart;
  for (std::int64_t i = 40; i > 0; --i) {
    far_apart.push_back(100'000 * i);
  }
  RepeatedSparseVector selection(far_apart, Kind::counts,
                                 {.k = 2, .epsilon = Epsilon::parse("1"), .threshold = 0},
                                 paper_ranks(2));
  InsecureSeededNoise noise(1);
  std::map<std::uint64_t, int> seen;
  for (int run = 0; run < 2000; ++run) {
    const SparseVectorRelease release = selection.run(noise);
    ++seen[selection.above()];
    for (const Item& item : passed(release)) {  // the noise is far narrower than the distances
      EXPECT_LT(static_cast<std::uint64_t>(item.id), selection.above());
    }
    EXPECT_EQ(release.above(), 2U);
  }
  ASSERT_EQ(seen.size(), 13U);  // 4 to 16
  EXPECT_EQ(seen.begin()->first, 4U);
  EXPECT_EQ(seen.rbegin()->first, 16U);
}

TEST(Simulation, AFixedOrderIsKept) {
  std::vector<std::int64_t> far_apart;
  for (std::int64_t i = 40; i > 0; --i) {
    far_apart.push_back(100'000 * i);
  }
  RepeatedSparseVector selection(
      far_apart, Kind::counts, {.k = 2, .epsilon = Epsilon::parse("1"), .threshold = 0}, {10, 10});
  std::vector<std::uint32_t> place(far_apart.size());
  for (std::uint32_t i = 0; i < place.size(); ++i) {
    place[i] = static_cast<std::uint32_t>(place.size()) - i;
  }
  selection.fix_order(place);
  InsecureSeededNoise noise(1);
  for (int run = 0; run < 20; ++run) {
    const std::vector<Item> items = passed(selection.run(noise));
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[0].id, 9);
    EXPECT_EQ(items[1].id, 8);
  }
}

TEST(Simulation, CountsMustFall) {
  const std::vector<std::int64_t> rising{1, 2, 3};
  EXPECT_THROW(
      RepeatedSparseVector(rising, Kind::counts,
                           {.k = 1, .epsilon = Epsilon::parse("1"), .threshold = 0}, {1, 1}),
      InvalidParameter);
}

}  // namespace
}  // namespace freegap::experiments

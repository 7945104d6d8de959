// Answers, thresholds and counts at the ends of their types: clamped to 2^62 ticks, without
// overflow (run under the sanitizers) and without a change of distribution.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "freegap/exponential.hpp"
#include "freegap/hybrid.hpp"
#include "freegap/measure.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/top_k.hpp"
#include "support/distribution_check.hpp"

namespace freegap::testing {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
const std::vector<std::int64_t> extremes = {least, 0, most, least + 1, most - 1, -1};

Candidates general() {
  return Candidates::general(std::span<const std::int64_t>(extremes), Neighbours::add_remove, 1);
}

TEST(Extremes, TopKSelectsAmongClampedAnswers) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    InsecureSeededNoise noise(1);
    for (int run = 0; run < 200; ++run) {
      for (const std::uint64_t k : {1U, 2U, 3U, 6U}) {
        const TopKRelease r =
            top_k(general(), {.k = k, .epsilon = "0.001"_eps, .noise = distribution}, noise);
        const std::int64_t first = r.winners[0].id;
        ASSERT_TRUE(first == 2 || first == 4);
        ASSERT_GE(r.lead_ticks[0], 0);
        if (k == 2) {  // both at the upper end; the next is 2^62 ticks below, but for noise
          EXPECT_NEAR(static_cast<double>(r.lead_ticks[1]) / 0x1p62, 1, 1e-6);
        }
        if (k == 6) {  // over the last at the lower end: saturated, not wrapped round
          EXPECT_NEAR(static_cast<double>(r.lead_ticks[0]) / 0x1p63, 1, 1e-6);
        }
      }
    }
  }
}

TEST(Extremes, RealAnswersAreClampedToo) {
  const std::vector<double> values = {1e300, -1e300, 1e308, 5e-324, -5e-324};
  const auto candidates =
      Candidates::general(std::span<const double>(values), Neighbours::add_remove, "1e-6"_rational);
  InsecureSeededNoise noise(2);
  for (int run = 0; run < 200; ++run) {
    const TopKRelease r = top_k(candidates, {.k = 5, .epsilon = "1"_eps}, noise);
    ASSERT_TRUE(r.winners[0].id == 0 || r.winners[0].id == 2);
    ASSERT_EQ(r.winners[4].id, 1);
  }
}

TEST(Extremes, ClampedAnswersKeepTheDistributionOfTheNoise) {
  // Two answers beyond the limit are equal: the lead has the distribution of two equal candidates.
  const std::uint64_t runs = scaled(300000, 10000);
  const std::vector<std::int64_t> two = {most, most - 12345};
  const auto counts = Candidates::counting(two, Neighbours::add_remove);
  const TopKPlan plan = plan_top_k(counts, {.k = 1, .epsilon = "1/4"_eps, .tick = "1/4"_rational});
  const detail::CandidatesOnGrid shape(counts, plan.grid);
  InsecureSeededNoise noise(3);
  const std::vector<std::int64_t> cuts = {1, 10, 20, 30};
  std::vector<std::uint64_t> lead(cuts.size());
  std::uint64_t first = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    detail::RandomOrder order(noise);
    const TopKRelease r = select_top_k(shape, plan, noise, order);
    first += r.winners[0].id == 0 ? 1U : 0U;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      lead[c] += r.lead_ticks[0] >= cuts[c] ? 1U : 0U;
    }
  }
  expect_distribution(
      [&](double stretch) {
        std::vector<Event> events{{"first", first, 0.5}};
        for (std::size_t c = 0; c < cuts.size(); ++c) {
          events.push_back({"lead " + std::to_string(cuts[c]), lead[c],
                            std::exp(-static_cast<double>(cuts[c]) / 16 / stretch)});
        }
        return events;
      },
      runs, "clamped", 0.03);
}

TEST(Extremes, SparseVectorComparesClampedAnswers) {
  const Queries queries{Kind::general, Neighbours::add_remove, 1};
  InsecureSeededNoise noise(4);
  for (const char* threshold : {"-1e30", "0", "72057594037927936"}) {
    for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
      for (int run = 0; run < 100; ++run) {
        SparseVector vector(queries,
                            {.k = 20,
                             .epsilon = "1"_eps,
                             .threshold = Rational::parse(threshold),
                             .noise = distribution,
                             .branches = 3},
                            false, noise);
        const double limit = 1e300;
        const bool high = vector.ask(limit).above;
        const bool low = vector.ask(-limit).above;
        EXPECT_TRUE(threshold[0] == '7' || high);  // at the upper end, 2^62 ticks, noise decides
        EXPECT_TRUE(threshold[0] == '-' || !low);
        for (const std::int64_t answer : extremes) {
          vector.ask(answer);
        }
      }
    }
  }
}

TEST(Extremes, HybridsMeetAnyThreshold) {
  InsecureSeededNoise noise(5);
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    for (const Distribution distribution :
         {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
      for (int run = 0; run < 100; ++run) {
        const auto winners = [&](const char* threshold) {
          return top_k_above(general(),
                             {.k = 4,
                              .epsilon = "0.01"_eps,
                              .threshold = Rational::parse(threshold),
                              .prefer = prefer,
                              .noise = distribution,
                              .tick = 1},
                             noise)
              .winners.size();
        };
        EXPECT_EQ(winners("-1e15"), 4U);
        EXPECT_EQ(winners("1e15"), 2U);
        winners("4611686018427387904");  // 2^62 ticks, as both clamped answers: noise decides
      }
    }
  }
}

TEST(Extremes, MeasurementsOfClampedAnswersStayInRange) {
  InsecureSeededNoise noise(6);
  const std::vector<Item> items = {{0, 0}, {2, 0}};
  for (int run = 0; run < 200; ++run) {
    const MeasureRelease r = measure(general(), items, {.epsilon = "0.001"_eps}, noise);
    EXPECT_NEAR(static_cast<double>(r.value_ticks[0]) / -0x1p62, 1, 1e-6);
    EXPECT_NEAR(static_cast<double>(r.value_ticks[1]) / 0x1p62, 1, 1e-6);
  }
}

TEST(Extremes, TheExponentialMechanismWeighsClampedAnswers) {
  InsecureSeededNoise noise(7);
  for (int run = 0; run < 50; ++run) {
    const ExponentialRelease r = exponential(general(), {.epsilon = "1"_eps}, noise);
    EXPECT_TRUE(r.chosen.id == 2 || r.chosen.id == 4);
    EXPECT_GE(*r.gap_ticks, 0);
  }
  // Nobody near: the gap is huge, at most 2^62 ticks.
  const std::vector<std::int64_t> lone = {least, most};
  const auto far =
      Candidates::general(std::span<const std::int64_t>(lone), Neighbours::add_remove, 1);
  const ExponentialRelease r = exponential(far, {.epsilon = "1000"_eps}, noise);
  EXPECT_EQ(r.chosen.id, 1);
  EXPECT_LE(*r.gap_ticks, std::int64_t{1} << 62U);
  EXPECT_GT(*r.gap_ticks, std::int64_t{1} << 61U);
}

TEST(Extremes, TheLargestUniverseIsScanned) {
  InsecureSeededNoise noise(8);
  const std::vector<std::int64_t> ids = {0, most};
  const std::vector<std::int64_t> listed = {2, 3};
  const auto universe = Candidates::universe({0, most}, ids, listed, Neighbours::add_remove);
  for (int run = 0; run < 100; ++run) {
    const TopKRelease r = top_k(universe, {.k = 3, .epsilon = "1"_eps}, noise);
    for (const Item& winner : r.winners) {
      ASSERT_TRUE(universe.contains(winner));
    }
  }
}

}  // namespace
}  // namespace freegap::testing

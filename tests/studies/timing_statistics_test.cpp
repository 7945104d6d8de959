// Welch's t and cropping on made-up times. Samples that are random are seeded; each check of a pair
// without a difference raises a false alarm for one seed in 170,000 (studies/timing.hpp), so this
// one, whose seeds are fixed, does not.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "studies/timing.hpp"

namespace freegap::studies {
namespace {

TEST(Welch, ByHand) {
  // Means 2 and 5, variances 1 and 4, so 3 / sqrt(1/3 + 4/3).
  EXPECT_DOUBLE_EQ(welch_t(std::vector<double>{1, 2, 3}, std::vector<double>{3, 5, 7}),
                   -3 / std::sqrt(5.0 / 3));
  EXPECT_DOUBLE_EQ(welch_t(std::vector<double>{3, 5, 7}, std::vector<double>{1, 2, 3}),
                   3 / std::sqrt(5.0 / 3));
  EXPECT_EQ(welch_t(std::vector<double>{1}, std::vector<double>{1, 2}), 0);
  EXPECT_EQ(welch_t(std::vector<double>{2, 2}, std::vector<double>{2, 2}), 0);
  EXPECT_EQ(welch_t(std::vector<double>{2, 2}, std::vector<double>{1, 1}),
            std::numeric_limits<double>::infinity());
}

TEST(Cropping, KeepsTheFastest) {
  const TwoClasses times{{5, 1, 9, 3}, {2, 8, 4, 6, 7, 10}};
  EXPECT_EQ(percentile(times, 0), 1);
  EXPECT_EQ(percentile(times, 0.5), 6);
  EXPECT_EQ(percentile(times, 1), 10);
  const TwoClasses kept = cropped(times, 5);
  EXPECT_EQ(kept.one, (std::vector<double>{5, 1, 3}));
  EXPECT_EQ(kept.other, (std::vector<double>{2, 4}));
}

/// Times around 100 with some slow ones, and `more` on top of the second class's fast ones.
TwoClasses made_up(double more, double slow_ones, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> fast(100, 5);
  std::exponential_distribution<double> slow(1e-5);
  std::bernoulli_distribution is_slow(slow_ones);
  std::bernoulli_distribution second(0.5);
  TwoClasses times;
  for (int i = 0; i < 20'000; ++i) {
    const bool other = second(random);
    const double time = is_slow(random) ? 1000 + slow(random) : fast(random) + (other ? more : 0);
    (other ? times.other : times.one).push_back(time);
  }
  return times;
}

TEST(Timing, FindsADifferenceAmongSlowRuns) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_GT(std::fabs(farthest_t(made_up(1, 0, seed))), least_t);
    // Slow runs drown it where nothing is cropped.
    const TwoClasses drowned = made_up(1, 0.05, seed);
    EXPECT_LT(std::fabs(welch_t(drowned.one, drowned.other)), least_t);
    EXPECT_GT(std::fabs(farthest_t(drowned)), least_t);
    EXPECT_LT(farthest_t(drowned), 0) << "the second class is slower";
  }
}

TEST(Timing, FindsNothingWhereNothingIs) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_LT(std::fabs(farthest_t(made_up(0, 0.05, seed))), least_t) << seed;
  }
}

}  // namespace
}  // namespace freegap::studies

// Releases: gaps are differences of leads, shown values are exact on dyadic ticks, variances are
// those of the distribution.
#include "freegap/release.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>

#include "freegap/distribution.hpp"
#include "freegap/errors.hpp"
#include "freegap/release/exponential.hpp"
#include "freegap/release/measure.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/release/top_k.hpp"

namespace freegap {
namespace {

TopKRelease three_winners(bool has_runner_up) {
  TopKRelease release;
  release.winners = {{4, 0}, {0, 0}, {2, 0}};
  release.lead_ticks = {100, 30, has_runner_up ? 7 : 0};
  release.has_runner_up = has_runner_up;
  return release;
}

TEST(TopKRelease, GapsAreDifferencesOfLeads) {
  const TopKRelease release = three_winners(true);
  EXPECT_EQ(release.gap_ticks(0), 70);
  EXPECT_EQ(release.gap_ticks(1), 23);
  EXPECT_EQ(release.gap_ticks(2), 7);
  EXPECT_EQ(three_winners(false).gap_ticks(1), 30);
  EXPECT_EQ(three_winners(false).gap_ticks(2), std::nullopt);
  EXPECT_THROW((void)release.gap_ticks(3), std::out_of_range);
}

TEST(TopKRelease, PairwiseGaps) {
  const TopKRelease release = three_winners(true);
  EXPECT_EQ(release.pairwise_gap_ticks(0, 2), 93);
  EXPECT_EQ(release.pairwise_gap_ticks(2, 0), -93);
  EXPECT_EQ(release.pairwise_gap_ticks(1, 1), 0);
  EXPECT_THROW((void)release.pairwise_gap_ticks(0, 3), std::out_of_range);
}

TEST(TopKRelease, TheClassicMechanismHasNoGaps) {
  TopKRelease release = three_winners(true);
  release.lead_ticks.clear();
  EXPECT_EQ(release.gap_ticks(0), std::nullopt);
  EXPECT_EQ(release.gap_ticks(2), std::nullopt);
  EXPECT_THROW((void)release.pairwise_gap_ticks(0, 1), InvalidParameter);
}

TEST(NoiseDistribution, ShowsDyadicTicksExactly) {
  std::mt19937_64 random(81);
  for (int i = 0; i < 10'000; ++i) {
    const int power = static_cast<int>(random() % 121) - 60;
    const NoiseDistribution distribution{Distribution::laplace, 1, Rational::power_of_two(power)};
    const auto ticks = static_cast<std::int64_t>(random()) >> (11 + random() % 50);
    ASSERT_EQ(Rational::exactly(distribution.shown(ticks)), Rational(ticks) * distribution.tick);
  }
  EXPECT_EQ((NoiseDistribution{Distribution::laplace, 1, Rational(1, 32)}.shown(4744)), 148.25);
}

/// Sums m² P(m) and m P(m) over m >= 0, P(m) = (1 - x) x^m, term by term.
double variance_by_series(double a, bool two_sided) {
  long double mean = 0;
  long double square = 0;
  const long double x = std::exp(static_cast<long double>(-a));
  long double p = two_sided ? (1 - x) / (1 + x) : 1 - x;
  for (long m = 0; m < static_cast<long>(80 / a) + 10; ++m) {
    const auto value = static_cast<long double>(m);
    mean += value * p;
    square += value * value * p;
    p *= x;
  }
  return static_cast<double>(two_sided ? 2 * square : square - mean * mean);
}

TEST(NoiseDistribution, VarianceIsThatOfTheDistribution) {
  for (const Rational& tick : {Rational(1), Rational(1, 32), Rational(4)}) {
    for (const Rational& a : {Rational(1, 1000), Rational(1, 10), Rational(1), Rational(5)}) {
      for (const Distribution distribution :
           {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
        const NoiseDistribution noise{distribution, tick / a, tick};
        const double size = tick.shown();
        const double expected =
            size * size * variance_by_series(a.shown(), two_sided(distribution));
        EXPECT_NEAR(noise.variance() / expected, 1, 1e-9);
      }
    }
  }
}

TEST(Releases, SmallThings) {
  const Cost cost{Rational(7, 10), Rational(1, 2)};
  EXPECT_EQ(cost.left(), Rational(1, 5));

  MeasureRelease measured;
  measured.noise.tick = Rational(1, 4);
  measured.value_ticks = {6, -3};
  EXPECT_EQ(measured.value(0), 1.5);
  EXPECT_EQ(measured.value(1), -0.75);

  SparseVectorRelease vector;
  vector.tick = Rational(1, 2);
  vector.branches = {{Rational(1, 3), 1}, {Rational(2, 3), 2}};
  vector.answers = {{{0, 0}, false, 0, {}}, {{1, 0}, true, 2, 5}, {{2, 0}, true, 1, 9}};
  EXPECT_EQ(vector.above(), 2U);
  EXPECT_EQ(vector.spent(vector.answers[0]), Rational(0));
  EXPECT_EQ(vector.spent(vector.answers[1]), Rational(2, 3));
  EXPECT_EQ(vector.shown(5), 2.5);
  EXPECT_EQ(vector.branch_noise(2).scale, Rational(2));

  ExponentialRelease chosen;
  EXPECT_EQ(chosen.gap(), std::nullopt);
  EXPECT_EQ(chosen.gap_in_utility(), std::nullopt);
  chosen.rate = Rational(1, 8);
  chosen.gap_tick = Rational(1, 1024);
  chosen.gap_ticks = 512;
  EXPECT_EQ(chosen.gap(), 0.5);
  EXPECT_EQ(chosen.gap_in_utility(), 4);
}

}  // namespace
}  // namespace freegap

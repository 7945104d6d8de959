// The best linear unbiased estimate of top-k winners: equal to generalised least squares with full
// matrices, and with the standard error that simulations show.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "estimates/least_squares.hpp"
#include "experiments/ratio.hpp"
#include "freegap/estimate.hpp"
#include "freegap/measure.hpp"
#include "freegap/noise.hpp"
#include "freegap/top_k.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

using Vector = std::vector<long double>;

/// The model of a top-k: k measurements of variance s2 each, and the k - 1 gaps between neighbours.
/// The noise of a gap is the difference of two independent terms of variance v each.
LeastSquares least_squares(const Vector& measured, const Vector& gaps, long double s2,
                           long double v) {
  const std::size_t k = measured.size();
  const std::size_t n = 2 * k - 1;
  Matrix design = zeros(n, k);
  Matrix covariance = zeros(n, n);
  Vector observed = measured;
  observed.insert(observed.end(), gaps.begin(), gaps.end());
  for (std::size_t i = 0; i < k; ++i) {
    design[i][i] = 1;
    covariance[i][i] = s2;
  }
  for (std::size_t i = 0; i + 1 < k; ++i) {
    design[k + i][i] = 1;
    design[k + i][i + 1] = -1;
    covariance[k + i][k + i] = 2 * v;
    if (i + 2 < k) {
      covariance[k + i][k + i + 1] = covariance[k + i + 1][k + i] = -v;
    }
  }
  return generalised_least_squares(design, covariance, observed);
}

/// Variance of N ticks of noise.
long double variance(const NoiseDistribution& noise) {
  const long double tick = noise.tick.shown();
  const long double x = std::exp(-tick / static_cast<long double>(noise.scale.shown()));
  return (two_sided(noise.distribution) ? 2 : 1) * x / ((1 - x) * (1 - x)) * tick * tick;
}

struct Pair {
  TopKRelease release;
  MeasureRelease direct;
};

/// Releases with arbitrary numbers, which suffice to test an identity.
Pair random_pair(std::size_t k, Distribution distribution, const Rational& selecting_scale,
                 std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Pair pair;
  pair.release.noise = {distribution, selecting_scale, Rational(1, 32)};
  pair.direct.noise = {Distribution::laplace, 30, Rational(1, 16)};
  std::int64_t lead = 0;
  for (std::size_t i = 0; i < k; ++i) {
    pair.release.winners.push_back({static_cast<std::int64_t>(k - i), 0});
    pair.release.lead_ticks.insert(pair.release.lead_ticks.begin(), lead);
    pair.direct.value_ticks.push_back(static_cast<std::int64_t>(random() % 1'000'000));
    lead += static_cast<std::int64_t>(random() % 100'000);
  }
  pair.release.candidates = k + 1;
  pair.direct.items = pair.release.winners;
  return pair;
}

const EstimateOptions linear{.method = Method::linear};

TEST(Blue, EqualsDenseLeastSquares) {
  for (const std::size_t k : {1U, 2U, 3U, 10U, 40U}) {
    for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
      for (const Rational& scale : {Rational(1, 2), Rational(30), Rational(400)}) {
        const Pair pair = random_pair(k, distribution, scale, k);
        Vector measured;
        Vector gaps;
        for (std::size_t i = 0; i < k; ++i) {
          measured.push_back(pair.direct.value(i));
          if (i + 1 < k) {
            gaps.push_back(pair.release.noise.shown(pair.release.pairwise_gap_ticks(i, i + 1)));
          }
        }
        const LeastSquares dense = least_squares(measured, gaps, variance(pair.direct.noise),
                                                 variance(pair.release.noise));
        const auto estimates = estimate(pair.release, pair.direct, linear);
        ASSERT_EQ(estimates.size(), k);
        for (std::size_t i = 0; i < k; ++i) {
          const auto value = static_cast<double>(dense.values[i]);
          const auto error = static_cast<double>(std::sqrt(dense.variances[i]));
          EXPECT_EQ(estimates[i].item, pair.release.winners[i]);
          EXPECT_NEAR(estimates[i].value, value, 1e-12 * (1e5 + std::fabs(value)));
          EXPECT_NEAR(estimates[i].standard_error / error, 1, 1e-11);
          EXPECT_EQ(estimates[i].used_gap, k > 1);  // a single lead cancels
        }
      }
    }
  }
}

// The identity is not trivial: one per cent more noise in the gaps changes the estimates.
TEST(Blue, OtherWeightsAreNoticed) {
  const Pair pair = random_pair(5, Distribution::exponential, 30, 1);
  Pair off = pair;
  off.release.noise.scale = off.release.noise.scale * Rational(101, 100);
  const double moved = estimate(off.release, off.direct, linear)[0].value -
                       estimate(pair.release, pair.direct, linear)[0].value;
  EXPECT_GT(std::fabs(moved), 1e-3);
}

// Twenty counts far apart: selection is certain. Over 10^5 runs the mean of the squared errors in
// units of the stated variance is 1, and the mean error is 0, both within seven standard
// deviations: a false alarm has probability 3e-12 for the normal distribution, which leaves room
// for skewness up to the promised 1e-9. A standard error that is one per cent off is rejected.
TEST(Blue, StandardErrorIsThatOfSimulations) {
  constexpr std::size_t k = 20;
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i <= static_cast<std::int64_t>(k); ++i) {
    counts.push_back(1'000'000 * (i + 1));
  }
  const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
  InsecureSeededNoise noise(91);
  Estimator estimator(linear);
  experiments::Ratio squares;
  experiments::Ratio errors;
  const std::size_t runs = scaled(100'000, 2'000);
  for (std::size_t run = 0; run < runs; ++run) {
    const TopKRelease release = top_k(candidates, {.k = k, .epsilon = "1"_eps}, noise);
    const MeasureRelease direct = measure(candidates, release.winners, {"1"_eps}, noise);
    double square = 0;
    double sum = 0;
    for (const Estimate& e : estimator(release, direct)) {
      const double error =
          e.value - static_cast<double>(counts[static_cast<std::size_t>(e.item.id)]);
      square += error * error / (e.standard_error * e.standard_error) / k;
      sum += error / e.standard_error;
    }
    squares.add(square);
    errors.add(sum);
  }
  EXPECT_NEAR(squares.value(), 1, 7 * squares.error());
  EXPECT_NEAR(errors.value(), 0, 7 * errors.error());
  if (runs >= 100'000) {
    EXPECT_GT(std::fabs(squares.value() / (1.01 * 1.01) - 1), 7 * squares.error());
    EXPECT_GT(std::fabs(squares.value() / (0.99 * 0.99) - 1), 7 * squares.error());
  }
}

}  // namespace
}  // namespace freegap::testing

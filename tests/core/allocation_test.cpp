// The best share θ of a threshold: closed forms, and a brute-force minimiser of the variance.
#include "freegap/allocation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "freegap/errors.hpp"

namespace freegap {
namespace {

Rational share(Distribution distribution, int c, std::uint64_t k, const Rational& epsilon = 1,
               std::int64_t sensitivity_ticks = 1) {
  return best_threshold_share({distribution, c, k, epsilon, sensitivity_ticks});
}

// (c² k²)^(1/3) is a whole number.
TEST(ThresholdShare, ClosedForms) {
  for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
    EXPECT_EQ(share(distribution, 1, 1), Rational(1, 2));
    EXPECT_EQ(share(distribution, 1, 8), Rational(1, 5));
    EXPECT_EQ(share(distribution, 2, 4), Rational(1, 5));
    EXPECT_EQ(share(distribution, 1, 27), Rational(1, 10));
    EXPECT_EQ(share(distribution, 2, 32), Rational::parse("0.0588235"));  // 1/17
    EXPECT_EQ(share(distribution, 1, 1'000'000), Rational::parse("0.0000999900"));
  }
  EXPECT_EQ(share(Distribution::laplace, 2, 1), Rational::parse("0.386488"));  // 1 / (1 + 4^(1/3))
}

/// Variance of a gap over the threshold: V(θ e) + V((1 - θ) e / n), V(a) = x / (1 - x)², x = e^-a.
double variance(double theta, double e, double n) {
  const auto one = [](double a) { return std::exp(-a) / (std::expm1(-a) * std::expm1(-a)); };
  return one(theta * e) + one((1 - theta) * e / n);
}

/// The minimiser, by trying ever finer grids.
double brute_force(double e, double n) {
  double low = 0;
  double high = 1;
  double best = 0.5;
  while (high - low > 1e-9) {
    const double step = (high - low) / 100;
    double least = HUGE_VAL;
    for (int i = 1; i < 100; ++i) {
      const double theta = low + i * step;
      const double here = variance(theta, e, n);
      if (here < least) {
        least = here;
        best = theta;
      }
    }
    low = best - 2 * step;
    high = best + 2 * step;
    low = std::fmax(low, 0);
    high = std::fmin(high, 1);
  }
  return best;
}

// A minimum is flat: brute force in doubles finds it to about 1e-7 of 1; the variance there must
// not be beaten.
TEST(ThresholdShare, GeometricIsTheMinimiser) {
  for (const int c : {1, 2}) {
    for (const std::uint64_t k : {1U, 2U, 5U, 10U, 100U}) {
      for (const char* epsilon : {"0.1", "0.7", "1", "3", "20", "100"}) {
        const double n = c * static_cast<double>(k);
        const double e = Rational::parse(epsilon).shown();
        const double found = share(Distribution::geometric, c, k, Rational::parse(epsilon)).shown();
        const double brute = brute_force(e, n);
        EXPECT_NEAR(found, brute, 2e-6) << "c " << c << ", k " << k << ", epsilon " << epsilon;
        // One per cent off would be worse.
        EXPECT_LT(variance(found, e, n), variance(found * 1.01, e, n));
        EXPECT_LT(variance(found, e, n), variance(found * 0.99, e, n));
      }
    }
  }
}

TEST(ThresholdShare, GeometricDependsOnTheBudgetPerTick) {
  EXPECT_EQ(share(Distribution::geometric, 2, 5, 20, 10),
            share(Distribution::geometric, 2, 5, 2, 1));
  EXPECT_NE(share(Distribution::geometric, 2, 5, 20, 1),
            share(Distribution::geometric, 2, 5, 2, 1));
}

TEST(ThresholdShare, GeometricIsCloseToContinuousForSmallBudgets) {
  for (const std::uint64_t k : {1U, 5U, 50U}) {
    const double continuous = share(Distribution::exponential, 2, k).shown();
    for (const char* epsilon : {"0.01", "0.5", "3"}) {
      const double geometric =
          share(Distribution::geometric, 2, k, Rational::parse(epsilon)).shown();
      EXPECT_NEAR(geometric, continuous, 0.02) << "k " << k << ", epsilon " << epsilon;
    }
    EXPECT_NEAR(share(Distribution::geometric, 2, k, Rational(1, 100)).shown(), continuous, 1e-5);
  }
  EXPECT_GT(std::fabs(share(Distribution::geometric, 2, 1, 20).shown() -
                      share(Distribution::exponential, 2, 1).shown()),
            0.03);
  EXPECT_NEAR(share(Distribution::geometric, 1, 1, 1000).shown(), 0.5, 1e-6);
}

TEST(ThresholdShare, HasSixSignificantDecimalsInsideTheUnitInterval) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (std::uint64_t k = 1; k < UINT64_MAX / 20; k *= 13) {
      const Rational theta = share(distribution, 2, k);
      EXPECT_GT(theta, Rational(0));
      EXPECT_LT(theta, Rational(1));
      Rational scaled = theta;
      while (scaled < Rational(100'000)) {
        scaled = scaled * Rational(10);
      }
      EXPECT_EQ(scaled.floor(), scaled.ceil()) << theta.str();
    }
  }
  EXPECT_THROW(share(Distribution::laplace, 1, 0), InvalidParameter);
}

}  // namespace
}  // namespace freegap

// Tails of differences of two integer noise terms, compared with sums over all their values and, on
// fine ticks, with the distributions of continuous noise.
#include "estimates/tails.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace freegap::testing {
namespace {

using Long = long double;

/// P(X >= m), X one-sided with exponent a.
Long one_sided_tail(Long a, Long m) { return m <= 0 ? 1 : std::exp(-a * m); }
/// P(X >= m), X two-sided with exponent a.
Long two_sided_tail(Long a, Long m) {
  const Long zero = 1 / (1 + std::exp(-a));
  return m >= 0 ? zero * std::exp(-a * m) : 1 - zero * std::exp(-a * (1 - m));
}

/// P(X - Y >= t), summed over the values of Y as far as they matter.
Long summed(bool both, Long a, Long b, Long t) {
  const auto last = static_cast<long>(60 / b) + 2 * static_cast<long>(std::fabs(t)) + 2;
  const Long x = std::exp(-b);
  Long sum = 0;
  for (long y = last; y > 0; --y) {  // small ones first
    const Long weight = std::exp(-b * static_cast<Long>(y));
    sum += weight * (both ? two_sided_tail(a, t + static_cast<Long>(y)) +
                                two_sided_tail(a, t - static_cast<Long>(y))
                          : one_sided_tail(a, t + static_cast<Long>(y)));
  }
  sum += both ? two_sided_tail(a, t) : one_sided_tail(a, t);
  return sum * (both ? (1 - x) / (1 + x) : 1 - x);
}

/// Exponents far apart, close together, equal; small and large.
std::vector<std::pair<double, double>> exponents() {
  std::vector<std::pair<double, double>> pairs;
  for (const double a : {0.02, 0.7, 3.0, 30.0}) {
    for (const double factor :
         {1.0, 1 + 1e-12, 1 + 1e-8, 1 - 1e-6, 1 + 1e-4, 0.999, 1.01, 1.5, 8.0}) {
      pairs.emplace_back(a, a * factor);
      pairs.emplace_back(a * factor, a);
    }
  }
  return pairs;
}

double tail(bool both, double a, double b, double t) {
  return both ? detail::two_sided_difference_tail(a, b, t)
              : detail::one_sided_difference_tail(a, b, t);
}

TEST(Tails, AgreeWithSums) {
  for (const bool both : {false, true}) {
    for (const auto& [a, b] : exponents()) {
      for (const double scales : {-9.0, -2.0, -0.4, 0.0, 0.3, 1.0, 4.0, 12.0}) {
        const double t = std::round(scales / std::fmin(a, b));
        for (const double at : {t - 1, t, t + 1}) {
          const Long wanted = summed(both, a, b, at);
          EXPECT_NEAR(tail(both, a, b, at), static_cast<double>(wanted),
                      1e-10 * static_cast<double>(wanted))
              << (both ? "two" : "one") << "-sided, " << a << ", " << b << ", at " << at;
        }
      }
    }
  }
}

TEST(Tails, AreSurvivalFunctions) {
  for (const bool both : {false, true}) {
    for (const auto& [a, b] : exponents()) {
      const double far = std::round(100 / std::fmin(a, b)) + 2;
      EXPECT_NEAR(tail(both, a, b, -far), 1, 1e-15);
      EXPECT_NEAR(tail(both, a, b, far), 0, 1e-30);
      for (double t = -5; t < 5; ++t) {
        EXPECT_GE(tail(both, a, b, t), tail(both, a, b, t + 1));
        if (both) {  // symmetric
          EXPECT_NEAR(tail(both, a, b, t) + tail(both, a, b, 1 - t), 1, 1e-14);
        }
      }
    }
  }
}

// 1 - e^-a keeps its digits where a is tiny.
TEST(Tails, OfTheFinestTicksKeepTheirDigits) {
  for (const double a : {1e-9, 1e-13}) {
    EXPECT_NEAR(detail::one_sided_difference_tail(a, 2 * a, 0), 2.0 / 3, 1e-8);
    EXPECT_NEAR(detail::one_sided_difference_tail(a, 2 * a, 1 / a), 2.0 / 3 * std::exp(-1), 1e-8);
  }
}

/// Continuous noise of scales b1 and b0: P(X - Y > t).
double laplace_tail(double b1, double b0, double t) {
  if (b1 == b0) {
    return (2 + t / b1) / 4 * std::exp(-t / b1);
  }
  return (b1 * b1 * std::exp(-t / b1) - b0 * b0 * std::exp(-t / b0)) / (2 * (b1 * b1 - b0 * b0));
}
double exponential_tail(double b1, double b0, double s) {
  return s >= 0 ? b1 / (b1 + b0) * std::exp(-s / b1) : 1 - b0 / (b1 + b0) * std::exp(s / b0);
}

TEST(Tails, OfFineTicksAreThoseOfContinuousNoise) {
  constexpr double tick = 1e-6;
  for (const auto& [b1, b0] : {std::pair{1.0, 1.0}, {1.0, 0.2}, {0.2, 1.0}, {1.0, 0.99}}) {
    for (const double t : {0.0, 0.1, 1.0, 3.0, 8.0}) {
      const double ticks = t / tick;
      const double laplace = laplace_tail(b1, b0, t);
      EXPECT_NEAR(detail::two_sided_difference_tail(tick / b1, tick / b0, ticks), laplace,
                  2e-5 * laplace);
      for (const double s : {t, -t}) {
        const double exponential = exponential_tail(b1, b0, s);
        EXPECT_NEAR(detail::one_sided_difference_tail(tick / b1, tick / b0, std::round(s / tick)),
                    exponential, 2e-5 * exponential);
      }
      // A scale that is 1 % off would fail.
      EXPECT_GT(std::fabs(laplace_tail(1.01 * b1, b0, t + 0.1) - laplace_tail(b1, b0, t + 0.1)),
                1e-4 * laplace_tail(b1, b0, t + 0.1));
    }
  }
}

}  // namespace
}  // namespace freegap::testing

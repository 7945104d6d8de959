// A winner's likelihood times its measurement, prepared for many levels, compared with the product
// worked out afresh for each level.
#include "estimates/winner_product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "estimates/share_below.hpp"

namespace freegap::testing {
namespace {

using detail::ExponentialTerm;
using detail::Kernel;
using detail::LogProduct;
using detail::ProductPart;
using detail::Segment;
using detail::WinnerProduct;
using detail::WinnerTerms;

constexpr double infinity = HUGE_VAL;

/// Likelihoods of the kinds that there are: one-sided, with a bound on luck and without; two-sided,
/// with terms of either sign; of a winner that nothing selected; behind a failed test.
std::vector<WinnerTerms> likelihoods(const Kernel& measured, double tick) {
  const ExponentialTerm deep{-infinity, -6, 0.7, -6, -3.5, 1};
  const ExponentialTerm luck{-6, 0, 0, 0, -3.5, 1};
  const ExponentialTerm merit{0, 5 + tick, 0.7, 5, 0, 1};
  return {
      {{merit, luck, deep}, measured, 0.7},
      {{{0, 5, 0.7, 5, 0, 1},
        {0, 5, -0.7, 0, -5, -1},
        {5, infinity, -0.7, 5, 0, 1},
        {5, infinity, -1.4, 5, -1, -1},
        luck,
        deep},
       measured,
       0.7},
      {{{-infinity, 5, 0.7, 5, 0, 1}, {5, infinity, -0.7, 5, 0, 1}}, measured, 0.7},
      {{{-infinity, -6, 0.7, -6, -3.5, 1}, {-6, -2, 0, 0, -3.5, 1}, {-6, -2, 0.3, -2, -3.5, -0.5}},
       measured,
       0.7},
      // Two-sided, with a lead of nothing: an empty interval begins where another does.
      {{{0, 0, 0.7, 0, 0, 1}, {0, infinity, -0.7, 0, 0, 1}, luck, deep}, measured, 0.7},
      // A lead of a million scales.
      {{{0, 1e6, 0.7, 1e6, 0, 1}, {-9, 0, 0, 0, -7e5, 1}, {-infinity, -9, 0.7, -9, -7e5, 1}},
       measured,
       0.7},
  };
}

struct Sums {
  double log_integral = 0;
  double mean = 0;
  double variance = 0;
  double below = 0;  ///< mass below the middle
};

/// The product at one level, from all its segments.
Sums afresh(const WinnerTerms& winner, double level, double tick, double middle) {
  double largest = -infinity;
  detail::for_each_segment(winner.terms, level, winner.measured, tick,
                           [&](const Segment& s) { largest = std::fmax(largest, s.log_peak); });
  double sum = 0;
  double first = 0;
  double second = 0;
  double below = 0;
  detail::for_each_segment(winner.terms, level, winner.measured, tick, [&](const Segment& s) {
    const detail::SegmentMoments own = moments(s);
    const double weight = s.sign * std::exp(s.log_peak - largest) * own.extent;
    const double off = own.mean - middle;
    sum += weight;
    first += weight * off;
    second += weight * (off * off + own.variance);
    below += weight * share_below(s, middle);
  });
  first /= sum;
  return {largest + std::log(sum), middle + first, second / sum - first * first, below / sum};
}

double log_integral(const WinnerProduct& product, double level) {
  LogProduct integral(0);
  product.multiply_integral(level, integral);
  return integral.log();
}

Sums prepared(const WinnerProduct& product, double level, double middle) {
  std::vector<ProductPart> parts;
  product.posterior(level, parts);
  double sum = 0;
  double first = 0;
  double second = 0;
  double below = 0;
  for (const ProductPart& part : parts) {
    const double off = part.moments.mean - middle;
    sum += part.weight;
    first += part.weight * off;
    second += part.weight * (off * off + part.moments.variance);
    below += part.weight * share_below(part.segment, middle);
    EXPECT_NEAR(part.moments.extent, extent(part.segment), 1e-9 * part.moments.extent);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  return {log_integral(product, level), middle + first, second - first * first, below};
}

TEST(WinnerProduct, IsTheProductAtEveryLevel) {
  for (const double tick : {0.0, 0.5}) {
    for (const double rate : {0.2, 0.7, 3.0}) {
      const Kernel measured{2.25, rate};
      for (const WinnerTerms& winner : likelihoods(measured, tick)) {
        const WinnerProduct product(winner, tick);
        EXPECT_EQ(product.rate(), 0.7);
        EXPECT_EQ(product.measured().centre, 2.25);
        for (const double level :
             {-1e6, -1e6 + 2, -60.0, -4.0, -3.0, -2.5, 0.0, 1.5, 2.0, 2.5, 8.0, 8.5, 70.0}) {
          const double middle = 2.25 + 0.3 / rate;
          const Sums wanted = afresh(winner, level, tick, middle);
          const Sums found = prepared(product, level, middle);
          const std::string what = "tick " + std::to_string(tick) + ", rate " +
                                   std::to_string(rate) + ", level " + std::to_string(level) +
                                   ", terms " + std::to_string(winner.terms.size());
          const double size = std::fabs(wanted.mean - middle) + std::sqrt(wanted.variance);
          EXPECT_NEAR(found.log_integral, wanted.log_integral,
                      1e-9 * (1 + std::fabs(wanted.log_integral)))
              << what;
          EXPECT_NEAR(found.mean, wanted.mean, 1e-8 * size) << what;
          EXPECT_NEAR(found.variance, wanted.variance, 1e-7 * size * size) << what;
          EXPECT_NEAR(found.below, wanted.below, 1e-8) << what;
        }
      }
    }
  }
}

// Factors of any size neither overflow nor vanish.
TEST(LogProduct, IsTheSumOfTheLogarithms) {
  LogProduct product(3);
  double sum = 3;
  for (int i = 0; i < 100; ++i) {
    const double factor = i % 3 == 0 ? 1e-90 : i % 3 == 1 ? 1e80 : 0.7;
    product.multiply(-250 + i, factor);
    sum += -250 + i + std::log(factor);
    EXPECT_NEAR(product.log(), sum, 1e-9) << i;
  }
  for (const double factor : {0.0, -2.0}) {  // rounding can leave a negative sum of terms
    LogProduct nothing(3);
    nothing.multiply(5, factor);
    nothing.multiply(5, 2);
    EXPECT_EQ(nothing.log(), -infinity);
  }
}

// Without a measurement the kernel is 1 everywhere, and the level only shifts the answers.
TEST(WinnerProduct, WithoutAMeasurementKeepsItsShape) {
  const WinnerTerms winner{
      {{-infinity, 5, 0.7, 5, 0, 1}, {5, infinity, -0.4, 5, 0, 1}}, {0, 0}, 0.7};
  const WinnerProduct product(winner, 0);
  const double integral = 1 / 0.7 + 1 / 0.4;
  for (const double level : {-7.0, 0.0, 30.0}) {
    EXPECT_NEAR(log_integral(product, level), std::log(integral), 1e-12);
    const double mean = 5 + (1 / 0.16 - 1 / 0.49) / integral;
    EXPECT_NEAR(prepared(product, level, level).mean, level + mean, 1e-9);
  }
}

}  // namespace
}  // namespace freegap::testing

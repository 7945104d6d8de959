// The least safe distance below a noisy threshold, against sums over all noise with 512 bits.
#include "noise/passing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "noise/real.hpp"
#include "noise/reference.hpp"

namespace freegap::detail {
namespace {

using testing::Real;

Real to_power(const Real& rate, std::int64_t t) {
  return exp(Real(0.0) - rate * Real(static_cast<double>(t)));
}

/// P(ν >= j), by the definition of the noise.
Real at_least(bool two_sided, const Real& rate, std::int64_t j) {
  const Real one(1.0);
  if (!two_sided) {
    return j <= 0 ? one : to_power(rate, j);
  }
  const Real x = to_power(rate, 1);
  return j > 0 ? to_power(rate, j) / (one + x) : one - to_power(rate, 1 - j) / (one + x);
}

/// P(ν >= t + η): a sum over the values of η until they have a probability below 1e-34.
Real passes(const PassingNoise& noise, std::int64_t t) {
  const bool both = two_sided(noise.distribution);
  const Real a = testing::exponent(noise.candidate);
  const Real b = testing::exponent(noise.threshold);
  const Real one(1.0);
  const Real y = to_power(b, 1);
  Real weight = both ? (one - y) / (one + y) : one - y;
  const auto last = static_cast<std::int64_t>(80 / noise.threshold.exponent().shown()) + 2;
  Real sum(0.0);
  for (std::int64_t m = 0; m <= last; ++m) {
    sum = sum + weight * at_least(both, a, t + m);
    if (both && m > 0) {
      sum = sum + weight * at_least(both, a, t - m);
    }
    weight = weight * y;
  }
  return sum;
}

/// Noise with the probabilities that were summed up so far.
class Summed {
 public:
  explicit Summed(const PassingNoise& noise) : noise_(noise) {}

  /// Whether `items` items together pass with probability δ e^-ε at most.
  bool safe(std::int64_t t, std::uint64_t items, const Rational& delta, const Rational& epsilon) {
    const Real allowed = Real(delta.gmp()) * exp(Real(0.0) - Real(epsilon.gmp()));
    const auto found = passing_.find(t);
    const Real& p = found != passing_.end() ? found->second
                                            : passing_.emplace(t, passes(noise_, t)).first->second;
    return !(allowed < testing::real(items) * p);
  }

 private:
  PassingNoise noise_;
  std::map<std::int64_t, Real> passing_;
};

/// e^-n, about: smaller than any number that can be written as a decimal.
Rational tiny(int n) {
  Rational result = 1;
  for (int i = 0; i < n; i += 100) {
    result = result * Rational::power_of_two(-144);
  }
  return result;
}

const std::vector<Distribution> distributions{Distribution::exponential, Distribution::geometric,
                                              Distribution::laplace};

TEST(Passing, TheDistanceIsTheLeastSafeOne) {
  const std::vector<Rational> rates{Rational(2), Rational(1, 2), Rational(1, 5)};
  std::size_t nothing = 0;
  for (const Distribution distribution : distributions) {
    for (const Rational& candidate : rates) {
      for (const Rational& threshold : rates) {
        const PassingNoise noise{distribution, Rate(candidate), Rate(threshold)};
        Summed summed(noise);
        for (const std::uint64_t items : {1U, 2U, 20U}) {
          for (const char* delta : {"0.9", "0.1", "1e-3", "1e-9"}) {
            for (const char* epsilon : {"1/10", "1", "3"}) {
              const Rational d = Rational::parse(delta);
              const Rational e = Rational::parse(epsilon);
              const std::int64_t t = safe_distance_ticks(noise, items, d, e);
              const std::string where = name(distribution) + std::string(" ") + candidate.str() +
                                        " " + threshold.str() + " " + std::to_string(items) + " " +
                                        delta + " " + epsilon;
              ASSERT_GE(t, 0) << where;
              EXPECT_TRUE(summed.safe(t, items, d, e)) << where << ": " << t;
              EXPECT_TRUE(t == 0 || !summed.safe(t - 1, items, d, e)) << where << ": " << t;
              nothing += t == 0 ? 1U : 0U;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(nothing, 0U);  // where η alone is wide enough
}

// docs/proofs/unknown_items.md quotes these.
TEST(Passing, FiguresOfTheProof) {
  const PassingNoise one{Distribution::geometric, Rate(Rational(1)), Rate(Rational(1))};
  EXPECT_EQ(safe_distance_ticks(one, 1, Rational(1, 1000), 1), 8);
  const PassingNoise ten{Distribution::exponential, Rate(Rational(1, 10240)),
                         Rate(Rational(1, 10240))};
  const auto t = static_cast<double>(safe_distance_ticks(ten, 20, "1e-9"_rational, 1));
  // b ln(M/δ) + b (ε - ln 2), and half a tick for 1/(1+x) in place of 1/2.
  EXPECT_NEAR(t / 1024, 10 * (std::log(20e9) + 1 - std::log(2)), 2.0 / 1024);
}

TEST(Passing, RatesThatNearlyAgreeGiveTheSameAsEqualOnes) {
  const Rational rate(1, 3);
  for (const Distribution distribution : distributions) {
    const PassingNoise equal{distribution, Rate(rate), Rate(rate)};
    const std::int64_t t = safe_distance_ticks(equal, 3, "1e-6"_rational, 1);
    for (const Rational& little :
         {Rational::power_of_two(-60), Rational(0) - Rational::power_of_two(-60)}) {
      const PassingNoise near{distribution, Rate(rate + little), Rate(rate)};
      EXPECT_EQ(safe_distance_ticks(near, 3, "1e-6"_rational, 1), t) << name(distribution);
      const PassingNoise other{distribution, Rate(rate), Rate(rate + little)};
      EXPECT_EQ(safe_distance_ticks(other, 3, "1e-6"_rational, 1), t) << name(distribution);
    }
  }
}

TEST(Passing, WideAndNarrowNoise) {
  const Rate widest(Rational::power_of_two(-48));
  const Rate narrowest(Rational::power_of_two(10));
  for (const Distribution distribution : distributions) {
    // Wide: ticks do not matter, so the distance is that of continuous noise.
    const auto t = static_cast<double>(
        safe_distance_ticks({distribution, widest, widest}, UINT64_MAX, tiny(700), 100));
    const double exponent = (64 + 7 * 144) * std::log(2) + 100 - std::log(2);
    // The tail of a difference of two Laplace variables is e^-u (2 + u) / 4.
    const double expected = two_sided(distribution)
                                ? exponent + std::log((2 + exponent + std::log(exponent / 2)) / 2)
                                : exponent;
    EXPECT_NEAR(t / 0x1p48 / expected, 1, 2e-5) << name(distribution);
    // Narrow: one tick is e^-1024, so the noise hardly ever moves anything.
    EXPECT_EQ(safe_distance_ticks({distribution, narrowest, narrowest}, 1000, tiny(700), 1), 1)
        << name(distribution);
    // One of each: the threshold's noise alone makes it safe where it is one-sided.
    const std::int64_t mixed =
        safe_distance_ticks({distribution, narrowest, widest}, 1, "0.01"_rational, 1);
    EXPECT_EQ(mixed == 0, !two_sided(distribution)) << mixed;
  }
}

TEST(Passing, WhatDoesNotFitIsRefused) {
  const Rate widest(Rational::power_of_two(-48));
  EXPECT_GT(safe_distance_ticks({Distribution::exponential, widest, widest}, 1, tiny(4000), 1),
            std::int64_t{1} << 59U);
  try {
    safe_distance_ticks({Distribution::exponential, widest, widest}, 1, tiny(4200), 1);
    FAIL() << "accepted";
  } catch (const InvalidParameter& refused) {
    EXPECT_NE(std::string(refused.what()).find("too small"), std::string::npos);
  }
}

}  // namespace
}  // namespace freegap::detail

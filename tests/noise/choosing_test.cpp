// The choice and the lead of the exponential mechanism on known strings of bits, against 512-bit
// arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "noise/reference.hpp"
#include "noise/strings.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

std::size_t strings() { return scaled(100'000, 2'000); }

/// One to eight utilities with multiplicities up to 2^62, some of them zero, at least `least`
/// candidates in all; utilities within `spread` of each other.
std::vector<WeightedValue> random_values(Random& random, double spread, std::uint64_t least) {
  for (;;) {
    std::vector<WeightedValue> values(1 + random() % 8);
    const auto base = static_cast<std::int64_t>(random() >> 3U) - (std::int64_t{1} << 60U);
    std::uint64_t total = 0;
    for (WeightedValue& value : values) {
      value.ticks = base - static_cast<std::int64_t>(unit(random) * spread);
      value.multiplicity = random() % 5 == 0 ? 0
                           : random() % 3 == 0
                               ? 1
                               : static_cast<std::uint64_t>(log_uniform(random, 1, 0x1p60));
      total += value.multiplicity;
    }
    if (random() % 20 == 0) {
      values.front().multiplicity = std::uint64_t{1} << 62U;
      total += values.front().multiplicity;
    }
    if (total >= least) {
      return values;
    }
  }
}

/// Utilities within `exponents` of each other after scaling, sometimes far apart.
std::vector<WeightedValue> random_values(Random& random, const Rate& rate, std::uint64_t least) {
  const double exponents = random() % 10 == 0 ? 1e6 : log_uniform(random, 0.01, 100);
  return random_values(random, std::fmin(exponents / rate.lower(), 0x1p60), least);
}

TEST(Choosing, Choose) {
  Random random(21);
  Comparison comparison("choose");
  for (std::size_t i = 0; i < strings(); ++i) {
    const Rate rate = random_rate(random);
    const auto values = random_values(random, rate, 1);
    const auto w = weights(rate, values);
    const std::size_t boundary = random() % values.size();
    const Script s = script(i, sum(std::span(w).first(boundary + 1)) / sum(w), random);
    const auto expected = expected_choice(rate, values, uniform(ScriptedBits(s.words, i)));
    comparison.check({s.words, 0}, i, expected,
                     [&](ExactNoise& noise) { return noise.choose(rate, values); });
  }
}

TEST(Choosing, Lead) {
  Random random(22);
  Comparison comparison("lead");
  for (std::size_t i = 0; i < strings(); ++i) {
    const Rate rate = random_rate(random);
    const Rate gap_rate(Rational::exactly(log_uniform(random, 1e-6, 10)));
    const auto values = random_values(random, rate, 2);
    std::size_t chosen = random() % values.size();
    while (values[chosen].multiplicity == 0) {
      chosen = (chosen + 1) % values.size();
    }
    const LeadDistribution distribution(rate, values, chosen);
    const double typical = distribution.gap(Real(unit(random))).shown() / gap_rate.lower();
    const Real n(mpz_class(std::fmax(1.0, std::floor(typical))));
    const Script s = script(i, distribution.boundary(n * exponent(gap_rate)), random);
    const auto expected = expected_lead(distribution, gap_rate, uniform(ScriptedBits(s.words, i)));
    comparison.check(s, i, static_cast<std::int64_t>(expected),
                     [&](ExactNoise& noise) { return noise.lead(rate, values, chosen, gap_rate); });
  }
}

TEST(Choosing, ByHand) {
  const Rate one_per_tick(Rational(1));
  const std::vector<WeightedValue> single{{5, 1}};
  ScriptedBits last({UINT64_MAX - (std::uint64_t{1} << 24U)});
  EXPECT_EQ(ExactNoise(last).choose(one_per_tick, single), 0U);

  // Weights 1, 0, 2 of equal utilities: thirds.
  const std::vector<WeightedValue> thirds{{5, 1}, {9, 0}, {5, 2}};
  const std::uint64_t third = UINT64_MAX / 3;
  ScriptedBits words({third - (std::uint64_t{1} << 24U), third + (std::uint64_t{1} << 24U)});
  ExactNoise noise(words);
  EXPECT_EQ(noise.choose(one_per_tick, thirds), 0U);
  EXPECT_EQ(noise.choose(one_per_tick, thirds), 2U);
  EXPECT_EQ(words.taken(), 2U);

  // Two equal candidates: gap ln(2/U - 1), at U = 1/2 ln 3 = 1.0986.
  const std::vector<WeightedValue> two{{5, 2}};
  ScriptedBits half({std::uint64_t{1} << 63U});
  EXPECT_EQ(ExactNoise(half).lead(one_per_tick, two, 0, Rate(Rational(1, 1000))), 1098);
}

}  // namespace
}  // namespace freegap::testing

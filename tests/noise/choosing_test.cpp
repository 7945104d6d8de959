// The choice and the lead of the exponential mechanism on known strings of bits, against 512-bit
// arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "noise/fixed_weights.hpp"
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

/// Up to thirteen single candidates, some of them equal, and now and then at the ends of the grid,
/// if `ends` asks for it.
std::vector<std::int64_t> random_ticks(Random& random, const Rate& rate, std::size_t least,
                                       bool ends) {
  constexpr std::int64_t limit = std::int64_t{1} << 62U;
  const double exponents = random() % 10 == 0 ? 1e6 : log_uniform(random, 0.01, 100);
  const double spread = std::fmin(exponents / rate.lower(), 0x1p60);
  const auto base = static_cast<std::int64_t>(random() >> 3U) - (std::int64_t{1} << 60U);
  std::vector<std::int64_t> ticks(least + random() % 12);
  for (std::int64_t& value : ticks) {
    value = base - static_cast<std::int64_t>(unit(random) * spread);
    value = random() % 4 == 0 ? ticks.front() : value;
  }
  if (ends && random() % 20 == 0) {
    ticks.front() = limit;
    ticks.back() = -limit;
  }
  return ticks;
}

std::vector<WeightedValue> singles(const std::vector<std::int64_t>& ticks) {
  std::vector<WeightedValue> values;
  for (const std::int64_t value : ticks) {
    values.push_back({value, 1});
  }
  return values;
}

// The same integers as without constant work, however close the string is to a boundary.
TEST(Choosing, ChooseWithConstantWork) {
  Random random(23);
  Comparison comparison("choose, constant work");
  for (std::size_t i = 0; i < strings(); ++i) {
    const Rate rate = random_rate(random);
    const auto ticks = random_ticks(random, rate, 1, true);
    const auto values = singles(ticks);
    const auto w = weights(rate, values);
    const std::size_t boundary = random() % values.size();
    const Script s = script(i, sum(std::span(w).first(boundary + 1)) / sum(w), random);
    const auto expected = expected_choice(rate, values, uniform(ScriptedBits(s.words, i)));
    comparison.check({s.words, 0}, i, expected,
                     [&](ExactNoise& noise) { return noise.choose_constant_work(rate, ticks); });
  }
}

TEST(Choosing, LeadWithConstantWork) {
  Random random(24);
  Comparison comparison("lead, constant work");
  for (std::size_t i = 0; i < strings(); ++i) {
    const Rate rate = random_rate(random);
    const Rate gap_rate(Rational::exactly(log_uniform(random, 1e-6, 10)));
    const auto ticks = random_ticks(random, rate, 2, false);
    const std::size_t chosen = random() % ticks.size();
    const LeadDistribution distribution(rate, singles(ticks), chosen);
    const double typical = distribution.gap(Real(unit(random))).shown() / gap_rate.lower();
    const Real n(mpz_class(std::fmax(1.0, std::floor(typical))));
    const Script s = script(i, distribution.boundary(n * exponent(gap_rate)), random);
    const auto expected = expected_lead(distribution, gap_rate, uniform(ScriptedBits(s.words, i)));
    comparison.check(s, i, static_cast<std::int64_t>(expected), [&](ExactNoise& noise) {
      return noise.lead_constant_work(rate, ticks, chosen, gap_rate);
    });
  }
}

/// Whether the enclosures of n equal weights settle the choice for the word at u = j/n, so many
/// parts of 2^19 u words from there (docs/proofs/samplers.md, "The same with constant work").
bool settles(std::size_t n, std::size_t j, double parts) {
  const std::vector<std::int64_t> ticks(n, 5);
  const detail::FixedWeights weights(Rate(Rational(1, 10)), ticks);
  const double u = static_cast<double>(j) / static_cast<double>(n);
  const auto at = static_cast<std::uint64_t>(u * 0x1p64);
  return weights
      .choice(at + static_cast<std::uint64_t>(static_cast<std::int64_t>(parts * u * 0x1p19)), 0)
      .has_value();
}

// So about n 2^-45 of all words are not settled: near each sum but the last, 2 * 2^19 u of 2^64.
TEST(Choosing, ConstantWorkLeavesWordsNearTheSumsToMpfr) {
  for (const std::size_t n : {std::size_t{4}, std::size_t{1} << 10U}) {
    for (const std::size_t j : {n / 4, n / 2, n - 1}) {
      for (const double side : {-1.0, 1.0}) {
        EXPECT_FALSE(settles(n, j, 0.9 * side)) << n << ", " << j;
        EXPECT_TRUE(settles(n, j, 1.1 * side)) << n << ", " << j;
      }
    }
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

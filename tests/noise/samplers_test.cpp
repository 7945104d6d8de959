// Known strings of bits give known integers: every sampler against 512-bit arithmetic on the same
// bits, at random strings, in the tails and around the boundaries between two results.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "freegap/errors.hpp"
#include "noise/reference.hpp"
#include "noise/strings.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

std::size_t strings() { return scaled(100'000, 2'000); }

/// A whole number around y, at least 1.
Real whole_near(double y) { return Real(mpz_class(std::fmax(1.0, std::floor(y)))); }

TEST(Samplers, Geometric) {
  Random random(11);
  Comparison comparison("geometric");
  for (std::size_t i = 0; i < strings(); ++i) {
    const Rate rate = random_rate(random);
    const Real n = whole_near(log_uniform(random, 1e-3, 300) / rate.lower());
    const Script s = script(i, geometric_boundary(rate, n), random);
    const auto expected = expected_geometric(rate, uniform(ScriptedBits(s.words, i)));
    comparison.check(s, i, static_cast<std::int64_t>(expected),
                     [&](ExactNoise& noise) { return noise.geometric(rate); });
  }
}

/// A distance d with rate * d around y.
Distance distance_near(const Rate& rate, double y) {
  return static_cast<Distance>(std::fmax(1.0, std::fmin(y / rate.lower(), 0x1p80)));
}

TEST(Samplers, Reaches) {
  Random random(12);
  Comparison comparison("reaches");
  for (std::size_t i = 0; i < strings(); ++i) {
    const Rate rate = random_rate(random);
    const Distance d = i % 50 == 0 ? Distance{random()} << 16U
                                   : distance_near(rate, log_uniform(random, 1e-9, 200));
    const Script s = script(i, geometric_boundary(rate, real(d)), random);
    const bool expected = expected_reaches(rate, d, uniform(ScriptedBits(s.words, i)));
    comparison.check(s, i, expected, [&](ExactNoise& noise) { return noise.reaches(rate, d); });
  }
}

TEST(Samplers, Skips) {
  Random random(13);
  Comparison comparison("skips");
  for (std::size_t i = 0; i < strings(); ++i) {
    const Rate rate = random_rate(random);
    const Distance d = i % 50 == 0 ? Distance{random()} << 16U
                                   : distance_near(rate, log_uniform(random, 1e-6, 60));
    const auto limit = static_cast<std::uint64_t>(log_uniform(random, 1, 0x1p22));
    const Real failure = log_failure(rate, d);
    const double typical = std::fmin(-1 / failure.shown(), static_cast<double>(limit));
    const Real n = whole_near(typical * log_uniform(random, 1e-3, 30));
    const Script s = script(i, exp(n * failure), random);
    const auto expected = expected_skips(rate, d, limit, uniform(ScriptedBits(s.words, i)));
    // A boundary beyond the limit does not matter.
    const bool beyond = Real(big(limit)) < n;
    comparison.check({s.words, beyond ? 0 : s.undecided}, i, expected,
                     [&](ExactNoise& noise) { return noise.skips(rate, d, limit); });
  }
}

// A jump beyond 2^22 candidates is put together from digits in base 2^20, each from a uniform
// number of its own. Where no decision needed more bits, each took one word.
TEST(Samplers, LongSkips) {
  Random random(23);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < strings(); ++i) {
    const Rate rate = random_rate(random);
    const auto limit = static_cast<std::uint64_t>(log_uniform(random, 0x1p22 + 1, 0x1p63));
    const Distance d = distance_near(rate, log_uniform(random, 1e-3, 60));
    std::vector<std::uint64_t> words;
    for (int w = 0; w < 4; ++w) {
      words.push_back(i % 3 == 0 ? random() >> (random() % 64) : random());
    }
    ScriptedBits bits(words, i);
    ExactNoise noise(bits);
    const std::uint64_t found = noise.skips(rate, d, limit);
    if (noise.refinements() > 0) {
      continue;
    }
    const Expected expected = expected_long_skips(rate, d, limit, ScriptedBits(words, i));
    EXPECT_EQ(found, expected.value) << i;
    EXPECT_EQ(bits.taken(), expected.words) << i;
    ++compared;
  }
  EXPECT_GT(compared, strings() * 99 / 100);
}

TEST(Samplers, AboveZero) {
  Random random(14);
  Comparison comparison("above_zero");
  for (std::size_t i = 0; i < strings(); ++i) {
    const Rate rate = random_rate(random);
    const Real boundary = above_zero_boundary(rate);
    const Script s = script(i, boundary, random);
    const bool expected = uniform(ScriptedBits(s.words, i)) < boundary;
    comparison.check(s, i, expected, [&](ExactNoise& noise) { return noise.above_zero(rate); });
  }
}

/// A sign and a magnitude; both are drawn again if they are minus zero.
TEST(Samplers, Laplace) {
  Random random(15);
  std::size_t again = 0;
  for (std::size_t i = 0; i < strings(); ++i) {
    const Rate rate = random_rate(random);
    const Real n = whole_near(log_uniform(random, 1e-3, 300) / rate.lower());
    Script s = script(i, geometric_boundary(rate, n), random);
    s.words.insert(s.words.begin(), random());
    const double widening = widenings.at(i % widenings.size());

    ScriptedBits bits(s.words, i);
    WidenedNoise noise(bits, widening);
    const std::int64_t drawn = noise.laplace(rate);

    ScriptedBits same(s.words, i);
    WidenedNoise magnitudes(same, widening);  // only to learn how many words a magnitude takes
    for (;;) {
      const bool negative = (same.word() >> 63U) != 0;
      const auto m =
          static_cast<std::int64_t>(expected_geometric(rate, uniform(same, same.taken())));
      magnitudes.geometric(rate);
      if (!negative || m != 0) {
        ASSERT_EQ(drawn, negative ? -m : m) << "string " << i;
        break;
      }
      ++again;
    }
    ASSERT_EQ(bits.taken(), same.taken());
  }
  EXPECT_GT(again, strings() / 100);
}

/// floor(word n / 2^64) of the first word whose remainder is not among the first 2^64 mod n.
TEST(Samplers, Below) {
  Random random(16);
  const mpz_class range = mpz_class(1) << 64;
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < strings(); ++i) {
    const std::uint64_t n = i % 3 == 0 ? (std::uint64_t{1} << 63U) + random() % 1000
                                       : 1 + (random() >> (random() % 64)) / 2;
    // Just around the j-th boundary, where the remainder is smallest.
    const mpz_class boundary = range * big(random() % n) / big(n);
    const std::uint64_t word = boundary.get_ui() + random() % 5 - 2;
    const std::uint64_t last = i % 2 == 0 ? random() : word;
    ScriptedBits bits({word, word + 1, last}, i);
    std::size_t k = 0;
    while (mpz_class(big(bits.at(k)) * big(n) % range) < mpz_class(range % big(n))) {
      ++k;
    }
    const mpz_class expected = big(bits.at(k)) * big(n) / range;
    ExactNoise noise(bits);
    ASSERT_EQ(noise.below(n), expected.get_ui()) << "n = " << n;
    ASSERT_EQ(bits.taken(), k + 1) << "n = " << n;
    rejected += k;
  }
  EXPECT_GT(rejected, strings() / 10);
}

// By hand, with words that run out: what is drawn, and that no word more is taken.
TEST(Samplers, ByHand) {
  const Rate tenth(Rational(1, 10));
  ScriptedBits half({std::uint64_t{1} << 63U});
  EXPECT_EQ(ExactNoise(half).geometric(tenth), 6);  // -ln(1/2) = 0.693

  ScriptedBits signs({UINT64_MAX, std::uint64_t{1} << 63U, 0, std::uint64_t{1} << 62U});
  ExactNoise signed_noise(signs);
  EXPECT_EQ(signed_noise.laplace(tenth), -6);
  EXPECT_EQ(signed_noise.laplace(tenth), 13);  // -ln(1/4) = 1.386
  EXPECT_EQ(signs.taken(), 4U);
  EXPECT_THROW(signed_noise.laplace(tenth), std::out_of_range);

  ScriptedBits minus_zero({UINT64_MAX, UINT64_MAX, 0, std::uint64_t{1} << 63U});
  EXPECT_EQ(ExactNoise(minus_zero).laplace(tenth), 6);  // minus zero, then plus six

  ScriptedBits none({});
  ExactNoise nothing(none);
  EXPECT_TRUE(nothing.reaches(tenth, 0));  // certain, so free
  EXPECT_EQ(nothing.skips(tenth, 0, 5), 0U);
  EXPECT_EQ(nothing.skips(tenth, 7, 0), 0U);
  EXPECT_THROW(nothing.key(), std::out_of_range);

  ScriptedBits two({3, 5});
  ExactNoise keys(two);
  EXPECT_EQ(keys.key(), 3U);
  EXPECT_EQ(keys.key(), 5U);
}

// The comparison can fail: a rate that is off by 2^-40 gives other integers at a boundary.
TEST(Samplers, AWrongRateIsCaught) {
  const Rate right(Rational(1, 7));
  const Rate wrong(Rational(1, 7) * (Rational(1) + Rational::power_of_two(-40)));
  const Script s = near(geometric_boundary(right, Real(100.0)), 1, -1);
  EXPECT_EQ(expected_geometric(right, uniform(ScriptedBits(s.words, 1))), 100U);
  ScriptedBits bits(s.words, 1);
  EXPECT_EQ(ExactNoise(bits).geometric(wrong), 99);
}

}  // namespace
}  // namespace freegap::testing

// Strings of bits that are hard for a sampler, random exponents, and the comparison itself.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "freegap/noise.hpp"
#include "noise/real.hpp"
#include "noise/scripted_bits.hpp"

namespace freegap::testing {

using Random = std::mt19937_64;

inline double unit(Random& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }
inline double log_uniform(Random& random, double low, double high) {
  return low * std::exp(unit(random) * std::log(high / low));
}
/// Exponents from 1e-9 to 50: doubles, and fractions that no double equals.
inline Rate random_rate(Random& random) {
  const double about = log_uniform(random, 1e-9, 50);
  if (random() % 2 == 0) {
    return Rate(Rational::exactly(about));
  }
  const auto denominator = static_cast<std::int64_t>(1e10 + 1e16 * unit(random));
  const auto numerator = static_cast<std::int64_t>(about * static_cast<double>(denominator));
  if (numerator < 1 || about > 50) {
    return Rate(Rational(1, 3));
  }
  return Rate(Rational(numerator, denominator));
}

/// A string of bits, and the number of its words that equal those of a boundary: no sampler can
/// decide from these alone.
struct Script {
  std::vector<std::uint64_t> words;
  std::size_t undecided = 0;
};

/// The first `count` words of the boundary, moved by `steps` units of the last.
inline Script near(const Real& boundary, std::size_t count, long steps) {
  const long bits = 64 * static_cast<long>(count);
  mpz_class z = boundary.times_power(bits).floor() + steps;
  const mpz_class top = (mpz_class(1) << static_cast<mp_bitcnt_t>(bits)) - 1;
  const bool inside = z >= 0 && z <= top;
  z = z < 0 ? mpz_class(0) : z > top ? top : z;
  Script script{std::vector<std::uint64_t>(count), inside && steps == 0 ? count : 0};
  for (std::size_t i = count; i-- > 0;) {
    script.words[i] = z.get_ui();
    z >>= 64;
  }
  return script;
}

/// Number i of a family of scripts: random words, the first word 0, 1 or 2^64 - 1, and strings
/// around the boundary, equal to it for up to four words.
inline Script script(std::size_t i, const Real& boundary, Random& random) {
  switch (i % 12) {
    case 0:
      return {{0}, 0};
    case 1:
      return {{1}, 0};
    case 2:
      return {{UINT64_MAX}, 0};
    case 3:
    case 4:
      return {{random() >> (random() % 64)}, 0};
    case 5:
      return {{0, random() >> (random() % 64)}, 0};
    case 6:
    case 7:
      return near(boundary, 1, static_cast<long>(random() % 9) - 4);
    case 8:
      return near(boundary, 2, static_cast<long>(random() % 3) - 1);
    case 9:
      return near(boundary, 3, static_cast<long>(random() % 3) - 1);
    case 10:
      return near(boundary, 4, 0);
    default:
      return {{random()}, 0};
  }
}

/// Noise whose enclosures in doubles are wider than necessary.
class WidenedNoise : public ExactNoise {
 public:
  WidenedNoise(BitStream& bits, double by) : ExactNoise(bits) { widen(by); }
};

/// Widenings of the enclosures: none, and larger ones that send more and more decisions to MPFR.
inline constexpr std::array<double, 4> widenings{0, 1e-3, 0.3, 1e9};

/// Compares a sampler that takes one uniform number with the expected integer, and counts the
/// comparisons.
class Comparison {
 public:
  explicit Comparison(std::string name) : name_(std::move(name)) {}
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  ~Comparison() {
    std::printf("%-12s %zu strings; refined", name_.c_str(), strings_);
    for (std::size_t i = 0; i < widenings.size(); ++i) {
      std::printf(" %zu (widened by %g)", refined_.at(i), widenings.at(i));
    }
    std::printf("\n");
    EXPECT_GT(refined_.front(), strings_ / 10) << "the strings around boundaries need refinement";
    EXPECT_GT(refined_.back(), strings_ / 4 * 3) << "widening reaches the refinement";
  }

  /// `draw(noise)` on the string must be `expected`, however wide the enclosures.
  template <class Result, class Draw>
  void check(const Script& script, std::uint64_t tail, Result expected, const Draw& draw) {
    ++strings_;
    for (std::size_t i = 0; i < widenings.size(); ++i) {
      ScriptedBits bits(script.words, tail);
      WidenedNoise noise(bits, widenings.at(i));
      ASSERT_EQ(draw(noise), expected)
          << name_ << ", string " << strings_ << ", widened by " << widenings.at(i);
      ASSERT_EQ(noise.decisions(), 1U);
      // Without refinement one word suffices. Words that equal a boundary's settle nothing.
      ASSERT_EQ(noise.refinements() == 0, bits.taken() == 1) << name_;
      ASSERT_GT(bits.taken(), script.undecided) << name_ << ": decided too early";
      refined_.at(i) += noise.refinements();
    }
  }

 private:
  std::string name_;
  std::size_t strings_ = 0;
  std::array<std::size_t, widenings.size()> refined_{};
};

}  // namespace freegap::testing

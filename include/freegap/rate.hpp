#pragma once

/// @file
/// The exponent of an integer noise distribution: exp(-rate) is the ratio of the probabilities of
/// two neighbouring ticks. It is an exact rational, because a wrong rate makes the privacy claim
/// wrong.

#include <cstdint>

#include "freegap/rational.hpp"

namespace freegap {

/// An exact positive exponent per tick, at least 2^-48 and at most 2^10.
class Rate {
 public:
  /// Throws InvalidParameter when the exponent is outside [2^-48, 2^10]; smaller ones would make
  /// noise that overflows 64-bit ticks.
  explicit Rate(const Rational& exponent);

  /// The exact value.
  [[nodiscard]] const Rational& exponent() const { return exponent_; }
  /// A double that is not above the exact value.
  [[nodiscard]] double lower() const { return lower_; }
  /// A double that is not below the exact value.
  [[nodiscard]] double upper() const { return upper_; }

  /// Mean 1/(e^a - 1) of the one-sided distribution, rounded to ticks. A public number.
  [[nodiscard]] std::int64_t mean_ticks() const;
  /// The number of ticks over which probabilities fall by about half: ln 2 / a, at least 1. A
  /// public number.
  [[nodiscard]] std::uint64_t halving_ticks() const;
  /// `multiple` standard deviations of the distribution, rounded up to ticks. A public number.
  [[nodiscard]] std::int64_t deviation_ticks(const Rational& multiple, bool two_sided) const;

 private:
  Rational exponent_;
  double lower_;
  double upper_;
};

}  // namespace freegap

#pragma once

/// @file
/// The distributions of the noise, and the noise of one release: enough to compute errors and error
/// bars from a release.

#include <cstdint>

#include "freegap/rational.hpp"

namespace freegap {

/// The distribution of the noise.
enum class Distribution : std::uint8_t {
  exponential,  ///< one-sided, on a fine tick
  laplace,      ///< two-sided, on a fine tick
  geometric     ///< one-sided, on a tick of 1 by default: integer gaps for integer answers
};

/// "exponential", "laplace" or "geometric": its name in options and in JSON.
const char* name(Distribution distribution);

/// Whether noise of this distribution takes both signs.
constexpr bool two_sided(Distribution distribution) {
  return distribution == Distribution::laplace;
}

/// The noise of one release: N ticks with P(N) proportional to exp(-|N| tick / scale), over N >= 0
/// for one-sided distributions.
struct NoiseDistribution {
  Distribution distribution = Distribution::exponential;  ///< its shape
  Rational scale;                                         ///< in the unit of the answers
  Rational tick;                                          ///< all values are whole multiples of it

  /// Converts ticks to the unit of the answers, for display.
  [[nodiscard]] double shown(std::int64_t ticks) const;
  /// Variance of one draw, in squared units of the answers.
  [[nodiscard]] double variance() const;
};

}  // namespace freegap

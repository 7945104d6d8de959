#pragma once

/// @file
/// Integer noise on ticks, and noisy values in fractions of a tick (docs/proofs/noisy_top_m.md,
/// "The noise in subticks"; tests/mechanisms/noisy_top_m_test.cpp). Secret.

#include <cstdint>

#include "freegap/distribution.hpp"
#include "freegap/noise.hpp"
#include "freegap/rate.hpp"
#include "freegap/rational.hpp"

namespace freegap::detail {

/// A noisy value: a number of ticks, times `TickNoise::subticks`, plus a fraction of a tick.
__extension__ using Position = __int128;

/// Integer noise on ticks. Where a tick is wide against the noise, ties are so frequent that a
/// crowd of equal candidates could not be passed over; so the noise is then drawn in fractions of a
/// tick. Whole ticks have exactly the stated distribution, and the fraction, independent of them
/// and identically distributed for all candidates, comes first in the order of ties
/// (docs/proofs/noisy_top_m.md).
class TickNoise {
 public:
  /// Noise with exp(-rate) between neighbouring ticks, in as many fractions of a tick as keep ties
  /// rare.
  TickNoise(Distribution distribution, const Rational& rate)
      : TickNoise(distribution, rate, fractions_for(rate)) {}
  /// The same with a given number of fractions of a tick, at least 1.
  TickNoise(Distribution distribution, const Rational& rate, std::int64_t subticks)
      : two_sided_(freegap::two_sided(distribution)),
        subticks_(subticks),
        tick_rate_(rate),
        rate_(rate / Rational(subticks)) {}

  /// Whether it takes both signs.
  [[nodiscard]] bool two_sided() const { return two_sided_; }
  /// Fractions of a tick.
  [[nodiscard]] std::int64_t subticks() const { return subticks_; }
  /// Exponent per tick.
  [[nodiscard]] const Rate& tick_rate() const { return tick_rate_; }
  /// Exponent per fraction of a tick.
  [[nodiscard]] const Rate& rate() const { return rate_; }
  /// A value without noise.
  [[nodiscard]] Position at(std::int64_t ticks) const { return Position{ticks} * subticks_; }
  /// The whole ticks of a position, rounded down.
  [[nodiscard]] std::int64_t floor(Position position) const {
    if (subticks_ == 1) {
      return static_cast<std::int64_t>(position);
    }
    const Position below = position - (position < 0 ? Position{subticks_} - 1 : Position{0});
    return static_cast<std::int64_t>(below / subticks_);
  }

  /// One draw, in fractions of a tick.
  template <NoiseSource Source>
  Position draw(Source& noise) const {
    if (!two_sided_) {
      return noise.geometric(rate_);
    }
    // The fraction is drawn by itself: that of a one-sided draw, which does not depend on its whole
    // ticks.
    const Position whole = Position{noise.laplace(tick_rate_)} * subticks_;
    return subticks_ == 1 ? whole : whole + noise.geometric(rate_) % subticks_;
  }

 private:
  /// Noise that spans at least 512 fractions of a tick keeps ties rare.
  static std::int64_t fractions_for(const Rational& rate) {
    return (rate * Rational(512)).ceil_power_of_two();
  }

  bool two_sided_;
  std::int64_t subticks_;
  Rate tick_rate_;
  Rate rate_;
};

}  // namespace freegap::detail

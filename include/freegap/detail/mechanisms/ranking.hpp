#pragma once

/// @file
/// Candidates with their noisy values: how noise is drawn on ticks, and how noisy values are
/// ranked, ties included (docs/proofs/noisy_top_m.md; tests/mechanisms/ranking_test.cpp).
///
/// Everything in this file is secret until a mechanism turns it into a release.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "freegap/distribution.hpp"
#include "freegap/errors.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"
#include "freegap/rate.hpp"
#include "freegap/rational.hpp"

namespace freegap {

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

/// A candidate with its noisy value. Secret.
struct NoisyCandidate {
  Item item;                               ///< which candidate
  Position position = 0;                   ///< its noisy value
  mutable std::vector<std::uint64_t> key;  ///< its place in a random order of ties, drawn on demand
};

/// An order of candidates for ties that does not depend on the data.
template <class Order>
concept TieOrder = requires(Order& order, const NoisyCandidate& a, const NoisyCandidate& b) {
  /// Whether `a` wins a tie against `b`. A strict total order.
  { order.precedes(a, b) } -> std::same_as<bool>;
};

/// A uniformly random order, drawn as far as ties ask for it: 64 bits a candidate, more when they
/// collide.
template <NoiseSource Source>
class RandomOrder {
 public:
  /// Draws keys from `noise`, which must outlive this object.
  explicit RandomOrder(Source& noise) : noise_(&noise) {}

  /// Whether `a` wins a tie against `b`.
  bool precedes(const NoisyCandidate& a, const NoisyCandidate& b) {
    if (&a == &b) {
      return false;
    }
    for (std::size_t i = 0; i < most_words; ++i) {
      const std::uint64_t key_a = word(a, i);
      const std::uint64_t key_b = word(b, i);
      if (key_a != key_b) {
        return key_a > key_b;
      }
    }
    throw MachineFault("the random bits are broken: 4096 of them settled no tie");
  }

 private:
  static constexpr std::size_t most_words = 64;

  std::uint64_t word(const NoisyCandidate& c, std::size_t i) {
    while (c.key.size() <= i) {
      c.key.push_back(noise_->key());
    }
    return c.key[i];
  }

  Source* noise_;
};

/// Noisy values compared, ties by fraction of a tick and then by the order.
template <TieOrder Order>
class Ranking {
 public:
  /// Compares by `order`, which must outlive this object.
  Ranking(Order& order, std::int64_t subticks) : order_(&order), subticks_(subticks) {}

  /// Whether `a` ranks before `b`.
  bool better(const NoisyCandidate& a, const NoisyCandidate& b) const {
    return a.position != b.position ? a.position > b.position : order_->precedes(a, b);
  }
  /// Whether `a` would win a tie in whole ticks against `b`.
  bool precedes(const NoisyCandidate& a, const NoisyCandidate& b) const {
    const std::int64_t fraction_a = fraction(a);
    const std::int64_t fraction_b = fraction(b);
    return fraction_a != fraction_b ? fraction_a > fraction_b : order_->precedes(a, b);
  }
  /// Noisy value in whole ticks.
  [[nodiscard]] std::int64_t ticks(const NoisyCandidate& c) const {
    return static_cast<std::int64_t>((c.position - fraction(c)) / subticks_);
  }

 private:
  [[nodiscard]] std::int64_t fraction(const NoisyCandidate& c) const {
    const auto remainder = static_cast<std::int64_t>(c.position % subticks_);
    return remainder < 0 ? remainder + subticks_ : remainder;
  }

  Order* order_;
  std::int64_t subticks_;
};

}  // namespace freegap

#pragma once

/// @file
/// Candidates with their noisy values, and how they are ranked, ties included
/// (docs/proofs/noisy_top_m.md; tests/mechanisms/ranking_test.cpp). Secret until a mechanism turns
/// it into a release.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "freegap/detail/core/wiped.hpp"
#include "freegap/detail/mechanisms/tick_noise.hpp"
#include "freegap/errors.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"

namespace freegap::detail {

/// A candidate with its noisy value. Secret.
struct NoisyCandidate {
  Item item;                               ///< which candidate
  Wiped<Position> position = {};           ///< its noisy value
  mutable std::vector<std::uint64_t> key;  ///< its place in a random order of ties, drawn on demand
};

/// An order of candidates for ties that does not depend on the data.
template <class Order>
concept TieOrder = requires(Order& order, const NoisyCandidate& a, const NoisyCandidate& b) {
  /// Whether `a` wins a tie against `b`. A strict total order.
  { order.precedes(a, b) } -> std::same_as<bool>;
};

/// A uniformly random order, drawn as far as ties ask for it: 64 bits per candidate, more when they
/// collide.
template <NoiseSource Source>
class RandomOrder {
 public:
  /// Draws keys from `noise`, which must outlive this object.
  explicit RandomOrder(Source& noise) : noise_(&noise) {}

  /// Draws the first 64 bits of a candidate's key, whether or not it ties: for constant work.
  void prepare(const NoisyCandidate& c) { word(c, 0); }

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
    throw MachineFault("the random bits are broken: two candidates have the same 4096 of them");
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

}  // namespace freegap::detail

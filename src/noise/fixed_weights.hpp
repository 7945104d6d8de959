#pragma once

/// @file
/// The weights of the exponential mechanism by the same instructions for every utility: the fast
/// path of choice and gap for constant work. What it does not settle, MPFR does
/// (docs/proofs/samplers.md, "The same with constant work"; tests/noise/choosing_test.cpp).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "freegap/noise.hpp"
#include "freegap/rate.hpp"
#include "noise/double_enclosure.hpp"

namespace freegap::detail {

/// Enclosures of e^(-rate (largest - ticks)), one per utility, in units of 2^-60.
class FixedWeights {
 public:
  /// At least one utility, each within ±2^62.
  FixedWeights(const Rate& rate, std::span<const std::int64_t> ticks);
  /// The same without one of them, of at least two: it weighs nothing.
  FixedWeights(const Rate& rate, std::span<const std::int64_t> ticks, std::size_t without);

  /// The first entry at which the sum of weights is above U times the sum of all, for a U that
  /// begins with these 64 bits; or nothing, if the enclosures do not settle it. Tests pass a
  /// positive `widening`.
  [[nodiscard]] std::optional<std::size_t> choice(std::uint64_t first, double widening) const;
  /// The largest utility.
  [[nodiscard]] std::int64_t largest() const { return largest_; }
  /// The sum of all weights.
  [[nodiscard]] DoubleEnclosure sum() const;

 private:
  struct Weight {
    std::uint64_t low;
    std::uint64_t high;
  };
  static Weight weight(const Rate& rate, std::uint64_t distance);

  std::int64_t largest_;
  std::vector<Weight> weights_;
  Distance low_ = 0;  // sums of all
  Distance high_ = 0;
};

/// What the gap of the exponential mechanism depends on, enclosed: equation (3) of
/// docs/proofs/samplers.md in both of its forms, of which the right one is taken at the end.
class FixedGap {
 public:
  /// The gap of candidate `chosen`, one of at least two.
  FixedGap(const Rate& rate, std::span<const std::int64_t> ticks, std::size_t chosen);
  /// The gap for an enclosed U.
  [[nodiscard]] DoubleEnclosure gap(const DoubleEnclosure& u) const;

 private:
  std::uint64_t leads_;       // a mask: the chosen one is above all others
  DoubleEnclosure distance_;  // rate |chosen - best of the others|
  DoubleEnclosure decay_;     // e^-distance
  DoubleEnclosure others_;    // weights of the others, relative to the best of them
};

}  // namespace freegap::detail

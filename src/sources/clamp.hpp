#pragma once

/// @file
/// Clamps ready-made numbers into the declared range of an input.

#include <cstdint>
#include <limits>

#include "sources/source.hpp"

namespace freegap::sources {

/// The ends of a range, on the grid of the numbers. Reals are floored to the grid before they are
/// clamped, so the ends are floored too: that gives what clamping first would give. Whole numbers
/// are clamped to the whole numbers within the range. Clamping is nondecreasing and moves no two
/// numbers apart: neither sensitivity nor monotonicity suffers (docs/proofs/setting.md,
/// "Clamping"; tests/sources/clamp_test.cpp).
class Clamp {
 public:
  /// Clamps into `input.range`; nothing is changed without one. Throws InvalidParameter where no
  /// whole number lies within the range and whole numbers are read.
  explicit Clamp(const Input& input);
  /// A whole number, clamped.
  [[nodiscard]] std::int64_t whole(std::int64_t number) const;
  /// A real on the grid, clamped.
  [[nodiscard]] double real(double number) const;

 private:
  std::int64_t least_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t most_ = std::numeric_limits<std::int64_t>::max();
  double low_ = std::numeric_limits<double>::lowest();
  double high_ = std::numeric_limits<double>::max();
};

}  // namespace freegap::sources

#pragma once

/// @file
/// The same weights as power_series.hpp, evaluated at one point x in interval arithmetic: for
/// losses, which are ratios of probabilities, and for events too far out for a series.

#include <cstdint>

namespace freegap::verify {

/// A nonnegative number built from the factors of integer noise distributions, with bounds that
/// hold it: each operation of long double arithmetic is off by at most a relative 2^-64, and the
/// ends are moved apart by more than that.
class IntervalAt {
 public:
  /// Two numbers that hold a third.
  struct Bounds {
    long double low;   ///< not above it
    long double high;  ///< not below it
  };

  /// `value`, exactly, with factors evaluated at `x`, 0 < x < 1; both exact.
  IntervalAt(long double x, long double value) : IntervalAt(Bounds{x, x}, value) {}
  /// The same at a point that is known within bounds, such as e^-1.
  IntervalAt(Bounds x, long double value) : x_(x), low_(value), high_(value) {}

  /// Not above the number.
  [[nodiscard]] long double low() const { return low_; }
  /// Not below the number.
  [[nodiscard]] long double high() const { return high_; }
  /// Whether it is zero.
  [[nodiscard]] bool vanishes() const { return high_ == 0; }
  /// This times x^e.
  [[nodiscard]] IntervalAt times_power(std::uint64_t e) const {
    const Bounds p = power(e);
    return {x_, low_ * p.low, high_ * p.high};
  }
  /// This times 1 - x^e.
  [[nodiscard]] IntervalAt times_one_minus_power(std::uint64_t e) const {
    if (e == 0) {
      return {x_, 0};
    }
    const Bounds p = power(e);
    return {x_, low_ * down(1 - p.high), high_ * up(1 - p.low)};
  }
  /// This divided by 1 + x^e.
  [[nodiscard]] IntervalAt over_one_plus_power(std::uint64_t e) const {
    const Bounds p = power(e);
    return {x_, low_ / up(1 + p.high), high_ / down(1 + p.low)};
  }
  /// This divided by a whole number.
  [[nodiscard]] IntervalAt over(std::uint64_t divisor) const {
    const auto by = static_cast<long double>(divisor);
    return {x_, low_ / by, high_ / by};
  }
  /// Adds another number.
  IntervalAt& operator+=(const IntervalAt& other) {
    *this = {x_, low_ + other.low_, high_ + other.high_};
    return *this;
  }

 private:
  static long double down(long double value) { return value * (1 - 0x1p-62L); }
  static long double up(long double value) { return value * (1 + 0x1p-62L); }

  /// Results of one operation, moved apart.
  IntervalAt(Bounds x, long double low, long double high)
      : x_(x), low_(down(low)), high_(up(high)) {}

  [[nodiscard]] Bounds power(std::uint64_t e) const {
    Bounds result{1, 1};
    for (Bounds square = x_; e != 0; e >>= 1U) {
      if ((e & 1U) != 0) {
        result = {down(result.low * square.low), up(result.high * square.high)};
      }
      square = {down(square.low * square.low), up(square.high * square.high)};
    }
    return result;
  }

  Bounds x_;
  long double low_;
  long double high_;
};

}  // namespace freegap::verify

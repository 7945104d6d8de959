// The same weights as power_series.hpp, evaluated at one point x: for losses, which are ratios of
// probabilities, and for events too far out for a series.
#pragma once

#include <cstddef>
#include <cstdint>

namespace freegap::testing {

/// A nonnegative number built from the factors of integer noise laws. Only products of positive
/// factors and sums of such products are formed, so each operation adds a relative error of 2^-63.
class ValueAt {
 public:
  /// `value`, with factors evaluated at `x`, 0 < x < 1.
  ValueAt(long double x, long double value) : x_(x), value_(value) {}

  /// The number.
  [[nodiscard]] long double value() const { return value_; }
  /// Whether it is zero.
  [[nodiscard]] bool vanishes() const { return value_ == 0; }
  /// This times x^e.
  [[nodiscard]] ValueAt times_power(std::uint64_t e) const { return {x_, value_ * power(e)}; }
  /// This times 1 - x^e.
  [[nodiscard]] ValueAt times_one_minus_power(std::uint64_t e) const {
    return {x_, value_ * (1 - power(e))};
  }
  /// This divided by 1 + x^e.
  [[nodiscard]] ValueAt over_one_plus_power(std::uint64_t e) const {
    return {x_, value_ / (1 + power(e))};
  }
  /// This divided by a whole number.
  [[nodiscard]] ValueAt over(std::uint64_t divisor) const {
    return {x_, value_ / static_cast<long double>(divisor)};
  }
  /// Adds another number.
  ValueAt& operator+=(const ValueAt& other) {
    value_ += other.value_;
    return *this;
  }

 private:
  [[nodiscard]] long double power(std::uint64_t e) const {
    long double result = 1;
    for (long double square = x_; e != 0; e >>= 1U, square *= square) {
      result *= (e & 1U) != 0 ? square : 1.0L;
    }
    return result;
  }

  long double x_;
  long double value_;
};

}  // namespace freegap::testing

#pragma once

/// @file
/// Formal power series in x with whole coefficients, modulo x^(Q+1). Probabilities of integer noise
/// are rational functions of x = exp(-rate); expanded in x, two distributions are equal if and only
/// if all coefficients are, so a comparison of distributions needs no rounding and no tolerance.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace freegap::verify {

/// A truncated series with 64-bit coefficients; overflow throws instead of wrapping.
class PowerSeries {
 public:
  /// The constant `value`, modulo x^(order + 1).
  PowerSeries(std::size_t order, std::int64_t value) : c_(order + 1, 0) { c_[0] = value; }

  /// The highest power kept.
  [[nodiscard]] std::size_t order() const { return c_.size() - 1; }
  /// The coefficient of x^i.
  [[nodiscard]] std::int64_t operator[](std::size_t i) const { return c_.at(i); }
  /// Whether all kept coefficients vanish.
  [[nodiscard]] bool vanishes() const { return *this == PowerSeries(order(), 0); }

  /// This times x^e.
  [[nodiscard]] PowerSeries times_power(std::uint64_t e) const {
    PowerSeries result(order(), 0);
    for (std::size_t i = e; i < c_.size(); ++i) {
      result.c_[i] = c_[i - e];
    }
    return result;
  }
  /// This times 1 - x^e.
  [[nodiscard]] PowerSeries times_one_minus_power(std::uint64_t e) const {
    PowerSeries result = *this;
    for (std::size_t i = c_.size(); i-- > e;) {
      result.c_[i] = difference(result.c_[i], c_[i - e]);
    }
    return result;
  }
  /// This divided by 1 + x^e, e >= 1.
  [[nodiscard]] PowerSeries over_one_plus_power(std::uint64_t e) const {
    PowerSeries result = *this;
    for (std::size_t i = e; i < c_.size(); ++i) {
      result.c_[i] = difference(result.c_[i], result.c_[i - e]);
    }
    return result;
  }
  /// This divided by a whole number that divides every coefficient.
  [[nodiscard]] PowerSeries over(std::uint64_t divisor) const {
    PowerSeries result = *this;
    const auto by = static_cast<std::int64_t>(divisor);
    for (std::int64_t& c : result.c_) {
      if (c % by != 0) {
        throw std::domain_error("power series: start from a common denominator");
      }
      c /= by;
    }
    return result;
  }

  /// Adds another series of the same order.
  PowerSeries& operator+=(const PowerSeries& other) {
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (__builtin_add_overflow(c_[i], other.c_.at(i), &c_[i])) {
        throw std::overflow_error("power series: sum");
      }
    }
    return *this;
  }
  /// All kept coefficients agree.
  friend bool operator==(const PowerSeries&, const PowerSeries&) = default;

  /// "1 - 2x^3 + ..." for messages.
  [[nodiscard]] std::string str() const {
    std::string text;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (c_[i] != 0) {
        text += (text.empty() ? "" : " ") + std::to_string(c_[i]) + "x^" + std::to_string(i);
      }
    }
    return text.empty() ? "0" : text;
  }

 private:
  static std::int64_t difference(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(a, b, &result)) {
      throw std::overflow_error("power series: difference");
    }
    return result;
  }

  std::vector<std::int64_t> c_;
};

}  // namespace freegap::verify

#pragma once

/// @file
/// Exact rational numbers, and privacy budgets made of them. "0.7" means 7/10, so costs add up
/// exactly: ten times 0.1 is 1.

#include <gmpxx.h>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace freegap {

/// An exact rational number, always in lowest terms.
class Rational {
 public:
  /// Zero.
  Rational() = default;

  /// A whole number. Implicit, so that `1` can stand where a rational is asked for.
  template <std::integral Int>
  Rational(Int whole) : value_(whole_number(whole)) {}  // NOLINT(google-explicit-constructor)

  /// numerator / denominator; the denominator must not be zero.
  Rational(std::int64_t numerator, std::int64_t denominator);

  /// A GMP rational, brought to lowest terms.
  explicit Rational(const mpq_class& value);

  /// Reads "7/10", "0.7", "12" or "1e-3", with an optional sign. Anything else, or a text of more
  /// than 64 characters or an exponent beyond ±40, throws InvalidParameter.
  static Rational parse(std::string_view text);

  /// The exact value of a finite binary floating-point number (0.1 is not 1/10 here).
  static Rational exactly(double value);

  /// The GMP value.
  [[nodiscard]] const mpq_class& gmp() const { return value_; }
  /// "7/10", or "3" for a whole number.
  [[nodiscard]] std::string str() const { return value_.get_str(); }
  /// A double close by, for showing only.
  [[nodiscard]] double shown() const;
  /// -1, 0 or 1.
  [[nodiscard]] int sign() const { return sgn(value_); }
  /// The largest whole number that is not above this one.
  [[nodiscard]] mpz_class floor() const;
  /// The smallest whole number that is not below this one.
  [[nodiscard]] mpz_class ceil() const;

  /// Sum.
  friend Rational operator+(const Rational& a, const Rational& b) {
    return Rational(mpq_class(a.value_ + b.value_));
  }
  /// Difference.
  friend Rational operator-(const Rational& a, const Rational& b) {
    return Rational(mpq_class(a.value_ - b.value_));
  }
  /// Product.
  friend Rational operator*(const Rational& a, const Rational& b) {
    return Rational(mpq_class(a.value_ * b.value_));
  }
  /// Quotient; throws InvalidParameter when `b` is zero.
  friend Rational operator/(const Rational& a, const Rational& b);
  /// Exact equality.
  friend bool operator==(const Rational& a, const Rational& b) { return a.value_ == b.value_; }
  /// Exact order.
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    return cmp(a.value_, b.value_) <=> 0;
  }

  /// 2^exponent, exactly; the exponent may be negative.
  static Rational power_of_two(int exponent);

 private:
  template <std::integral Int>
  static mpq_class whole_number(Int whole) {
    if constexpr (std::signed_integral<Int>) {
      return mpq_class(static_cast<long>(whole));
    } else {
      return mpq_class(static_cast<unsigned long>(whole));
    }
  }

  mpq_class value_;
};

/// A privacy budget: an exact rational with 0 < ε <= 1000.
class Epsilon {
 public:
  /// The largest budget accepted. Beyond it there is no privacy to speak of.
  static constexpr int largest = 1000;

  /// Reads a budget, for example "0.7" or "7/10". Throws InvalidParameter unless 0 < ε <= 1000.
  static Epsilon parse(std::string_view text);
  /// Checks a rational budget. Throws InvalidParameter unless 0 < ε <= 1000.
  explicit Epsilon(Rational value);

  /// The exact value.
  [[nodiscard]] const Rational& value() const { return value_; }
  /// Exact equality.
  friend bool operator==(const Epsilon& a, const Epsilon& b) = default;

 private:
  Rational value_;
};

inline namespace literals {
/// `"0.7"_eps` is the budget 7/10.
inline Epsilon operator""_eps(const char* text, std::size_t length) {
  return Epsilon::parse({text, length});
}
/// `"0.1"_rational` is 1/10.
inline Rational operator""_rational(const char* text, std::size_t length) {
  return Rational::parse({text, length});
}
}  // namespace literals

}  // namespace freegap

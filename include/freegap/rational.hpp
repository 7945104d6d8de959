#pragma once

/// @file
/// Exact rational numbers, and privacy budgets made of them. "0.7" means 7/10, so costs add up
/// exactly: ten times 0.1 is 1.

#include <gmpxx.h>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace freegap {

/// An exact rational number, always in lowest terms. Most fit two 64-bit words; others are held by
/// GMP.
class Rational {
 public:
  /// Zero.
  Rational() = default;
  /// The same number.
  Rational(const Rational&) = default;
  /// The same number.
  Rational(Rational&&) noexcept = default;
  /// The same number.
  Rational& operator=(const Rational&) = default;
  /// The same number.
  Rational& operator=(Rational&&) noexcept = default;
  ~Rational();

  /// A whole number. Implicit, so that `1` can be passed as a rational.
  template <std::integral Int>
  Rational(Int whole) {  // NOLINT(google-explicit-constructor)
    if (std::in_range<std::int64_t>(whole) && std::cmp_not_equal(whole, INT64_MIN)) {
      numerator_ = static_cast<std::int64_t>(whole);
    } else {
      large_ = large_number(static_cast<std::uint64_t>(whole), std::cmp_less(whole, 0));
    }
  }

  /// Does not compile: 0.1 as a double is not 1/10.
  template <std::floating_point Float>
  Rational(Float) {  // NOLINT(google-explicit-constructor)
    static_assert(!std::same_as<Float, Float>,
                  "a double is not exact: write \"0.1\"_rational, with quotes, or "
                  "Rational::exactly(x) for the binary fraction that x is");
  }

  /// numerator / denominator; the denominator must not be zero.
  Rational(std::int64_t numerator, std::int64_t denominator);

  /// A GMP rational, brought to lowest terms.
  explicit Rational(mpq_class value);

  /// Reads "7/10", "0.7", "12" or "1e-3", with an optional sign. Anything else, or a text of more
  /// than 64 characters or an exponent beyond ±40, throws InvalidParameter.
  static Rational parse(std::string_view text);

  /// The exact value of a finite binary floating-point number (0.1 is not 1/10 here).
  static Rational exactly(double value);

  /// The GMP value.
  [[nodiscard]] mpq_class gmp() const;
  /// The numerator, which has the sign.
  [[nodiscard]] mpz_class numerator() const { return gmp().get_num(); }
  /// The denominator.
  [[nodiscard]] mpz_class denominator() const { return gmp().get_den(); }
  /// "7/10", or "3" for a whole number.
  [[nodiscard]] std::string str() const { return gmp().get_str(); }
  /// The double nearest to the value, for display only.
  [[nodiscard]] double shown() const;
  /// -1, 0 or 1.
  [[nodiscard]] int sign() const {
    return large_ ? sgn(*large_)
                  : static_cast<int>(numerator_ > 0) - static_cast<int>(numerator_ < 0);
  }
  /// The largest whole number that is not above this one.
  [[nodiscard]] mpz_class floor() const;
  /// The smallest whole number that is not below this one.
  [[nodiscard]] mpz_class ceil() const;
  /// The smallest power of two that is not below this number; 1 at least, 2^62 at most.
  [[nodiscard]] std::int64_t ceil_power_of_two() const;
  /// e for 2^e; nothing for other numbers.
  [[nodiscard]] std::optional<int> exponent_of_two() const;
  /// Numerator and denominator, where each fits a 64-bit word.
  struct Words {
    std::int64_t numerator;    ///< with the sign, above -2^63
    std::int64_t denominator;  ///< above 0
  };
  /// Numerator and denominator; nothing where one does not fit.
  [[nodiscard]] std::optional<Words> words() const {
    return large_ ? std::nullopt : std::optional(Words{numerator_, denominator_});
  }

  /// Sum.
  friend Rational operator+(const Rational& a, const Rational& b);
  /// Difference.
  friend Rational operator-(const Rational& a, const Rational& b);
  /// Product.
  friend Rational operator*(const Rational& a, const Rational& b);
  /// Quotient; throws InvalidParameter when `b` is zero.
  friend Rational operator/(const Rational& a, const Rational& b);
  /// Exact equality.
  friend bool operator==(const Rational& a, const Rational& b) { return std::is_eq(a <=> b); }
  /// Exact order.
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

  /// 2^exponent, exactly; the exponent may be negative.
  static Rational power_of_two(int exponent);

 private:
  /// A whole number too large for a word, in two's complement.
  static std::shared_ptr<const mpq_class> large_number(std::uint64_t bits, bool negative);
  /// Two words in lowest terms.
  static Rational of(std::int64_t numerator, std::int64_t denominator) {
    Rational result;
    result.numerator_ = numerator;
    result.denominator_ = denominator;
    return result;
  }

  std::int64_t numerator_ = 0;              // above INT64_MIN, so that its sign can be turned
  std::int64_t denominator_ = 1;            // above 0
  std::shared_ptr<const mpq_class> large_;  // the value, where it does not fit the words
};

/// A privacy budget ε: an exact rational with 0 < ε <= 1000.
class Epsilon {
 public:
  /// The largest budget accepted. Larger ones give no meaningful privacy.
  static constexpr int largest = 1000;

  /// Reads a budget, for example "0.7" or "7/10". Throws InvalidParameter unless 0 < ε <= 1000.
  static Epsilon parse(std::string_view text);
  /// Checks a rational budget. Throws InvalidParameter unless 0 < ε <= 1000.
  explicit Epsilon(Rational value);
  /// Does not compile: 0.7 as a double is not 7/10, and text without a suffix is no budget.
  template <class Other>
  requires std::floating_point<Other> || std::convertible_to<Other, std::string_view> Epsilon(
      const Other&) {  // NOLINT(google-explicit-constructor)
    static_assert(!std::same_as<Other, Other>,
                  "a budget is an exact fraction: write \"0.7\"_eps, with quotes and suffix, or "
                  "Epsilon::parse(text)");
  }

  /// The exact value.
  [[nodiscard]] const Rational& value() const { return value_; }
  /// Exact equality.
  friend bool operator==(const Epsilon& a, const Epsilon& b) = default;

 private:
  Rational value_;
};

/// A probability δ of (ε, δ)-differential privacy: an exact rational with 0 < δ < 1.
class Delta {
 public:
  /// Reads a δ, for example "1e-9". Throws InvalidParameter unless 0 < δ < 1.
  static Delta parse(std::string_view text);
  /// Checks a rational δ. Throws InvalidParameter unless 0 < δ < 1.
  explicit Delta(Rational value);

  /// The exact value.
  [[nodiscard]] const Rational& value() const { return value_; }
  /// Exact equality.
  friend bool operator==(const Delta& a, const Delta& b) = default;

 private:
  Rational value_;
};

inline namespace literals {
/// `"0.7"_eps` is the budget 7/10.
inline Epsilon operator""_eps(const char* text, std::size_t length) {
  return Epsilon::parse({text, length});
}
/// `"1e-9"_delta` is the δ of 1/1000000000.
inline Delta operator""_delta(const char* text, std::size_t length) {
  return Delta::parse({text, length});
}
/// `"0.1"_rational` is 1/10.
inline Rational operator""_rational(const char* text, std::size_t length) {
  return Rational::parse({text, length});
}
}  // namespace literals

}  // namespace freegap

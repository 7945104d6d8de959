#include "freegap/rational.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "freegap/errors.hpp"

namespace freegap {
namespace {

constexpr std::size_t longest_text = 64;
constexpr int largest_exponent = 40;

[[noreturn]] void refuse(std::string_view text) {
  throw InvalidParameter("number",
                         "\"" + std::string(text.substr(0, longest_text)) +
                             "\" is not a number; write for example 0.7, 7/10 or 1e-3 (at most 64 "
                             "characters, exponents from -40 to 40)");
}

/// Takes a run of digits off the front of `rest`.
std::string take_digits(std::string_view& rest) {
  std::size_t length = 0;
  while (length < rest.size() && rest[length] >= '0' && rest[length] <= '9') {
    ++length;
  }
  std::string digits(rest.substr(0, length));
  rest.remove_prefix(length);
  return digits;
}

bool take(std::string_view& rest, char c) {
  if (rest.empty() || rest.front() != c) {
    return false;
  }
  rest.remove_prefix(1);
  return true;
}

/// Takes "e-3" off the front of `rest`; 0 where there is no exponent.
std::optional<int> take_exponent(std::string_view& rest) {
  if (!take(rest, 'e') && !take(rest, 'E')) {
    return 0;
  }
  const bool negative = take(rest, '-');
  if (!negative) {
    take(rest, '+');
  }
  const std::string digits = take_digits(rest);
  if (digits.empty() || digits.size() > 2 || std::stoi(digits) > largest_exponent) {
    return std::nullopt;
  }
  return negative ? -std::stoi(digits) : std::stoi(digits);
}

mpz_class power_of_ten(unsigned long exponent) {
  mpz_class result;
  mpz_ui_pow_ui(result.get_mpz_t(), 10, exponent);
  return result;
}

}  // namespace

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
  if (denominator == 0) {
    throw InvalidParameter("denominator", "it must not be zero");
  }
  value_ = mpq_class(static_cast<long>(numerator)) / mpq_class(static_cast<long>(denominator));
}

Rational::Rational(const mpq_class& value) : value_(value) { value_.canonicalize(); }

Rational Rational::parse(std::string_view text) {
  if (text.empty() || text.size() > longest_text) {
    refuse(text);
  }
  std::string_view rest = text;
  const bool negative = take(rest, '-');
  if (!negative) {
    take(rest, '+');
  }
  const std::string whole = take_digits(rest);
  mpq_class value;
  if (!whole.empty() && take(rest, '/')) {
    const std::string denominator = take_digits(rest);
    if (denominator.find_first_not_of('0') == std::string::npos || !rest.empty()) {
      refuse(text);
    }
    value = mpq_class(mpz_class(whole, 10), mpz_class(denominator, 10));
  } else {
    const std::string fraction = take(rest, '.') ? take_digits(rest) : "";
    const std::optional<int> exponent = take_exponent(rest);
    if (!exponent || !rest.empty() || (whole.empty() && fraction.empty())) {
      refuse(text);
    }
    const long shift = *exponent - static_cast<long>(fraction.size());
    const mpz_class digits(whole + fraction, 10);  // not octal, for all the leading zeros
    value = shift >= 0 ? mpq_class(digits * power_of_ten(static_cast<unsigned long>(shift)))
                       : mpq_class(digits, power_of_ten(static_cast<unsigned long>(-shift)));
  }
  value.canonicalize();
  return Rational(negative ? mpq_class(-value) : value);
}

Rational Rational::exactly(double value) {
  if (!std::isfinite(value)) {
    throw InvalidParameter("number", "it must be finite");
  }
  return Rational(mpq_class(value));
}

double Rational::shown() const { return value_.get_d(); }

mpz_class Rational::floor() const {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), value_.get_num_mpz_t(), value_.get_den_mpz_t());
  return result;
}

mpz_class Rational::ceil() const {
  mpz_class result;
  mpz_cdiv_q(result.get_mpz_t(), value_.get_num_mpz_t(), value_.get_den_mpz_t());
  return result;
}

Rational operator/(const Rational& a, const Rational& b) {
  if (b.sign() == 0) {
    throw InvalidParameter("divisor", "it must not be zero");
  }
  return Rational(mpq_class(a.value_ / b.value_));
}

Rational Rational::power_of_two(int exponent) {
  mpz_class power = 1;
  power <<= static_cast<mp_bitcnt_t>(std::abs(exponent));
  return Rational(exponent >= 0 ? mpq_class(power) : mpq_class(1, power));
}

Epsilon Epsilon::parse(std::string_view text) { return Epsilon(Rational::parse(text)); }

Epsilon::Epsilon(Rational value) : value_(std::move(value)) {
  if (value_.sign() <= 0 || value_ > Rational(largest)) {
    throw InvalidParameter("epsilon", "it must be above 0 and at most " + std::to_string(largest));
  }
}

}  // namespace freegap

#include "freegap/rational.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "core/integers.hpp"
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

/// Takes "e-3" off the front of `rest`; 0 where there is no exponent. Throws InvalidParameter for
/// one that is out of range.
std::optional<int> take_exponent(std::string_view& rest, std::string_view text) {
  if (!take(rest, 'e') && !take(rest, 'E')) {
    return 0;
  }
  const bool negative = take(rest, '-');
  if (!negative) {
    take(rest, '+');
  }
  const std::string digits = take_digits(rest);
  if (digits.empty() || !rest.empty()) {
    return std::nullopt;
  }
  if (digits.size() > 2 || std::stoi(digits) > largest_exponent) {
    throw InvalidParameter(
        "number", "\"" + std::string(text) + "\" is too " + (negative ? "small" : "large") +
                      ": exponents go from -40 to 40. (A budget of 1e-40 already "
                      "asks for noise of about 1e40, in which no answer shows.)");
  }
  return negative ? -std::stoi(digits) : std::stoi(digits);
}

/// The double nearest to a number, the even one of two. (GMP itself rounds towards 0.)
double nearest(const mpq_class& value) {
  constexpr long smallest = 1074;  // doubles are multiples of 2^-1074
  if (sgn(value) == 0) {
    return 0;
  }
  const mpz_class& down = value.get_den();
  mpz_class up = abs(value.get_num());
  const auto bits = [](const mpz_class& number) {
    return static_cast<long>(mpz_sizeinbase(number.get_mpz_t(), 2));
  };
  // So many binary places that 55 bits or more are kept, but no more than two beyond a double's.
  const long places = std::min(56 - (bits(up) - bits(down)), smallest + 2);
  mpz_class scaled_down = down;
  (places >= 0 ? up : scaled_down) <<= static_cast<unsigned long>(std::labs(places));
  mpz_class kept;
  mpz_class rest;
  mpz_fdiv_qr(kept.get_mpz_t(), rest.get_mpz_t(), up.get_mpz_t(), scaled_down.get_mpz_t());
  const std::uint64_t sticky = detail::low_word(kept) | (rest == 0 ? 0U : 1U);
  // A double has 53 bits, or fewer below 2^-1022. What is dropped has at least two bits.
  const int dropped = std::max(static_cast<int>(std::bit_width(sticky)) - 53, 2);
  const int limit = places == smallest + 2 ? 2 : dropped;
  const std::uint64_t half = std::uint64_t{1} << static_cast<unsigned>(limit - 1);
  const std::uint64_t below = sticky & (2 * half - 1);
  std::uint64_t digits = sticky >> static_cast<unsigned>(limit);
  digits += below > half || (below == half && digits % 2 == 1) ? 1U : 0U;
  const double size = std::ldexp(static_cast<double>(digits), static_cast<int>(limit - places));
  return sgn(value) < 0 ? -size : size;
}

mpz_class power_of_ten(unsigned long exponent) {
  mpz_class result;
  mpz_ui_pow_ui(result.get_mpz_t(), 10, exponent);
  return result;
}

}  // namespace

// Not in the header: inlined into the clean-up of half-made objects, it makes GCC 12 warn of
// members that are not set.
Rational::~Rational() = default;

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
  if (denominator == 0) {
    throw InvalidParameter("denominator", "it must not be zero");
  }
  *this = Rational(numerator) / Rational(denominator);
}

std::shared_ptr<const mpq_class> Rational::large_number(std::uint64_t bits, bool negative) {
  const mpz_class size = detail::integer(negative ? 0 - bits : bits);
  return std::make_shared<mpq_class>(negative ? mpz_class(-size) : size);
}

Rational::Rational(mpq_class value) {
  value.canonicalize();
  const auto up = detail::small_word(value.get_num());
  const auto down = detail::small_word(value.get_den());
  if (up && down) {
    numerator_ = *up;
    denominator_ = *down;
  } else {
    large_ = std::make_shared<mpq_class>(std::move(value));
  }
}

mpq_class Rational::gmp() const {
  return large_ ? *large_ : mpq_class(detail::integer(numerator_), detail::integer(denominator_));
}

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
    const std::optional<int> exponent = take_exponent(rest, text);
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

double Rational::shown() const {
  constexpr std::int64_t exact = std::int64_t{1} << 53U;
  if (!large_ && std::abs(numerator_) <= exact && denominator_ <= exact) {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }
  return nearest(gmp());
}

mpz_class Rational::floor() const {
  const mpq_class value = gmp();
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return result;
}

mpz_class Rational::ceil() const {
  const mpq_class value = gmp();
  mpz_class result;
  mpz_cdiv_q(result.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return result;
}

std::int64_t Rational::ceil_power_of_two() const {
  constexpr std::uint64_t most = std::uint64_t{1} << 62U;
  if (sign() <= 0) {
    return 1;
  }
  if (!large_) {
    const std::int64_t whole = numerator_ / denominator_ + (numerator_ % denominator_ != 0 ? 1 : 0);
    return static_cast<std::int64_t>(
        std::bit_ceil(std::min(static_cast<std::uint64_t>(whole), most)));
  }
  const mpz_class whole = ceil();
  return static_cast<std::int64_t>(mpz_sizeinbase(whole.get_mpz_t(), 2) <= 64
                                       ? std::bit_ceil(std::min(detail::low_word(whole), most))
                                       : most);
}

std::optional<int> Rational::exponent_of_two() const {
  if (!large_) {
    const auto up = static_cast<std::uint64_t>(numerator_);
    const auto down = static_cast<std::uint64_t>(denominator_);
    const bool power = sign() > 0 && std::has_single_bit(up) && std::has_single_bit(down);
    return power ? std::optional(std::countr_zero(up) - std::countr_zero(down)) : std::nullopt;
  }
  const mpz_class up = numerator();
  const mpz_class down = denominator();
  if (sign() <= 0 || mpz_popcount(up.get_mpz_t()) != 1 || mpz_popcount(down.get_mpz_t()) != 1) {
    return std::nullopt;
  }
  return static_cast<int>(mpz_sizeinbase(up.get_mpz_t(), 2)) -
         static_cast<int>(mpz_sizeinbase(down.get_mpz_t(), 2));
}

namespace {

using Words = Rational::Words;

/// a b, unless a word is too small for it. Both are in lowest terms, and so is the result.
std::optional<Words> product(const Words& a, const Words& b) {
  const std::int64_t across = std::gcd(a.numerator, b.denominator);
  const std::int64_t down = std::gcd(b.numerator, a.denominator);
  Words result{};
  if (__builtin_mul_overflow(a.numerator / across, b.numerator / down, &result.numerator) ||
      __builtin_mul_overflow(a.denominator / down, b.denominator / across, &result.denominator) ||
      result.numerator == INT64_MIN) {
    return std::nullopt;
  }
  return result;
}

/// a + b, unless a word is too small for it.
std::optional<Words> sum(const Words& a, const Words& b) {
  std::int64_t left = 0;
  std::int64_t right = 0;
  Words result{};
  if (__builtin_mul_overflow(a.numerator, b.denominator, &left) ||
      __builtin_mul_overflow(b.numerator, a.denominator, &right) ||
      __builtin_add_overflow(left, right, &result.numerator) ||
      __builtin_mul_overflow(a.denominator, b.denominator, &result.denominator) ||
      result.numerator == INT64_MIN) {
    return std::nullopt;
  }
  const std::int64_t common = std::gcd(result.numerator, result.denominator);
  return Words{result.numerator / common, result.denominator / common};
}

/// 1 / a, for a other than 0.
Words inverse(const Words& a) {
  return a.numerator > 0 ? Words{a.denominator, a.numerator} : Words{-a.denominator, -a.numerator};
}

}  // namespace

Rational operator+(const Rational& a, const Rational& b) {
  if (!a.large_ && !b.large_) {
    if (const auto words = sum(*a.words(), *b.words())) {
      return Rational::of(words->numerator, words->denominator);
    }
  }
  return Rational(mpq_class(a.gmp() + b.gmp()));
}

Rational operator-(const Rational& a, const Rational& b) {
  if (!a.large_ && !b.large_) {
    if (const auto words = sum(*a.words(), {-b.numerator_, b.denominator_})) {
      return Rational::of(words->numerator, words->denominator);
    }
  }
  return Rational(mpq_class(a.gmp() - b.gmp()));
}

Rational operator*(const Rational& a, const Rational& b) {
  if (!a.large_ && !b.large_) {
    if (const auto words = product(*a.words(), *b.words())) {
      return Rational::of(words->numerator, words->denominator);
    }
  }
  return Rational(mpq_class(a.gmp() * b.gmp()));
}

Rational operator/(const Rational& a, const Rational& b) {
  if (b.sign() == 0) {
    throw InvalidParameter("divisor", "it must not be zero");
  }
  if (!a.large_ && !b.large_) {
    if (const auto words = product(*a.words(), inverse(*b.words()))) {
      return Rational::of(words->numerator, words->denominator);
    }
  }
  return Rational(mpq_class(a.gmp() / b.gmp()));
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  if (!a.large_ && !b.large_) {
    __extension__ using Wide = __int128;
    return Wide{a.numerator_} * b.denominator_ <=> Wide{b.numerator_} * a.denominator_;
  }
  return cmp(a.gmp(), b.gmp()) <=> 0;
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

Delta Delta::parse(std::string_view text) { return Delta(Rational::parse(text)); }

Delta::Delta(Rational value) : value_(std::move(value)) {
  if (value_.sign() <= 0 || value_ >= Rational(1)) {
    throw InvalidParameter("delta", "it must be above 0 and below 1, for example 1e-9");
  }
}

}  // namespace freegap

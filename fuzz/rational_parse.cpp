// Any text: refused, or read as the number it denotes, which can be written and read again.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include "freegap/errors.hpp"
#include "freegap/rational.hpp"
#include "fuzz/require.hpp"

namespace {

using freegap::Epsilon;
using freegap::InvalidParameter;
using freegap::Rational;
using freegap::fuzz::require;

mpz_class whole(const std::string& digits) {
  mpz_class value = 0;
  for (const char digit : digits) {
    value = value * 10 + (digit - '0');
  }
  return value;
}

/// The grammar as a regular expression, the value digit by digit.
std::optional<mpq_class> expected(const std::string& text) {
  static const std::regex fraction("([+-]?)([0-9]+)/([0-9]+)");
  static const std::regex decimal("([+-]?)([0-9]*)(?:[.]([0-9]*))?(?:[eE]([+-]?)([0-9]{1,2}))?");
  std::smatch parts;
  mpq_class value;
  if (text.size() > 64) {
    return std::nullopt;
  }
  if (std::regex_match(text, parts, fraction)) {
    const mpz_class denominator = whole(parts[3]);
    if (denominator == 0) {
      return std::nullopt;
    }
    value = mpq_class(whole(parts[2])) / mpq_class(denominator);
  } else if (std::regex_match(text, parts, decimal)) {
    const int exponent = parts[5].matched ? std::stoi(parts[5]) : 0;
    if (parts[2].length() + parts[3].length() == 0 || exponent > 40) {
      return std::nullopt;
    }
    value = whole(parts[2].str() + parts[3].str());
    const bool shrinks = parts[4] == "-";
    for (int i = 0; i < exponent; ++i) {
      value = shrinks ? mpq_class(value / 10) : mpq_class(value * 10);
    }
    for (std::ptrdiff_t i = 0; i < parts[3].length(); ++i) {
      value /= 10;
    }
  } else {
    return std::nullopt;
  }
  return parts[1] == "-" ? mpq_class(-value) : value;
}

template <class Parse>
auto attempt(const Parse& parse) -> std::optional<decltype(parse())> {
  try {
    return parse();
  } catch (const InvalidParameter&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::optional<mpq_class> value = expected(text);
  const auto number = attempt([&] { return Rational::parse(text); });
  require(number.has_value() == value.has_value(), "exactly the numbers of the grammar are read");
  const auto budget = attempt([&] { return Epsilon::parse(text); });
  require(budget.has_value() == (value && *value > 0 && *value <= 1000),
          "exactly the numbers above 0 and up to 1000 are budgets");
  if (!number) {
    return 0;
  }
  require(number->gmp() == *value, "a number is read as what it denotes");
  require(Rational(mpq_class(number->str())) == *number, "what is written denotes the number");
  if (number->str().size() <= 64) {  // longer texts are not read
    require(Rational::parse(number->str()) == *number, "what is written can be read");
  }
  require(number->floor() <= number->gmp() && number->gmp() <= number->ceil() &&
              number->ceil() - number->floor() <= 1,
          "a number lies between its neighbouring whole numbers");
  require(!budget || budget->value() == *number, "a budget is the number");
  return 0;
}

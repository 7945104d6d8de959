#include "report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ledger/text.hpp"
#include "report/visible_text.hpp"

namespace freegap::report {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

Rational written_fraction(const std::string& text) {
  const std::optional<Rational> number = ledger::exact_number(text);
  return number ? *number : Rational::parse(text);
}

std::string shown(const Json& value) {
  if (!value.is_number_float()) {
    return visible(value.is_string() ? value.get<std::string>() : line_of(value));
  }
  const double number = value.get<double>();
  const double size = std::abs(number);
  if (size != 0 && (size < 0.001 || size >= 1e12)) {
    return fmt::format("{:.3g}", number);
  }
  if (size >= 10) {
    return size >= 1e7 ? fmt::format("{:.0f}", number) : fmt::format("{:.1f}", number);
  }
  return size >= 1 ? fmt::format("{:.2f}", number) : fmt::format("{:.3f}", number);
}

std::string shown_epsilon(const Json& value) {
  constexpr std::size_t short_enough = 9;
  const auto text = value.get<std::string>();
  return text.size() <= short_enough ? visible(text)
                                     : fmt::format("≈{:.4g}", written_fraction(text).shown());
}

std::string shown_delta(const Json& value) {
  constexpr double least = 1e-38;  // of what Rational::parse takes
  const Rational exact = written_fraction(value.get<std::string>());
  const std::string decimal = fmt::format("{:.4g}", exact.shown());
  const bool same =
      (exact.sign() == 0 || exact.shown() > least) && Rational::parse(decimal) == exact;
  return (same ? "" : "≈") + decimal;
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string cut(const std::string& text, std::size_t widest) {
  if (characters(text) <= widest) {
    return text;
  }
  std::size_t end = 0;  // just behind the first byte of the character to be replaced
  for (std::size_t begun = 0; begun < widest; ++end) {
    begun += begins_character(text[end]) ? 1U : 0U;
  }
  return text.substr(0, end - 1) + "…";
}

}  // namespace freegap::report

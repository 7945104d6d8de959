#include "sources/number.hpp"

#include <mpfr.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace freegap::sources {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
constexpr mpfr_prec_t double_precision = std::numeric_limits<double>::digits;

/// A number with the precision of a double and a far larger exponent.
class Wide {
 public:
  Wide() { mpfr_init2(value_, double_precision); }
  Wide(const Wide&) = delete;
  Wide& operator=(const Wide&) = delete;
  ~Wide() { mpfr_clear(value_); }
  mpfr_ptr operator*() { return value_; }

 private:
  mpfr_t value_;
};

std::size_t digits_in_front(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && text[length] >= '0' && text[length] <= '9') {
    ++length;
  }
  return length;
}

void skip_sign(std::string_view& text) {
  if (text.starts_with('+') || text.starts_with('-')) {
    text.remove_prefix(1);
  }
}

/// Whether a text is [sign] digits [. digits] [e [sign] digits], with a digit in front of the e.
bool is_decimal(std::string_view text) {
  skip_sign(text);
  std::size_t digits = digits_in_front(text);
  text.remove_prefix(digits);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t more = digits_in_front(text);
    text.remove_prefix(more);
    digits += more;
  }
  if (digits == 0) {
    return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    skip_sign(text);
    const std::size_t exponent = digits_in_front(text);
    text.remove_prefix(exponent);
    return exponent > 0 && text.empty();
  }
  return text.empty();
}

}  // namespace

std::optional<std::int64_t> parse_whole(std::string_view text) {
  const bool negative = text.starts_with('-');
  skip_sign(text);
  const std::string_view digits = text.substr(0, digits_in_front(text));
  text.remove_prefix(digits.size());
  if (digits.empty()) {
    return std::nullopt;
  }
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  }
  if (!text.empty()) {
    return std::nullopt;
  }
  std::uint64_t size = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (result.ec == std::errc::result_out_of_range || size > static_cast<std::uint64_t>(largest)) {
    return negative ? smallest : largest;
  }
  return negative ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
}

std::optional<double> parse_real(std::string_view text) {
  if (!is_decimal(text)) {
    return std::nullopt;
  }
  Wide number;
  const std::string terminated(text);
  mpfr_strtofr(*number, terminated.c_str(), nullptr, 10, MPFR_RNDD);
  const double below = mpfr_get_d(*number, MPFR_RNDD);
  if (std::isinf(below)) {
    return below > 0 ? std::numeric_limits<double>::max() : std::numeric_limits<double>::lowest();
  }
  return below + 0.0;  // no negative zero
}

std::optional<std::int64_t> parse_id(std::string_view text) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || std::to_string(id) != text) {
    return std::nullopt;
  }
  return id;
}

double floor_to_double(std::int64_t whole) {
  Wide number;
  mpfr_set_sj(*number, whole, MPFR_RNDD);
  return mpfr_get_d(*number, MPFR_RNDD);
}

std::optional<std::int64_t> exactly_whole(double real) {
  constexpr double limit = 0x1p63;
  if (std::floor(real) != real) {
    return std::nullopt;
  }
  if (real >= limit) {
    return largest;
  }
  return real < -limit ? smallest : static_cast<std::int64_t>(real);
}

double floor_to_step(double real, int step) {
  constexpr double limit = 0x1p53;
  double steps = std::floor(std::ldexp(real, -step));
  if (steps == 0 && real < 0) {  // too small for a double
    steps = -1;
  }
  return std::ldexp(std::fmin(std::fmax(steps, -limit), limit), step) + 0.0;
}

}  // namespace freegap::sources

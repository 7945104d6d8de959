#include "freegap/grid.hpp"

#include <algorithm>
#include <cmath>

#include "core/integers.hpp"
#include "freegap/errors.hpp"

namespace freegap {
namespace {

/// Noise should span about a thousand ticks: at least 724 (1024 / sqrt 2), so that a fine tick lies
/// within a factor sqrt 2 of a thousandth of the scale.
constexpr int least_span = 724;
/// A user's tick is 2^-60 ... 2^60.
constexpr int largest_power = 60;

std::int64_t clamp(const mpz_class& ticks) {
  const mpz_class limit = detail::integer(Grid::limit_ticks);
  if (ticks > limit) {
    return Grid::limit_ticks;
  }
  if (ticks < -limit) {
    return -Grid::limit_ticks;
  }
  return *detail::small_word(ticks);
}

}  // namespace

void Answer::check() const {
  if (is_real_ && !std::isfinite(real_)) {
    throw InvalidParameter("answer", "it must be a finite number, not NaN or infinite");
  }
}

Grid::Grid(const Rational& tick, const Rational& sensitivity) : tick_(tick) {
  if (sensitivity.sign() <= 0) {
    throw InvalidParameter("sensitivity", "it must be above 0");
  }
  if (tick.sign() <= 0) {
    throw InvalidParameter("tick", "it must be above 0");
  }
  const Rational ticks = sensitivity / tick;
  static const Rational most = Rational::power_of_two(40);
  if (ticks > most) {
    throw InvalidParameter("tick", "it must be at least the sensitivity / 2^40");
  }
  sensitivity_ticks_ = *detail::small_word(ticks.ceil());  // up to 2^40
  if (const auto words = tick_.words()) {
    numerator_ = words->numerator;
    denominator_ = words->denominator;
    simple_ = numerator_ == 1 ? limit_ticks / denominator_ : -1;
  }
  const std::optional<int> power = tick_.exponent_of_two();
  power_of_two_ = power.has_value();
  power_ = power.value_or(0);
}

Grid Grid::for_scale(const Rational& sensitivity, const Rational& scale,
                     const std::optional<Rational>& chosen_tick) {
  if (chosen_tick) {
    const std::optional<int> power = chosen_tick->exponent_of_two();
    if (!power || std::abs(*power) > largest_power) {
      throw InvalidParameter("tick", "it must be a power of two from 2^-60 to 2^60");
    }
    return {*chosen_tick, sensitivity};
  }
  if (sensitivity.sign() <= 0) {
    throw InvalidParameter("sensitivity", "it must be above 0");
  }
  if (scale.sign() <= 0) {
    throw InvalidParameter("scale", "it must be above 0");
  }
  // The smallest s with scale 2^s >= least_span * sensitivity.
  const Rational halvings = Rational(least_span) * sensitivity / scale;
  return {sensitivity / Rational(halvings.ceil_power_of_two()), sensitivity};
}

std::int64_t Grid::ceil_ticks(const Rational& value) const { return clamp((value / tick_).ceil()); }

std::int64_t Grid::divide_whole(std::int64_t whole) const {
  if (numerator_ == 0) {
    return clamp((Rational(whole) / tick_).floor());
  }
  __extension__ using Wide = __int128;
  const Wide product = Wide{whole} * denominator_;
  Wide ticks = product / numerator_;
  if (product % numerator_ < 0) {
    --ticks;
  }
  return static_cast<std::int64_t>(std::clamp<Wide>(ticks, -Wide{limit_ticks}, Wide{limit_ticks}));
}

std::int64_t Grid::least_whole(std::int64_t ticks) const {
  if (numerator_ == 0 || ticks <= -limit_ticks) {
    return INT64_MIN;
  }
  // floor(whole * denominator / numerator) >= ticks where whole >= ticks * numerator / denominator
  __extension__ using Wide = __int128;
  const Wide product = Wide{ticks} * numerator_;
  Wide least = product / denominator_;
  if (product % denominator_ > 0) {
    ++least;
  }
  return static_cast<std::int64_t>(std::clamp<Wide>(least, INT64_MIN, INT64_MAX));
}

std::int64_t Grid::floor_real(double real) const {
  // Scaling by a power of two is exact unless it leaves the range of normal numbers.
  if (power_of_two_ && (std::isnormal(real) || real == 0)) {
    const double scaled = std::ldexp(real, -power_);
    if (std::isnormal(scaled) || real == 0 || std::isinf(scaled)) {
      const double limit = 0x1p62;
      return static_cast<std::int64_t>(std::floor(std::clamp(scaled, -limit, limit)));
    }
  }
  return clamp((Rational::exactly(real) / tick_).floor());
}

}  // namespace freegap

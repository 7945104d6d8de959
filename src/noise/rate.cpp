#include "freegap/rate.hpp"

#include <cmath>
#include <limits>

#include "freegap/errors.hpp"

namespace freegap {

Rate::Rate(const Rational& exponent) : exponent_(exponent) {
  static const Rational least = Rational::power_of_two(-48);
  static const Rational most = Rational::power_of_two(10);
  if (exponent < least || exponent > most) {
    throw InvalidParameter("epsilon",
                           "the noise would be too wide or too narrow for 64-bit ticks: the budget "
                           "per answer, divided "
                           "by the sensitivity in ticks, must be from 2^-48 to 2^10");
  }
  lower_ = exponent.gmp().get_d();  // GMP cuts off towards zero
  upper_ = std::nextafter(lower_, std::numeric_limits<double>::infinity());
}

std::int64_t Rate::mean_ticks() const {
  return static_cast<std::int64_t>(std::llround(1 / std::expm1(exponent_.shown())));
}

std::uint64_t Rate::halving_ticks() const {
  return static_cast<std::uint64_t>(std::fmax(1, std::log(2) / exponent_.shown()));
}

std::int64_t Rate::deviation_ticks(const Rational& multiple, bool two_sided) const {
  const double variance = 1 / (4 * std::pow(std::sinh(exponent_.shown() / 2), 2));
  // Never taken for zero, so that rounding up gives at least one tick.
  const double deviation =
      std::sqrt(std::fmax(two_sided ? 2 * variance : variance, std::numeric_limits<double>::min()));
  return static_cast<std::int64_t>(std::ceil(multiple.shown() * deviation));
}

}  // namespace freegap

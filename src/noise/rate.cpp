#include "freegap/rate.hpp"

#include <cmath>
#include <limits>

#include "freegap/errors.hpp"

namespace freegap {

Rate::Rate(const Rational& exponent) : exponent_(exponent) {
  // With a >= 2^-48 a draw is below 4096 ln 2 * 2^48 < 2^60 ticks (docs/proofs/samplers.md,
  // "Geometric"), so sums with answers of up to 2^62 ticks fit in 64 bits.
  static const Rational least = Rational::power_of_two(-48);
  static const Rational most = Rational::power_of_two(10);
  if (exponent < least || exponent > most) {
    throw InvalidParameter("epsilon",
                           "the noise would be too wide or too narrow for 64-bit ticks: the budget "
                           "per answer, divided "
                           "by the sensitivity in ticks, must be from 2^-48 to 2^10");
  }
  // GMP rounds towards zero and the exponent is positive, so lower_ <= exponent < upper_.
  lower_ = exponent.gmp().get_d();
  upper_ = std::nextafter(lower_, std::numeric_limits<double>::infinity());
}

// The three functions below compute public numbers from a public rate, in ordinary floating point.
// Any result would be as private: offsets and cut-offs are the same on neighbouring data.

std::int64_t Rate::mean_ticks() const {
  return static_cast<std::int64_t>(std::llround(1 / std::expm1(exponent_.shown())));
}

std::uint64_t Rate::halving_ticks() const {
  return static_cast<std::uint64_t>(std::fmax(1, std::log(2) / exponent_.shown()));
}

std::int64_t Rate::deviation_ticks(const Rational& multiple, bool two_sided) const {
  // x / (1 - x)^2 with x = e^-a is the variance of the one-sided distribution; the two-sided one
  // has twice that.
  const double variance = 1 / (4 * std::pow(std::sinh(exponent_.shown() / 2), 2));
  // Bounded away from zero, so that rounding up gives at least one tick.
  const double deviation =
      std::sqrt(std::fmax(two_sided ? 2 * variance : variance, std::numeric_limits<double>::min()));
  return static_cast<std::int64_t>(std::ceil(multiple.shown() * deviation));
}

}  // namespace freegap

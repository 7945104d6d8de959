#include "freegap/allocation.hpp"

#include <cmath>

#include "core/elementary.hpp"
#include "freegap/errors.hpp"

namespace freegap {
namespace {

/// Logarithm of cosh(a/2) / sinh³(a/2), which is -4 V'(a) for the variance V(a) = 1 / (4
/// sinh²(a/2)).
double log_steepness(double a) {
  return detail::log1p(std::exp(-a)) - a - 3 * std::log(-detail::expm1(-a));
}

/// Root of V'(θ e) = V'((1-θ) e / n) / n, where the variance of a geometric gap is
/// least. The variance is convex in θ, so its derivative changes sign once.
double geometric_share(double e, double n) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 100; ++i) {
    const double theta = (low + high) / 2;
    if (log_steepness(theta * e) > log_steepness((1 - theta) * e / n) - std::log(n)) {
      low = theta;
    } else {
      high = theta;
    }
  }
  return (low + high) / 2;
}

/// A rational near `share`, with six significant decimals, inside (0, 1).
Rational six_decimals(double share) {
  Rational unit(1);
  double scaled = share;
  while (scaled < 1e5) {
    scaled *= 10;
    unit = unit / Rational(10);
  }
  const double most = (Rational(1) / unit).shown() - 1;
  return Rational(static_cast<std::int64_t>(std::fmin(std::round(scaled), most))) * unit;
}

}  // namespace

Rational best_threshold_share(const ThresholdShare& parameters) {
  if (parameters.k == 0) {
    throw InvalidParameter("k", "it must be at least 1");
  }
  const double n = parameters.noise_factor * static_cast<double>(parameters.k);
  if (parameters.distribution != Distribution::geometric) {
    return six_decimals(1 / (1 + detail::cbrt(n * n)));
  }
  const double per_tick =
      parameters.epsilon.shown() / static_cast<double>(parameters.sensitivity_ticks);
  return six_decimals(geometric_share(per_tick, n));
}

}  // namespace freegap

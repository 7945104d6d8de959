#include "core/elementary.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace freegap::detail {
namespace {

/// The sum of c[i] y^i.
template <class... Coefficients>
double polynomial(double y, double first, Coefficients... others) {
  if constexpr (sizeof...(others) == 0) {
    return first;
  } else {
    return first + y * polynomial(y, others...);
  }
}

/// Sine of a number up to π/4.
double small_sin(double r) {
  const double y = r * r;
  return r + r * y *
                 polynomial(y, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
                            1.0 / 6227020800.0, -1.0 / 1307674368000.0);
}
/// Cosine of a number up to π/4.
double small_cos(double r) {
  const double y = r * r;
  return 1 - y / 2 +
         y * y *
             polynomial(y, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                        -1.0 / 87178291200.0, 1.0 / 20922789888000.0);
}

/// Sine of x + quarters π/2.
double turned_sin(double x, std::int64_t quarters) {
  // π/2 in three parts, the first two of 33 bits: their products with up to 20 bits are exact.
  constexpr double first = 0x1.921fb544p+0;
  constexpr double second = 0x1.0b4611a6p-34;
  constexpr double third = 0x1.3198a2e037073p-69;
  const double turns = std::nearbyint(x * (2 / std::numbers::pi));
  const double r = ((x - turns * first) - turns * second) - turns * third;
  switch ((static_cast<std::int64_t>(turns) + quarters) & 3) {
    case 0:
      return small_sin(r);
    case 1:
      return small_cos(r);
    case 2:
      return -small_sin(r);
    default:
      return -small_cos(r);
  }
}

}  // namespace

// The errors of e^x and of its logarithm cancel (Kahan).
double expm1(double x) {
  const double power = std::exp(x);
  const double result = power - 1;
  if (power == 1) {
    return x;
  }
  return result == -1 || std::isinf(power) ? result : result * x / std::log(power);
}

double log1p(double x) {
  const double sum = 1 + x;
  return sum == 1 || std::isinf(sum) ? x : std::log(sum) * x / (sum - 1);
}

double sinh(double x) {
  const double e = expm1(std::fabs(x));
  return std::copysign(std::isinf(e) ? e : (e + e / (e + 1)) / 2, x);
}

double tanh(double x) {
  const double e = expm1(-2 * std::fabs(x));
  return std::copysign(-e / (2 + e), x);
}

double cbrt(double x) { return x == 0 ? 0 : std::exp(std::log(x) / 3); }

double atan(double x) {
  const double size = std::fabs(x);
  if (size > 1) {
    return std::copysign(std::numbers::pi / 2 - atan(1 / size), x);
  }
  // Half the angle, three times: at most π/32.
  double t = size;
  for (int i = 0; i < 3; ++i) {
    t = t / (1 + std::sqrt(1 + t * t));
  }
  const double y = t * t;
  const double angle =
      t * polynomial(y, 1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15);
  return std::copysign(8 * angle, x);
}

double sin(double x) { return turned_sin(x, 0); }
double cos(double x) { return turned_sin(x, 1); }

}  // namespace freegap::detail

#include "freegap/distribution.hpp"

#include <cmath>

#include "core/elementary.hpp"

namespace freegap {

const char* name(Distribution distribution) {
  switch (distribution) {
    case Distribution::exponential:
      return "exponential";
    case Distribution::laplace:
      return "laplace";
    case Distribution::geometric:
      break;
  }
  return "geometric";
}

double NoiseDistribution::shown(std::int64_t ticks) const {
  return static_cast<double>(ticks) * tick.shown();
}

double NoiseDistribution::variance() const {
  // V(a) = 1 / (4 sinh²(a/2)) is the variance of the one-sided distribution with exponent a per
  // tick.
  const double exponent = (tick / scale).shown();
  const double sinh_half = detail::sinh(exponent / 2);
  const double one_sided = 1 / (4 * sinh_half * sinh_half);
  const double size = tick.shown();
  return (two_sided(distribution) ? 2 : 1) * one_sided * size * size;
}

}  // namespace freegap

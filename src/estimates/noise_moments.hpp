#pragma once

/// @file
/// Numbers that estimates need of a noise distribution besides its variance, in ordinary floating
/// point: they are computed from public parameters.

#include <cmath>

#include "core/elementary.hpp"
#include "freegap/distribution.hpp"

namespace freegap::detail {

/// The exponent a per tick: P(N ticks) is proportional to e^(-a |N|).
inline double exponent(const NoiseDistribution& noise) {
  return (noise.tick / noise.scale).shown();
}

/// Mean of one draw, in the unit of the answers.
inline double mean(const NoiseDistribution& noise) {
  return two_sided(noise.distribution) ? 0 : noise.tick.shown() / detail::expm1(exponent(noise));
}

}  // namespace freegap::detail

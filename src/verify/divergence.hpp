#pragma once

/// @file
/// The hockey-stick divergence at ε between two distributions, from exact enumeration: the least δ
/// for which one is (ε, δ)-close to the other. Bounds hold in spite of rounding and of what the
/// enumeration leaves out.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "freegap/rational.hpp"
#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/interval_at.hpp"
#include "freegap/verify/privacy_loss.hpp"

namespace freegap::verify {

/// Bounds on a divergence.
struct Divergence {
  long double least = 0;  ///< not above it
  long double most = 0;   ///< not below it
};

/// e^-base, for a base that is a double.
inline IntervalAt::Bounds exp_minus(const Rational& base) {
  const double exponent = base.shown();
  if (Rational::exactly(exponent) != base) {
    throw std::logic_error("divergence: the base must be a double");
  }
  // The C library's exponential is off by a few units of its last place, 2^-64, at most.
  const long double x = std::exp(-static_cast<long double>(exponent));
  return {x * (1 - 0x1p-58L), x * (1 + 0x1p-58L)};
}

/// The distribution of `run(noise)`, which returns Seen, at the point e^-base.
template <class Run>
SeenDistribution seen_at(const Rational& base, std::uint64_t cut, const Run& run) {
  SeenDistribution result;
  const LossNoise all(base, IntervalAt(exp_minus(base), 1), cut);
  result.probability = distribution_of(all, [&](LossNoise& noise) {
    Seen seen = run(noise);
    result.missing = noise.left_out() ? noise.left_out()->high() : 0;
    return seen;
  });
  return result;
}

/// Σ max(0, P(o) - e^ε P'(o)) over all outcomes o, where ε is so many units of `base`. What was
/// left out of P adds its mass at most; what was left out of P' takes e^ε of its mass at most.
inline Divergence divergence(const SeenDistribution& p, const SeenDistribution& other,
                             const Rational& base, std::uint64_t epsilon_units) {
  const IntervalAt shrink = IntervalAt(exp_minus(base), 1).times_power(epsilon_units);  // e^-ε
  constexpr long double up = 1 + 0x1p-40L;  // far more than all roundings below
  Divergence result;
  for (const auto& [seen, weight] : p.probability) {
    const auto found = other.probability.find(seen);
    const bool both = found != other.probability.end();
    const long double least = weight.low() - (both ? found->second.high() / shrink.low() * up : 0);
    const long double most = weight.high() - (both ? found->second.low() / shrink.high() / up : 0);
    result.least += std::max(0.0L, least);
    result.most += std::max(0.0L, most);
  }
  result.least = std::max(0.0L, result.least / up - other.missing / shrink.low() * up);
  result.most = (result.most + p.missing) * up;
  return result;
}

}  // namespace freegap::verify

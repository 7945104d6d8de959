#pragma once

/// @file
/// The best division of a sparse vector's budget between the threshold and the queries. It depends
/// on public parameters only, so rounding here costs no privacy.

#include <cstdint>

#include "freegap/distribution.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"

namespace freegap {

/// The public parameters on which the best share θ of the threshold depends.
struct ThresholdShare {
  Distribution distribution = Distribution::exponential;  ///< of the noise
  int noise_factor = 2;                ///< c: 1 for monotone queries, 2 otherwise
  std::uint64_t k = 1;                 ///< answers the budget must last for
  Rational epsilon = 1;                ///< the whole budget; matters for geometric noise only
  std::int64_t sensitivity_ticks = 1;  ///< sensitivity in ticks; matters for geometric noise only
};

/// The θ that minimises the variance of a gap over the threshold when every answer is paid in full:
/// 1 / (1 + (c² k²)^(1/3)) for Laplace and exponential noise, the root of the discrete optimality
/// condition for geometric noise. Rounded to a rational with six significant decimals.
Rational best_threshold_share(const ThresholdShare& parameters);

}  // namespace freegap

// The distribution function of a segment, with which tests compare sums.
#pragma once

#include <cmath>

#include "estimates/exponential_terms.hpp"

namespace freegap::testing {

/// The share of a segment's mass below t. On a lattice it is interpolated between points.
inline double share_below(const detail::Segment& segment, double t) {
  if (t <= segment.low) {
    return 0;
  }
  if (t >= segment.high) {
    return 1;
  }
  const double steep = std::fabs(segment.rate);
  const double width = segment.high - segment.low;
  if (std::isinf(width)) {
    return segment.rate > 0 ? std::exp(-steep * (segment.high - t))
                            : -std::expm1(-steep * (t - segment.low));
  }
  if (steep * width < 1e-9) {
    return (t - segment.low) / width;
  }
  const double whole = std::expm1(-steep * width);
  return segment.rate > 0 ? 1 - std::expm1(-steep * (segment.high - t)) / whole
                          : std::expm1(-steep * (t - segment.low)) / whole;
}

}  // namespace freegap::testing

#pragma once

/// @file
/// Sums of exponential terms, each on an interval, multiplied by a Laplace kernel. Their integrals,
/// means, variances and distribution functions have closed forms. The likelihood of every winner is
/// such a sum (docs/proofs/likelihood.md).

#include <algorithm>
#include <cmath>
#include <span>

namespace freegap::detail {

/// sign * exp(log_weight + rate * (u - anchor)) for low <= u < high, and 0 elsewhere. `low` may be
/// -infinity and `high` infinity where the product with a kernel stays integrable.
struct ExponentialTerm {
  double low = 0;
  double high = 0;
  double rate = 0;
  double anchor = 0;
  double log_weight = 0;
  double sign = 1;
};

/// exp(-rate * |q - centre|). A rate of 0 stands for no measurement: 1 everywhere.
struct Kernel {
  double centre = 0;
  double rate = 0;
};

/// An exponential function on [low, high). Its heavy end is the end where it is larger.
struct Segment {
  double low = 0;
  double high = 0;
  double rate = 0;      ///< positive: it grows
  double log_peak = 0;  ///< logarithm of its value at the heavy end
  double sign = 1;
  double tick = 0;  ///< 0: a density. Otherwise its points are low, low + tick, ..., high - tick

  [[nodiscard]] double heavy_end() const { return rate >= 0 ? high - tick : low; }
};

/// The density proportional to e^(-z t) on [0, 1], relative to its value at 0.
struct UnitMoments {
  double mass;      ///< (1 - e^-z) / z
  double mean;      ///< 1/z - 1/(e^z - 1)
  double variance;  ///< 1/z^2 - 1/(4 sinh^2(z/2))
  double decay;     ///< e^-z
};

/// e^-z, or 0 beyond the point where it is nothing beside 1.
inline double unit_decay(double z) { return z > 40 ? 0 : std::exp(-z); }

/// (1 - e^-z) / z. Near 0 a power series avoids cancellation.
inline double unit_mass(double z) {
  return z < 1e-3 ? 1 - z / 2 * (1 - z / 3 * (1 - z / 4)) : (1 - unit_decay(z)) / z;
}

/// All of them, from one exponential.
UnitMoments unit_moments(double z);

/// The mass of a segment whose value at the heavy end is 1. On a lattice it is the sum over the
/// points, times the tick.
inline double extent(const Segment& segment) {
  const double steep = std::fabs(segment.rate);
  const double width = segment.high - segment.low;
  const double mass = std::isinf(width) ? 1 / steep : width * unit_mass(steep * width);
  // On a lattice: (1 - e^-na) / (1 - e^-a) points, where the real line has (1 - e^-na) / a.
  return segment.tick > 0 ? mass / unit_mass(steep * segment.tick) : mass;
}

/// The distribution that is proportional to a segment.
struct SegmentMoments {
  double extent;
  double mean;
  double variance;
  double decay;  ///< density at the light end over that at the heavy end; 0 if it is infinitely far
};
SegmentMoments moments(const Segment& segment);

/// Splits the product of a kernel with terms that are shifted by `level` into segments, and calls
/// `visit` with each.
template <class Visit>
void for_each_segment(std::span<const ExponentialTerm> terms, double level, const Kernel& kernel,
                      double tick, Visit&& visit) {
  // The point of a lattice at which the kernel begins to fall.
  const double top =
      tick > 0 ? level + std::ceil((kernel.centre - level) / tick) * tick : kernel.centre;
  for (const ExponentialTerm& term : terms) {
    const double low = term.low + level;
    const double high = term.high + level;
    const double anchor = term.anchor + level;
    const auto show = [&](double from, double to, double slope) {
      if (!(from < to)) {
        return;
      }
      Segment segment{from, to, term.rate + slope, 0, term.sign, tick};
      const double heavy = segment.heavy_end();
      segment.log_peak =
          term.log_weight + term.rate * (heavy - anchor) + slope * (heavy - kernel.centre);
      visit(segment);
    };
    if (kernel.rate == 0) {
      show(low, high, 0);
    } else {
      show(low, high < top ? high : top, kernel.rate);
      show(low > top ? low : top, high, -kernel.rate);
    }
  }
}

}  // namespace freegap::detail

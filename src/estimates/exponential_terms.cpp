#include "estimates/exponential_terms.hpp"

namespace freegap::detail {
namespace {

// All three functions describe the density proportional to e^(-z t) on [0, 1]: its mass, mean and
// variance. Below the limit a power series avoids cancellation; its first omitted term is below
// 1e-13.
constexpr double series_limit = 0.03;
// Beyond this e^-z is nothing beside 1.
constexpr double steep_limit = 40;

/// (1 - e^-z) / z.
double unit_mass(double z) { return z > steep_limit ? 1 / z : z > 0 ? -std::expm1(-z) / z : 1; }

/// 1/z - 1/(e^z - 1).
double unit_mean(double z) {
  if (z < series_limit) {
    return 0.5 - z / 12 * (1 - z * z / 60 * (1 - z * z / 42));
  }
  return z > steep_limit ? 1 / z : 1 / z - 1 / std::expm1(z);
}

/// 1/z^2 - 1/(4 sinh^2(z/2)).
double unit_variance(double z) {
  if (z < 10 * series_limit) {
    const double square = z * z;
    return 1.0 / 12 - square / 240 * (1 - square * (5.0 / 126) * (1 - square * (7.0 / 200)));
  }
  if (z > steep_limit) {
    return 1 / (z * z);
  }
  const double half = 2 * std::sinh(z / 2);
  return 1 / (z * z) - 1 / (half * half);
}

}  // namespace

double extent(const Segment& segment) {
  const double steep = std::fabs(segment.rate);
  const double width = segment.high - segment.low;
  // On a lattice: (1 - e^-na) / (1 - e^-a) points, where the real line has (1 - e^-na) / a.
  const double points = unit_mass(steep * segment.tick);
  return std::isinf(width) ? 1 / (steep * points) : width * unit_mass(steep * width) / points;
}

double share_below(const Segment& segment, double t) {
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

double density_at(const Segment& segment, double t) {
  if (t < segment.low || t >= segment.high) {
    return 0;
  }
  const double steep = std::fabs(segment.rate);
  const double width = segment.high - segment.low;
  const double mass = std::isinf(width) ? 1 / steep : width * unit_mass(steep * width);
  const double from_heavy = segment.rate > 0 ? segment.high - t : t - segment.low;
  return std::exp(-steep * from_heavy) / mass;
}

// With n = width / tick points and exponent a per point, a truncated geometric distribution has the
// mean n m(na) - m(a) points from its heavy end, m the mean on [0, 1], and likewise the variance.
double mean(const Segment& segment) {
  const double steep = std::fabs(segment.rate);
  const double width = segment.high - segment.low;
  const double from_heavy = (std::isinf(width) ? 1 / steep : width * unit_mean(steep * width)) -
                            segment.tick * unit_mean(steep * segment.tick);
  return segment.rate >= 0 ? segment.heavy_end() - from_heavy : segment.low + from_heavy;
}

double variance(const Segment& segment) {
  const double steep = std::fabs(segment.rate);
  const double width = segment.high - segment.low;
  return (std::isinf(width) ? 1 / (steep * steep) : width * width * unit_variance(steep * width)) -
         segment.tick * segment.tick * unit_variance(steep * segment.tick);
}

}  // namespace freegap::detail

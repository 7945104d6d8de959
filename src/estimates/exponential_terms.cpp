#include "estimates/exponential_terms.hpp"

namespace freegap::detail {

// Below these limits power series avoid cancellation; their first omitted terms are below 1e-13.
UnitMoments unit_moments(double z) {
  constexpr double mean_limit = 0.03;
  constexpr double variance_limit = 0.3;
  const double decay = unit_decay(z);
  const double square = z * z;
  const double rest = 1 - decay;
  return {
      unit_mass(z),
      z < mean_limit ? 0.5 - z / 12 * (1 - square / 60 * (1 - square / 42)) : 1 / z - decay / rest,
      z < variance_limit
          ? 1.0 / 12 - square / 240 * (1 - square * (5.0 / 126) * (1 - square * (7.0 / 200)))
          : 1 / square - decay / (rest * rest),
      decay};
}

SegmentMoments moments(const Segment& segment) {
  const double steep = std::fabs(segment.rate);
  const double width = segment.high - segment.low;
  const bool endless = std::isinf(width);
  const UnitMoments unit =
      endless ? UnitMoments{1, 1, 1, 0} : unit_moments(steep * width);  // in units of 1 / steep
  const double length = endless ? 1 / steep : width;
  double mass = length * unit.mass;
  double from_heavy = length * unit.mean;
  double variance = length * length * unit.variance;
  if (segment.tick > 0) {
    // With n = width / tick points and exponent a per point, a truncated geometric distribution has
    // the mean n m(na) - m(a) points from its heavy end, m the mean on [0, 1], and likewise the
    // variance.
    const UnitMoments point = unit_moments(steep * segment.tick);
    mass /= point.mass;
    from_heavy -= segment.tick * point.mean;
    variance -= segment.tick * segment.tick * point.variance;
  }
  return {mass, segment.rate >= 0 ? segment.heavy_end() - from_heavy : segment.low + from_heavy,
          variance, unit.decay};
}

}  // namespace freegap::detail

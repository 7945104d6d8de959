// The distribution of a query's noise minus the threshold's noise, in ticks, in closed form.
#pragma once

#include <cmath>
#include <cstdint>

namespace freegap::testing {

/// P(N > t) of one noise with exponent `a` per tick.
inline double noise_above(bool two_sided, double a, double t) {
  if (!two_sided) {
    return t < 0 ? 1 : std::exp(-a * (t + 1));
  }
  const double x = std::exp(-a);
  return t >= 0 ? std::exp(-a * (t + 1)) / (1 + x) : 1 - std::exp(a * t) / (1 + x);
}

/// P(N = m) of one noise with exponent `a` per tick.
inline double noise_at(bool two_sided, double a, double m) {
  if (!two_sided) {
    return m < 0 ? 0 : -std::expm1(-a) * std::exp(-a * m);
  }
  return std::tanh(a / 2) * std::exp(-a * std::fabs(m));
}

/// P(N - M > t), N with exponent a, M with exponent b, a != b where two-sided.
inline double difference_above(bool two_sided, double a, double b, double t) {
  const double A = std::exp(-a);
  const double B = std::exp(-b);
  if (!two_sided) {
    return t >= -1 ? (1 - B) * std::exp(-a * (t + 1)) / (1 - A * B)
                   : 1 - (1 - A) * std::exp(b * t) / (1 - A * B);
  }
  if (t < 0) {  // symmetric
    return 1 - difference_above(true, a, b, -t - 1);
  }
  const double C = (1 - A) * (1 - B) / ((1 + A) * (1 + B));
  const double AT = std::exp(-a * (t + 1));
  const double BT = std::exp(-b * (t + 1));
  return C * (A * B / (1 - A * B) * (BT / (1 - B) + AT / (1 - A)) +
              (BT * B / (1 - B) - AT * A / (1 - A)) / (B - A));
}

}  // namespace freegap::testing

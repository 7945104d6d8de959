#include "estimates/tails.hpp"

#include <cmath>

#include "core/elementary.hpp"

namespace freegap::detail {
namespace {

/// 1 - e^-x.
double complement(double x) { return -detail::expm1(-x); }

/// Derivative of z^n / (1 - z) at z = e^-c.
double slope(double c, double n) {
  const double rest = complement(c);
  return std::exp(-c * (n - 1)) * (n / rest + std::exp(-c) / (rest * rest));
}

/// (B^n / (1 - B) - A^n / (1 - A)) / (B - A) with A = e^-a and B = e^-b. Where A and B nearly
/// agree, digits would cancel, and the mean derivative between them is used.
double divided_difference(double a, double b, double n) {
  const double difference = std::exp(-b) - std::exp(-a);
  if (std::fabs(a - b) * (n + 1 / std::fmin(a, b)) > 1e-3) {
    return (std::exp(-b * n) / complement(b) - std::exp(-a * n) / complement(a)) / difference;
  }
  // Mean derivative between A and B, by Gauss's rule with three points.
  const double middle = (std::exp(-a) + std::exp(-b)) / 2;
  const double off = std::sqrt(0.6) / 2 * difference;
  return (5 * slope(-std::log(middle - off), n) + 8 * slope(-std::log(middle), n) +
          5 * slope(-std::log(middle + off), n)) /
         18;
}

}  // namespace

// Geo(A) - Geo(B): P(> s) = (1-B) A^(s+1) / (1-AB) for whole s >= -1, and 1 - (1-A) B^-s / (1-AB)
// below.
double one_sided_difference_tail(double a, double b, double t) {
  return t >= 0 ? complement(b) / complement(a + b) * std::exp(-a * t)
                : 1 - complement(a) / complement(a + b) * std::exp(b * (t - 1));
}

// DLap(A) - DLap(B), t >= 1: C [ AB/(1-AB) (B^t/(1-B) + A^t/(1-A)) + (B^(t+1)/(1-B) -
// A^(t+1)/(1-A)) / (B-A) ] with C = (1-A)(1-B) / ((1+A)(1+B)). The distribution is symmetric.
double two_sided_difference_tail(double a, double b, double t) {
  if (t < 1) {
    return 1 - two_sided_difference_tail(a, b, 1 - t);
  }
  const double constant = detail::tanh(a / 2) * detail::tanh(b / 2);
  const double cross = std::exp(-a - b) / complement(a + b);
  return constant * (cross * (std::exp(-b * t) / complement(b) + std::exp(-a * t) / complement(a)) +
                     divided_difference(a, b, t + 1));
}

}  // namespace freegap::detail

#pragma once

/// @file
/// Elementary functions that rest on std::exp, std::log and std::sqrt alone: two C libraries that
/// agree on these give the same results, while their own expm1 and the like differ in the last
/// digit. Good to some 1e-15; for estimates, never for noise.

namespace freegap::detail {

/// e^x - 1, also for small x.
double expm1(double x);
/// ln(1 + x), also for small x.
double log1p(double x);
/// Hyperbolic sine.
double sinh(double x);
/// Hyperbolic tangent.
double tanh(double x);
/// Cube root of a number that is not negative.
double cbrt(double x);
/// Arc tangent.
double atan(double x);
/// Sine; of numbers up to some 10^6.
double sin(double x);
/// Cosine; of numbers up to some 10^6.
double cos(double x);

}  // namespace freegap::detail

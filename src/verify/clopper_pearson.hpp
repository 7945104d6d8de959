#pragma once

/// @file
/// Bounds on a probability from how often it happened (Clopper and Pearson, 1934): they hold for
/// every number of runs and every probability, with no approximation by a normal distribution.

#include <cstdint>

namespace freegap::verify {

/// I_x(a, b), the distribution function of the beta distribution; a, b > 0, 0 <= x <= 1. By the
/// continued fraction, which converges fast where it is used.
double incomplete_beta(double a, double b, double x);

/// Not above the probability of an event that happened `happened` times in `runs` independent runs,
/// but with probability `error`.
double lower_bound(std::uint64_t happened, std::uint64_t runs, double error);
/// Not below it, but with probability `error`.
double upper_bound(std::uint64_t happened, std::uint64_t runs, double error);

}  // namespace freegap::verify

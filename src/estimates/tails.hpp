#pragma once

/// @file
/// Tails of the difference of two independent noise terms in ticks: that of a query minus that of
/// the threshold. The formulas are exact for integer noise on any tick, whether it is called
/// exponential, geometric or Laplace.

#include <cstdint>

namespace freegap::detail {

/// P(X - Y >= t) for X one-sided with exponent a per tick and Y one-sided with exponent b per tick.
double one_sided_difference_tail(double a, double b, double t);

/// P(X - Y >= t) for X two-sided with exponent a per tick and Y two-sided with exponent b per tick.
double two_sided_difference_tail(double a, double b, double t);

}  // namespace freegap::detail

#pragma once

/// @file
/// Lower bounds on the loss from samples: the public functions are run many times on two
/// neighbouring inputs, and an event, chosen beforehand on separate runs, is counted. A bound above
/// ε refutes the claim. On a pair whose loss is known to be ε, a bound far below ε shows that the
/// noise is not the one that is claimed.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

#include "freegap/distribution.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"
#include "freegap/rational.hpp"
#include "verify/suite.hpp"

namespace freegap::verify {

/// A mechanism with a pair of neighbours on which its loss is all of its budget.
struct BlackBox {
  std::string mechanism;     ///< as in Row
  std::string variant;       ///< as in Row
  double epsilon = 1;        ///< what it claims
  std::uint64_t effort = 1;  ///< runs are multiplied by this: for events that are rare
  /// Runs it once on D, or on D', and says in which of a few cells the release lies.
  std::function<std::int64_t(bool neighbour, ExactNoise& noise)> run;
};

/// ε in most boxes: large against the error of a few hundred thousand runs.
inline const Rational sampled_epsilon = 2;
/// Two-sided noise reaches its full loss only in the limit, far out, where no sample comes; the
/// enumeration does.
inline constexpr std::array<Distribution, 2> sampled_distributions{Distribution::exponential,
                                                                   Distribution::geometric};
/// The cell of a number, in steps; everything beyond ±4 is in the outermost cells.
inline std::int64_t cell_of(double value, double step = 1) {
  return static_cast<std::int64_t>(std::floor(std::clamp(value, -4.0, 4.0) / step));
}
/// The cell of a candidate, to be added to that of a number.
inline std::int64_t cell_of(const Item& item) { return 1000 * (item.id + 1); }

/// A lower bound on the loss between both inputs, in the direction in which it is larger; wrong
/// with probability at most `error`. A fifth of the runs choose the event, the others count it.
double loss_at_least(const BlackBox& box, std::uint64_t runs, std::uint64_t seed, double error);

/// The row of a report. It fails where the bound is above ε, or below 9/10 of it.
Row row_of(const BlackBox& box, const SuiteOptions& options, std::uint64_t seed, double error);

}  // namespace freegap::verify

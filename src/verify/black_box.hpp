#pragma once

/// @file
/// Lower bounds on the loss from outside: the public functions, run many times on two neighbouring
/// inputs, with an event chosen beforehand on separate runs. A bound above ε refutes the claim; on
/// a pair that is known to lose all of ε, a bound far below it shows that the noise is not the one
/// that is claimed.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "freegap/noise.hpp"
#include "suite.hpp"

namespace freegap::verify {

/// A mechanism with a pair of neighbours on which it loses all of its budget.
struct BlackBox {
  std::string mechanism;     ///< as in Row
  std::string variant;       ///< as in Row
  double epsilon = 1;        ///< what it claims
  std::uint64_t effort = 1;  ///< runs are multiplied by this: for events that are rare
  /// Runs it once on D, or on D', and says in which of a few cells the release lies.
  std::function<std::int64_t(bool neighbour, ExactNoise& noise)> run;
};

/// A lower bound on the loss between both inputs, whichever way it is larger; wrong with
/// probability at most `error`. A fifth of the runs choose the event, the others count it.
double loss_at_least(const BlackBox& box, std::uint64_t runs, std::uint64_t seed, double error);

/// The mechanisms, each with its pair.
std::vector<BlackBox> black_boxes();

/// One row for each, at an overall confidence of 1 - 1e-6. A row fails where the bound is above ε,
/// or below 9/10 of it.
std::vector<Row> check_black_boxes(const SuiteOptions& options);

}  // namespace freegap::verify

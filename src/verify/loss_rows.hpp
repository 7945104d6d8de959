#pragma once

/// @file
/// Rows by enumeration: no sampling, no tolerance beyond the proven resolution. Every outcome of
/// the production template on small inputs, for all neighbours: how much is lost, against the cost
/// that the release states.

#include <functional>
#include <string>
#include <vector>

#include "freegap/verify/privacy_loss.hpp"
#include "verify/row_tasks.hpp"
#include "verify/suite.hpp"

namespace freegap::verify {

/// One row by enumeration.
struct LossCheck {
  std::string mechanism;         ///< as in Row
  std::string variant;           ///< as in Row
  double at_least = 0;           ///< share of the largest cost that must be reached
  std::function<Worst()> worst;  ///< walks all outcomes
};

/// The largest loss as a share of the cost that the outcome states.
double share_of(const Worst& worst);
/// The same over the outcomes of the largest cost alone.
double share_of_largest_cost(const Worst& worst);
/// Runs one check. A loss above the stated cost is a problem, and so is a worst case that is known
/// to exist and was not found.
Row row_of(const LossCheck& check);
/// One task per check.
std::vector<RowTask> tasks_of(const std::vector<LossCheck>& checks);

}  // namespace freegap::verify

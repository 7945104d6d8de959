#pragma once

/// @file
/// Checks by enumeration: no sampling, no tolerance beyond the proven resolution. Every outcome of
/// the production templates on small inputs, near each other and far apart, for all neighbours:
/// how much is lost, against what the release admits to. And the distribution of every way to find
/// top, coefficient by coefficient.

#include <functional>
#include <string>
#include <vector>

#include "freegap/verify/privacy_loss.hpp"
#include "suite.hpp"

namespace freegap::verify {

/// One row by enumeration.
struct LossCheck {
  std::string mechanism;         ///< as in Row
  std::string variant;           ///< as in Row
  double at_least = 0;           ///< share of the full price that must be reached
  std::function<Worst()> worst;  ///< walks all outcomes
};

/// The largest loss as a share of what the outcome admits to.
double share_of(const Worst& worst);
/// The largest loss of the outcomes that admit to most, as a share of that.
double share_of_full_price(const Worst& worst);
/// Runs one check.
Row row_of(const LossCheck& check);

/// Top-k, with gaps and classic. `longer` adds larger inputs, here and below.
std::vector<LossCheck> top_k_losses(bool longer);
/// The sparse vector: plain, classic, adaptive, by both stop rules.
std::vector<LossCheck> sparse_vector_losses(bool longer);
/// Both hybrids.
std::vector<LossCheck> hybrid_losses(bool longer);
/// Measurements.
std::vector<LossCheck> measure_losses(bool longer);
/// The exponential mechanism's choice and floored gap, in closed form and exact rationals.
std::vector<LossCheck> exponential_losses(bool longer);

/// Whether each way to find top has the distribution of adding noise to every candidate and
/// sorting: one row each.
std::vector<Row> check_top_m(bool longer);

/// Everything above.
std::vector<Row> check_exact(const SuiteOptions& options);

}  // namespace freegap::verify

#pragma once

/// @file
/// Every mechanism in every variant, its alignment checked on many tapes and inputs.

#include <vector>

#include "suite.hpp"

namespace freegap::verify {

/// One row for each mechanism, kind of queries and distribution of noise: the worst cost of its
/// alignment as a share of what the release admits to. Settings (number of candidates, k, budget,
/// θ, sensitivity, tick, threshold, order of ties) change every few hundred tapes, inputs with
/// every tape. The exponential mechanism has no alignment; its row has the worst loss in closed
/// form.
std::vector<Row> check_alignments(const SuiteOptions& options);

}  // namespace freegap::verify

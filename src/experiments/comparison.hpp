#pragma once

/// @file
/// Compares the results with theory and with known results of the authors' program.

#include <optional>
#include <vector>

#include "experiments/dataset.hpp"
#include "experiments/figure.hpp"

namespace freegap::experiments {

/// A chapter with one table over the given chapters, or nothing if they hold nothing to compare.
/// The authors' numbers are shown if the paper's own data set is among `datasets`.
std::optional<Chapter> comparison_chapter(const std::vector<Dataset>& datasets,
                                          const std::vector<Chapter>& chapters);

}  // namespace freegap::experiments

#pragma once

/// @file
/// The figures found beside theory and beside what the authors' program is known to give.

#include <optional>
#include <vector>

#include "experiments/dataset.hpp"
#include "experiments/figure.hpp"

namespace freegap::experiments {

/// One table over the chapters at hand; nothing where they hold nothing to compare. The authors'
/// figures are shown where the paper's own data set is among `datasets`.
std::optional<Chapter> comparison_chapter(const std::vector<Dataset>& datasets,
                                          const std::vector<Chapter>& chapters);

}  // namespace freegap::experiments

#pragma once

/// @file
/// Figures as scripts for gnuplot. A script contains its data, so that it can be edited and run
/// again by itself.

#include <string>

#include "experiments/figure.hpp"

namespace freegap::experiments {

/// A script that writes `figures/NAME.svg` and `figures/NAME.pdf`, relative to the folder in which
/// it is run.
std::string gnuplot_script(const Panel& panel);

}  // namespace freegap::experiments

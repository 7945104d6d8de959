#pragma once

/// @file
/// Figures as scripts for gnuplot, which draws them. A script holds its own data, so that it can be
/// changed and run again by itself.

#include <string>

#include "experiments/figure.hpp"

namespace freegap::experiments {

/// A script that writes `figures/NAME.svg` and `figures/NAME.pdf`, seen from the folder it is run
/// in.
std::string gnuplot_script(const Panel& panel);

}  // namespace freegap::experiments

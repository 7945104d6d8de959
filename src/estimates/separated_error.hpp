#pragma once

/// @file
/// The error of estimates by likelihood where all winners stand clearly above the level: no winner
/// was selected by luck, so the likelihood depends on noise only, and so does the error. Planning
/// uses it.

#include <cstdint>

#include "freegap/distribution.hpp"

namespace freegap::detail {

/// Scales of the noise of a selection with measurements of its winners.
struct SeparatedCase {
  std::uint64_t winners = 1;
  bool two_sided = false;  ///< Laplace noise of the selection; otherwise one-sided
  double selecting = 1;    ///< scale of the selection's noise
  double tick = 0;         ///< selection noise on wide ticks: the tick; otherwise 0
  double threshold = 0;    ///< scale of a threshold's noise; 0: leads over an unknown level
  double measuring = 1;    ///< scale of the measurements' Laplace noise
};

/// Mean squared error of the estimate of one winner, within about 1 % (tests/estimates/
/// planning_test.cpp). Always the same for the same case: its pseudo-random numbers are fixed.
/// Where noise is far below a tick it misses rare errors of a whole tick, and says too little.
double separated_variance(const SeparatedCase& separated);

}  // namespace freegap::detail

#pragma once

/// @file
/// From gaps to answers: better estimates of the winners from direct measurements and free gaps.
/// Pure post-processing of releases; it never sees candidates and costs no budget.

#include <vector>

#include "freegap/release.hpp"

namespace freegap {

/// An estimate of one winner's answer.
struct Estimate {
  Item item;                  ///< which candidate
  double value = 0;           ///< best linear unbiased estimate
  double standard_error = 0;  ///< of the estimate, by the noise alone and before selection
};

/// Combines the gaps of a top-k release with direct measurements of the same winners, in the same
/// order: the best linear unbiased estimate of each, in linear time (the paper's section on using
/// gap information of noisy max). Throws InvalidParameter where the two releases do not belong
/// together.
std::vector<Estimate> estimate(const TopKRelease& release, const MeasureRelease& direct);

}  // namespace freegap

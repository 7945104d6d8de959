#pragma once

/// @file
/// Refuses releases that no mechanism makes, such as one whose gaps belong to another number of
/// winners. Estimates and claims check what they are given before they read it.

#include "freegap/release/hybrid.hpp"
#include "freegap/release/measure.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/release/top_k.hpp"

namespace freegap::detail {

/// One value per item. Here and below, noise has a scale and a tick above 0.
void check_consistent(const MeasureRelease& release);
/// No gaps, or one lead per winner, none below 0 and none above the one before; enough candidates.
void check_consistent(const TopKRelease& release);
/// At most k winners, each with a gap, none above the one before and none below what it takes to
/// win.
void check_consistent(const HybridRelease& release);
/// Each answer above names one of the branches, and passed it if it has a gap.
void check_consistent(const SparseVectorRelease& release);

}  // namespace freegap::detail

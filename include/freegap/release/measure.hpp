#pragma once

/// @file
/// The release of a measurement.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "freegap/distribution.hpp"
#include "freegap/item.hpp"
#include "freegap/queries.hpp"
#include "freegap/release.hpp"

namespace freegap {

/// Noisy values of chosen candidates.
struct MeasureRelease {
  Queries queries;                        ///< what was asked, and what is protected
  NoiseDistribution noise;                ///< two-sided, added to each value
  Cost cost;                              ///< ε reserved and spent
  std::vector<Item> items;                ///< what was measured
  std::vector<std::int64_t> value_ticks;  ///< their noisy values
  /// Noisy value number i in the unit of the answers.
  [[nodiscard]] double value(std::size_t i) const { return noise.shown(value_ticks[i]); }
};

}  // namespace freegap

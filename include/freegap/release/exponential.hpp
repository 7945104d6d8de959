#pragma once

/// @file
/// The release of the exponential mechanism.

#include <cstdint>
#include <optional>

#include "freegap/item.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"
#include "freegap/release.hpp"

namespace freegap {

/// The choice of an exponential mechanism with its free gap.
struct ExponentialRelease {
  Queries queries;                        ///< what was asked, and what is protected
  Cost cost;                              ///< ε reserved and spent
  Rational tick;                          ///< of the utilities
  Rational rate;                          ///< weights are exp(rate * utility): ε / (c Δ)
  Item chosen;                            ///< the winner
  Rational gap_tick;                      ///< of the gap, in scaled units rate * utility
  std::optional<std::int64_t> gap_ticks;  ///< none for the classic mechanism or a single candidate
  /// Whether the type of the utilities makes them whole multiples of the tick; otherwise they were
  /// floored to it.
  bool exact_answers = false;

  /// The gap in scaled units.
  [[nodiscard]] std::optional<double> gap() const;
  /// The gap in the unit of the utilities.
  [[nodiscard]] std::optional<double> gap_in_utility() const;
};

}  // namespace freegap

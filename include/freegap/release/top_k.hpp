#pragma once

/// @file
/// The release of noisy top-k.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "freegap/distribution.hpp"
#include "freegap/item.hpp"
#include "freegap/queries.hpp"
#include "freegap/release.hpp"

namespace freegap {

/// The order of the k largest candidates, with the free gaps.
struct TopKRelease {
  Queries queries;               ///< what was asked, and what is protected
  NoiseDistribution noise;       ///< added to every candidate
  Cost cost;                     ///< ε reserved and spent
  std::uint64_t candidates = 0;  ///< how many there were (public)
  std::vector<Item> winners;     ///< best first
  /// Noisy lead of each winner over the runner-up, best first; empty for the classic mechanism.
  /// Differences of leads are exact differences of noisy values; each lead may be one tick short of
  /// its noisy difference (the borrow). Where all candidates win there is no runner-up, and the
  /// leads are over the last winner.
  std::vector<std::int64_t> lead_ticks;
  /// Whether some candidate did not win, so that there is a runner-up.
  bool has_runner_up = true;
  /// Whether the type of the answers makes them whole multiples of the tick; otherwise they were
  /// floored to it.
  bool exact_answers = false;

  /// Winners, to pass on to `measure`.
  [[nodiscard]] std::span<const Item> indices() const& { return winners; }
  /// The winners of a temporary release are gone with it.
  std::span<const Item> indices() const&& = delete;
  /// Gap between winner i and the next best, in ticks; nothing for the last where no runner-up
  /// exists and for the classic mechanism.
  [[nodiscard]] std::optional<std::int64_t> gap_ticks(std::size_t i) const;
  /// Noisy value of winner i minus that of winner j, in ticks. Needs gaps.
  [[nodiscard]] std::int64_t pairwise_gap_ticks(std::size_t i, std::size_t j) const;
};

}  // namespace freegap

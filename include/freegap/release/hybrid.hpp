#pragma once

/// @file
/// The release of the two hybrids of sparse vector and noisy top-k.

#include <cstdint>
#include <optional>
#include <vector>

#include "freegap/distribution.hpp"
#include "freegap/item.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"
#include "freegap/release.hpp"

namespace freegap {

/// What the gap of a hybrid's winner is measured against.
enum class GapTo : std::uint8_t {
  next,      ///< lead over the runner-up, as in top-k
  threshold  ///< gap over the noisy threshold: add the threshold for an estimate
};

/// The winners of a hybrid: the k largest candidates that are above the threshold.
struct HybridRelease {
  Queries queries;                    ///< what was asked, and what is protected
  NoiseDistribution noise;            ///< added to every candidate
  NoiseDistribution threshold_noise;  ///< added to the threshold
  Threshold threshold;                ///< public
  std::uint64_t k = 0;                ///< most winners possible
  Cost cost;                          ///< ε reserved and spent
  std::vector<Item> winners;          ///< best first, all above the noisy threshold
  GapTo gap_to = GapTo::threshold;    ///< what `gap_ticks` is measured against
  std::vector<std::int64_t>
      gap_ticks;  ///< one per winner: over the threshold, or leads over the runner-up
  /// Identity first, threshold reached, no δ: lead of the noisy threshold over its own runner-up.
  std::optional<std::int64_t> threshold_gap_ticks;
  /// Estimates first: the share, the prices and the centring; absent in the identity-first hybrid.
  struct Estimates {
    Rational theta;              ///< share of the budget for the threshold
    Rational threshold_epsilon;  ///< ε of the threshold
    Branch branch;               ///< price, scale and centring of an answer
  };
  std::optional<Estimates> estimates;  ///< see Estimates
};

}  // namespace freegap

#pragma once

/// @file
/// Hybrids that are nearly right. Δ = 1, a tick of 1, the threshold at 0.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "freegap/hybrid.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "verify/enumerated_pairs.hpp"
#include "verify/mechanisms/hybrid.hpp"
#include "verify/neighbour_pairs.hpp"
#include "verify/noise_shifts.hpp"

namespace freegap::verify::bad {

/// The identity-first hybrid, charged for t - 1 items: as if the threshold, or the last winner,
/// came free. t counts the threshold (docs/errata.md, 6). Caught by both.
class FreeThreshold {
 public:
  std::string name = "hybrid: one item too few is charged";  ///< what is wrong
  PairShape pairs;                                           ///< inputs to try
  Enumerated enumerated;                                     ///< inputs to enumerate

  /// k = 2 of two queries; a unit is a tick.
  explicit FreeThreshold(Kind kind = Kind::general)
      : pairs{2, 1, kind == Kind::counts, 0},
        enumerated{{1, 3, 18}, all_pairs(2, -1, 1, moves_of(kind))},
        plan_(plan_of(HybridSetting{2, 2, kind, Distribution::geometric, Prefer::identity})),
        order_(order_with_threshold_at(0, 2)) {}

  /// As shipped, except for the charge.
  template <NoiseSource Source>
  HybridRelease run(const Answers& answers, Source& noise) const {
    PlaceOrder order = order_;
    HybridRelease release = shipped_hybrid(PlainShape(answers), plan_, noise, order);
    const bool reached = release.gap_to == GapTo::threshold;
    const std::size_t t = release.winners.size() + (reached ? 1 : 0);
    release.cost.spent = t > 1 ? identity_first_cost(plan_, t - 1, reached) : Rational(0);
    return release;
  }
  /// That of the hybrid.
  [[nodiscard]] Tape moved(const NeighbourPair& pair, const HybridRelease& seen, const Tape& tape,
                           std::int64_t sign) const {
    const Subject<HybridRelease> right = subject_of(plan_, order_);
    return sign > 0 ? right.align(pair, seen, tape) : right.recover(pair, seen, tape);
  }

 private:
  HybridPlan plan_;
  PlaceOrder order_;
};

/// The estimates-first hybrid with one draw too few: the threshold's noise is that of candidate 0.
/// Its gap is then its true distance to the threshold. Caught by both: the draw cannot follow the
/// threshold and its candidate at once.
struct SharedThreshold {
  std::string name = "hybrid: the threshold shares a candidate's noise";  ///< what is wrong
  Rate rate{Rational(1)};                                                 ///< units per tick
  PairShape pairs{3, 1, true, 0};                                         ///< inputs to try
  /// To enumerate.
  Enumerated enumerated = enumerate(all_pairs(2, -1, 1, Moves::together), {1, 2, 16});

  /// Each candidate in turn with its gap, where it is above; all may be.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    Observed seen{{}, 1};
    std::int64_t threshold = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::int64_t drawn = noise.geometric(rate);
      threshold = i == 0 ? drawn : threshold;
      const std::int64_t gap = answers[i] + drawn - threshold;
      if (gap >= 0) {
        seen.shown.insert(seen.shown.end(), {static_cast<std::int64_t>(i), gap});
        seen.spent = seen.spent + 1;
      }
    }
    return seen;
  }
  /// The threshold's noise follows, and that of the winners that have their own.
  [[nodiscard]] Tape moved(const NeighbourPair& pair, const Observed& seen, const Tape& tape,
                           std::int64_t sign) const {
    std::vector<Passing> passing;
    for (std::size_t i = 0; i < seen.shown.size(); i += 2) {
      const auto winner = static_cast<std::size_t>(seen.shown[i]);
      if (winner > 0) {
        passing.push_back({winner, winner});
      }
    }
    return shift_passing(pair, passing, 1, true, tape, sign);
  }
};

}  // namespace freegap::verify::bad

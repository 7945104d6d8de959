#pragma once

/// @file
/// The Laplace mechanism: noisy values of t chosen candidates. One unit may contribute to all of
/// them, so the scale is t Δ / ε; with a contribution bound of M items, to min(t, M) of them
/// (Queries::most_changed). Guarantee: pure ε; docs/proofs/measure.md, checked by
/// tests/mechanisms/measure_test.cpp.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/distribution.hpp"
#include "freegap/grid.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"
#include "freegap/release.hpp"
#include "freegap/release/measure.hpp"

namespace freegap {

/// Options of a measurement.
struct MeasureOptions {
  Epsilon epsilon;  ///< budget for all items together
  std::optional<Rational> tick =
      std::nullopt;  ///< a power of two (1: whole numbers); by default fine
  /// Mitigates timing side channels: the ids of a universe are found by a walk over all of it. A
  /// list and groups take the same work with and without it.
  bool constant_work = false;
};

/// Everything public about a measurement.
struct MeasurePlan {
  Queries queries;                 ///< of the candidates
  Grid grid;                       ///< ticks
  NoiseDistribution distribution;  ///< as announced
  std::optional<Rate> rate;        ///< as drawn; none where nothing is measured
  Cost cost;                       ///< ε; nothing where nothing is measured
};

/// Checks the options and computes the plan. Throws InvalidParameter, also for an item that is not
/// a candidate.
MeasurePlan plan_measure(const Candidates& candidates, std::span<const Item> items,
                         const MeasureOptions& options);

/// The answers of `items`, in ticks. Secret.
std::vector<std::int64_t> item_ticks(const Candidates& candidates, std::span<const Item> items,
                                     const Grid& grid, bool constant_work);

/// Releases the noisy values of `items`. Measuring nothing costs nothing.
template <NoiseSource Source>
MeasureRelease measure(const Candidates& candidates, std::span<const Item> items,
                       const MeasureOptions& options, Source& noise) {
  const MeasurePlan plan = plan_measure(candidates, items, options);
  MeasureRelease release{
      plan.queries, plan.distribution, plan.cost, {items.begin(), items.end()}, {}};
  const std::vector<std::int64_t> ticks =
      item_ticks(candidates, items, plan.grid, options.constant_work);
  for (const std::int64_t value : ticks) {
    release.value_ticks.push_back(value + noise.laplace(*plan.rate));
  }
  return release;
}

}  // namespace freegap

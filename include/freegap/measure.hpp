#pragma once

/// @file
/// The Laplace mechanism: noisy values of t chosen candidates. One unit may contribute to all of
/// them, so the scale is t Δ / ε. Guarantee: pure ε; docs/proofs/measure.md, checked by
/// tests/mechanisms/measure_test.cpp.

#include <optional>
#include <span>

#include "freegap/candidates.hpp"
#include "freegap/detail/core/candidate_access.hpp"
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

/// Releases the noisy values of `items`. Measuring nothing costs nothing.
template <NoiseSource Source>
MeasureRelease measure(const Candidates& candidates, std::span<const Item> items,
                       const MeasureOptions& options, Source& noise) {
  const MeasurePlan plan = plan_measure(candidates, items, options);
  MeasureRelease release{
      plan.queries, plan.distribution, plan.cost, {items.begin(), items.end()}, {}};
  const detail::CandidateAccess access(candidates);
  for (const Item& item : items) {
    release.value_ticks.push_back(access.ticks(item, plan.grid) + noise.laplace(*plan.rate));
  }
  return release;
}

}  // namespace freegap

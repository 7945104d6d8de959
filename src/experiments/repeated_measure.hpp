#pragma once

/// @file
/// Measuring winners again and again, for simulations: plans and releases are reused, so that a
/// measurement costs little more than its noise.

#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "freegap/candidates.hpp"
#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/measure.hpp"
#include "freegap/noise.hpp"
#include "freegap/rational.hpp"

namespace freegap::experiments {

/// Measures items of the same candidates many times. Plans depend on the number of items and on the
/// budget, and are kept by these two.
class RepeatedMeasure {
 public:
  /// `candidates` must outlive this object.
  explicit RepeatedMeasure(const Candidates& candidates) : candidates_(&candidates) {}

  /// The release of freegap::measure. Valid until the next call.
  template <NoiseSource Source>
  const MeasureRelease& measure(std::span<const Item> items, const Rational& epsilon,
                                Source& noise) {
    auto found = prepared_.find({items.size(), epsilon});
    if (found == prepared_.end()) {
      MeasurePlan plan = plan_measure(*candidates_, items, {Epsilon(epsilon)});
      MeasureRelease blank{plan.queries, plan.distribution, plan.cost, {}, {}};
      found = prepared_
                  .emplace(std::pair(items.size(), epsilon),
                           Prepared{std::move(plan), std::move(blank)})
                  .first;
    }
    auto& [plan, release] = found->second;
    release.items.assign(items.begin(), items.end());
    release.value_ticks.clear();
    const detail::CandidateAccess access(*candidates_);
    for (const Item& item : items) {
      release.value_ticks.push_back(access.ticks(item, plan.grid) + noise.laplace(*plan.rate));
    }
    return release;
  }

 private:
  struct Prepared {
    MeasurePlan plan;
    MeasureRelease release;
  };
  const Candidates* candidates_;
  std::map<std::pair<std::size_t, Rational>, Prepared> prepared_;
};

}  // namespace freegap::experiments

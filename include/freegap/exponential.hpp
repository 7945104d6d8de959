#pragma once

/// @file
/// The exponential mechanism with its free gap: one candidate, chosen with probability proportional
/// to exp(ε u / (c Δ)), and the noisy lead by which it won. The gap is drawn after the choice, by
/// inverse CDF, with exactly the distribution it has in the Gumbel version. Guarantee: pure ε for
/// choice and gap together; docs/proofs/exponential.md, checked by
/// tests/mechanisms/exponential_test.cpp.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/detail/core/candidate_walk.hpp"
#include "freegap/errors.hpp"
#include "freegap/grid.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"
#include "freegap/release/exponential.hpp"

namespace freegap {

/// Options of the exponential mechanism.
struct ExponentialOptions {
  Epsilon epsilon;  ///< budget
  bool gap = true;  ///< false for the classic mechanism
  /// Of the gap, in scaled units ε u / (c Δ); a power of two, by default 1/1024.
  std::optional<Rational> tick = std::nullopt;
  /// Mitigates timing side channels: the same work for every candidate. For a service that answers
  /// strangers.
  bool constant_work = false;
};

/// Everything public about a run, computed before any noise is drawn.
struct ExponentialPlan {
  Grid grid;                 ///< ticks of the utilities: Δ/1024
  ExponentialRelease blank;  ///< a release without a choice: all public parameters
  Rate rate;                 ///< weights are exp(rate * ticks)
  Rate gap_rate;             ///< size of a tick of the gap
  bool gap;                  ///< whether it is released: requested, and more than one candidate
};

/// Checks the options and computes the plan. Throws InvalidParameter.
ExponentialPlan plan_exponential(const Candidates& candidates, const ExponentialOptions& options);

/// All utilities on the grid, with multiplicities.
std::vector<WeightedValue> utilities(const Candidates& candidates, const Grid& grid);

/// The same with constant work: every candidate of a universe or of groups has an entry of its own.
template <ConstantWorkChoosingSource Source>
ExponentialRelease exponential_with_constant_work(const Candidates& candidates,
                                                  const ExponentialPlan& plan, Source& noise) {
  std::vector<std::int64_t> ticks(static_cast<std::size_t>(candidates.size()));
  detail::CandidateAccess::Walk walk(detail::CandidateAccess(candidates), plan.grid);
  walk.next(ticks);
  const std::size_t chosen = noise.choose_constant_work(plan.rate, ticks);
  ExponentialRelease release = plan.blank;
  release.chosen = walk.item(chosen);
  if (plan.gap) {
    release.gap_ticks = noise.lead_constant_work(plan.rate, ticks, chosen, plan.gap_rate);
  }
  return release;
}

/// Releases one candidate, with the gap by which it won.
template <ChoosingSource Source>
ExponentialRelease exponential(const Candidates& candidates, const ExponentialOptions& options,
                               Source& noise) {
  const ExponentialPlan plan = plan_exponential(candidates, options);
  if (options.constant_work) {
    if constexpr (ConstantWorkChoosingSource<Source>) {
      return exponential_with_constant_work(candidates, plan, noise);
    } else {
      throw InvalidParameter("constant_work", "this source of noise cannot choose like that");
    }
  }
  const std::vector<WeightedValue> values = utilities(candidates, plan.grid);
  const std::size_t chosen = noise.choose(plan.rate, values);
  ExponentialRelease release = plan.blank;
  release.chosen =
      detail::CandidateAccess(candidates).item_of(chosen, noise.below(values[chosen].multiplicity));
  if (plan.gap) {
    release.gap_ticks = noise.lead(plan.rate, values, chosen, plan.gap_rate);
  }
  return release;
}

/// Releases the choice of the caller's own sampler, with the gap by which it won. The guarantee
/// rests on the caller's promise that `sampler()` returns each candidate with probability exactly
/// proportional to exp(rate * ticks), with the rate and the utilities floored to ticks of Δ/1024 as
/// in `plan_exponential`. The gap then costs nothing more. (With utilities that are not floored the
/// cost is up to ε (1 + 2/(1024 c)).)
template <std::invocable Sampler, ChoosingSource Source>
requires std::convertible_to<std::invoke_result_t<Sampler&>, Item> ExponentialRelease
exponential_around(const Candidates& candidates, const ExponentialOptions& options,
                   Sampler&& sampler, Source& noise) {
  if (options.constant_work) {
    throw InvalidParameter("constant_work", "how long the sampler takes is up to the caller");
  }
  const ExponentialPlan plan = plan_exponential(candidates, options);
  const std::vector<WeightedValue> values = utilities(candidates, plan.grid);
  ExponentialRelease release = plan.blank;
  release.chosen = sampler();
  if (!candidates.contains(release.chosen)) {
    throw InvalidParameter("sampler", "it must return one of the candidates");
  }
  if (plan.gap) {
    // The gap's distribution depends on the utility of the choice alone, so any entry that has it
    // will do.
    const std::int64_t ticks = detail::CandidateAccess(candidates).ticks(release.chosen, plan.grid);
    const auto entry = std::find_if(values.begin(), values.end(),
                                    [&](const WeightedValue& v) { return v.ticks == ticks; });
    release.gap_ticks = noise.lead(plan.rate, values,
                                   static_cast<std::size_t>(entry - values.begin()), plan.gap_rate);
  }
  return release;
}

}  // namespace freegap

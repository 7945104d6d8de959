#pragma once

/// @file
/// The k largest candidates, as far as they are above a public threshold: the paper's two hybrids
/// of sparse vector and noisy top-k. They cost less where fewer than k are above, and then come
/// with estimates. Guarantee: pure ε, for every output at most `cost.spent`; docs/proofs/hybrid.md,
/// checked by tests/mechanisms/hybrid_privacy_test.cpp. docs/mechanisms/hybrid.md says which one to
/// take.
///
/// Of items nobody listed (`Candidates::unknown`) the same mechanisms select with a threshold so
/// high that an item of one unit alone hardly passes. Guarantee: (ε, δ);
/// docs/proofs/unknown_items.md, checked by tests/mechanisms/unknown_items_privacy_test.cpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/mechanisms/candidates_on_grid.hpp"
#include "freegap/detail/mechanisms/noisy_top_m.hpp"
#include "freegap/distribution.hpp"
#include "freegap/grid.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"
#include "freegap/release.hpp"
#include "freegap/release/hybrid.hpp"
#include "freegap/top_k.hpp"

namespace freegap {

/// What a hybrid does best.
enum class Prefer : std::uint8_t {
  identity,  ///< less noise on the candidates; gaps over the threshold only where fewer than k are
             ///< above
  estimates  ///< gaps over the threshold for all winners, with more noise
};

/// Options of a hybrid.
struct HybridOptions {
  std::uint64_t k = 1;     ///< most winners, 1 <= k <= number of candidates
  Epsilon epsilon;         ///< budget
  Rational threshold = 0;  ///< public; rounded up to a tick
  /// For items nobody listed, and required there: the δ of the release. The threshold is raised to
  /// the least safe one, and k may be larger than the number of items.
  std::optional<Delta> delta = std::nullopt;
  Prefer prefer = Prefer::identity;                ///< which hybrid
  Distribution noise = Distribution::exponential;  ///< distribution of all noise
  std::optional<Rational> theta =
      std::nullopt;  ///< estimates first: share of the threshold, by default the best
  std::optional<Rational> tick =
      std::nullopt;  ///< a power of two; by default fine, or 1 for geometric
  unsigned threads =
      1;  ///< threads that scan a list; the output distribution does not depend on it
  bool constant_work = false;  ///< mitigates timing side channels: noise for every candidate
};

/// Everything public about a run, settled before any noise is drawn.
struct HybridPlan {
  Prefer prefer;            ///< which hybrid
  Grid grid;                ///< ticks
  HybridRelease blank;      ///< a release without winners: all public parameters
  detail::TickNoise noise;  ///< added to the candidates and, identity first, to the threshold
  Rate threshold_rate;      ///< estimates first: of the noise added to the threshold
};

/// Checks the options and computes the plan. Throws InvalidParameter.
HybridPlan plan_hybrid(const Candidates& candidates, const HybridOptions& options);

/// Cost of an identity-first run that returned t items, the threshold among them (the last) or not:
/// (t/k) ε, and the sharper ((2t-1)/(2k)) ε for general queries when the threshold, which no person
/// can move, is among them.
Rational identity_first_cost(const HybridPlan& plan, std::size_t t, bool threshold_reached);

/// What a run over items nobody listed must not tell: costs that depend on the output (pointwise
/// loss fails with probability δ), and the threshold's gap over an item that did not pass
/// (docs/proofs/unknown_items.md, "What stays unsaid").
inline bool unknown_items(const HybridPlan& plan) { return plan.blank.cost.delta.sign() > 0; }

/// How the threshold is named where it takes part as a candidate.
inline constexpr Item threshold_item{INT64_MIN, UINT64_MAX};

/// Identity first: the threshold takes part like any candidate, in the order of ties too; what
/// ranks below it is not returned.
template <class Shape, NoiseSource Source, detail::TieOrder Order>
HybridRelease select_identity_first(const Shape& shape, const HybridPlan& plan, Source& noise,
                                    Order& order) {
  const auto k = static_cast<std::size_t>(plan.blank.k);
  const detail::Ranking<Order> ranking(order, plan.noise.subticks());
  detail::NoisyCandidate threshold{
      threshold_item, plan.noise.at(plan.blank.threshold.used_ticks) + plan.noise.draw(noise), {}};
  std::vector<detail::NoisyCandidate> top = shape.top_m(k + 1, plan.noise, noise, order);
  const auto place =
      std::find_if(top.begin(), top.end(), [&](const detail::NoisyCandidate& candidate) {
        return ranking.better(threshold, candidate);
      });
  const auto ahead = static_cast<std::size_t>(place - top.begin());
  top.insert(place, std::move(threshold));

  const bool reached = ahead < k;  // the threshold is among the first k
  const std::size_t t = reached ? ahead + 1 : k;
  std::vector<std::int64_t> leads = leads_over_runner_up(top, t, ranking);
  HybridRelease release = plan.blank;
  release.cost.spent =
      unknown_items(plan) ? plan.blank.cost.reserved : identity_first_cost(plan, t, reached);
  release.gap_to = reached ? GapTo::threshold : GapTo::next;
  std::int64_t base = 0;
  if (reached) {
    base = leads.back();
    leads.pop_back();
    if (!unknown_items(plan)) {
      release.threshold_gap_ticks = base;
    }
  }
  for (std::size_t i = 0; i < leads.size(); ++i) {
    release.winners.push_back(top[i].item);
    // Over the threshold the differences are exact; the borrow is in the threshold's own lead
    // alone.
    release.gap_ticks.push_back(reached ? difference_ticks(leads[i], base) : leads[i]);
  }
  return release;
}

/// Estimates first: a sparse vector with gap that takes the candidates by falling noisy value.
template <class Shape, NoiseSource Source, detail::TieOrder Order>
HybridRelease select_estimates_first(const Shape& shape, const HybridPlan& plan, Source& noise,
                                     Order& order) {
  const auto k = static_cast<std::size_t>(plan.blank.k);
  const detail::Ranking<Order> ranking(order, plan.noise.subticks());
  const Branch& branch = plan.blank.estimates->branch;
  const std::int64_t noisy_threshold =
      plan.blank.threshold.used_ticks +
      draw(plan.blank.threshold_noise.distribution, plan.threshold_rate, noise);
  HybridRelease release = plan.blank;
  release.gap_to = GapTo::threshold;
  for (const detail::NoisyCandidate& candidate : shape.top_m(k, plan.noise, noise, order)) {
    const std::int64_t gap = difference_ticks(
        difference_ticks(ranking.ticks(candidate), noisy_threshold), branch.offset_ticks);
    if (gap < 0) {
      break;
    }
    release.winners.push_back(candidate.item);
    release.gap_ticks.push_back(gap);
  }
  release.cost.spent = unknown_items(plan) ? plan.blank.cost.reserved
                                           : plan.blank.estimates->threshold_epsilon +
                                                 Rational(release.winners.size()) * branch.epsilon;
  return release;
}

/// Releases the candidates with the k largest noisy values, as far as they are above the noisy
/// threshold.
template <SkippingSource Source>
HybridRelease top_k_above(const Candidates& candidates, const HybridOptions& options,
                          Source& noise) {
  const HybridPlan plan = plan_hybrid(candidates, options);
  detail::RandomOrder order(noise);
  const detail::CandidatesOnGrid shape(candidates, plan.grid,
                                       {options.threads, options.constant_work});
  return plan.prefer == Prefer::identity ? select_identity_first(shape, plan, noise, order)
                                         : select_estimates_first(shape, plan, noise, order);
}

/// @cond
// Compiled once, in the library, for its own sources of noise.
extern template HybridRelease top_k_above(const Candidates&, const HybridOptions&, SecureNoise&);
extern template HybridRelease top_k_above(const Candidates&, const HybridOptions&, ExactNoise&);
/// @endcond

}  // namespace freegap

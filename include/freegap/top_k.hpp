#pragma once

/// @file
/// Noisy top-k (and, for k = 1, noisy max) with all k free gaps: the paper's section on report
/// noisy max. Guarantee: pure ε, for every output at most `cost.spent`; docs/proofs/top_k.md,
/// checked by tests/mechanisms/top_k_privacy_test.cpp. docs/mechanisms/top_k.md says when to use
/// it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/mechanisms/candidates_on_grid.hpp"
#include "freegap/detail/mechanisms/noisy_top_m.hpp"
#include "freegap/distribution.hpp"
#include "freegap/grid.hpp"
#include "freegap/noise.hpp"
#include "freegap/release.hpp"
#include "freegap/release/top_k.hpp"

namespace freegap {

/// Options of a top-k selection.
struct TopKOptions {
  std::uint64_t k = 1;                             ///< winners, 1 <= k <= number of candidates
  Epsilon epsilon;                                 ///< budget
  Distribution noise = Distribution::exponential;  ///< distribution of the noise
  bool gaps = true;  ///< false for the classic mechanism, which releases no gaps
  std::optional<Rational> tick =
      std::nullopt;  ///< a power of two; by default fine, or 1 for geometric
  unsigned threads =
      1;  ///< threads that scan a list; the output distribution does not depend on it
  bool constant_work = false;  ///< mitigates timing side channels: noise for every candidate
};

/// Everything public about a run, settled before any noise is drawn.
struct TopKPlan {
  Queries queries;                 ///< of the candidates
  std::uint64_t candidates;        ///< number of candidates
  std::uint64_t k;                 ///< winners
  bool gaps;                       ///< whether they are released
  Grid grid;                       ///< ticks
  NoiseDistribution distribution;  ///< as announced: scale c k Δ / ε
  detail::TickNoise noise;         ///< as drawn
  Cost cost;           ///< ε; (k-1)/k of it where all candidates win, so that there is no last gap
  bool exact_answers;  ///< whether answers are whole multiples of the tick by their type
};

/// Checks the options and computes the plan. Throws InvalidParameter.
TopKPlan plan_top_k(const Candidates& candidates, const TopKOptions& options);

/// The leads of the first k candidates over the next one, the runner-up: exact differences, less
/// one tick where the runner-up would win a tie against the last winner. Without that borrow, raw
/// integer gaps exceed their stated ε: they lose up to ((k+1)/k) ε (docs/proofs/top_k.md). Where no
/// runner-up exists, the leads are over the last winner.
template <detail::TieOrder Order>
std::vector<std::int64_t> leads_over_runner_up(const std::vector<detail::NoisyCandidate>& top,
                                               std::size_t k,
                                               const detail::Ranking<Order>& ranking) {
  const bool has_runner_up = top.size() > k;
  const detail::NoisyCandidate& last = top[k - 1];
  std::int64_t base = ranking.ticks(has_runner_up ? top[k] : last);
  if (has_runner_up && ranking.precedes(top[k], last)) {
    ++base;
  }
  std::vector<std::int64_t> leads;
  leads.reserve(k);
  for (std::size_t i = 0; i < k; ++i) {
    leads.push_back(difference_ticks(ranking.ticks(top[i]), base));
  }
  return leads;
}

/// The selection itself, for any shape of candidates with `top_m(m)`, any source of noise and any
/// order of ties that does not depend on the data.
template <class Shape, NoiseSource Source, detail::TieOrder Order>
TopKRelease select_top_k(const Shape& shape, const TopKPlan& plan, Source& noise, Order& order) {
  const auto k = static_cast<std::size_t>(plan.k);
  const std::vector<detail::NoisyCandidate> top = shape.top_m(k + 1, plan.noise, noise, order);
  TopKRelease release{
      plan.queries, plan.distribution,        plan.cost,         plan.candidates, {},
      {},           plan.k < plan.candidates, plan.exact_answers};
  for (std::size_t i = 0; i < k; ++i) {
    release.winners.push_back(top[i].item);
  }
  if (plan.gaps) {
    release.lead_ticks =
        leads_over_runner_up(top, k, detail::Ranking(order, plan.noise.subticks()));
  }
  return release;
}

/// Releases the k candidates with the largest noisy values, in order, with their gaps.
template <SkippingSource Source>
TopKRelease top_k(const Candidates& candidates, const TopKOptions& options, Source& noise) {
  const TopKPlan plan = plan_top_k(candidates, options);
  detail::RandomOrder order(noise);
  return select_top_k(
      detail::CandidatesOnGrid(candidates, plan.grid, {options.threads, options.constant_work}),
      plan, noise, order);
}

/// @cond
// Compiled once, in the library, for its own sources of noise.
extern template TopKRelease top_k(const Candidates&, const TopKOptions&, SecureNoise&);
extern template TopKRelease top_k(const Candidates&, const TopKOptions&, ExactNoise&);
/// @endcond

}  // namespace freegap

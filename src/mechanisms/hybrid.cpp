#include "freegap/hybrid.hpp"

#include "freegap/errors.hpp"
#include "mechanisms/options.hpp"
#include "noise/passing.hpp"

namespace freegap {
namespace {

/// The most winners of items nobody listed: a public number.
constexpr std::uint64_t most_unknown = std::uint64_t{1} << 32U;

/// Items nobody listed need a δ, declared candidates need none.
void check_delta(const Candidates& candidates, const HybridOptions& options) {
  if (candidates.unknown_items() && !options.delta) {
    throw InvalidParameter("delta",
                           "items that nobody listed are selected with a probability δ of failure; "
                           "state it, for example \"1e-9\"_delta");
  }
  if (!candidates.unknown_items() && options.delta) {
    throw InvalidParameter("delta",
                           "it is for items that nobody listed (Candidates::unknown); listed "
                           "candidates need none");
  }
}

/// The safe threshold, in ticks: an item that one unit alone holds counts 1, and the items of one
/// unit together pass with probability δ e^-ε at most (docs/proofs/unknown_items.md).
std::int64_t safe_ticks(const HybridPlan& plan, const HybridOptions& options,
                        std::uint64_t max_items) {
  const detail::PassingNoise noise{options.noise, Rate(plan.grid.tick() / plan.blank.noise.scale),
                                   plan.threshold_rate};
  const std::int64_t offset =
      plan.blank.estimates ? plan.blank.estimates->branch.offset_ticks : std::int64_t{0};
  return plan.grid.floor_ticks(1) - offset +
         detail::safe_distance_ticks(noise, max_items, options.delta->value(),
                                     options.epsilon.value());
}

HybridPlan plan_identity_first(const Candidates& candidates, const HybridOptions& options,
                               const std::optional<Rational>& tick) {
  const Queries& queries = candidates.queries();
  const Rational price =
      options.epsilon.value() / (Rational(queries.noise_factor()) * Rational(options.k));
  const Grid grid = Grid::for_scale(queries.sensitivity, queries.sensitivity / price, tick);
  const NoiseDistribution distribution{options.noise, grid.sensitivity() / price, grid.tick()};
  HybridRelease blank;
  blank.noise = distribution;
  blank.threshold_noise = distribution;
  const Rational rate = distribution.tick / distribution.scale;
  return {Prefer::identity, grid, blank, detail::TickNoise(options.noise, rate), Rate(rate)};
}

HybridPlan plan_estimates_first(const Candidates& candidates, const HybridOptions& options,
                                const std::optional<Rational>& tick) {
  const Queries& queries = candidates.queries();
  const detail::ThresholdBudget budget = detail::divide_budget(queries, options.epsilon, options.k,
                                                               options.noise, options.theta, tick);
  const Grid& grid = budget.grid;
  const Rational threshold_scale = grid.sensitivity() / budget.threshold_epsilon;
  const Branch branch = detail::make_branch(queries, grid, options.noise, budget.answer_epsilon,
                                            threshold_scale, Rational(0));
  HybridRelease blank;
  blank.noise = {options.noise, branch.scale, grid.tick()};
  blank.threshold_noise = {options.noise, threshold_scale, grid.tick()};
  blank.estimates = {budget.theta, budget.threshold_epsilon, branch};
  return {Prefer::estimates, grid, blank,
          detail::TickNoise(options.noise, grid.tick() / branch.scale),
          Rate(grid.tick() / threshold_scale)};
}

}  // namespace

HybridPlan plan_hybrid(const Candidates& candidates, const HybridOptions& options) {
  detail::check(detail::Work{options.threads, options.constant_work}, candidates);
  check_delta(candidates, options);
  if (!candidates.unknown_items()) {
    detail::check_k(options.k, candidates.size());
  } else if (options.k == 0 || options.k > most_unknown) {
    throw InvalidParameter("k", "it must be from 1 to 2^32");
  }
  if (options.prefer == Prefer::identity && options.theta) {
    throw InvalidParameter("theta", "only the estimates-first hybrid divides its budget");
  }
  const std::optional<Rational> tick =
      detail::tick_for(options.noise, options.tick, candidates.whole());
  HybridPlan plan = options.prefer == Prefer::identity
                        ? plan_identity_first(candidates, options, tick)
                        : plan_estimates_first(candidates, options, tick);
  plan.blank.queries = candidates.queries();
  plan.blank.k = options.k;
  plan.blank.threshold = detail::threshold_on(plan.grid, options.threshold);
  plan.blank.cost = {options.epsilon.value(), 0};
  if (options.delta) {
    plan.blank.cost.delta = options.delta->value();
    const std::int64_t safe = safe_ticks(plan, options, *candidates.queries().max_items);
    if (safe > plan.blank.threshold.used_ticks) {
      plan.blank.threshold.used_ticks = safe;
      plan.blank.threshold.used = Rational(safe) * plan.grid.tick();
    }
  }
  return plan;
}

Rational identity_first_cost(const HybridPlan& plan, std::size_t t, bool threshold_reached) {
  // In units of Δ / scale = ε / (c k): c for each item, but for the threshold, which general
  // queries cannot push further than the runner-up moves, 1.
  const int c = plan.blank.queries.noise_factor();
  const Rational units =
      Rational(c) * Rational(threshold_reached ? t - 1 : t) + Rational(threshold_reached ? 1 : 0);
  return units * plan.blank.cost.reserved / (Rational(c) * Rational(plan.blank.k));
}

template HybridRelease top_k_above(const Candidates&, const HybridOptions&, SecureNoise&);
template HybridRelease top_k_above(const Candidates&, const HybridOptions&, ExactNoise&);

}  // namespace freegap

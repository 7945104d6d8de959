#include "freegap/hybrid.hpp"

#include "freegap/errors.hpp"
#include "mechanisms/options.hpp"

namespace freegap {
namespace {

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
  detail::check_k(options.k, candidates.size());
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

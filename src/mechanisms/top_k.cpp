#include "freegap/top_k.hpp"

#include "mechanisms/options.hpp"

namespace freegap {

TopKPlan plan_top_k(const Candidates& candidates, const TopKOptions& options) {
  const Queries& queries = candidates.queries();
  detail::check_listed(candidates);
  detail::check_k(options.k, candidates.size());
  detail::check(detail::Work{options.threads, options.constant_work}, candidates);
  const Rational& epsilon = options.epsilon.value();
  const Rational factor = Rational(queries.noise_factor()) * Rational(options.k);  // c k
  const Grid grid =
      Grid::for_scale(queries.sensitivity, factor * queries.sensitivity / epsilon,
                      detail::tick_for(options.noise, options.tick, candidates.whole()));
  const Rational scale = factor * grid.sensitivity() / epsilon;
  const bool all_win = options.k == candidates.size();
  const Rational spent =
      all_win ? epsilon * Rational(options.k - 1) / Rational(options.k) : epsilon;
  return {queries,
          candidates.size(),
          options.k,
          options.gaps,
          grid,
          {options.noise, scale, grid.tick()},
          detail::TickNoise(options.noise, grid.tick() / scale),
          {epsilon, spent},
          candidates.whole() && grid.keeps_whole_numbers()};
}

template TopKRelease top_k(const Candidates&, const TopKOptions&, SecureNoise&);
template TopKRelease top_k(const Candidates&, const TopKOptions&, ExactNoise&);

}  // namespace freegap

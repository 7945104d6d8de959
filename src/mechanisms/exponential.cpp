#include "freegap/exponential.hpp"

#include "freegap/detail/mechanisms/candidates_on_grid.hpp"
#include "mechanisms/options.hpp"

namespace freegap {
namespace {

/// How fine utilities and gaps are: in parts of the sensitivity, and in parts of a scaled unit.
constexpr int fineness = 1024;

}  // namespace

ExponentialPlan plan_exponential(const Candidates& candidates, const ExponentialOptions& options) {
  detail::check_listed(candidates);
  detail::check_constant_work(options.constant_work, candidates, detail::most_written_out);
  const Queries& queries = candidates.queries();
  const Grid grid(queries.sensitivity / Rational(fineness), queries.sensitivity);
  const Rational gap_tick =
      Grid::for_scale(1, 1, options.tick ? options.tick : Rational(1, fineness)).tick();
  const Rational& epsilon = options.epsilon.value();
  ExponentialRelease blank;
  blank.queries = queries;
  blank.cost = {epsilon, epsilon};
  blank.tick = grid.tick();
  blank.rate = epsilon / (Rational(queries.noise_factor()) * grid.sensitivity());
  blank.gap_tick = gap_tick;
  blank.exact_answers = candidates.whole() && grid.keeps_whole_numbers();
  return {grid, blank, Rate(blank.rate * grid.tick()), Rate(gap_tick),
          options.gap && candidates.size() > 1};
}

std::vector<WeightedValue> utilities(const Candidates& candidates, const Grid& grid) {
  std::vector<WeightedValue> values;
  for (const detail::ValueCount& value : detail::CandidateAccess(candidates).value_counts(grid)) {
    values.push_back({value.ticks, value.size});
  }
  return values;
}

}  // namespace freegap

#include "mechanisms/options.hpp"

#include <algorithm>
#include <string>

#include "freegap/allocation.hpp"
#include "freegap/errors.hpp"
#include "freegap/rate.hpp"

namespace freegap::detail {

void check_listed(const Candidates& candidates) {
  if (candidates.unknown_items()) {
    throw InvalidParameter("candidates",
                           "nobody listed these items, so pure ε cannot select from them; use "
                           "top_k_above with a delta");
  }
}

void check_k(std::uint64_t k, std::uint64_t candidates) {
  if (k == 0 || k > candidates) {
    throw InvalidParameter(
        "k", "it must be from 1 to the number of candidates, " + std::to_string(candidates));
  }
}

void check_theta(const Rational& theta) {
  if (theta.sign() <= 0 || theta >= Rational(1)) {
    throw InvalidParameter("theta", "it must be above 0 and below 1");
  }
}

std::optional<Rational> tick_for(Distribution distribution, const std::optional<Rational>& chosen,
                                 bool whole_answers) {
  if (distribution != Distribution::geometric) {
    return chosen;
  }
  if (!whole_answers) {
    throw InvalidParameter(
        "noise", "geometric noise needs whole answers; use exponential noise for real ones");
  }
  return chosen ? chosen : Rational(1);
}

Threshold threshold_on(const Grid& grid, const Rational& asked) {
  const std::int64_t ticks = grid.ceil_ticks(asked);
  if (asked > Rational(ticks) * grid.tick()) {
    throw InvalidParameter("threshold", "it is beyond 2^62 ticks of " + grid.tick().str() +
                                            "; give a lower one, or a wider tick");
  }
  return {asked, Rational(ticks) * grid.tick(), ticks};
}

Rational query_scale(const Queries& queries, const Grid& grid, const Rational& epsilon) {
  return Rational(queries.noise_factor()) * grid.sensitivity() / epsilon;
}

ThresholdBudget divide_budget(const Queries& queries, const Epsilon& epsilon, std::uint64_t k,
                              Distribution distribution, const std::optional<Rational>& theta,
                              const std::optional<Rational>& tick) {
  const Rational& whole = epsilon.value();
  Rational share;
  if (theta) {
    check_theta(*theta);
    share = *theta;
  } else {
    const std::int64_t sensitivity_ticks =
        tick ? Grid::for_scale(queries.sensitivity, 1, tick).sensitivity_ticks() : 1;
    share =
        best_threshold_share({distribution, queries.noise_factor(), k, whole, sensitivity_ticks});
  }
  const Rational threshold = share * whole;
  const Rational answer = (Rational(1) - share) * whole / Rational(k);
  // The tick must be fine for the narrowest noise: that of the threshold or of a fully priced
  // answer.
  const Rational narrowest =
      std::min(queries.sensitivity / threshold,
               Rational(queries.noise_factor()) * queries.sensitivity / answer);
  return {share, threshold, answer, Grid::for_scale(queries.sensitivity, narrowest, tick)};
}

Branch make_branch(const Queries& queries, const Grid& grid, Distribution distribution,
                   const Rational& epsilon, const Rational& threshold_scale,
                   const Rational& cut_deviations) {
  const Rational scale = query_scale(queries, grid, epsilon);
  const Rate rate(grid.tick() / scale);
  Branch branch{epsilon, scale, 0, 0};
  if (!two_sided(distribution)) {
    branch.offset_ticks = rate.mean_ticks() - Rate(grid.tick() / threshold_scale).mean_ticks();
  }
  branch.cut_ticks = rate.deviation_ticks(cut_deviations, two_sided(distribution));
  return branch;
}

}  // namespace freegap::detail

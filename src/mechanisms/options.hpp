#pragma once

/// @file
/// Checks that several mechanisms share. All of them run before any random bit is drawn.

#include <cstdint>
#include <optional>

#include "freegap/candidates.hpp"
#include "freegap/distribution.hpp"
#include "freegap/grid.hpp"
#include "freegap/queries.hpp"
#include "freegap/release.hpp"

namespace freegap::detail {

/// Throws InvalidParameter for items nobody listed: that one of them can win reveals that it
/// occurs.
void check_listed(const Candidates& candidates);

/// Throws InvalidParameter unless 1 <= k <= candidates.
void check_k(std::uint64_t k, std::uint64_t candidates);

/// Throws InvalidParameter unless 0 < theta < 1.
void check_theta(const Rational& theta);

/// The tick to ask for: the user's, or 1 for geometric noise, or none for a fine one. Throws
/// InvalidParameter for geometric noise on answers that are not whole numbers.
std::optional<Rational> tick_for(Distribution distribution, const std::optional<Rational>& chosen,
                                 bool whole_answers);

/// A public threshold on the grid, rounded up.
Threshold threshold_on(const Grid& grid, const Rational& asked);

/// How the budget of a sparse vector or of the estimates-first hybrid is divided, with the grid
/// that fits all noise.
struct ThresholdBudget {
  Rational theta;              ///< share of the threshold
  Rational threshold_epsilon;  ///< θ ε
  Rational answer_epsilon;     ///< (1-θ) ε / k, the full price of an answer
  Grid grid;                   ///< ticks
};

/// Divides a budget. `theta` may be chosen by the user.
ThresholdBudget divide_budget(const Queries& queries, const Epsilon& epsilon, std::uint64_t k,
                              Distribution distribution, const std::optional<Rational>& theta,
                              const std::optional<Rational>& tick);

/// Scale of the noise of a query whose answer is priced at `epsilon`: c Δ / ε.
Rational query_scale(const Queries& queries, const Grid& grid, const Rational& epsilon);

/// A branch of a sparse vector as announced: `cut_ticks` beyond a gap that is centred on zero.
Branch make_branch(const Queries& queries, const Grid& grid, Distribution distribution,
                   const Rational& epsilon, const Rational& threshold_scale,
                   const Rational& cut_deviations);

}  // namespace freegap::detail

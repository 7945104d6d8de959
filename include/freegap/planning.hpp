#pragma once

/// @file
/// Planning: from public parameters only, how accurate a release will be, what the gaps will save,
/// how best to divide a budget, and which budget, or how many winners, give a required error. It
/// uses no data, and costs nothing.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "freegap/distribution.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"
#include "freegap/release/sparse_vector.hpp"

namespace freegap {

/// The public parameters of a top-k selection followed by measurements of the winners.
struct TopKQuestion {
  Queries queries;                                 ///< what will be asked
  std::uint64_t k = 1;                             ///< winners
  Rational epsilon = 1;                            ///< whole budget
  Distribution noise = Distribution::exponential;  ///< of the selection
  Rational measuring_share{1, 2};                  ///< of the budget, above 0 and below 1
};

/// The public parameters of a sparse vector followed by measurements of the k answers above the
/// threshold.
struct SparseVectorQuestion {
  Queries queries;                                 ///< what will be asked
  std::uint64_t k = 1;                             ///< answers above the threshold
  Rational epsilon = 1;                            ///< whole budget
  Distribution noise = Distribution::exponential;  ///< of the sparse vector
  Rational measuring_share{1, 2};                  ///< of the budget, above 0 and below 1
  std::optional<Rational> theta =
      std::nullopt;  ///< threshold's share of the sparse vector's budget; by default the best
  std::size_t branches = 1;               ///< 1: plain; more: adaptive
  Rational sigma = 2;                     ///< cut-off of reduced branches, in standard deviations
  StopRule stop_rule = StopRule::afford;  ///< when an adaptive one stops
};

/// Standard errors to expect, in the unit of the answers. How much the gaps help depends on the
/// data, so there are two cases: if the winners stand apart, that is, all of them are clearly above
/// the level that they had to reach (`combined_error`, within about 1 %), and whatever the data
/// (`direct_error`). Data in between give errors in between (docs/estimates.md).
struct Forecast {
  double gap_error = 0;  ///< of one gap: to the next winner, or over the threshold (at full price)
  /// Whatever the data: of a measurement alone. Infinite where nothing is measured.
  double direct_error = 0;
  /// If the winners stand apart: of the estimate by likelihood, from gaps and measurements.
  double combined_error = 0;
  double reduction = 0;        ///< share of the mean squared error that the gaps save then
  double linear_error = 0;     ///< the same of the best linear combination of gaps and measurements
  double per_query_error = 0;  ///< sparse vector: of the paper's combination, answer by answer
};

/// What a top-k selection with measurements will give.
Forecast forecast(const TopKQuestion& question);
/// What a sparse vector with measurements will give, all answers at full price.
Forecast forecast(const SparseVectorQuestion& question);

/// The budget for which the combined standard error is `target`, all else as in the question.
double epsilon_for(const TopKQuestion& question, double target);
/// The budget for which the combined standard error is `target`, all else as in the question.
double epsilon_for(const SparseVectorQuestion& question, double target);

/// The largest number of winners that `winners_for` looks for.
inline constexpr std::uint64_t most_planned_winners = 1'000'000;

/// How many winners a budget allows: `most_planned_winners` means that many or more.
struct WinnersFor {
  std::uint64_t separated = 0;          ///< if the winners stand apart
  std::uint64_t whatever_the_data = 0;  ///< by measuring alone; 0 where nothing is measured
};

/// The largest k, up to 10^6, for which the standard error is at most `target`, all else as in the
/// question; 0 if one winner is too many.
WinnersFor winners_for(const TopKQuestion& question, double target);
/// The largest k, up to 10^6, for which the standard error is at most `target`, all else as in the
/// question; 0 if one answer is too many.
WinnersFor winners_for(const SparseVectorQuestion& question, double target);

/// The measuring share that minimises the combined error of the winners, in thousandths, if at
/// least `least_selecting` of the budget selects. Without that minimum the answer for a small k
/// would be to spend almost nothing on selection: the estimates of what is selected are then best,
/// but it is hardly the top k. `selecting_share_for` finds a minimum.
Rational best_measuring_share(const TopKQuestion& question,
                              const Rational& least_selecting = Rational(1, 10));
/// The measuring share that minimises the combined error of the answers, in thousandths; 0 where
/// gaps alone are best.
Rational best_measuring_share(const SparseVectorQuestion& question,
                              const Rational& least_selecting = Rational(1, 10));

/// The share of the budget that selection needs so that, with the given confidence, no candidate
/// that is `separation` or more below the k-th is selected, whatever the data. Above 1 where the
/// whole budget is not enough.
double selecting_share_for(const TopKQuestion& question, std::uint64_t candidates,
                           double separation, double confidence);

/// How many answers above the threshold a sparse vector gives on average before its budget ends, if
/// all its queries lie `distance` above the threshold (or below, if negative). Its own budget is (1
/// - measuring_share) of the question's. Within 1 % for up to ten branches, and hardly more for
/// others; of many answers only the last are computed one by one.
double expected_answers(const SparseVectorQuestion& question, double distance);

}  // namespace freegap

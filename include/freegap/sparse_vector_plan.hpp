#pragma once

/// @file
/// What a sparse vector is asked for, and the plan that follows from it: everything public, settled
/// before any noise is drawn.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/mechanisms/tick_noise.hpp"
#include "freegap/distribution.hpp"
#include "freegap/grid.hpp"
#include "freegap/queries.hpp"
#include "freegap/rate.hpp"
#include "freegap/rational.hpp"
#include "freegap/release/sparse_vector.hpp"

namespace freegap {

/// In which order a list of queries is asked.
enum class Asking : std::uint8_t {
  shuffled,  ///< at random: the order of a list is often secret itself
  as_given   ///< as listed: the caller declares that order public
};

/// Options of a sparse vector.
struct SparseVectorOptions {
  std::uint64_t k = 1;  ///< answers above the threshold that the budget is made for, 1 <= k <= 2^40
  Epsilon epsilon;      ///< budget
  Rational threshold;   ///< public; rounded up to a tick
  Distribution noise = Distribution::exponential;  ///< distribution of all noise
  /// 1: plain. More: adaptive; branch number b of m is tried in turn and costs 1 / (m + 1 - b) of
  /// the full price of an answer. At most 16.
  std::size_t branches = 1;
  /// Share of the budget for the threshold, 0 < θ < 1; by default the best for gaps at full price.
  std::optional<Rational> theta = std::nullopt;
  /// How many standard deviations of its noise a reduced branch must be passed by, at least 0.
  Rational sigma = 2;
  StopRule stop_rule = StopRule::afford;  ///< when the budget is used up
  std::optional<std::uint64_t> stop_after =
      std::nullopt;  ///< also stop after so many answers above
  bool gaps = true;  ///< false for the classic mechanism
  std::optional<Rational> tick =
      std::nullopt;                  ///< a power of two; by default fine, or 1 for geometric
  Asking asking = Asking::shuffled;  ///< for a list of queries
  /// Mitigates timing side channels: every query draws noise for every branch. For a service that
  /// answers strangers.
  bool constant_work = false;
};

/// Everything public about a sparse vector, settled before any noise is drawn.
struct SparseVectorPlan {
  /// A branch as drawn and as charged.
  struct Step {
    detail::TickNoise noise;  ///< added to the query
    std::int64_t pass_at;     ///< smallest raw difference that passes: offset + cut
    std::int64_t offset;      ///< raw difference minus this is the gap
    std::uint64_t weight;     ///< price in units
  };

  Queries queries;             ///< what is asked
  Grid grid;                   ///< ticks
  SparseVectorRelease blank;   ///< a release without answers: all public parameters
  Rate threshold_rate;         ///< of the noise added to the threshold
  std::vector<Step> steps;     ///< the branches in the order they are tried
  std::uint64_t budget;        ///< units for answers; all accounting is in these integers
  Rational unit;               ///< ε of one unit
  bool gaps;                   ///< whether they are released
  bool constant_work = false;  ///< whether every query draws noise for every branch
};

/// Checks the options and computes the plan. Throws InvalidParameter.
SparseVectorPlan plan_sparse_vector(const Queries& queries, const SparseVectorOptions& options,
                                    bool whole_answers);
/// Refuses candidates that are not a plain list of queries.
void check_queries(const Candidates& candidates);
/// Refuses candidates of which the answers above cannot be listed alone: groups, a universe that is
/// to be asked in another order than a random one, and one that is too large for constant work.
void check_queries_above(const Candidates& candidates, const SparseVectorOptions& options);

}  // namespace freegap

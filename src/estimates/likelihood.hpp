#pragma once

/// @file
/// Estimates by likelihood: the posterior of the winners' answers given their leads over a common
/// level, that they were selected, and their measurements. Derivation, and what is promised of the
/// intervals: docs/proofs/likelihood.md.

#include <cstdint>
#include <optional>
#include <vector>

#include "estimates/level_posterior.hpp"
#include "freegap/distribution.hpp"
#include "freegap/estimate.hpp"
#include "freegap/release/measure.hpp"

namespace freegap::detail {

/// A test of a sparse vector that a query failed before it passed another.
struct FailedTest {
  NoiseDistribution noise;
  std::int64_t cut_ticks = 0;  ///< it passes at this raw difference to the level, or above
};

/// How a winner was selected: its noisy value reaches the level plus a cut.
struct Selected {
  NoiseDistribution noise;
  std::int64_t cut_ticks = 0;
  std::int64_t lead_ticks = 0;     ///< of its noisy value over the level plus the cut
  std::vector<FailedTest> failed;  ///< before that
  /// Whether it was asked only because few queries before it had passed, so that the threshold's
  /// noise was probably larger than its distribution tells.
  bool late = false;
};

/// The level that all winners of a release had to reach.
struct Level {
  /// A noisy threshold: its value and the distribution of its noise. Without noise: the noisy value
  /// of a runner-up, of which nothing is known.
  Rational threshold;
  std::optional<NoiseDistribution> noise;
};

/// What a release tells of its winners' answers, apart from measurements.
struct Evidence {
  std::vector<Selected> winners;  ///< one per winner that has a lead, from the first
  Level level;
  /// Whether a winner is one because it reached the level. False where all candidates win, and
  /// where the gaps are used as if their queries had been picked beforehand.
  bool selected = true;
  /// Largest number of candidates from which they were selected, as a natural logarithm.
  double log_candidates = 0;
};

/// The posterior of one winner.
struct LikelihoodEstimate {
  double value = 0;
  double deviation = 0;
  Interval interval;
  Interval simultaneous;
  double luck = 0;  ///< probability that the winner was selected by luck: its lead tells nothing
};

/// Posteriors of the winners, from measurements of them. A winner without a lead gets none.
std::vector<LikelihoodEstimate> likelihood_estimates(const Evidence& evidence,
                                                     const MeasureRelease& direct,
                                                     double confidence);

/// Posteriors of winners over a noisy threshold, without measurements.
std::vector<LikelihoodEstimate> likelihood_estimates(const Evidence& evidence, double confidence);

}  // namespace freegap::detail

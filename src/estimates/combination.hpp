#pragma once

/// @file
/// One way to combine gaps with measurements, for all mechanisms: every gap is a winner's answer
/// plus noise of its own minus something all gaps of a run share (the noisy threshold, or the
/// runner-up's value).

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "estimates/error_distribution.hpp"
#include "freegap/confidence.hpp"
#include "freegap/distribution.hpp"
#include "freegap/estimate.hpp"
#include "freegap/release/measure.hpp"

namespace freegap::detail {

/// What a gap tells about a winner.
struct GapEvidence {
  double value = 0;         ///< answer + own noise - shared part, own noise centred on zero
  std::size_t noise = 0;    ///< which of Gaps::noise its own noise is
  double lead = 0;          ///< lead over what was not selected, in scales of its own noise
  double apart = HUGE_VAL;  ///< distance to the nearest winner by rank, in the same scales; far
                            ///< where there are no ranks
};

/// The gaps of one release.
struct Gaps {
  std::vector<NoiseDistribution> noise;        ///< distributions of the winners' own noise
  std::optional<NoiseDistribution> threshold;  ///< distribution of the shared part, centred on
                                               ///< zero; unknown altogether if absent
  std::vector<GapEvidence> evidence;           ///< one a winner

  /// Takes the winners for ranked, best first, and notes how far apart they are.
  void note_ranks();
};

/// How far an error may lie from zero with a given confidence, either way.
struct Reach {
  double below;  ///< towards minus infinity
  double above;  ///< towards plus infinity
};

/// An error's deviation and reach, for one winner and for all at once.
struct ErrorBars {
  double deviation;    ///< standard deviation
  Reach marginal;      ///< for one winner
  Reach simultaneous;  ///< for all winners at once
};

/// Error bars worked out so far.
class ErrorBarCache {
 public:
  /// For a distribution, one of so many winners, and a confidence.
  const ErrorBars& bars(const ErrorDistribution& distribution, std::size_t winners,
                        double confidence);

 private:
  std::map<std::vector<double>, ErrorBars> known_;
};

/// Best linear unbiased estimates from gaps and measurements, gaps being used as far as they are
/// trusted.
std::vector<Estimate> combine(const Gaps& gaps, const MeasureRelease& direct,
                              const EstimateOptions& options, ErrorBarCache& cache);

/// Estimates from gaps over a threshold alone; the distribution of the shared part must be known.
/// The lower ends of the intervals are claims that hold after selection, for one winner and for all
/// at once.
std::vector<Estimate> gaps_alone(const Gaps& gaps, const std::vector<Claim>& lower,
                                 const std::vector<Claim>& lower_of_all,
                                 const EstimateOptions& options, ErrorBarCache& cache);

/// Throws InvalidParameter unless 0 < confidence < 1.
void check_confidence(double confidence);

}  // namespace freegap::detail

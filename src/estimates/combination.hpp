#pragma once

/// @file
/// Combines gaps with measurements, in one way for all mechanisms. Every gap is a winner's answer
/// plus noise of its own, minus a part that all gaps of a run share: the noisy threshold, or the
/// noisy value of the runner-up. Formulas: docs/estimates.md.

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

/// One winner's gap, as evidence about its answer.
struct GapEvidence {
  double value = 0;         ///< answer + own noise - shared part, own noise centred on zero
  std::size_t noise = 0;    ///< index in Gaps::noise of its own noise
  double lead = 0;          ///< lead over what was not selected, in scales of its own noise
  double apart = HUGE_VAL;  ///< distance to the next winner by rank, in the same scales; infinite
                            ///< if winners are not ranked
};

/// The gaps of one release.
struct Gaps {
  std::vector<NoiseDistribution> noise;        ///< distributions of the winners' own noise
  std::optional<NoiseDistribution> threshold;  ///< distribution of the shared part, centred on
                                               ///< zero; absent if nothing is known of it
  std::vector<GapEvidence> evidence;           ///< one per winner

  /// Sets `apart` for winners that are ranked, best first.
  void note_ranks();
};

/// Margins of error: an error is between -below and above with a given confidence.
struct Margins {
  double below;  ///< towards minus infinity
  double above;  ///< towards plus infinity
};

/// Standard deviation and margins of an error, for one winner and for all at once.
struct ErrorBars {
  double deviation;      ///< standard deviation
  Margins marginal;      ///< for one winner
  Margins simultaneous;  ///< for all winners at once
};

/// Keeps error bars that were computed before: runs of one kind ask for the same ones.
class ErrorBarCache {
 public:
  /// Error bars of an estimate whose error has this distribution, with so many winners in all.
  const ErrorBars& bars(const ErrorDistribution& distribution, std::size_t winners,
                        double confidence);

 private:
  std::map<std::vector<double>, ErrorBars> known_;
};

/// Best linear unbiased estimates from gaps and measurements. `options.trust` decides which gaps
/// are used.
std::vector<Estimate> combine(const Gaps& gaps, const MeasureRelease& direct,
                              const EstimateOptions& options, ErrorBarCache& cache);

/// Estimates from gaps over a threshold, without measurements. The distribution of the shared part
/// must be known. The lower ends of the intervals are claims that hold after selection: `lower` for
/// one winner, `lower_of_all` for all at once.
std::vector<Estimate> gaps_alone(const Gaps& gaps, const std::vector<Claim>& lower,
                                 const std::vector<Claim>& lower_of_all,
                                 const EstimateOptions& options, ErrorBarCache& cache);

/// Throws InvalidParameter unless 0 < confidence < 1.
void check_confidence(double confidence);

}  // namespace freegap::detail

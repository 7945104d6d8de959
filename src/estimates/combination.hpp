#pragma once

/// @file
/// The paper's linear combination of gaps with measurements, and error bars of linear estimates.
/// Every gap is a winner's answer plus noise of its own, minus a part that all gaps of a run share:
/// the noisy threshold, or the noisy value of the runner-up.

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "estimates/error_distribution.hpp"
#include "freegap/distribution.hpp"
#include "freegap/estimate.hpp"
#include "freegap/item.hpp"
#include "freegap/release/measure.hpp"

namespace freegap::detail {

/// One winner's gap.
struct Gap {
  double value = 0;       ///< answer + own noise - shared part, own noise centred on zero
  std::size_t noise = 0;  ///< index in Gaps::noise of its own noise
};

/// The gaps of one release.
struct Gaps {
  std::vector<NoiseDistribution> noise;        ///< distributions of the winners' own noise
  std::optional<NoiseDistribution> threshold;  ///< distribution of the shared part, centred on
                                               ///< zero; absent if nothing is known of it
  std::vector<Gap> winners;                    ///< one per winner
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

/// The paper's estimates. Leads over a runner-up: the best linear unbiased estimates. Gaps over a
/// threshold: each winner by itself, weighted by inverse variances.
std::vector<Estimate> linear_estimates(const Gaps& gaps, const MeasureRelease& direct,
                                       double confidence, ErrorBarCache& cache);

/// Estimates from gaps over a threshold, without measurements: threshold + gap.
std::vector<Estimate> linear_estimates(const Gaps& gaps, const std::vector<Item>& items,
                                       double confidence, ErrorBarCache& cache);

/// Measurements by themselves.
std::vector<Estimate> measured_estimates(const MeasureRelease& direct, double confidence,
                                         ErrorBarCache& cache);

/// Throws InvalidParameter unless 0 < confidence < 1.
void check_confidence(double confidence);

}  // namespace freegap::detail

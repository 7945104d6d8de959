#pragma once

/// @file
/// Squared errors of the library's estimates, for many runs of one kind. The formulas are those of
/// freegap::Estimator with Method::linear, without error bars and with constants computed once,
/// which is much faster. Formulas: docs/estimates.md. tests/experiments/squared_errors_test.cpp
/// compares them with freegap::Estimator to the last digits.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "freegap/distribution.hpp"
#include "freegap/estimate.hpp"
#include "freegap/release/measure.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/release/top_k.hpp"

namespace freegap::experiments {

/// Mean squared errors of a run, over its winners.
struct SquaredErrors {
  double direct = 0;  ///< of measurements alone
  double linear = 0;  ///< of the paper's linear combination of gaps and measurements
};

/// How many of the runs of a point are estimated by likelihood, which takes longer than all else: a
/// twentieth, but at least 40 or all.
constexpr std::uint64_t likelihood_runs(std::uint64_t runs) {
  return std::max(runs / 20, std::min<std::uint64_t>(runs, 40));
}

/// Mean squared error of estimates. Items are positions in `counts`.
double squared_error(const std::vector<Estimate>& estimates, std::span<const std::int64_t> counts);

/// A noise distribution in doubles.
struct ShownNoise {
  ShownNoise() = default;
  /// From a distribution as released.
  explicit ShownNoise(const NoiseDistribution& noise);
  double tick = 1;
  double mean = 0;
  double variance = 0;
};

/// Errors of top-k with measurements.
class TopKErrors {
 public:
  /// For releases and measurements like these.
  TopKErrors(const TopKRelease& release, const MeasureRelease& direct)
      : noise_(release.noise), direct_(direct.noise) {}
  /// One run. Items are positions in `counts`.
  [[nodiscard]] SquaredErrors of(const TopKRelease& release, const MeasureRelease& direct,
                                 std::span<const std::int64_t> counts) const;

 private:
  ShownNoise noise_;
  ShownNoise direct_;
};

/// Errors of sparse vector with measurements. Each answer is combined by itself.
class SparseVectorErrors {
 public:
  /// For releases like this one, whatever their thresholds and answers.
  explicit SparseVectorErrors(const SparseVectorRelease& release);
  /// One run with at least one answer above, measured in the same order. Items are positions in
  /// `counts`.
  [[nodiscard]] SquaredErrors of(const SparseVectorRelease& release, const MeasureRelease& direct,
                                 std::span<const std::int64_t> counts) const;
  /// The same without measurements: each answer is estimated by its gap.
  [[nodiscard]] SquaredErrors of_gaps(const SparseVectorRelease& release,
                                      std::span<const std::int64_t> counts) const;
  /// The estimate of an answer from its gap alone: threshold + gap.
  [[nodiscard]] double from_gap(const SparseVectorRelease& release,
                                const SparseVectorAnswer& answer) const;

 private:
  ShownNoise threshold_;
  std::vector<ShownNoise> branches_;
};

}  // namespace freegap::experiments

#pragma once

/// @file
/// Estimates of the winners' answers from measurements and free gaps, with error bars. This is
/// post-processing of releases: it never sees candidates and costs no budget. docs/estimates.md
/// explains what a gap is worth and when not to trust it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "freegap/item.hpp"
#include "freegap/release/hybrid.hpp"
#include "freegap/release/measure.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/release/top_k.hpp"

namespace freegap {

/// Which gaps are used. Selection biases a gap upwards where candidates crowd together or where
/// false positives pass a threshold. A large lead over the candidates that were not selected shows
/// that the gap has no such bias.
enum class Trust : std::uint8_t {
  certified,  ///< only gaps whose lead certifies them; otherwise the measurement alone is used
  all         ///< every gap, as in the paper: best on well-separated data, biased in a crowd
};

/// How the gaps of a sparse vector, which share the noise of the threshold, are combined.
enum class Combination : std::uint8_t {
  joint,     ///< all answers of a run together, which also estimates the shared noise
  per_query  ///< each answer by itself, by inverse variances, as in the paper
};

/// Options of estimates.
struct EstimateOptions {
  double confidence = 0.95;                      ///< of the intervals, above 0 and below 1
  Trust trust = Trust::certified;                ///< which gaps are used
  Combination combination = Combination::joint;  ///< for sparse vector and the hybrids
};

/// An interval, both ends included.
struct Interval {
  double low = 0;   ///< low end
  double high = 0;  ///< high end
};

/// An estimate of one winner's answer.
struct Estimate {
  Item item;                  ///< which candidate
  double value = 0;           ///< the estimate
  double standard_error = 0;  ///< of the estimate
  /// With measurements: contains the answer with the requested confidence. From gaps alone: of all
  /// selected winners, the share with a wrong interval is at most 1 - confidence. No interval is
  /// given where the gap is too small for a claim; of the intervals that are given, a larger share
  /// may be wrong (docs/proofs/confidence.md).
  std::optional<Interval> interval;
  /// The intervals of all winners contain their answers at once with the requested confidence.
  std::optional<Interval> simultaneous;
  bool used_gap = false;  ///< whether a gap went into it
};

/// Makes estimates, and caches the error bars, which depend on public parameters only. For many
/// releases of the same kind, one estimator is much faster than the functions below.
class Estimator {
 public:
  /// Throws InvalidParameter unless 0 < confidence < 1.
  explicit Estimator(const EstimateOptions& options = {});
  ~Estimator();
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;
  /// Takes over the cache of the other.
  Estimator(Estimator&& other) noexcept;
  /// Takes over the cache of the other.
  Estimator& operator=(Estimator&& other) noexcept;

  /// Top-k: the best linear unbiased estimate from measurements of the winners, in the same order,
  /// and the gaps between them. Throws InvalidParameter where the two releases do not belong
  /// together.
  std::vector<Estimate> operator()(const TopKRelease& release, const MeasureRelease& direct);
  /// Sparse vector: the answers above the threshold, from measurements of them, in the same order,
  /// and their gaps.
  std::vector<Estimate> operator()(const SparseVectorRelease& release,
                                   const MeasureRelease& direct);
  /// Sparse vector: the answers above the threshold, from the gaps alone.
  std::vector<Estimate> operator()(const SparseVectorRelease& release);
  /// Hybrids: the winners, from measurements of them, in the same order, and their gaps.
  std::vector<Estimate> operator()(const HybridRelease& release, const MeasureRelease& direct);
  /// Hybrids: the winners from their gaps over the threshold alone; empty where gaps are to the
  /// runner-up.
  std::vector<Estimate> operator()(const HybridRelease& release);
  /// Measurements by themselves, with intervals.
  std::vector<Estimate> operator()(const MeasureRelease& direct);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The estimates that Estimator makes from a release alone.
template <class Release>
std::vector<Estimate> estimate(const Release& release, const EstimateOptions& options = {}) {
  return Estimator(options)(release);
}
/// The estimates that Estimator makes from a release and measurements of its winners.
template <class Release>
std::vector<Estimate> estimate(const Release& release, const MeasureRelease& direct,
                               const EstimateOptions& options = {}) {
  return Estimator(options)(release, direct);
}

}  // namespace freegap

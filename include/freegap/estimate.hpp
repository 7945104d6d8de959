#pragma once

/// @file
/// From gaps to answers: estimates of the winners from direct measurements and free gaps, with
/// honest error bars. Pure post-processing of releases; it never sees candidates and costs no
/// budget. docs/estimates.md explains what a gap buys and when not to trust it.

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

/// How far gaps are trusted. Being selected biases a gap upwards where candidates crowd together or
/// false positives pass a threshold; a large lead over what was not selected shows that the gap is
/// free of that.
enum class Trust : std::uint8_t {
  certified,  ///< only gaps whose lead certifies them; all others leave the measurement as it is
  all         ///< every gap, as in the paper: best on well-separated data, biased in a crowd
};

/// How the gaps of a sparse vector, which share the noise of the threshold, are combined.
enum class Combination : std::uint8_t {
  joint,     ///< all answers of a run together: estimates the shared noise, too
  per_query  ///< each answer by itself, by inverse variances, as in the paper
};

/// How estimates are made.
struct EstimateOptions {
  double confidence = 0.95;                      ///< of the intervals, above 0 and below 1
  Trust trust = Trust::certified;                ///< how far gaps are trusted
  Combination combination = Combination::joint;  ///< for sparse vector and the hybrids
};

/// Low and high end, both included.
struct Interval {
  double low = 0;   ///< low end
  double high = 0;  ///< high end
};

/// An estimate of one winner's answer.
struct Estimate {
  Item item;                  ///< which candidate
  double value = 0;           ///< the estimate
  double standard_error = 0;  ///< of the estimate
  /// With measurements: holds the answer with the asked-for confidence. From gaps alone: of all
  /// selected winners, the share with a wrong interval is at most 1 - confidence, and none is given
  /// where the gap shows nothing; of the intervals that are given, more may be wrong
  /// (docs/proofs/confidence.md).
  std::optional<Interval> interval;
  /// Holds all winners' answers at once with the asked-for confidence.
  std::optional<Interval> simultaneous;
  bool used_gap = false;  ///< whether a gap went into it
};

/// Makes estimates, and remembers the error bars it has worked out, which depend on public
/// parameters alone: for many releases of the same kind, one estimator is much faster than the
/// functions below.
class Estimator {
 public:
  /// Throws InvalidParameter unless 0 < confidence < 1.
  explicit Estimator(const EstimateOptions& options = {});
  ~Estimator();
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;
  /// Takes over what the other has worked out.
  Estimator(Estimator&& other) noexcept;
  /// Takes over what the other has worked out.
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

/// One estimate of any kind that Estimator makes: a release, with or without measurements of its
/// winners.
template <class Release>
std::vector<Estimate> estimate(const Release& release, const EstimateOptions& options = {}) {
  return Estimator(options)(release);
}
/// One estimate of any kind that Estimator makes, from a release and measurements of its winners.
template <class Release>
std::vector<Estimate> estimate(const Release& release, const MeasureRelease& direct,
                               const EstimateOptions& options = {}) {
  return Estimator(options)(release, direct);
}

}  // namespace freegap

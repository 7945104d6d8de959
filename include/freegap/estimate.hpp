#pragma once

/// @file
/// Estimates of the winners' answers from measurements and free gaps, with error bars. This is
/// post-processing of releases: it never sees candidates and costs no budget. docs/estimates.md
/// explains what a gap is worth, docs/proofs/likelihood.md where the estimates come from.

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

/// How estimates are made.
enum class Method : std::uint8_t {
  likelihood,  ///< from the exact likelihood of gaps and measurements, given the selection
  linear,      ///< the paper's linear combination: biased where candidates crowd together
  measured     ///< from measurements alone
};

/// "likelihood", "linear" or "measured": its name in options and in JSON.
const char* name(Method method);

/// Options of estimates.
struct EstimateOptions {
  double confidence = 0.95;            ///< of the intervals, above 0 and below 1
  Method method = Method::likelihood;  ///< how estimates are made
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
  /// Contains the answer with the requested confidence on average over the winners, and, but for up
  /// to half a per cent, for each candidate given that it was selected. It does not do so for each
  /// rank: the first of many equals is the one with the largest noise (docs/estimates.md). From
  /// gaps alone: of all selected winners, the share with a wrong interval is at most 1 -
  /// confidence, and no interval is given where the gap is too small for a claim
  /// (docs/proofs/confidence.md).
  std::optional<Interval> interval;
  /// The intervals of all winners contain their answers at once with the requested confidence, and
  /// so does that of any rank.
  std::optional<Interval> simultaneous;
  /// Whether the gap counts: not where the winner was probably selected by luck, nor where a gap
  /// tells nothing, as that of a single winner.
  bool used_gap = false;
};

/// Makes estimates. It caches error bars that depend on public parameters only.
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

  /// Top-k: the winners, from measurements of them, in the same order, and the gaps between them.
  /// Throws InvalidParameter where the two releases do not belong together.
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

#pragma once

/// @file
/// Runs of the library's own mechanisms, many of them on the same data. Plans are settled once, so
/// a run costs little more than its noise. Noise comes from a seed: this data is public.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "experiments/dataset.hpp"
#include "freegap/candidates.hpp"
#include "freegap/measure.hpp"
#include "freegap/noise.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/top_k.hpp"

namespace freegap::experiments {

/// Counts under add/remove neighbours, or the same numbers taken for arbitrary queries.
inline Queries queries_of(Kind kind) { return {kind, Neighbours::add_remove, 1}; }

/// Candidates over counts that the caller keeps.
Candidates candidates_of(std::span<const std::int64_t> counts, Kind kind);

/// Ranks that a threshold is drawn from, both ends included.
struct Ranks {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
};

/// The paper's: the top 2k to the top 8k.
inline Ranks paper_ranks(std::uint64_t k) { return {2 * k, 8 * k}; }

/// A threshold halfway between the count of a rank and the next, so that as many as the rank says
/// are above it, and those that tie with the last of them.
struct DrawnThreshold {
  Rational value;
  std::uint64_t above = 0;  ///< how many counts are
};
DrawnThreshold threshold_below(std::span<const std::int64_t> counts, std::uint64_t rank);

/// Sparse vectors over all counts, in an order and with a threshold that are drawn afresh for each
/// run.
class SparseVectorRuns {
 public:
  /// `counts` must outlive this object. The threshold in `options` is left aside.
  SparseVectorRuns(std::span<const std::int64_t> counts, Kind kind, SparseVectorOptions options,
                   Ranks ranks);

  /// One run, good until the next. Items are positions in `counts`.
  const SparseVectorRelease& run(InsecureSeededNoise& noise);
  /// How many counts were above the latest run's threshold: those at positions below this.
  [[nodiscard]] std::uint64_t above() const { return above_; }

  /// Asks in the order given from now on, instead of a fresh one for each run.
  void fix_order(std::vector<std::uint32_t> order);

 private:
  struct Settled {
    SparseVectorPlan plan;
    std::uint64_t above;
  };
  std::vector<Settled> settled_;     // by rank
  std::vector<std::int64_t> ticks_;  // the counts
  std::vector<std::uint32_t> order_;
  bool fixed_order_ = false;
  std::uint64_t above_ = 0;
  std::optional<SparseVector<InsecureSeededNoise>> vector_;
};

/// The queries that passed.
std::vector<Item> passed(const SparseVectorRelease& release);

/// Top-k selections over all counts.
class TopKRuns {
 public:
  /// `candidates` must outlive this object.
  TopKRuns(const Candidates& candidates, const TopKOptions& options)
      : candidates_(&candidates), plan_(plan_top_k(candidates, options)) {}

  /// One run.
  TopKRelease run(InsecureSeededNoise& noise) {
    RandomOrder order(noise);
    return select_top_k(CandidatesOnGrid(*candidates_, plan_.grid), plan_, noise, order);
  }

 private:
  const Candidates* candidates_;
  TopKPlan plan_;
};

/// Measures winners, with plans kept by how many there are and what may be spent.
class Meter {
 public:
  /// `candidates` must outlive this object.
  explicit Meter(const Candidates& candidates) : candidates_(&candidates) {}

  /// Noisy values of the items, good until the next call; at least one item.
  const MeasureRelease& measure(std::span<const Item> items, const Rational& epsilon,
                                InsecureSeededNoise& noise);

 private:
  struct Prepared {
    MeasurePlan plan;
    MeasureRelease release;
  };
  const Candidates* candidates_;
  std::map<std::pair<std::size_t, Rational>, Prepared> prepared_;
};

}  // namespace freegap::experiments

#pragma once

/// @file
/// Runs of the library's own mechanisms, many of them on the same data. Plans are settled once, so
/// a run costs little more than its noise. Noise comes from a seed: this data is public.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "experiments/dataset.hpp"
#include "freegap/candidates.hpp"
#include "freegap/detail/core/block_maxima.hpp"
#include "freegap/groups.hpp"
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
/// run. The list is scanned once for its block maxima, and plans are made once, so that a run costs
/// little more than its noise.
class RepeatedSparseVector {
 public:
  /// The threshold in `options` is not used. `counts`, falling, must outlive this object.
  RepeatedSparseVector(std::span<const std::int64_t> counts, Kind kind,
                       const SparseVectorOptions& options, Ranks ranks);
  RepeatedSparseVector(const RepeatedSparseVector&) = delete;
  RepeatedSparseVector& operator=(const RepeatedSparseVector&) = delete;
  ~RepeatedSparseVector() = default;

  /// One run: the answers above. Items are positions in `counts`.
  SparseVectorRelease run(InsecureSeededNoise& noise);
  /// Number of counts above the latest run's threshold: those at positions below this.
  [[nodiscard]] std::uint64_t above() const { return above_; }

  /// Asks in the order of these numbers from now on, one per count, instead of a fresh random order
  /// for each run.
  void fix_order(std::vector<std::uint32_t> place) { place_ = std::move(place); }

 private:
  struct PlanOfRank {
    SparseVectorPlan plan;
    std::uint64_t above;
  };

  std::vector<PlanOfRank> plans_;
  Candidates candidates_;
  std::optional<detail::BlockMaxima> maxima_;  // on the grid of the plans
  std::vector<std::uint32_t> place_;
  std::uint64_t above_ = 0;
};

/// The queries that passed.
std::vector<Item> passed(const SparseVectorRelease& release);

/// Top-k selections over all counts.
class RepeatedTopK {
 public:
  /// `candidates` must outlive this object.
  RepeatedTopK(const Candidates& candidates, const TopKOptions& options)
      : candidates_(candidates), plan_(plan_top_k(candidates_, options)) {}
  /// Groups equal counts, since a run over groups is much faster; winners are places among
  /// `counts`.
  RepeatedTopK(std::span<const std::int64_t> counts, Kind kind, const TopKOptions& options)
      : groups_(std::make_unique<const Groups>(counts)),
        candidates_(groups_->candidates(queries_of(kind))),
        plan_(plan_top_k(candidates_, options)) {}

  /// One run.
  TopKRelease run(InsecureSeededNoise& noise) {
    detail::RandomOrder order(noise);
    TopKRelease release =
        select_top_k(detail::CandidatesOnGrid(candidates_, plan_.grid), plan_, noise, order);
    if (groups_ != nullptr) {
      for (Item& winner : release.winners) {
        winner = {static_cast<std::int64_t>(groups_->place(winner)), 0};
      }
    }
    return release;
  }

 private:
  std::unique_ptr<const Groups> groups_;
  Candidates candidates_;
  TopKPlan plan_;
};

}  // namespace freegap::experiments

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

/// Noise for a sparse vector of which part has been settled ahead: the threshold's, and that of
/// queries far below, for which it is known which branches they pass. All other noise is drawn as
/// it is asked for.
class SettledNoise {
 public:
  /// Draws from `noise`, which must outlive this object.
  explicit SettledNoise(InsecureSeededNoise& noise) : noise_(&noise) {}

  /// Settles one more draw, to come after those settled before.
  void settle(std::int64_t noise) { settled_.push_back(noise); }
  /// Forgets what was settled and not asked for.
  void forget() {
    settled_.clear();
    taken_ = 0;
  }

  /// As in NoiseSource.
  std::int64_t geometric(const Rate& rate) {
    return taken_ == settled_.size() ? noise_->geometric(rate) : settled_[taken_++];
  }
  /// As in NoiseSource.
  std::int64_t laplace(const Rate& rate) {
    return taken_ == settled_.size() ? noise_->laplace(rate) : settled_[taken_++];
  }
  /// As in NoiseSource.
  std::uint64_t below(std::uint64_t n) { return noise_->below(n); }
  /// As in NoiseSource.
  std::uint64_t key() { return noise_->key(); }

 private:
  InsecureSeededNoise* noise_;
  std::vector<std::int64_t> settled_;
  std::size_t taken_ = 0;
};

/// Sparse vectors over all counts, in an order and with a threshold that are drawn afresh for each
/// run.
///
/// A query far below the threshold passes once in a million times, and one that does not pass
/// leaves no trace but in the order of those that do. So the queries below the bar of every branch
/// are not asked one by one: jumps with the distribution of runs of failures find those that reach
/// a bar, branch by branch, and only they are put, in random order among all above the bar, to the
/// library's own sparse vector, with the noise that let them pass. The distribution of all that
/// passes, with order, branches, gaps and costs, is that of asking every query
/// (docs/decisions/0013-experiments.md; tests/experiments/simulation_test.cpp).
class SparseVectorRuns {
 public:
  /// The threshold in `options` is left aside.
  SparseVectorRuns(std::span<const std::int64_t> counts, Kind kind,
                   const SparseVectorOptions& options, Ranks ranks);

  /// One run, good until the next: the answers of those that passed, and of some that did not.
  /// Items are positions in `counts`.
  const SparseVectorRelease& run(InsecureSeededNoise& noise);
  /// How many counts were above the latest run's threshold: those at positions below this.
  [[nodiscard]] std::uint64_t above() const { return above_; }

  /// Asks in the order of these numbers from now on, one for each count, instead of a fresh random
  /// order for each run.
  void fix_order(std::vector<std::uint32_t> place) { place_ = std::move(place); }

 private:
  struct Settled {
    SparseVectorPlan plan;
    std::uint64_t above;
  };
  /// A query to ask; noise for each branch if it is from far below.
  struct Ask {
    std::uint32_t query;
    std::uint32_t far;  // number in far_noise_ plus 1, or 0
  };

  void find_near(std::int64_t lowest_bar);
  void find_far(std::size_t branch, std::int64_t bar, InsecureSeededNoise& noise);
  void note_far(std::size_t query, std::size_t branch, std::int64_t noise);

  std::vector<Settled> settled_;     // by rank
  std::vector<std::int64_t> ticks_;  // the counts, falling
  std::vector<std::uint32_t> place_;
  std::uint64_t above_ = 0;
  std::vector<Ask> asks_;                // of the latest run
  std::size_t near_ = 0;                 // how many of them are near
  std::vector<std::int64_t> far_noise_;  // by far query and branch
  std::optional<SettledNoise> source_;
  std::optional<SparseVector<SettledNoise>> vector_;
};

/// The queries that passed.
std::vector<Item> passed(const SparseVectorRelease& release);

/// Top-k selections over all counts.
class TopKRuns {
 public:
  /// `candidates` must outlive this object.
  TopKRuns(const Candidates& candidates, const TopKOptions& options)
      : candidates_(candidates), plan_(plan_top_k(candidates_, options)) {}
  /// Groups equal counts, since a run over groups is much faster; winners are places among
  /// `counts`.
  TopKRuns(std::span<const std::int64_t> counts, Kind kind, const TopKOptions& options)
      : groups_(std::make_unique<const Groups>(counts)),
        candidates_(groups_->candidates(queries_of(kind))),
        plan_(plan_top_k(candidates_, options)) {}

  /// One run.
  TopKRelease run(InsecureSeededNoise& noise) {
    RandomOrder order(noise);
    TopKRelease release =
        select_top_k(CandidatesOnGrid(candidates_, plan_.grid), plan_, noise, order);
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

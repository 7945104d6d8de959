#pragma once

/// @file
/// A sparse vector over a universe of ids, most of which are not in the data and count 0. They are
/// asked in random order together with those that are, and only the answers above are listed. The
/// work grows with the ids that are in the data and the answers above, not with the universe.
///
/// Ids that are not in the data are exchangeable, so they are asked by place: which id stands at a
/// place is drawn only where it passes. The output distribution is exactly that of asking all ids
/// one after another (docs/proofs/sparse_vector.md, "A universe";
/// tests/mechanisms/above_universe_test.cpp). Secret.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/core/block_maxima.hpp"
#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/detail/core/wiped.hpp"
#include "freegap/detail/mechanisms/above_scan.hpp"
#include "freegap/detail/mechanisms/shuffle.hpp"
#include "freegap/detail/mechanisms/sparse_vector_state.hpp"
#include "freegap/noise.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/sparse_vector_plan.hpp"

namespace freegap::detail {

/// Hands out different numbers below n, each uniform among those that are left. Takes memory for
/// those handed out alone.
template <NoiseSource Source>
class RandomRanks {
 public:
  /// Draws from `noise`, which must outlive this object.
  RandomRanks(std::uint64_t n, Source& noise) : n_(n), noise_(&noise) {}
  /// The next number; at most n calls.
  std::uint64_t next() {
    const std::uint64_t other = next_ + noise_->below(n_ - next_);
    const std::uint64_t result = at(other);
    moved_[other] = at(next_);
    ++next_;
    return result;
  }

 private:
  [[nodiscard]] std::uint64_t at(std::uint64_t place) const {
    const auto found = moved_.find(place);
    return found == moved_.end() ? place : found->second;
  }

  std::uint64_t n_;
  std::uint64_t next_ = 0;
  Source* noise_;
  std::unordered_map<std::uint64_t, std::uint64_t> moved_;  // where another number stands now
};

/// A uniformly random set of m different numbers below n, rising.
template <NoiseSource Source>
std::vector<std::uint64_t> random_places(std::size_t m, std::uint64_t n, Source& noise) {
  std::unordered_set<std::uint64_t> chosen;
  for (std::uint64_t last = n - m; last < n; ++last) {
    const std::uint64_t place = noise.below(last + 1);
    chosen.insert(chosen.contains(place) ? last : place);
  }
  std::vector<std::uint64_t> places(chosen.begin(), chosen.end());
  std::sort(places.begin(), places.end());
  return places;
}

/// The ids that count 0, by the places at which they are asked: which of them pass a branch, one
/// after another.
template <SkippingSource Source>
class ZeroPasses {
 public:
  /// `noise` must outlive this object. `threshold` is the noisy one.
  ZeroPasses(std::uint64_t count, const SparseVectorPlan& plan, std::int64_t threshold,
             const SkipSizes& sizes, Source& noise)
      : count_(count) {
    for (const SparseVectorPlan::Step& step : plan.steps) {
      branches_.push_back({Position{threshold} + step.pass_at, {step.noise, sizes, noise}});
    }
    found_.resize(branches_.size());
  }

  /// The first id, from those not yet taken up to place `end`, that passes one of the first
  /// `branches` branches: its place, the first branch it passes, and its noisy answer.
  struct Pass {
    std::uint64_t place;       ///< of the id
    std::size_t branch;        ///< the first that it passes
    Wiped<Position> position;  ///< its noisy answer
  };
  /// Takes it, with all before it; nothing if there is none, and then takes all up to `end`.
  std::optional<Pass> next(std::uint64_t end, std::size_t branches) {
    std::optional<Pass> first;
    for (std::size_t b = 0; b < branches; ++b) {
      const Found& found = look(b);
      if (found.place < std::min(end, first ? first->place : end)) {
        first = Pass{found.place, b, found.position};
      }
    }
    taken_ = first ? first->place + 1 : std::max(taken_, end);
    return first;
  }

 private:
  /// Where a branch is next passed, `count_` if nowhere.
  struct Found {
    std::uint64_t place = 0;
    Wiped<Position> position = {};  // the noisy answer
    bool known = false;
  };
  /// Decides ids for branch b up to the next that passes it. What was found before `taken_` is
  /// past: trials of different branches are independent. Not inlined, for GCC 12 gives false alarms
  /// about freed memory otherwise.
  [[gnu::noinline]] const Found& look(std::size_t b) {
    Found& found = found_[b];
    while (!found.known || found.place < taken_) {
      const std::uint64_t from = found.known ? found.place + 1 : 0;
      found = from < count_ ? find(b, from) : Found{count_, {}, true};
    }
    return found;
  }
  [[gnu::noinline]] Found find(std::size_t b, std::uint64_t from) {
    NoisyBranch<Source>& branch = branches_[b];
    const Position distance = branch.threshold - branch.sampler.distribution().at(0);
    for (std::uint64_t place = from; place < count_; ++place) {
      if (distance < 0) {  // above the threshold: noise of its own
        const Position position = branch.sampler.draw(0);
        if (position >= branch.threshold) {
          return {place, position, true};
        }
        continue;
      }
      const std::uint64_t rest = count_ - place;
      const std::uint64_t failed = branch.sampler.failures_at(distance, rest);
      if (failed == rest) {
        break;
      }
      place += failed;
      if (const auto position =
              branch.sampler.land(0, distance, branch.sampler.further(), branch.threshold)) {
        return {place, *position, true};
      }
    }
    return {count_, {}, true};
  }

  std::uint64_t count_;
  std::uint64_t taken_ = 0;  // ids before this place have been taken
  std::vector<NoisyBranch<Source>> branches_;
  std::vector<Found> found_;
};

/// Asks all ids of a universe in random order, until they or the budget end. Lists the answers
/// above alone, and does not say how many were asked.
template <SkippingSource Source>
SparseVectorRelease scan_universe(const Candidates& candidates, SparseVectorPlan plan,
                                  const AboveSizes& sizes, Source& noise, ScanCounters& counters) {
  const CandidateAccess access(candidates);
  const Answers list = access.listed();
  SparseVectorAccount account(std::move(plan));
  const Grid& grid = account.plan().grid;
  AboveScan<Source> above(candidates, account.plan(), sizes.skips, noise, counters);
  std::vector<PassingQuery> listed;
  for (std::size_t first = 0; first < list.size(); first += sizes.piece) {
    const std::size_t last = first + std::min(sizes.piece, list.size() - first);
    BlockMaxima maxima(part(list, first, last), grid, sizes.blocks, 1);
    const std::vector<PassingQuery> passing = above.scan(maxima, first);
    listed.insert(listed.end(), passing.begin(), passing.end());
  }

  // A random order of all ids, restricted to those that pass and those that count 0: places for the
  // former among the latter, and an order of the former.
  const std::uint64_t zeros = access.unlisted();
  const std::vector<std::uint64_t> places =
      random_places(listed.size(), zeros + listed.size(), noise);
  Shuffle<Source> order(listed.size(), noise);
  RandomRanks<Source> ranks(zeros, noise);
  ZeroPasses<Source> passes(zeros, account.plan(), above.threshold(), sizes.skips, noise);
  for (std::size_t i = 0; i <= listed.size() && account.branches() > 0; ++i) {
    const std::uint64_t end = i < listed.size() ? places[i] - i : zeros;
    while (account.branches() > 0) {
      const auto pass = passes.next(end, account.branches());
      if (!pass) {
        break;
      }
      account.pass(
          access.unlisted_item(ranks.next()), pass->branch,
          difference_ticks(static_cast<std::int64_t>(Position{pass->position}), above.threshold()));
    }
    if (i < listed.size() && account.branches() > 0) {
      const PassingQuery& query = listed[order.next()];
      if (query.branch < account.branches()) {
        account.pass({static_cast<std::int64_t>(query.place), 0}, query.branch, query.raw);
      }
    }
  }
  return account.release(std::nullopt);
}

}  // namespace freegap::detail

#pragma once

/// @file
/// A sparse vector over a whole list, at little more than the time it takes to read it.
///
/// The noise of all queries and branches is independent of the order in which queries are asked and
/// of the budget. So a scan finds first, for each query, the first branch that it would pass if all
/// branches were tried. Then the queries are asked in their order: a query passes if its branch is
/// among those that can still be paid for. The output distribution is exactly that of asking one
/// query after another (docs/proofs/sparse_vector.md, "Scanning a list";
/// tests/mechanisms/sparse_vector_distribution_test.cpp). Secret.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/core/block_maxima.hpp"
#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/detail/core/wiped.hpp"
#include "freegap/detail/mechanisms/shuffle.hpp"
#include "freegap/detail/mechanisms/skip_scan.hpp"
#include "freegap/detail/mechanisms/sparse_vector_state.hpp"
#include "freegap/noise.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/sparse_vector_plan.hpp"

namespace freegap::detail {

/// How a list is scanned. Changes the running time, not the distribution.
struct AboveSizes {
  BlockSizes blocks;        ///< blocks and tiles
  std::size_t first_piece;  ///< answers scanned at first; each piece is eight times the one before
  std::size_t piece;        ///< answers scanned at once, at most
  SkipSizes skips;          ///< trials drawn ahead

  /// Good sizes for `n` queries.
  static constexpr AboveSizes for_list(std::size_t n) {
    return {{128, 64}, std::size_t{1} << 14U, std::size_t{1} << 20U, SkipSizes::for_count(n)};
  }
};

/// A query that passes a branch. Secret.
struct PassingQuery {
  std::size_t place;        ///< in the list
  std::size_t branch;       ///< the first that it passes
  Wiped<std::int64_t> raw;  ///< difference to the noisy threshold
};

/// Collects the queries that pass one branch. The cutoff is the threshold of the branch.
struct PassedBranch {
  Wiped<Position> threshold;                            ///< of the branch
  std::vector<std::pair<Item, Wiped<Position>>> found;  ///< queries that pass, with noisy answers

  /// As in ScanSink.
  [[nodiscard]] static bool has_cutoff() { return true; }
  /// As in ScanSink.
  [[nodiscard]] Position cutoff() const { return threshold; }
  /// As in ScanSink.
  [[nodiscard]] static bool impossible(Position /*position*/) { return false; }
  /// As in ScanSink.
  [[nodiscard]] static bool decided(const Item& /*item*/) { return false; }
  /// As in ScanSink.
  void offer(const Item& item, Position position) { found.emplace_back(item, position); }
};

/// Finds the queries of a list that pass. The threshold's noise is drawn once, in the constructor.
template <SkippingSource Source>
class AboveScan {
 public:
  /// Everything passed by reference must outlive this object.
  AboveScan(const Candidates& candidates, const SparseVectorPlan& plan, const SkipSizes& sizes,
            Source& noise, ScanCounters& counters)
      : threshold_(draw_threshold(plan, noise)) {
    passed_.reserve(plan.steps.size());  // scans keep pointers into it
    scans_.reserve(plan.steps.size());
    for (const SparseVectorPlan::Step& step : plan.steps) {
      passed_.push_back({Position{std::int64_t{threshold_}} + step.pass_at, {}});
      scans_.emplace_back(candidates, step.noise, sizes, noise, passed_.back(), counters);
    }
  }

  /// The noisy threshold, in ticks.
  [[nodiscard]] std::int64_t threshold() const { return threshold_; }

  /// The queries that pass in the part of the list that begins at place `start`, in the order of
  /// the list, each with the first branch that it passes.
  std::vector<PassingQuery> scan(BlockMaxima& maxima, std::size_t start) {
    std::vector<PassingQuery> result;
    for (std::size_t b = 0; b < scans_.size(); ++b) {
      scans_[b].scan(maxima, start);
      for (const auto& [item, position] : passed_[b].found) {
        result.push_back(
            {static_cast<std::size_t>(item.id), b,
             difference_ticks(static_cast<std::int64_t>(Position{position}), threshold_)});
      }
      passed_[b].found.clear();
    }
    std::sort(result.begin(), result.end(), [](const PassingQuery& x, const PassingQuery& y) {
      return x.place != y.place ? x.place < y.place : x.branch < y.branch;
    });
    const auto same = [](const PassingQuery& x, const PassingQuery& y) {
      return x.place == y.place;
    };
    result.erase(std::unique(result.begin(), result.end(), same), result.end());
    return result;
  }

 private:
  Wiped<std::int64_t> threshold_;
  std::vector<PassedBranch> passed_;
  std::vector<SkipScan<Source, PassedBranch>> scans_;
};

/// Which answers a release lists.
enum class Listing : std::uint8_t {
  all_answers,  ///< all queries asked, above or below, in the order asked
  above_only    ///< queries above alone; in random order without how many were asked
};

/// Asks the queries in order of their places, given those that pass, and counts those asked.
class AskedInOrder {
 public:
  /// `account` must outlive this object.
  explicit AskedInOrder(SparseVectorAccount& account) : account_(&account) {}
  /// Whether queries are still asked.
  [[nodiscard]] bool open() const { return account_->branches() > 0; }
  /// Asks the queries up to place `end`, of which these pass.
  void ask(std::span<const PassingQuery> passing, std::size_t end) {
    for (const PassingQuery& query : passing) {
      if (open() && query.branch < account_->branches()) {
        account_->pass({static_cast<std::int64_t>(query.place), 0}, query.branch, query.raw);
        asked_ = query.place + 1;
      }
    }
    asked_ = open() ? end : asked_;
  }
  /// Number of queries asked: all up to the one that used up the budget.
  [[nodiscard]] std::size_t asked() const { return asked_; }

 private:
  SparseVectorAccount* account_;
  std::size_t asked_ = 0;
};

/// Adds answers below to a release that lists those above, for queries asked in order of their
/// places.
void list_below(std::size_t asked, SparseVectorRelease& release);

/// Whether a scan of the list pays. In random order it does not where many queries are above the
/// threshold, to judge by some of them: asking one by one then ends sooner. No noise enters, so
/// this changes the running time alone.
bool worth_scanning(const Candidates& candidates, const SparseVectorPlan& plan, Asking asking);

/// Asks `n` queries in random order, given those that pass, by place. Lists all answers.
template <NoiseSource Source>
SparseVectorRelease ask_shuffled(std::span<const PassingQuery> passing, std::size_t n,
                                 SparseVectorAccount& account, Source& noise) {
  std::vector<SparseVectorAnswer> answers;
  Shuffle<Source> shuffle(n, noise);
  while (answers.size() < n && account.branches() > 0) {
    const std::size_t place = shuffle.next();
    const Item item{static_cast<std::int64_t>(place), 0};
    const auto found = std::lower_bound(
        passing.begin(), passing.end(), place,
        [](const PassingQuery& query, std::size_t at) { return query.place < at; });
    const bool passes =
        found != passing.end() && found->place == place && found->branch < account.branches();
    answers.push_back(passes ? account.pass(item, found->branch, found->raw)
                             : SparseVectorAnswer{item, false, 0, std::nullopt});
  }
  SparseVectorRelease release = account.release(answers.size());
  release.answers = std::move(answers);
  return release;
}

/// The same, but lists the answers above alone. Queries that pass no branch leave no trace, and a
/// random order of all queries is a random order of those that pass.
template <NoiseSource Source>
SparseVectorRelease pass_shuffled(std::span<const PassingQuery> passing,
                                  SparseVectorAccount& account, Source& noise) {
  Shuffle<Source> shuffle(passing.size(), noise);
  for (std::size_t i = 0; i < passing.size() && account.branches() > 0; ++i) {
    const PassingQuery& query = passing[shuffle.next()];
    if (query.branch < account.branches()) {
      account.pass({static_cast<std::int64_t>(query.place), 0}, query.branch, query.raw);
    }
  }
  return account.release(std::nullopt);
}

/// Asks a list by a plan, with given sizes.
template <SkippingSource Source>
SparseVectorRelease scan_list(const Candidates& candidates, SparseVectorPlan plan, Asking asking,
                              Listing listing, const AboveSizes& sizes, Source& noise,
                              ScanCounters& counters) {
  const Answers list = CandidateAccess(candidates).listed();
  SparseVectorAccount account(std::move(plan));
  const Grid& grid = account.plan().grid;
  AboveScan<Source> above(candidates, account.plan(), sizes.skips, noise, counters);
  std::vector<PassingQuery> all;  // in random order: of all pieces
  AskedInOrder in_order(account);
  std::size_t length = sizes.first_piece;
  for (std::size_t first = 0; first < list.size() && in_order.open(); first += length) {
    length = first == 0 ? length : std::min(8 * length, sizes.piece);
    const std::size_t last = first + std::min(length, list.size() - first);
    BlockMaxima maxima(part(list, first, last), grid, sizes.blocks, 1);
    const std::vector<PassingQuery> passing = above.scan(maxima, first);
    if (asking == Asking::as_given) {
      in_order.ask(passing, last);
    } else {
      all.insert(all.end(), passing.begin(), passing.end());
    }
  }
  if (asking == Asking::as_given) {
    SparseVectorRelease release = account.release(in_order.asked());
    if (listing == Listing::all_answers) {
      list_below(in_order.asked(), release);
    }
    return release;
  }
  return listing == Listing::all_answers ? ask_shuffled<Source>(all, list.size(), account, noise)
                                         : pass_shuffled<Source>(all, account, noise);
}

}  // namespace freegap::detail

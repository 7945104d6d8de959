#pragma once

/// @file
/// A sparse vector over a whole list, at little more than the time it takes to read it. Only
/// answers above are listed; the distribution of these is exactly that of asking one query after
/// another (docs/proofs/sparse_vector.md; tests/mechanisms/sparse_vector_distribution_test.cpp).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/core/block_maxima.hpp"
#include "freegap/detail/mechanisms/shuffle.hpp"
#include "freegap/detail/mechanisms/skip_sampler.hpp"
#include "freegap/noise.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/sparse_vector.hpp"

namespace freegap {

/// How a list is gone through. It changes the time taken, and no distribution.
struct AboveSizes {
  BlockSizes maxima;  ///< blocks and tiles
  std::size_t chunk;  ///< answers surveyed at once: what the end of the budget may waste
  SkipSizes trials;   ///< what is drawn ahead

  /// Good sizes for `n` queries.
  static constexpr AboveSizes for_list(std::size_t n) {
    return {{128, 64}, std::size_t{1} << 20U, SkipSizes::for_count(n)};
  }
};

/// What a scan did. Secret; for tests that prove which path ran.
struct AboveCounters {
  std::uint64_t tiles = 0;   ///< tiles passed over
  std::uint64_t blocks = 0;  ///< blocks, of other tiles, passed over
  std::uint64_t opened = 0;  ///< blocks whose answers were looked at
  std::uint64_t near = 0;    ///< queries with a trial of their own class, or drawn outright
  std::uint64_t landed = 0;  ///< queries passed over by the trials of others but not by their own
};

/// A query that passes, by which branch and by how much. Secret.
struct PassingQuery {
  std::size_t place;   ///< in the list
  std::size_t branch;  ///< the first that it passes
  std::int64_t raw;    ///< difference to the noisy threshold
};

/// Finds the queries of a list that pass, in the order of the list. `Visit` tells how many branches
/// are tried, as `visit.branches()`, and is told who passes, by `visit.pass(PassingQuery)`; the
/// scan stops where no branch is tried.
template <SkippingSource Source, class Visit>
class AboveScan {
 public:
  /// All must outlive this object.
  AboveScan(Bars<Source>& bars, Visit& visit, AboveCounters& counters)
      : bars_(&bars), visit_(&visit), counters_(&counters) {}

  /// Takes in the answers of a maxima, which begin at place `start` of the list.
  void scan(BlockMaxima& maxima, std::size_t start) {
    maxima_ = &maxima;
    start_ = start;
    if (!open()) {
      return;
    }
    // Good for the whole maxima: when fewer branches are tried, less is near and more is far.
    far_ = maxima.mark(bars_->below_class(bars_->last(), visit_->branches()));
    near_class_ = std::min(rare(maxima.block(0)) + 4, bars_->last());
    near_ = bars_->below_class(near_class_, visit_->branches());
    std::size_t far = 0;  // tiles [far, t) are far below
    for (std::size_t t = 0; t < maxima.tiles() && open(); ++t) {
      if (maxima.tile_below(t, far_)) {
        continue;
      }
      pass({maxima.tile(far).first, maxima.tile(t).first}, bars_->last());
      far = t + 1;
      if (passes(maxima.tile(t), maxima.tile_ticks(t), 0)) {
        ++counters_->tiles;
      } else {
        scan_blocks(maxima.blocks_of(t));
      }
    }
    pass({maxima.tile(far).first, maxima.tile(maxima.tiles()).first}, bars_->last());
  }

 private:
  using Range = BlockMaxima::Range;

  [[nodiscard]] bool open() const { return visit_->branches() > 0; }
  /// The first class of which a range has one success or less, on average.
  [[nodiscard]] static std::size_t rare(const Range& range) {
    return static_cast<std::size_t>(std::bit_width(range.size()));
  }

  /// Blocks of a tile that is not passed over as a whole.
  void scan_blocks(const Range& blocks) {
    std::size_t far = blocks.first;  // blocks [far, b) are far below
    for (std::size_t b = blocks.first; b < blocks.last && open(); ++b) {
      if (maxima_->block_below(b, far_)) {
        continue;
      }
      pass({maxima_->block(far).first, maxima_->block(b).first}, bars_->last());
      far = b + 1;
      if (passes(maxima_->block(b), maxima_->block_ticks(b), 2)) {
        ++counters_->blocks;
      } else {
        open_block(b);
      }
    }
    pass({maxima_->block(far).first, maxima_->block(blocks.last).first}, bars_->last());
  }

  /// Looks at the queries of a block that are near, and passes over those between them.
  void open_block(std::size_t b) {
    ++counters_->opened;
    const Range block = maxima_->block(b);
    std::size_t next = block.first;
    for (const std::uint32_t offset : maxima_->not_below(maxima_->mark(near_), b)) {
      const std::size_t i = block.first + offset;
      const std::int64_t ticks = maxima_->ticks(i);
      if (ticks < near_) {
        continue;
      }
      pass({next, i}, near_class_);
      next = i + 1;
      ++counters_->near;
      try_branches(i, [&](std::size_t branch) { return bars_->raw(branch, ticks); });
    }
    pass({next, block.last}, near_class_);
  }

  /// Passes over a range whose answers are at most `max_ticks`, if successes are rare there: about
  /// 2^-`rarer` of them.
  bool passes(const Range& range, std::int64_t max_ticks, std::size_t rarer) {
    if (!open()) {
      return false;
    }
    const std::optional<std::size_t> c = bars_->class_of(max_ticks, visit_->branches());
    if (!c || *c < std::min(rare(range) + rarer, bars_->last())) {
      return false;
    }
    pass(range, *c);
    return true;
  }

  /// Passes over a range of class c or beyond, but for the queries whose trials succeed.
  void pass(const Range& range, std::size_t c) {
    for (std::size_t i = range.first; i < range.last && open(); ++i) {
      i += bars_->pass(c, visit_->branches(), range.last - i);
      if (i < range.last) {
        ++counters_->landed;
        const std::int64_t ticks = maxima_->ticks(i);
        try_branches(i, [&](std::size_t branch) { return bars_->raw(branch, ticks, c); });
      }
    }
  }

  /// The branches of one query, in turn.
  template <class Raw>
  void try_branches(std::size_t i, const Raw& raw_of) {
    const std::size_t branches = visit_->branches();
    for (std::size_t branch = 0; branch < branches; ++branch) {
      if (const std::optional<std::int64_t> raw = raw_of(branch)) {
        visit_->pass(PassingQuery{start_ + i, branch, *raw});
        return;
      }
    }
  }

  Bars<Source>* bars_;
  Visit* visit_;
  AboveCounters* counters_;
  BlockMaxima* maxima_ = nullptr;
  std::size_t start_ = 0;
  std::int64_t far_ = 0;        // mark: answers below it are of the last class
  std::int64_t near_ = 0;       // ticks: answers below are of this class or beyond
  std::size_t near_class_ = 0;  // passed over in a block that is opened
};

/// Finds the queries of a list that pass, piece by piece as far as they are asked for.
template <SkippingSource Source, class Visit>
void scan_above(const Answers& list, const Grid& grid, const AboveSizes& sizes, Bars<Source>& bars,
                Visit& visit, AboveCounters& counters) {
  AboveScan<Source, Visit> scan(bars, visit, counters);
  for (std::size_t first = 0; first < list.size() && visit.branches() > 0; first += sizes.chunk) {
    const std::size_t last = first + std::min(sizes.chunk, list.size() - first);
    BlockMaxima maxima(list.part(first, last), grid, sizes.maxima, 1);
    scan.scan(maxima, first);
  }
}

/// Takes down who passes in the order of the list, as far as the budget goes.
class AboveInOrder {
 public:
  /// `account` must outlive this object.
  explicit AboveInOrder(SparseVectorAccount& account) : account_(&account) {}
  /// Branches to try next.
  [[nodiscard]] std::size_t branches() const { return account_->branches(); }
  /// Takes down a query.
  void pass(const PassingQuery& query) {
    account_->pass({static_cast<std::int64_t>(query.place), 0}, query.branch, query.raw);
    last_ = query.place;
  }
  /// How many of `n` queries were asked.
  [[nodiscard]] std::uint64_t asked(std::size_t n) const { return branches() > 0 ? n : last_ + 1; }

 private:
  SparseVectorAccount* account_;
  std::size_t last_ = 0;
};

/// Keeps all who pass, whatever the budget.
class AllAbove {
 public:
  /// Of a plan with so many branches.
  explicit AllAbove(std::size_t branches) : branches_(branches) {}
  /// Branches to try: all.
  [[nodiscard]] std::size_t branches() const { return branches_; }
  /// Keeps a query.
  void pass(const PassingQuery& query) { found_.push_back(query); }
  /// Those found.
  [[nodiscard]] std::span<const PassingQuery> found() const { return found_; }

 private:
  std::size_t branches_;
  std::vector<PassingQuery> found_;
};

/// Whether so many queries of a list are above the threshold, to judge by some of them, that asking
/// in random order ends sooner than a scan. No noise is in it, so it changes the time taken alone.
bool crowded_above(const Candidates& candidates, const SparseVectorPlan& plan);

/// Asks the queries of a list by a settled plan, in given sizes, telling what was done.
template <SkippingSource Source>
SparseVectorRelease find_above(const Candidates& candidates, SparseVectorPlan plan, Asking asking,
                               const AboveSizes& sizes, Source& noise, AboveCounters& counters) {
  const Answers list = candidates.listed();
  const Grid grid = plan.grid;
  SparseVectorAccount account(std::move(plan));
  Bars<Source> bars = draw_bars(account.plan(), sizes.trials, noise);
  if (asking == Asking::as_given) {
    AboveInOrder in_order(account);
    scan_above(list, grid, sizes, bars, in_order, counters);
    return account.release(in_order.asked(list.size()));
  }
  // Noise is independent of the order, so who would pass can be found first. The first branch that
  // a query passes is all that matters: those tried are always the first of all.
  AllAbove all(account.branches());
  scan_above(list, grid, sizes, bars, all, counters);
  Shuffle<Source> shuffle(all.found().size(), noise);
  for (std::size_t i = 0; i < all.found().size() && account.branches() > 0; ++i) {
    const PassingQuery& query = all.found()[shuffle.next()];
    if (query.branch < account.branches()) {
      account.pass({static_cast<std::int64_t>(query.place), 0}, query.branch, query.raw);
    }
  }
  return account.release(std::nullopt);
}

/// Asks a dense list of queries, until it ends or the budget does, and lists the answers above
/// alone. Asked in random order, it does not tell how many queries were asked: a scan does not
/// know.
template <SkippingSource Source>
SparseVectorRelease sparse_vector_above(const Candidates& candidates,
                                        const SparseVectorOptions& options, Source& noise) {
  check_queries(candidates);
  SparseVectorPlan plan = plan_sparse_vector(candidates.queries(), options, candidates.whole());
  if (options.asking == Asking::shuffled && crowded_above(candidates, plan)) {
    SparseVectorRelease release = ask_list(candidates, std::move(plan), options.asking, noise,
                                           [](const SparseVectorAnswer& /*answer*/) {});
    release.asked.reset();
    return release;
  }
  AboveCounters counters;
  return find_above(candidates, std::move(plan), options.asking,
                    AboveSizes::for_list(candidates.size()), noise, counters);
}

}  // namespace freegap

#pragma once

/// @file
/// The one seam between candidates and selection: `leaders(m)`, the m candidates with the largest
/// noisy values, in order. How a shape finds them is its own business; its distribution is exactly
/// that of adding noise to every candidate (docs/proofs/noisy_top_m.md;
/// tests/mechanisms/noisy_top_m_distribution_test.cpp enumerates it).
///
/// Everything in this file is secret until a mechanism turns it into a release.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/core/block_maxima.hpp"
#include "freegap/detail/mechanisms/ranking.hpp"
#include "freegap/detail/mechanisms/skip_sampler.hpp"
#include "freegap/grid.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"

namespace freegap {

/// What a scan did. Secret; for tests that prove which path ran.
struct ScanCounters {
  std::uint64_t drawn = 0;    ///< candidates whose noise was drawn outright
  std::uint64_t skipped = 0;  ///< candidates passed over by a jump
  std::uint64_t thinned = 0;  ///< candidates a jump landed on that did not reach the bar
  std::uint64_t reached = 0;  ///< candidates that reached the bar
  std::uint64_t tiles = 0;    ///< tiles passed over without a look inside
  std::uint64_t blocks = 0;   ///< blocks, of other tiles, passed over without a look inside
  std::uint64_t tops = 0;     ///< blocks of which the largest alone was tried, with those of others
  std::uint64_t opened = 0;   ///< blocks whose candidates were looked at one by one
  std::uint64_t levels = 0;   ///< scans that began with a level instead of a first few candidates
  std::uint64_t lowered = 0;  ///< such scans after which too few had reached the level
};

/// Bounds that a scan is given.
struct ScanBounds {
  /// Only positions from here on are looked for.
  std::optional<Position> level = std::nullopt;
  /// Known of all but the candidates in `out`: their positions are below this.
  std::optional<Position> ceiling = std::nullopt;
  /// Candidates to leave out, in the order of `Item`.
  std::vector<Item> out = {};
};

/// Finds the m candidates with the largest noisy values without drawing noise for each: a candidate
/// at distance d below the bar (the m-th value so far) reaches it with probability exp(-rate d), so
/// runs of failures are skipped in one draw; by memorylessness one that reaches it lies above by
/// fresh noise.
template <SkippingSource Source, TieOrder Order>
class TopMScan {
 public:
  /// Looks for `m` leaders among `n`, m >= 1.
  TopMScan(std::size_t m, std::uint64_t n, const TickNoise& distribution, ScanBounds bounds,
           Source& noise, Order& order, ScanCounters& counters)
      : m_(m),
        distribution_(&distribution),
        bounds_(std::move(bounds)),
        noise_(&noise),
        trials_(distribution.rate(), SkipSizes::for_count(n), noise),
        ranking_(order, distribution.subticks()),
        counters_(&counters) {}

  /// Takes in the candidates of a list. `largest` are the places of its largest answers, m of them
  /// or more: unless a level is given their noise is drawn first, so that the bar is high from the
  /// start, whatever the order of the list.
  void scan(const Candidates& candidates, BlockMaxima& maxima,
            std::span<const std::size_t> largest) {
    candidates_ = &candidates;
    maxima_ = &maxima;
    marks_.reset();
    run_ = {};
    if (!bounds_.level) {
      draw_first(largest);
    }
    for (std::size_t t = 0; t < maxima.tiles(); ++t) {
      const std::optional<std::size_t> c = class_of_tile(t);
      if (!c || *c != run_.c) {
        end_run(t, c.value_or(trials_.last()));
      }
      if (c) {
        run_.most = std::max(run_.most, maxima.tile_maximum(t));
        ++counters_->tiles;
      } else {
        scan_tile(t);
        run_.first = t + 1;
      }
    }
    end_run(maxima.tiles(), trials_.last());
  }

  /// Takes in one block of candidates that do not stand in a list.
  void scan(const Candidates::Block& block) {
    for (std::uint64_t i = 0; i < block.size(); ++i) {
      const Position most =
          distribution_->at(block.ticks(i));  // answers fall: the largest of the rest
      if (!has_bar() || bar() < most) {
        draw_outright(most, [&] { return block.item(i); });
        continue;
      }
      const std::uint64_t rest = block.size() - i;
      const Distance down = distance(bar(), most);
      const std::uint64_t jump = noise_->skips(distribution_->rate(), down, rest);
      counters_->skipped += jump;
      if (jump == rest) {
        return;
      }
      i += jump;
      land(
          distribution_->at(block.ticks(i)), down, one_sided(), [&] { return block.item(i); },
          [&] { return noise_->reaches(distribution_->rate(), down); });
    }
  }

  /// Whether m candidates were found.
  [[nodiscard]] bool full() const { return heap_.size() == m_; }
  /// The leaders, best first.
  std::vector<NoisyCandidate> finish() && {
    std::sort(heap_.begin(), heap_.end(), better());
    return std::move(heap_);
  }

 private:
  [[nodiscard]] static Distance distance(Position high, Position low) {
    return static_cast<Distance>(high - low);
  }
  [[nodiscard]] auto better() const {
    return
        [this](const NoisyCandidate& a, const NoisyCandidate& b) { return ranking_.better(a, b); };
  }
  [[nodiscard]] bool has_bar() const { return bounds_.level || full(); }
  [[nodiscard]] Position bar() const { return full() ? heap_.front().position : *bounds_.level; }
  /// One-sided noise, drawn ahead in bulk where the source can.
  std::int64_t one_sided() {
    if constexpr (requires(std::span<std::int64_t> out) {
                    noise_->geometric(distribution_->rate(), out);
                  }) {
      if (ahead_ == 0) {
        noise_->geometric(distribution_->rate(), drawn_ahead_);
        ahead_ = drawn_ahead_.size();
      }
      return drawn_ahead_[--ahead_];
    } else {
      return noise_->geometric(distribution_->rate());
    }
  }
  /// Two-sided noise at or above zero is one-sided noise with probability 1 / (1 + x).
  bool on_upper_side() {
    return !distribution_->two_sided() || noise_->above_zero(distribution_->tick_rate());
  }

  void draw_first(std::span<const std::size_t> largest) {
    std::vector<Item> out = bounds_.out;
    for (const std::size_t i : largest) {
      out.push_back(candidates_->listed_item(i));
      draw_outright(distribution_->at(maxima_->ticks(i)), [&] { return out.back(); });
    }
    std::sort(out.begin(), out.end());
    bounds_.out = std::move(out);
  }

  /// What counts as near the bar: answers above a position. All others are of a class or beyond.
  struct Near {
    std::size_t c;      ///< the class of the others
    Position position;  ///< near answers are above it
    std::int64_t mark;  ///< all near answers are at this mark or above it
  };
  /// Where answers are far below the bar or near it.
  struct Marks {
    Position bar;      ///< that they are for
    std::int64_t far;  ///< all answers below this mark are of the last class
    Near wide;         ///< so that the others of a tile hardly ever have a success
    Near narrow;       ///< so that they have half a success or less, on average
  };
  const Marks& marks() {
    if (!marks_ || marks_->bar != bar()) {
      const std::size_t rare = trials_.rare(maxima_->tile(0).size());
      marks_ = Marks{bar(), near(trials_.last()).mark, near(std::min(rare + 2, trials_.last())),
                     near(rare)};
    }
    return *marks_;
  }
  Near near(std::size_t c) const {
    const Position position = bar() - static_cast<Position>(trials_.reach(c));
    return {c, position, maxima_->mark(distribution_->floor(position) + 1)};
  }
  /// How many candidates can be tried one by one in the time of a jump, about.
  static constexpr std::size_t steps_of_a_jump = 16;
  /// How many successes of a pass are found before they are looked at: memory answers them
  /// together.
  static constexpr std::size_t successes_at_once = 32;
  /// How many blocks of a tile can be tried one by one in the time of a success in vain, about.
  static constexpr std::size_t blocks_of_a_success = 4;

  /// The class of all answers up to this one; nothing while some may be above the bar.
  [[nodiscard]] std::optional<std::size_t> class_below(Position most) const {
    if (!has_bar() || bar() < most) {
      return std::nullopt;
    }
    return trials_.class_of(distance(bar(), most));
  }

  /// The class of a tile that can be passed over as a whole; nothing for others.
  std::optional<std::size_t> class_of_tile(std::size_t t) {
    if (!has_bar()) {
      return std::nullopt;
    }
    if (maxima_->tile_below(t, marks().far)) {
      return trials_.last();
    }
    const std::optional<std::size_t> c = class_below(distribution_->at(maxima_->tile_ticks(t)));
    const bool few =
        c && *c + 1 >= trials_.rare(maxima_->tile(t).size());  // two successes or fewer
    return few ? c : std::nullopt;
  }
  /// Passes over the run of tiles that ends before tile t, and begins a new one there.
  void end_run(std::size_t t, std::size_t c) {
    const BlockMaxima::Range range{maxima_->tile(run_.first).first, maxima_->tile(t).first};
    if (range.size() > 0) {
      pass(range, run_.c, distribution_->at(maxima_->ticks_of(run_.most)),
           [](Position /*value*/) { return true; });
    }
    run_ = {t, c, INT64_MIN};
  }

  /// Passes over a tile but for what is near the bar.
  void scan_tile(std::size_t t) {
    if (!has_bar()) {
      const BlockMaxima::Range range = maxima_->tile(t);
      for (std::size_t i = range.first; i < range.last; ++i) {
        take_in(i, distribution_->at(maxima_->ticks(i)));
      }
      return;
    }
    Near near = marks().wide;
    std::span<const std::uint32_t> blocks = maxima_->blocks_not_below(near.mark, t);
    if (blocks.size() > blocks_of_a_success) {
      const std::size_t wide = blocks.size();
      blocks = maxima_->blocks_not_below(marks().narrow.mark, t);
      if (blocks.size() + blocks_of_a_success < wide) {
        near = marks().narrow;
      } else {
        blocks = maxima_->blocks_not_below(near.mark, t);
      }
    }
    pass(maxima_->tile(t), near.c, near.position,
         [&](Position value) { return value <= near.position; });
    const std::size_t first = maxima_->blocks_of(t).first;
    const Position most = distribution_->at(maxima_->tile_ticks(t));
    const std::optional<std::size_t> top = class_below(most);
    if (top && maxima_->others_below(t, near.mark)) {
      pass_tops(first, blocks, *top, most, near);
      return;
    }
    for (const std::uint32_t offset : blocks) {
      scan_block(first + offset, near);
    }
  }

  /// Passes over the largest answers of some blocks, those that are near: all at a distance of
  /// class c or beyond, and none above `most`.
  void pass_tops(std::size_t first, std::span<const std::uint32_t> blocks, std::size_t c,
                 Position most, const Near& near) {
    counters_->tops += blocks.size();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      i += trials_.failures(c, blocks.size() - i);
      if (i < blocks.size()) {
        land_in_list(most, c, [&]() -> std::optional<Landing> {
          const std::size_t b = first + blocks[i];
          const Position value = distribution_->at(maxima_->block_ticks(b));
          if (value <= near.position) {  // let through by the mark, and passed over with the tile
            return std::nullopt;
          }
          return Landing{maxima_->place_of_largest(b), value};
        });
      }
    }
  }

  /// Takes in the near answers of a block. The one above its others is tried by itself; the others
  /// with the block, if few are likely to succeed.
  void scan_block(std::size_t b, const Near& near) {
    const Position most = distribution_->at(maxima_->block_ticks(b));
    const std::optional<std::size_t> top = class_below(most);
    if (!top) {
      open(b, near);
      return;
    }
    const Position others = std::max(distribution_->at(maxima_->others_ticks(b)), near.position);
    if (others > near.position) {
      const BlockMaxima::Range range = maxima_->block(b);
      const std::size_t c = trials_.class_of(distance(bar(), others));
      if (c < trials_.rare(range.size())) {
        open(b, near);
        return;
      }
      pass(range, c, others,
           [&](Position value) { return value > near.position && value <= others; });
    }
    ++counters_->blocks;
    pass_top(b, *top, most, others);
  }

  /// A candidate of the list whose trial succeeded.
  struct Landing {
    std::size_t place;
    Position value;
  };

  /// Passes over the answer of a block that is above its others, if there is one. Where it is, is
  /// looked up if it matters.
  void pass_top(std::size_t b, std::size_t c, Position most, Position others) {
    if (most > others && trials_.failures(c, 1) == 0) {
      land_in_list(most, c, [&] { return Landing{maxima_->place_of_largest(b), most}; });
    }
  }

  /// Passes over those of a range that are `concerned`: all at a distance of class c or beyond, and
  /// none above `most`.
  template <class Concerned>
  void pass(const BlockMaxima::Range& range, std::size_t c, Position most,
            const Concerned& concerned) {
    std::array<std::size_t, successes_at_once> places;
    for (std::size_t i = range.first; i < range.last;) {
      std::size_t found = 0;
      while (i < range.last && found < places.size()) {
        const std::uint64_t failed = trials_.failures(c, range.last - i);
        counters_->skipped += failed;
        i += failed;
        if (i < range.last) {
          maxima_->fetch(i);
          places[found++] = i++;
        }
      }
      for (const std::size_t place : std::span(places).first(found)) {
        land_in_list(most, c, [&]() -> std::optional<Landing> {
          const Position value = distribution_->at(maxima_->ticks(place));
          return concerned(value) ? std::optional(Landing{place, value}) : std::nullopt;
        });
      }
    }
  }

  /// Takes in the near answers of a block one by one; or, where most are near, from success to
  /// success, which takes fewer steps.
  void open(std::size_t b, const Near& near) {
    ++counters_->opened;
    const BlockMaxima::Range range = maxima_->block(b);
    const std::span<const std::uint32_t> offsets = maxima_->not_below(near.mark, b);
    const Position most = distribution_->at(maxima_->block_ticks(b));
    const std::optional<std::size_t> c = class_below(most);
    if (c && offsets.size() > steps_of_a_jump * (range.size() >> *c)) {
      pass(range, *c, most, [&](Position value) { return value > near.position; });
      return;
    }
    for (const std::uint32_t offset : offsets) {
      const std::size_t i = range.first + offset;
      const Position value = distribution_->at(maxima_->ticks(i));
      if (value > near.position) {
        take_in(i, value);
      }
    }
  }

  /// Takes in one candidate of the list.
  void take_in(std::size_t i, Position value) {
    const std::optional<std::size_t> c = class_below(value);
    if (!c) {
      draw_outright(value, [&] { return candidates_->listed_item(i); });
    } else if (trials_.failures(*c, 1) == 0) {
      land_in_list(value, *c, [&] { return std::optional(Landing{i, value}); });
    } else {
      ++counters_->skipped;
    }
  }

  /// One whose trial of class c succeeded, with a value of at most `most`. Who it is, if it is
  /// anybody, is looked up where it matters.
  template <class Find>
  void land_in_list(Position most, std::size_t c, const Find& find) {
    const std::int64_t further = one_sided();
    const Distance done = trials_.reach(c);
    if (most + static_cast<Position>(done) + further < bar()) {
      ++counters_->thinned;
      return;
    }
    if (const std::optional<Landing> found = find()) {
      land(
          found->value, done, further, [&] { return candidates_->listed_item(found->place); },
          [&] { return trials_.failures(c, 1) == 0; });
    }
  }

  /// A candidate whose trial succeeded: that of reaching up by `done`, part of its way to the bar
  /// or all of it. How much `further` its noise reaches is fresh noise. `again` repeats the trial.
  template <class Named, class Again>
  void land(Position value, Distance done, std::int64_t further, const Named& named,
            const Again& again) {
    for (;;) {
      const Position position = value + static_cast<Position>(done) + further;
      if (position < bar() || !on_upper_side()) {
        ++counters_->thinned;
        return;
      }
      if (below_ceiling(position)) {
        ++counters_->reached;
        offer(named(), position);
        return;
      }
      if (!again()) {
        return;
      }
      further = one_sided();
    }
  }

  template <class Named>
  void draw_outright(Position value, const Named& named) {
    const Item item = named();
    if (is_out(item)) {
      return;
    }
    ++counters_->drawn;
    Position position = 0;
    do {
      position = value + (distribution_->two_sided() ? distribution_->draw(*noise_) : one_sided());
    } while (!below_ceiling(position));
    if (!has_bar() || position >= bar()) {
      offer(item, position);
    }
  }

  /// Noise that would lift a candidate to the ceiling is not its noise: it is drawn again.
  [[nodiscard]] bool below_ceiling(Position position) const {
    return !bounds_.ceiling || position < *bounds_.ceiling;
  }
  [[nodiscard]] bool is_out(const Item& item) const {
    return std::binary_search(bounds_.out.begin(), bounds_.out.end(), item);
  }

  /// Keeps the m best. Once there are m, the worst of them is at the front of the heap.
  void offer(const Item& item, Position position) {
    if (is_out(item)) {
      return;
    }
    NoisyCandidate candidate{item, position, {}};
    if (!full()) {
      heap_.push_back(std::move(candidate));
      if (full()) {
        std::make_heap(heap_.begin(), heap_.end(), better());
      }
    } else if (ranking_.better(candidate, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), better());
      heap_.back() = std::move(candidate);
      std::push_heap(heap_.begin(), heap_.end(), better());
    }
  }

  std::size_t m_;
  const TickNoise* distribution_;
  ScanBounds bounds_;
  Source* noise_;
  SkipSampler<Source> trials_;
  Ranking<Order> ranking_;
  ScanCounters* counters_;
  const Candidates* candidates_ = nullptr;
  BlockMaxima* maxima_ = nullptr;
  std::optional<Marks> marks_;
  struct Run {
    std::size_t first = 0;  // tile
    std::size_t c = 0;      // class of all its answers, or beyond
    std::int64_t most = INT64_MIN;
  };
  Run run_;  // tiles that are passed over together, up to the one that is looked at
  std::array<std::int64_t, 64> drawn_ahead_;  // one-sided noise, the last `ahead_` of it unused
  std::size_t ahead_ = 0;
  std::vector<NoisyCandidate> heap_;
};

/// The m candidates with the largest noisy values, best first (all, where there are fewer).
template <SkippingSource Source, TieOrder Order>
std::vector<NoisyCandidate> find_top_m(const Candidates& candidates, const Grid& grid,
                                       BlockMaxima& maxima, std::size_t m,
                                       std::span<const std::size_t> largest,
                                       const std::optional<Position>& level,
                                       const TickNoise& distribution, Source& noise, Order& order,
                                       ScanCounters& counters) {
  const auto scan = [&](std::size_t count, ScanBounds bounds) {
    TopMScan<Source, Order> result(count, candidates.size(), distribution, std::move(bounds), noise,
                                   order, counters);
    result.scan(candidates, maxima, largest);
    candidates.for_each_block(count, grid, [&](const auto& block) { result.scan(block); });
    return result;
  };
  TopMScan<Source, Order> first = scan(m, {level, std::nullopt, {}});
  const bool enough = !level || first.full();
  std::vector<NoisyCandidate> leaders = std::move(first).finish();
  if (enough) {
    return leaders;
  }
  // All that reached the level are known; the others are below it.
  ++counters.lowered;
  ScanBounds below{std::nullopt, level, {}};
  for (const NoisyCandidate& leader : leaders) {
    below.out.push_back(leader.item);
  }
  std::sort(below.out.begin(), below.out.end());
  std::vector<NoisyCandidate> others = scan(m - leaders.size(), std::move(below)).finish();
  std::move(others.begin(), others.end(), std::back_inserter(leaders));
  return leaders;
}

/// How to cut up a list in which m leaders are looked for: by how many there are, and by a look at
/// a few blocks. It changes the time taken, and no distribution.
BlockSizes block_sizes(const Answers& list, const Grid& grid, std::size_t m,
                       const TickNoise& distribution);

/// Where a scan for m leaders should begin, if the candidates are crowded; nothing if the bar rises
/// fast enough by itself. `largest` are the places of the m largest answers of a list.
std::optional<Position> crowd_level(const Candidates& candidates, const Grid& grid,
                                    const BlockMaxima& maxima, std::span<const std::size_t> largest,
                                    std::size_t m, const TickNoise& distribution);

}  // namespace freegap

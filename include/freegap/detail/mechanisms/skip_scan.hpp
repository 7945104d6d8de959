#pragma once

/// @file
/// Finds the candidates whose noisy value reaches a cutoff, without drawing noise for each. Noisy
/// top m and sparse vector are this one scan with different sinks: a heap whose cutoff rises as
/// candidates are found, or a list of those that pass a fixed threshold.
///
/// Each candidate is decided exactly once: by noise of its own where it may lie above the cutoff,
/// else by a trial of the skip sampler. Block maxima tell which candidates can share the trials of
/// one class of distance, so most tiles and blocks are skipped as a whole
/// (docs/how_a_scan_works.md; docs/proofs/noisy_top_m.md "Tiles and blocks";
/// tests/mechanisms/once_test.cpp). Secret.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "freegap/detail/core/block_maxima.hpp"
#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/detail/mechanisms/skip_sampler.hpp"
#include "freegap/detail/mechanisms/tick_noise.hpp"
#include "freegap/noise.hpp"

namespace freegap::detail {

/// Counters of a scan, for tests that prove which path ran. Secret.
struct ScanCounters {
  std::uint64_t drawn = 0;    ///< candidates with noise of their own
  std::uint64_t skipped = 0;  ///< candidates skipped: their trial failed
  std::uint64_t thinned = 0;  ///< candidates whose trial succeeded, but not up to the cutoff
  std::uint64_t reached = 0;  ///< candidates whose trial succeeded, up to the cutoff
  std::uint64_t tiles = 0;    ///< tiles skipped as a whole
  std::uint64_t blocks = 0;   ///< blocks, of other tiles, skipped as a whole
  std::uint64_t opened = 0;   ///< blocks whose candidates near the cutoff were decided one by one
  std::uint64_t levels = 0;   ///< top-m scans that began with a level
  std::uint64_t lowered = 0;  ///< such scans that found too few
};

/// Where a scan puts what it finds.
template <class Sink>
concept ScanSink = requires(Sink& sink, const Item& item, Position position) {
  /// Whether there is a cutoff. Until then every candidate is wanted.
  { sink.has_cutoff() } -> std::same_as<bool>;
  /// Noisy values below it are not wanted. It may rise when a candidate is offered, never fall.
  { sink.cutoff() } -> std::same_as<Position>;
  /// Whether this noisy value is impossible, given what an earlier scan found: it is drawn again.
  { sink.impossible(position) } -> std::same_as<bool>;
  /// Whether the candidate was decided before this scan.
  { sink.decided(item) } -> std::same_as<bool>;
  /// Takes a candidate, if it is wanted.
  sink.offer(item, position);
};

/// One scan with one distribution of noise.
template <SkippingSource Source, ScanSink Sink>
class SkipScan {
 public:
  /// Everything passed by reference must outlive this object.
  SkipScan(const Candidates& candidates, const TickNoise& distribution, const SkipSizes& sizes,
           Source& noise, Sink& sink, ScanCounters& counters)
      : access_(candidates),
        sampler_(distribution, sizes, noise),
        sink_(&sink),
        counters_(&counters) {}

  /// Decides the candidates of a list, or of the part of it that begins at place `start`.
  void scan(BlockMaxima& maxima, std::size_t start = 0) {
    // Tiles of one class that follow each other are collected in `run_` and skipped together, so
    // that one jump may cross millions of candidates. A tile that is looked into ends the run
    // before it.
    maxima_ = &maxima;
    start_ = start;
    bounds_.reset();
    run_ = {};
    for (std::size_t t = 0; t < maxima.tiles(); ++t) {
      const std::optional<std::size_t> c = class_of_tile(t);
      if (!c || *c != run_.c) {
        skip_run(t, c.value_or(sampler_.last()));
      }
      if (c) {
        run_.maximum = std::max(run_.maximum, maxima.tile_maximum(t));
        ++counters_->tiles;
      } else {
        scan_tile(t);
        run_.first = t + 1;
      }
    }
    skip_run(maxima.tiles(), sampler_.last());
  }

  /// Decides the candidates of a run, which do not stand in a list. Answers fall within the run, so
  /// the first candidate that is left is the largest of the rest.
  void scan(const CandidateAccess::Run& run) {
    for (std::uint64_t i = 0; i < run.size(); ++i) {
      const Position most = at(run.ticks(i));
      if (!sink_->has_cutoff() || sink_->cutoff() < most) {
        draw(run.item(i), most);
        continue;
      }
      const Position distance = sink_->cutoff() - most;
      const std::uint64_t rest = run.size() - i;
      const std::uint64_t failed = sampler_.failures_at(distance, rest);
      counters_->skipped += failed;
      if (failed == rest) {
        return;
      }
      i += failed;
      land(
          at(run.ticks(i)), distance, sampler_.further(), [&] { return run.item(i); },
          [&] { return sampler_.failures_at(distance, 1) == 0; });
    }
  }

  /// Decides one candidate by noise of its own.
  void draw(const Item& item, Position value) {
    if (sink_->decided(item)) {
      return;
    }
    ++counters_->drawn;
    Position position = sampler_.draw(value);
    while (sink_->impossible(position)) {
      position = sampler_.draw(value);
    }
    if (!sink_->has_cutoff() || position >= sink_->cutoff()) {
      sink_->offer(item, position);
    }
  }

 private:
  using Range = BlockMaxima::Range;

  /// About how many single decisions cost as much as one skip.
  static constexpr std::size_t steps_of_a_jump = 16;
  /// How many successes of a pass are found before they are looked at, so that their reads from
  /// memory overlap.
  static constexpr std::size_t successes_at_once = 32;
  /// About how many blocks of a tile can be scanned in the time of one thinned success.
  static constexpr std::size_t blocks_of_a_success = 4;

  [[nodiscard]] Position at(std::int64_t ticks) const { return sampler_.distribution().at(ticks); }

  /// The class of all values up to this one; nothing while some may lie above the cutoff.
  [[nodiscard]] std::optional<std::size_t> class_below(Position most) const {
    if (!sink_->has_cutoff() || sink_->cutoff() < most) {
      return std::nullopt;
    }
    return sampler_.class_of(most, sink_->cutoff());
  }

  /// Divides the values of a tile: those at or below `position` are of class c or beyond, and share
  /// its trials; those above are near the cutoff.
  struct Near {
    std::size_t c;
    Position position;
    std::int64_t bound;  ///< raw bound that all near values reach
  };
  struct Bounds {
    Position cutoff;   ///< that they are for
    std::int64_t far;  ///< answers below this raw bound are of the last class
    Near wide;         ///< more values count as near, and the others hardly ever have a success
    Near narrow;       ///< fewer are near, and the others have half a success or less on average
  };
  const Bounds& bounds() {
    if (!bounds_ || bounds_->cutoff != sink_->cutoff()) {
      const std::size_t rare = sampler_.rare(maxima_->tile(0).size());
      bounds_ = Bounds{sink_->cutoff(), near(sampler_.last()).bound,
                       near(std::min(rare + 2, sampler_.last())), near(rare)};
    }
    return *bounds_;
  }
  [[nodiscard]] Near near(std::size_t c) const {
    const Position position = sink_->cutoff() - sampler_.reach_of(c);
    return {c, position, maxima_->bound(sampler_.distribution().floor(position) + 1)};
  }

  /// The class of a tile that can be skipped as a whole, with two successes or fewer on average;
  /// nothing for others.
  std::optional<std::size_t> class_of_tile(std::size_t t) {
    if (!sink_->has_cutoff()) {
      return std::nullopt;
    }
    // Most tiles are far: one comparison of raw numbers, without a conversion to ticks.
    if (maxima_->tile_maximum(t) < bounds().far) {
      return sampler_.last();
    }
    const std::optional<std::size_t> c = class_below(at(maxima_->tile_ticks(t)));
    return c && *c + 1 >= sampler_.rare(maxima_->tile(t).size()) ? c : std::nullopt;
  }
  /// Skips the tiles from `run_.first` up to t, all of one class, and begins a new run there.
  void skip_run(std::size_t t, std::size_t c) {
    const Range range{maxima_->tile(run_.first).first, maxima_->tile(t).first};
    if (range.size() > 0) {
      skip(range, run_.c, at(maxima_->ticks_of(run_.maximum)),
           [](Position /*value*/) { return true; });
    }
    run_ = {t, c, std::numeric_limits<std::int64_t>::min()};
  }

  /// Skips the values of a tile that are not near the cutoff, and looks into the blocks of the
  /// others.
  void scan_tile(std::size_t t) {
    if (!sink_->has_cutoff()) {
      const Range range = maxima_->tile(t);
      for (std::size_t i = range.first; i < range.last; ++i) {
        decide(i, at(maxima_->ticks(i)));
      }
      return;
    }
    // The wide bound makes successes among the others rare. It is kept unless the narrow one saves
    // looking into more blocks than a success costs. Either way the division is fixed here, before
    // the first trial: each value of the tile is decided by exactly one of the passes below.
    Near near = bounds().wide;
    std::span<const std::uint32_t> blocks = maxima_->blocks_reaching(near.bound, t);
    if (blocks.size() > blocks_of_a_success) {
      const std::size_t wide = blocks.size();
      blocks = maxima_->blocks_reaching(bounds().narrow.bound, t);
      if (blocks.size() + blocks_of_a_success < wide) {
        near = bounds().narrow;
      } else {
        blocks = maxima_->blocks_reaching(near.bound, t);
      }
    }
    skip(maxima_->tile(t), near.c, near.position,
         [&](Position value) { return value <= near.position; });
    const std::size_t first = maxima_->blocks_of(t).first;
    for (const std::uint32_t offset : blocks) {
      scan_block(first + offset, near);
    }
  }

  /// Decides the near values of a block: together, where few successes are likely, else one by one.
  void scan_block(std::size_t b, const Near& near) {
    const Range range = maxima_->block(b);
    const Position most = at(maxima_->block_ticks(b));
    if (most <= near.position) {  // raw bounds let some blocks through in which nothing is near
      return;
    }
    const std::optional<std::size_t> c = class_below(most);
    const auto is_near = [&](Position value) { return value > near.position; };
    if (c && *c >= sampler_.rare(range.size())) {
      ++counters_->blocks;
      skip(range, *c, most, is_near);
      return;
    }
    // Too many successes would be in vain. Values are decided one by one, each with its own class;
    // or, in a flat block, by jumps all the same, which then take fewer steps than there are
    // values.
    ++counters_->opened;
    const std::span<const std::uint32_t> offsets = maxima_->reaching(near.bound, b);
    if (c && offsets.size() > steps_of_a_jump * (range.size() >> *c)) {
      skip(range, *c, most, is_near);
      return;
    }
    for (const std::uint32_t offset : offsets) {
      const std::size_t i = range.first + offset;
      const Position value = at(maxima_->ticks(i));
      if (is_near(value)) {
        decide(i, value);
      }
    }
  }

  /// Gives trials of class c to all places of a range, and decides those candidates whose value is
  /// `concerned` and whose trial succeeds. No concerned value is above `most`, and all are at a
  /// distance of class c or beyond. The cutoff may rise meanwhile: distances only grow, so the
  /// class stays right.
  template <class Concerned>
  void skip(const Range& range, std::size_t c, Position most, const Concerned& concerned) {
    // Who succeeds is decided by the trials of the class alone. So several successes can be found
    // before the first of them is read.
    std::array<std::size_t, successes_at_once> places;
    for (std::size_t i = range.first; i < range.last;) {
      std::size_t found = 0;
      while (i < range.last && found < places.size()) {
        const std::uint64_t failed = sampler_.failures(c, range.last - i);
        counters_->skipped += failed;
        i += failed;
        if (i < range.last) {
          maxima_->prefetch(i);
          places[found++] = i++;
        }
      }
      for (const std::size_t place : std::span(places).first(found)) {
        // Whatever value stands there, it is at most `most`: often that settles it unread.
        const std::int64_t further = sampler_.further();
        if (most + sampler_.reach_of(c) + further < sink_->cutoff()) {
          ++counters_->thinned;
          continue;
        }
        const Position value = at(maxima_->ticks(place));
        if (concerned(value)) {
          land_in_list(value, c, further, place);
        }
      }
    }
  }

  /// Decides one candidate of the list by a trial of its own class, or by noise of its own.
  void decide(std::size_t i, Position value) {
    const std::optional<std::size_t> c = class_below(value);
    if (!c) {
      draw(item(i), value);
    } else if (sampler_.failures(*c, 1) == 0) {
      land_in_list(value, *c, sampler_.further(), i);
    } else {
      ++counters_->skipped;
    }
  }

  /// A candidate of the list whose trial of class c succeeded.
  void land_in_list(Position value, std::size_t c, std::int64_t further, std::size_t place) {
    land(
        value, sampler_.reach_of(c), further, [&] { return item(place); },
        [&] { return sampler_.failures(c, 1) == 0; });
  }
  /// A candidate whose trial of reaching up by `reach` succeeded. Where its noisy value is
  /// impossible, the trial and what follows it are repeated.
  template <class Named, class Repeat>
  void land(Position value, Position reach, std::int64_t further, const Named& named,
            const Repeat& repeat) {
    for (;;) {
      const std::optional<Position> position =
          sampler_.land(value, reach, further, sink_->cutoff());
      if (!position) {
        ++counters_->thinned;
        return;
      }
      if (!sink_->impossible(*position)) {
        ++counters_->reached;
        const Item found = named();
        if (!sink_->decided(found)) {
          sink_->offer(found, *position);
        }
        return;
      }
      if (!repeat()) {
        return;
      }
      further = sampler_.further();
    }
  }

  [[nodiscard]] Item item(std::size_t place) const { return access_.listed_item(start_ + place); }

  CandidateAccess access_;
  SkipSampler<Source> sampler_;
  Sink* sink_;
  ScanCounters* counters_;
  BlockMaxima* maxima_ = nullptr;
  std::size_t start_ = 0;
  std::optional<Bounds> bounds_;
  struct TileRun {
    std::size_t first = 0;  // tile
    std::size_t c = 0;      // class of all its values, or beyond
    std::int64_t maximum = std::numeric_limits<std::int64_t>::min();
  };
  TileRun run_;  // tiles of one class, which are skipped together
};

}  // namespace freegap::detail

#pragma once

/// @file
/// The m candidates with the largest noisy values, in order: what every selection asks of its
/// candidates. The output distribution is exactly that of adding noise to every candidate and
/// sorting (docs/proofs/noisy_top_m.md; tests/mechanisms/noisy_top_m_distribution_test.cpp
/// enumerates it). Secret until a mechanism turns it into a release.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/core/block_maxima.hpp"
#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/detail/mechanisms/ranking.hpp"
#include "freegap/detail/mechanisms/skip_sampler.hpp"
#include "freegap/detail/mechanisms/skip_scan.hpp"
#include "freegap/grid.hpp"
#include "freegap/noise.hpp"

namespace freegap::detail {

/// What a top-m scan starts from.
struct TopMStart {
  /// Only noisy values from here on are looked for.
  std::optional<Position> level = std::nullopt;
  /// Noisy values of all candidates but the decided ones are known to be below this.
  std::optional<Position> below = std::nullopt;
  /// Candidates that are decided already, in the order of `Item`.
  std::vector<Item> decided = {};
};

/// Keeps the m best candidates that a scan offers. Its cutoff is the m-th largest noisy value so
/// far, or the level while there are fewer.
template <TieOrder Order>
class TopMHeap {
 public:
  /// Keeps `m` >= 1. `order` must outlive this object.
  TopMHeap(std::size_t m, TopMStart start, Order& order, std::int64_t subticks)
      : m_(m), start_(std::move(start)), ranking_(order, subticks) {}

  /// As in ScanSink.
  [[nodiscard]] bool has_cutoff() const { return start_.level || full(); }
  /// As in ScanSink.
  [[nodiscard]] Position cutoff() const {
    return full() ? Position{heap_.front().position} : *start_.level;
  }
  /// As in ScanSink.
  [[nodiscard]] bool impossible(Position position) const {
    return start_.below && position >= *start_.below;
  }
  /// As in ScanSink.
  [[nodiscard]] bool decided(const Item& item) const {
    return std::binary_search(start_.decided.begin(), start_.decided.end(), item);
  }
  /// As in ScanSink. Once there are m, the worst of them is at the front of the heap.
  void offer(const Item& item, Position position) {
    NoisyCandidate candidate{item, position, {}};
    if (!full()) {
      heap_.push_back(std::move(candidate));
      if (full()) {
        arrange();
      }
    } else if (ranking_.better(candidate, heap_.front())) {
      heap_.front() = std::move(candidate);
      sink(0, heap_.size());
    }
  }

  /// Notes that these candidates have been decided.
  void note_decided(const std::vector<Item>& items) {
    start_.decided.insert(start_.decided.end(), items.begin(), items.end());
    std::sort(start_.decided.begin(), start_.decided.end());
  }
  /// Whether m candidates were found.
  [[nodiscard]] bool full() const { return heap_.size() == m_; }
  /// The candidates, best first.
  std::vector<NoisyCandidate> finish() && {
    if (!full()) {
      arrange();
    }
    for (std::size_t size = heap_.size(); size > 1; --size) {
      std::swap(heap_.front(), heap_[size - 1]);
      sink(0, size - 1);
    }
    return std::move(heap_);
  }

 private:
  // A binary heap, the worst at the front. It is written out because a comparison may draw a key
  // that breaks a tie: with the standard library's heap, the order of these draws, and so a seeded
  // run, would differ from one library to the next.

  /// Makes a heap of what was pushed.
  void arrange() {
    for (std::size_t i = heap_.size() / 2; i-- > 0;) {
      sink(i, heap_.size());
    }
  }
  /// Moves what is at place i down to where it belongs among the first `size`.
  void sink(std::size_t i, std::size_t size) {
    for (std::size_t child = 2 * i + 1; child < size; child = 2 * i + 1) {
      if (child + 1 < size && ranking_.better(heap_[child], heap_[child + 1])) {
        ++child;
      }
      if (!ranking_.better(heap_[i], heap_[child])) {
        return;
      }
      std::swap(heap_[i], heap_[child]);
      i = child;
    }
  }

  std::size_t m_;
  TopMStart start_;
  Ranking<Order> ranking_;
  std::vector<NoisyCandidate> heap_;
};

/// Finds the m best of all candidates, as far as `start` asks for them. `largest` are the places of
/// the m largest answers of the list: without a level their noise is drawn first, so that the
/// cutoff is high from the start, whatever the order of the list.
template <SkippingSource Source, TieOrder Order>
TopMHeap<Order> scan_top_m(const Candidates& candidates, const Grid& grid, BlockMaxima& maxima,
                           std::size_t m, std::span<const std::size_t> largest, TopMStart start,
                           const TickNoise& distribution, Source& noise, Order& order,
                           ScanCounters& counters) {
  const bool from_level = start.level.has_value();
  const CandidateAccess access(candidates);
  TopMHeap<Order> heap(m, std::move(start), order, distribution.subticks());
  SkipScan<Source, TopMHeap<Order>> scan(
      candidates, distribution, SkipSizes::for_count(candidates.size()), noise, heap, counters);
  if (!from_level) {
    std::vector<Item> first;
    for (const std::size_t i : largest) {
      first.push_back(access.listed_item(i));
      scan.draw(first.back(), distribution.at(maxima.ticks(i)));
    }
    heap.note_decided(first);
  }
  scan.scan(maxima);
  access.for_each_run(m, grid, [&](const auto& run) { scan.scan(run); });
  return heap;
}

/// The m candidates with the largest noisy values, best first (all, where there are fewer). Where a
/// level is given and too few reach it, a second scan looks for the others below it.
template <SkippingSource Source, TieOrder Order>
std::vector<NoisyCandidate> find_top_m(const Candidates& candidates, const Grid& grid,
                                       BlockMaxima& maxima, std::size_t m,
                                       std::span<const std::size_t> largest,
                                       const std::optional<Position>& level,
                                       const TickNoise& distribution, Source& noise, Order& order,
                                       ScanCounters& counters) {
  TopMHeap<Order> heap = scan_top_m(candidates, grid, maxima, m, largest, {.level = level},
                                    distribution, noise, order, counters);
  const bool enough = !level || heap.full();
  std::vector<NoisyCandidate> top = std::move(heap).finish();
  if (enough) {
    return top;
  }
  // All candidates at the level or above are known. The noisy values of the others are below it.
  ++counters.lowered;
  TopMStart rest{.below = level};
  for (const NoisyCandidate& found : top) {
    rest.decided.push_back(found.item);
  }
  std::sort(rest.decided.begin(), rest.decided.end());
  std::vector<NoisyCandidate> others =
      scan_top_m(candidates, grid, maxima, m - top.size(), largest, std::move(rest), distribution,
                 noise, order, counters)
          .finish();
  std::move(others.begin(), others.end(), std::back_inserter(top));
  return top;
}

/// Where a scan for the noisy top m should begin, if the candidates are crowded; nothing if the
/// cutoff rises fast enough by itself. `largest` are the places of the m largest answers of the
/// list. A function of the answers: it changes the running time, not the distribution.
std::optional<Position> crowd_level(const Candidates& candidates, const Grid& grid,
                                    const BlockMaxima& maxima, std::span<const std::size_t> largest,
                                    std::size_t m, const TickNoise& distribution);

}  // namespace freegap::detail

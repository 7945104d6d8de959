#include "freegap/survey.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "core/wide.hpp"

namespace freegap {
namespace {

std::size_t parts(std::size_t n, std::size_t size) { return (n + size - 1) / size; }

/// Tiles that one thread scans before it takes others.
constexpr std::size_t tiles_at_once = 64;

}  // namespace

// Tiles should be many against m, since m of them are looked into; blocks should be few, since
// each is asked about by itself.
SurveySizes SurveySizes::for_leaders(std::size_t n, std::size_t m) {
  SurveySizes sizes{128, 64};
  while (sizes.block > 1 && n / sizes.block < 4 * m) {
    sizes.block /= 2;
  }
  while (sizes.fan > 1 && n / sizes.block / sizes.fan < 4 * m) {
    sizes.fan /= 2;
  }
  return sizes;
}

Survey::Survey(Answers answers, const Grid& grid, SurveySizes sizes, unsigned threads)
    : answers_(answers),
      grid_(&grid),
      sizes_(sizes),
      whole_(answers.whole()),
      blocks_(parts(answers.size(), sizes.block)),
      tiles_(parts(blocks_.size(), sizes.fan)),
      positions_(sizes.block + 1) {
  const std::size_t bundle = tiles_at_once * sizes.fan;  // in blocks
  detail::for_each_index(parts(blocks_.size(), bundle), threads, [&](std::size_t i) {
    const std::size_t first = i * bundle;
    const std::size_t last = std::min(first + bundle, blocks_.size());
    answers_.part(first * sizes_.block, std::min(last * sizes_.block, answers_.size()))
        .maxima(sizes_.block, grid, std::span(blocks_).subspan(first, last - first));
    const std::size_t first_tile = first / sizes_.fan;
    detail::maxima_of_blocks(
        std::span<const std::int64_t>(blocks_).subspan(first, last - first), sizes_.fan,
        std::span(tiles_).subspan(first_tile, parts(last, sizes_.fan) - first_tile));
  });
}

std::vector<std::size_t> Survey::highest(std::span<const std::int64_t> maxima,
                                         std::vector<std::size_t> places, std::size_t count) {
  if (count < places.size()) {
    std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count),
                     places.end(),
                     [&](std::size_t a, std::size_t b) { return maxima[a] > maxima[b]; });
    places.resize(count);
  }
  return places;
}

// The largest `count` answers are in the `count` tiles, and there in the `count` blocks, with the
// largest maxima.
std::vector<std::size_t> Survey::largest(std::size_t count) {
  std::vector<std::size_t> places(tiles_.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::vector<std::size_t> blocks;
  for (const std::size_t t : highest(tiles_, std::move(places), count)) {
    const Range of = blocks_of(t);
    for (std::size_t b = of.first; b < of.last; ++b) {
      blocks.push_back(b);
    }
  }
  blocks = highest(blocks_, std::move(blocks), count);
  std::sort(blocks.begin(), blocks.end(),
            [&](std::size_t a, std::size_t b) { return blocks_[a] > blocks_[b]; });
  using Found = std::pair<std::int64_t, std::size_t>;  // ticks, position
  std::vector<Found> heap;                             // the smallest at the front
  for (const std::size_t b : blocks) {
    const bool full = heap.size() == count;
    const std::int64_t least = full ? mark(heap.front().first + 1) : INT64_MIN;
    if (block_below(b, least)) {
      break;
    }
    for (const std::uint32_t offset : not_below(least, b)) {
      const std::size_t i = block(b).first + offset;
      heap.emplace_back(ticks(i), i);
      std::push_heap(heap.begin(), heap.end(), std::greater<>());
      if (heap.size() > count) {
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
        heap.pop_back();
      }
    }
  }
  std::vector<std::size_t> result;
  for (const auto& [ticks, i] : heap) {
    result.push_back(i);
  }
  return result;
}

}  // namespace freegap

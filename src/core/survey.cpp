#include "freegap/survey.hpp"

#include <algorithm>
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
  constexpr std::size_t cached = std::size_t{1} << 21U;  // 16 MB
  constexpr std::size_t large = std::size_t{1} << 25U;
  const std::size_t block = n > large ? 1024 : n > cached ? 512 : 128;
  SurveySizes sizes{block, 64, n > cached};
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
      block_count_(parts(answers.size(), sizes.block)),
      tile_count_(parts(block_count_, sizes.fan)),
      // NOLINTBEGIN(modernize-avoid-c-arrays)
      blocks_(std::make_unique_for_overwrite<std::int64_t[]>(block_count_)),
      others_(std::make_unique_for_overwrite<std::int64_t[]>(sizes.by_lane ? block_count_ : 0)),
      lane_(std::make_unique_for_overwrite<std::uint8_t[]>(sizes.by_lane ? block_count_ : 0)),
      tiles_(std::make_unique_for_overwrite<std::int64_t[]>(tile_count_)),
      // NOLINTEND(modernize-avoid-c-arrays)
      positions_(sizes.block + 1) {
  const std::span blocks(blocks_.get(), block_count_);
  const std::span tiles(tiles_.get(), tile_count_);
  const std::size_t bundle = tiles_at_once * sizes.fan;  // in blocks
  detail::for_each_index(parts(block_count_, bundle), threads, [&](std::size_t i) {
    const std::size_t first = i * bundle;
    const std::size_t last = std::min(first + bundle, block_count_);
    const auto maxima = blocks.subspan(first, last - first);
    Answers::Peaks peaks{maxima, {}, {}};
    if (by_lane()) {
      peaks.next = {others_.get() + first, maxima.size()};
      peaks.lane = {lane_.get() + first, maxima.size()};
    }
    answers_.part(first * sizes_.block, std::min(last * sizes_.block, answers_.size()))
        .peaks(sizes_.block, grid, peaks);
    detail::maxima_of_blocks(std::span<const std::int64_t>(maxima), sizes_.fan,
                             tiles.subspan(i * tiles_at_once, parts(maxima.size(), sizes_.fan)));
  });
}

std::size_t Survey::blocks_not_below(std::int64_t ticks) const {
  const std::int64_t least = mark(ticks);
  std::size_t found = 0;
  for (std::size_t t = 0; t < tile_count_; ++t) {
    const Range of = tile_below(t, least) ? Range{0, 0} : blocks_of(t);
    for (std::size_t b = of.first; b < of.last; ++b) {
      found += block_below(b, least) ? 0U : 1U;
    }
  }
  return found;
}

namespace {

/// Those `count` of the places (all, where there are fewer) where `values` is largest.
template <class Place, class Values>
void keep_largest(std::vector<Place>& places, std::size_t count, const Values& values) {
  if (count < places.size()) {
    std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count),
                     places.end(),
                     [&](const Place& a, const Place& b) { return values(a) > values(b); });
    places.resize(count);
  }
}

}  // namespace

// The largest `count` answers are in the `count` tiles, and there in the `count` blocks, with the
// largest maxima.
std::vector<std::size_t> Survey::largest(std::size_t count) {
  std::vector<std::size_t> tiles(tile_count_);
  std::iota(tiles.begin(), tiles.end(), std::size_t{0});
  keep_largest(tiles, count, [&](std::size_t t) { return tiles_[t]; });
  std::vector<std::size_t> blocks;
  for (const std::size_t t : tiles) {
    const Range of = blocks_of(t);
    for (std::size_t b = of.first; b < of.last; ++b) {
      blocks.push_back(b);
    }
  }
  keep_largest(blocks, count, [&](std::size_t b) { return blocks_[b]; });
  std::sort(blocks.begin(), blocks.end(),
            [&](std::size_t a, std::size_t b) { return blocks_[a] > blocks_[b]; });
  // As many answers as there are blocks are not below the last of them.
  std::int64_t least = blocks.size() < count ? INT64_MIN : blocks_[blocks.back()];
  using Found = std::pair<std::int64_t, std::size_t>;  // ticks, position
  const auto ticks_found = [](const Found& found) { return found.first; };
  std::vector<Found> found;
  for (const std::size_t b : blocks) {
    if (block_below(b, least)) {
      break;
    }
    for (const std::uint32_t offset : not_below(least, b)) {
      const std::size_t i = block(b).first + offset;
      found.emplace_back(ticks(i), i);
    }
    if (found.size() > 4 * count) {
      keep_largest(found, count, ticks_found);
      least = mark(std::min_element(found.begin(), found.end())->first + 1);
    }
  }
  keep_largest(found, count, ticks_found);
  std::vector<std::size_t> result;
  result.reserve(found.size());
  for (const auto& [ticks, i] : found) {
    result.push_back(i);
  }
  return result;
}

}  // namespace freegap

#include "freegap/detail/core/block_maxima.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "core/simd_scan.hpp"

namespace freegap::detail {
namespace {

std::size_t parts(std::size_t n, std::size_t size) { return (n + size - 1) / size; }

/// Tiles that one thread scans before it takes others.
constexpr std::size_t tiles_at_once = 64;

}  // namespace

// A scan looks into at least m tiles, so tiles should be many against m. It asks about each block
// of such a tile, so blocks should be few. Large lists are read from memory rather than from
// caches: there larger blocks cost nothing and make the index smaller.
BlockSizes BlockSizes::for_top_m(std::size_t n, std::size_t m) {
  constexpr std::size_t cached = std::size_t{1} << 21U;  // 16 MB
  constexpr std::size_t few = 32;
  BlockSizes sizes{n > cached ? 512U : m > few ? 128U : 256U, 64};
  while (sizes.block > 1 && n / sizes.block < 4 * m) {
    sizes.block /= 2;
  }
  while (sizes.fan > 1 && n / sizes.block / sizes.fan < 4 * m) {
    sizes.fan /= 2;
  }
  return sizes;
}

BlockMaxima::BlockMaxima(Answers answers, const Grid& grid, BlockSizes sizes, unsigned threads)
    : answers_(answers),
      grid_(&grid),
      sizes_(sizes),
      whole_(answers.whole()),
      blocks_(parts(answers.size(), sizes.block)),
      tiles_(parts(blocks_.size(), sizes.fan)),
      blocks_in_tile_(sizes.fan + 1),
      positions_in_block_(sizes.block + 1) {
  // Bundles of whole tiles: a thread finds the maxima of its blocks and then, still in its cache,
  // of its tiles. No two threads write to the same place, so the result does not depend on how many
  // there are.
  const std::size_t bundle = tiles_at_once * sizes.fan;  // in blocks
  for_each_index(parts(blocks_.size(), bundle), threads, [&](std::size_t i) {
    const std::size_t first = i * bundle;
    const std::size_t last = std::min(first + bundle, blocks_.size());
    const std::span maxima = std::span(blocks_).subspan(first, last - first);
    maxima_of_blocks(
        part(answers_, first * sizes_.block, std::min(last * sizes_.block, answers_.size())),
        sizes_.block, grid, maxima);
    maxima_of_blocks(
        std::span<const std::int64_t>(maxima), sizes_.fan,
        std::span(tiles_).subspan(i * tiles_at_once, parts(maxima.size(), sizes_.fan)));
  });
}

std::span<const std::uint32_t> BlockMaxima::reaching(std::int64_t bound, std::size_t b) {
  const Range of = block(b);
  return {positions_in_block_.data(),
          positions_at_least(answers_, bound, of.first, of.last, *grid_, positions_in_block_)};
}

std::span<const std::uint32_t> BlockMaxima::blocks_reaching(std::int64_t bound, std::size_t t) {
  const Range of = blocks_of(t);
  const auto maxima = std::span<const std::int64_t>(blocks_).subspan(of.first, of.size());
  return {blocks_in_tile_.data(), positions_at_least(maxima, bound, blocks_in_tile_)};
}

std::size_t BlockMaxima::count_blocks_reaching(std::int64_t bound) const {
  std::size_t found = 0;
  // A tile below the bound has no block that reaches it, so most blocks are not looked at.
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    if (tiles_[t] >= bound) {
      const auto begin = blocks_.begin();
      const Range of = blocks_of(t);
      found += static_cast<std::size_t>(
          std::count_if(begin + static_cast<std::ptrdiff_t>(of.first),
                        begin + static_cast<std::ptrdiff_t>(of.last),
                        [&](std::int64_t maximum) { return maximum >= bound; }));
    }
  }
  return found;
}

namespace {

/// A number, and where it is.
struct Placed {
  std::int64_t value;
  std::size_t place;
};

/// A total order, so that which of several equal answers are found does not depend on the standard
/// library.
bool larger(const Placed& a, const Placed& b) {
  return a.value != b.value ? a.value > b.value : a.place < b.place;
}

/// Those `count` with the largest values (all, where there are fewer), the last of them at the end.
void keep_largest(std::vector<Placed>& placed, std::size_t count) {
  const std::size_t kept = std::min(count, placed.size());
  if (kept > 0) {
    std::nth_element(placed.begin(), placed.begin() + static_cast<std::ptrdiff_t>(kept - 1),
                     placed.end(), larger);
    placed.resize(kept);
  }
}

}  // namespace

// The largest `count` answers are in the `count` tiles with the largest maxima, and there in the
// `count` blocks with the largest maxima: each tile or block outside has `count` others whose
// maxima are at least as large as everything in it. So the search goes down in two steps of the
// same kind, from tiles to blocks and from blocks to answers, and reads few answers.
std::vector<std::size_t> BlockMaxima::largest(std::size_t count) {
  count = std::min(count, answers_.size());
  if (count == 0) {
    return {};
  }
  std::vector<Placed> found;
  found.reserve(tiles_.size());
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    found.push_back({tiles_[t], t});
  }
  keep_largest(found, count);
  // Replaces the tiles found by their largest blocks, or the blocks by their largest answers.
  // `visit(place, bound, take)` takes those parts of one place that are at least the bound, as long
  // as `take` asks for more.
  const auto look_into = [&](const auto& visit) {
    // From the largest maximum down: the first parts raise the bound most, and the loop below can
    // stop at the first place whose maximum does not exceed it.
    std::vector<Placed> from = std::exchange(found, {});
    std::sort(from.begin(), from.end(), larger);
    const auto take = [&](std::int64_t value, std::size_t place) {
      found.push_back({value, place});
      return true;
    };
    // At least `count` values reach the smallest maximum kept, so only larger values are collected
    // first. The bound rises as more of them are found.
    std::int64_t least = from.size() < count ? INT64_MIN : from.back().value;
    for (std::size_t i = 0; i < from.size() && from[i].value > least; ++i) {
      visit(from[i].place, least + 1, take);
      // Cutting back only when four times too many were found keeps the cost linear.
      if (found.size() > 4 * count) {
        keep_largest(found, count);
        least = found.back().value;
      }
    }
    // Then values equal to the bound fill up. There may be millions of them, where all answers are
    // equal, so the search stops as soon as there are enough.
    for (std::size_t i = 0; i < from.size() && found.size() < count; ++i) {
      visit(from[i].place, least, [&](std::int64_t value, std::size_t place) {
        if (value == least) {
          take(value, place);
        }
        return found.size() < count;
      });
    }
    keep_largest(found, count);
  };
  look_into([&](std::size_t t, std::int64_t bound, const auto& take) {
    for (const std::uint32_t offset : blocks_reaching(bound, t)) {
      const std::size_t b = blocks_of(t).first + offset;
      if (!take(blocks_[b], b)) {
        return;
      }
    }
  });
  look_into([&](std::size_t b, std::int64_t bound, const auto& take) {
    for (const std::uint32_t offset : reaching(bound, b)) {
      const std::size_t i = block(b).first + offset;
      if (!take(raw(i), i)) {
        return;
      }
    }
  });
  std::vector<std::size_t> result;
  result.reserve(found.size());
  for (const Placed& answer : found) {
    result.push_back(answer.place);
  }
  // Noise is drawn in this order. A standard library may leave another one behind, and a seeded run
  // would differ.
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace freegap::detail

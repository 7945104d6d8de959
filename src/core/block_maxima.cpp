#include "freegap/detail/core/block_maxima.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "core/simd_scan.hpp"

namespace freegap {
namespace {

std::size_t parts(std::size_t n, std::size_t size) { return (n + size - 1) / size; }

/// Tiles that one thread scans before it takes others.
constexpr std::size_t tiles_at_once = 64;

}  // namespace

// Tiles should be many against m, since m of them are looked into; blocks should be few, since
// each is asked about by itself. Where reading waits for memory, the second largest answer of a
// block costs nothing; within caches it would cost a third.
BlockSizes BlockSizes::for_top_m(std::size_t n, std::size_t m) {
  constexpr std::size_t cached = std::size_t{1} << 21U;  // 16 MB
  constexpr std::size_t few = 32;
  BlockSizes sizes = n > cached ? BlockSizes{512, 64, true} : BlockSizes{m > few ? 128U : 256U, 64};
  while (sizes.block > 1 && n / sizes.block < 4 * m) {
    sizes.block /= 2;
  }
  while (sizes.fan > 1 && n / sizes.block / sizes.fan < 4 * m) {
    sizes.fan /= 2;
  }
  return sizes;
}

namespace {

thread_local std::vector<std::int64_t> spare;

}  // namespace

SurveyMemory::SurveyMemory(std::size_t size) : places_(std::exchange(spare, {})) {
  if (places_.size() < size) {
    places_ = std::vector<std::int64_t>(size);
  }
}

SurveyMemory::~SurveyMemory() {
  if (places_.size() > spare.size()) {
    spare = std::move(places_);
  }
}

BlockMaxima::BlockMaxima(Answers answers, const Grid& grid, BlockSizes sizes, unsigned threads)
    : answers_(answers),
      grid_(&grid),
      sizes_(sizes),
      whole_(answers.whole()),
      block_count_(parts(answers.size(), sizes.block)),
      tile_count_(parts(block_count_, sizes.fan)),
      memory_(2 * (block_count_ + tile_count_)),
      blocks_(memory_.part(0, block_count_)),
      others_(blocks_),
      tiles_(memory_.part(2 * block_count_, tile_count_)),
      others_of_tiles_(tiles_),
      near_blocks_(sizes.fan + 1),
      positions_(sizes.block + 1) {
  if (sizes.second) {
    others_ = memory_.part(block_count_, block_count_);
    others_of_tiles_ = memory_.part(2 * block_count_ + tile_count_, tile_count_);
  }
  const std::size_t bundle = tiles_at_once * sizes.fan;  // in blocks
  detail::for_each_index(parts(block_count_, bundle), threads, [&](std::size_t i) {
    const std::size_t first = i * bundle;
    const std::size_t last = std::min(first + bundle, block_count_);
    const std::span maxima = blocks_.subspan(first, last - first);
    const std::span others = others_.subspan(first, last - first);
    const auto gather = [&](std::span<const std::int64_t> values, std::span<std::int64_t> tiles) {
      detail::maxima_of_blocks(values, sizes_.fan,
                               tiles.subspan(i * tiles_at_once, parts(values.size(), sizes_.fan)));
    };
    answers_.part(first * sizes_.block, std::min(last * sizes_.block, answers_.size()))
        .peaks(sizes_.block, grid, maxima, sizes_.second ? others : std::span<std::int64_t>());
    gather(maxima, tiles_);
    if (sizes_.second) {
      gather(others, others_of_tiles_);
    }
  });
}

std::span<const std::uint32_t> BlockMaxima::blocks_not_below(std::int64_t mark, std::size_t t) {
  const Range of = blocks_of(t);
  const std::span<const std::int64_t> maxima = blocks_.subspan(of.first, of.size());
  return {near_blocks_.data(), detail::positions_at_least(maxima, mark, near_blocks_)};
}

std::int64_t BlockMaxima::raw(std::size_t i) const {
  return whole_ ? answers_[i].whole_number() : ticks(i);
}

std::size_t BlockMaxima::count_blocks_from(std::int64_t ticks) const {
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

/// A number, and where it is.
struct Placed {
  std::int64_t value;
  std::size_t place;
};

bool larger(const Placed& a, const Placed& b) { return a.value > b.value; }

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

// The largest `count` answers are in the `count` tiles, and there in the `count` blocks, with the
// largest maxima.
std::vector<std::size_t> BlockMaxima::largest(std::size_t count) {
  count = std::min(count, answers_.size());
  if (count == 0) {
    return {};
  }
  std::vector<Placed> found;
  found.reserve(tile_count_);
  for (std::size_t t = 0; t < tile_count_; ++t) {
    found.push_back({tiles_[t], t});
  }
  keep_largest(found, count);
  // Goes on to the largest parts of what was found. `visit(place, mark, take)` takes those parts of
  // one place that are not below a mark, as long as `take` asks for more.
  const auto look_into = [&](const auto& visit) {
    std::vector<Placed> from = std::exchange(found, {});
    std::sort(from.begin(), from.end(), larger);
    const auto take = [&](std::int64_t value, std::size_t place) {
      found.push_back({value, place});
      return true;
    };
    // As many as are wanted are not below the last of the places: only what is above it has to be
    // found; and later only what is above as many.
    std::int64_t least = from.size() < count ? INT64_MIN : from.back().value;
    for (std::size_t i = 0; i < from.size() && from[i].value > least; ++i) {
      visit(from[i].place, least + 1, take);
      if (found.size() > 4 * count) {
        keep_largest(found, count);
        least = found.back().value;
      }
    }
    // What else is wanted is equal to it.
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
  look_into([&](std::size_t t, std::int64_t mark, const auto& take) {
    for (const std::uint32_t offset : blocks_not_below(mark, t)) {
      const std::size_t b = blocks_of(t).first + offset;
      if (!take(blocks_[b], b)) {
        return;
      }
    }
  });
  look_into([&](std::size_t b, std::int64_t mark, const auto& take) {
    for (const std::uint32_t offset : not_below(mark, b)) {
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
  return result;
}

}  // namespace freegap

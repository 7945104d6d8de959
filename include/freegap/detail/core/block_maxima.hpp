#pragma once

/// @file
/// Index of block maxima: the largest answer of each block of a list and of each tile of several
/// blocks, found in one SIMD scan. It is all that a selection reads of most candidates, because a
/// candidate cannot lie above the largest answer of its block. Secret.
///
/// The index is a function of the answers alone: no noise enters. So what a scan skips with its
/// help changes the running time and not the distribution (docs/how_a_scan_works.md,
/// docs/proofs/noisy_top_m.md "Tiles and blocks"; tests/core/block_maxima_test.cpp).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/core/answers.hpp"
#include "freegap/grid.hpp"

namespace freegap::detail {

/// How a list is divided: into tiles of `fan` blocks of `block` answers.
struct BlockSizes {
  std::size_t block = 1;  ///< answers per block, at least 1
  std::size_t fan = 1;    ///< blocks per tile, at least 1

  /// Good sizes for finding the `m` largest of `n`.
  static BlockSizes for_top_m(std::size_t n, std::size_t m);
};

/// The largest answers of all blocks and tiles.
///
/// Maxima are kept *raw*: whole numbers as they are, reals in ticks. Comparing raw numbers with a
/// raw bound avoids a multiplication per block. `bound(ticks)` gives that raw bound.
class BlockMaxima {
 public:
  /// Scans the answers on `threads` threads. They and the grid must outlive this object.
  BlockMaxima(Answers answers, const Grid& grid, BlockSizes sizes, unsigned threads);

  /// A range of answers or of blocks.
  struct Range {
    std::size_t first;  ///< the first one
    std::size_t last;   ///< after the last one
    /// Its length.
    [[nodiscard]] std::size_t size() const { return last - first; }
  };

  /// Number of tiles.
  [[nodiscard]] std::size_t tiles() const { return tiles_.size(); }
  /// The answers of a tile.
  [[nodiscard]] Range tile(std::size_t t) const { return range(t, sizes_.block * sizes_.fan); }
  /// The blocks of a tile.
  [[nodiscard]] Range blocks_of(std::size_t t) const {
    return {t * sizes_.fan, std::min((t + 1) * sizes_.fan, blocks_.size())};
  }
  /// The answers of a block.
  [[nodiscard]] Range block(std::size_t b) const { return range(b, sizes_.block); }

  /// The largest answer of a tile, raw.
  [[nodiscard]] std::int64_t tile_maximum(std::size_t t) const { return tiles_[t]; }
  /// The largest answer of a tile, in ticks.
  [[nodiscard]] std::int64_t tile_ticks(std::size_t t) const { return ticks_of(tiles_[t]); }
  /// The largest answer of a block, in ticks.
  [[nodiscard]] std::int64_t block_ticks(std::size_t b) const { return ticks_of(blocks_[b]); }
  /// A raw maximum in ticks.
  [[nodiscard]] std::int64_t ticks_of(std::int64_t raw) const {
    return whole_ ? grid_->floor_ticks(raw) : raw;
  }
  /// Answer number i, in ticks.
  [[nodiscard]] std::int64_t ticks(std::size_t i) const {
    return detail::ticks(answers_, i, *grid_);
  }
  /// Asks memory for an answer that will be read soon.
  void prefetch(std::size_t i) const { detail::prefetch(answers_, i); }

  /// A raw bound that every answer of at least `ticks` ticks reaches. Some others may reach it too,
  /// so what reaches it has to be compared in ticks (tests/core/grid_test.cpp).
  [[nodiscard]] std::int64_t bound(std::int64_t ticks) const {
    return whole_ ? grid_->least_whole(ticks) : ticks;
  }
  /// Positions within a block of all answers that reach a raw bound, rising. Valid until the next
  /// call.
  [[nodiscard]] std::span<const std::uint32_t> reaching(std::int64_t bound, std::size_t b);
  /// Blocks of a tile, counted from its first, that reach a raw bound, rising. Valid until the next
  /// call.
  [[nodiscard]] std::span<const std::uint32_t> blocks_reaching(std::int64_t bound, std::size_t t);
  /// Number of blocks that reach a raw bound.
  [[nodiscard]] std::size_t count_blocks_reaching(std::int64_t bound) const;

  /// Places of the `count` largest answers (of all, where there are fewer), in rising order. Of
  /// answers that are equal on the grid any may be left out; which, depends on the answers alone.
  [[nodiscard]] std::vector<std::size_t> largest(std::size_t count);

 private:
  [[nodiscard]] Range range(std::size_t i, std::size_t size) const {
    return {std::min(i * size, answers_.size()), std::min((i + 1) * size, answers_.size())};
  }
  [[nodiscard]] std::int64_t raw(std::size_t i) const {
    return whole_ ? answers_[i].whole_number() : ticks(i);
  }

  Answers answers_;
  const Grid* grid_;
  BlockSizes sizes_;
  bool whole_;
  std::vector<std::int64_t> blocks_;               // raw maxima of blocks
  std::vector<std::int64_t> tiles_;                // raw maxima of tiles
  std::vector<std::uint32_t> blocks_in_tile_;      // room for `blocks_reaching`
  std::vector<std::uint32_t> positions_in_block_;  // room for `reaching`
};

}  // namespace freegap::detail

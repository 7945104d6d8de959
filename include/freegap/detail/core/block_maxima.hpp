#pragma once

/// @file
/// What one plain scan of a list of answers finds: the largest of each block. All that a selection
/// reads of most candidates. Secret.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/grid.hpp"

namespace freegap {

/// How a list is cut up: into tiles of `fan` blocks of `block` answers.
struct BlockSizes {
  std::size_t block = 1;  ///< answers in a block, at least 1
  std::size_t fan = 1;    ///< blocks in a tile, at least 1
  bool second = false;    ///< whether to find the second largest of a block, too

  /// Good sizes for finding the `m` largest of `n`.
  static BlockSizes for_top_m(std::size_t n, std::size_t m);
  /// Good sizes where one answer in each block is far above its others.
  static BlockSizes for_peaks() { return {512, 64, true}; }
};

/// Places for numbers that a maxima leaves to the next one of its thread, since fresh memory costs
/// a fault for every page. They hold whatever was written before.
class SurveyMemory {
 public:
  /// So many places.
  explicit SurveyMemory(std::size_t size);
  /// The same places.
  SurveyMemory(SurveyMemory&&) = default;
  SurveyMemory(const SurveyMemory&) = delete;
  SurveyMemory& operator=(SurveyMemory&&) = delete;
  SurveyMemory& operator=(const SurveyMemory&) = delete;
  ~SurveyMemory();

  /// The places [first, first + size).
  [[nodiscard]] std::span<std::int64_t> part(std::size_t first, std::size_t size) {
    return std::span(places_).subspan(first, size);
  }

 private:
  std::vector<std::int64_t> places_;
};

/// The largest answers of all blocks and tiles.
class BlockMaxima {
 public:
  /// Scans the answers, on `threads` threads. They and the grid must outlive this object.
  BlockMaxima(Answers answers, const Grid& grid, BlockSizes sizes, unsigned threads);

  /// A range of answers.
  struct Range {
    std::size_t first;  ///< the first one
    std::size_t last;   ///< after the last one
    /// How many there are.
    [[nodiscard]] std::size_t size() const { return last - first; }
  };

  /// How many tiles there are.
  [[nodiscard]] std::size_t tiles() const { return tile_count_; }
  /// The answers of a tile.
  [[nodiscard]] Range tile(std::size_t t) const { return range(t, sizes_.block * sizes_.fan); }
  /// The blocks of a tile.
  [[nodiscard]] Range blocks_of(std::size_t t) const {
    return {t * sizes_.fan, std::min((t + 1) * sizes_.fan, block_count_)};
  }
  /// The answers of a block.
  [[nodiscard]] Range block(std::size_t b) const { return range(b, sizes_.block); }
  /// The largest answer of a tile.
  [[nodiscard]] std::int64_t tile_ticks(std::size_t t) const { return ticks_of(tiles_[t]); }
  /// The same as it was found: a whole number, or ticks of a real one.
  [[nodiscard]] std::int64_t tile_maximum(std::size_t t) const { return tiles_[t]; }
  /// The ticks of what was found.
  [[nodiscard]] std::int64_t ticks_of(std::int64_t maximum) const {
    return whole_ ? grid_->floor_ticks(maximum) : maximum;
  }
  /// The largest answer of a block.
  [[nodiscard]] std::int64_t block_ticks(std::size_t b) const { return ticks_of(blocks_[b]); }
  /// One answer of a block at most is above this: the largest, where the second largest is known.
  [[nodiscard]] std::int64_t others_ticks(std::size_t b) const { return ticks_of(others_[b]); }
  /// Whether all answers of a tile but the largest of each block are below a mark.
  [[nodiscard]] bool others_below(std::size_t t, std::int64_t mark) const {
    return others_of_tiles_[t] < mark;
  }
  /// Where the largest answer of a block is; the first, if there are several.
  [[nodiscard]] std::size_t place_of_largest(std::size_t b) {
    return block(b).first + not_below(blocks_[b], b).front();
  }
  /// Asks memory for an answer that will be read soon.
  void fetch(std::size_t i) const { answers_.fetch(i); }
  /// An answer.
  [[nodiscard]] std::int64_t ticks(std::size_t i) const { return answers_.ticks(i, *grid_); }

  /// A mark for comparing answers with ticks, whole numbers without turning them into ticks: all
  /// answers of at least `ticks` ticks are at the mark or above it, and perhaps others.
  [[nodiscard]] std::int64_t mark(std::int64_t ticks) const {
    return whole_ ? grid_->least_whole(ticks) : ticks;
  }
  /// Whether all answers of a tile are below a mark.
  [[nodiscard]] bool tile_below(std::size_t t, std::int64_t mark) const { return tiles_[t] < mark; }
  /// Whether all answers of a block are below a mark.
  [[nodiscard]] bool block_below(std::size_t b, std::int64_t mark) const {
    return blocks_[b] < mark;
  }
  /// Positions within a block of all answers that are not below a mark, rising. Good until the
  /// next call.
  [[nodiscard]] std::span<const std::uint32_t> not_below(std::int64_t mark, std::size_t b) {
    const Range of = block(b);
    return {positions_.data(), answers_.not_below(mark, of.first, of.last, *grid_, positions_)};
  }

  /// Blocks of a tile, counted from its first, that are not below a mark, rising. Good until the
  /// next call.
  [[nodiscard]] std::span<const std::uint32_t> blocks_not_below(std::int64_t mark, std::size_t t);
  /// How many blocks have an answer of at least `ticks` ticks, or a little less.
  [[nodiscard]] std::size_t count_blocks_from(std::int64_t ticks) const;
  /// Where the `count` largest answers are (all, where there are fewer), in no order; of answers
  /// that are equal on the grid any.
  [[nodiscard]] std::vector<std::size_t> largest(std::size_t count);

 private:
  [[nodiscard]] Range range(std::size_t i, std::size_t size) const {
    return {std::min(i * size, answers_.size()), std::min((i + 1) * size, answers_.size())};
  }
  /// An answer as the maxima have it: whole numbers, or ticks of real ones.
  [[nodiscard]] std::int64_t raw(std::size_t i) const;

  Answers answers_;
  const Grid* grid_;
  BlockSizes sizes_;
  bool whole_;
  std::size_t block_count_;
  std::size_t tile_count_;
  SurveyMemory memory_;
  std::span<std::int64_t> blocks_;           // maxima: whole numbers, or ticks of real ones
  std::span<std::int64_t> others_;           // the same, of second largest; the maxima if not known
  std::span<std::int64_t> tiles_;            // maxima of tiles
  std::span<std::int64_t> others_of_tiles_;  // maxima of `others_`
  std::vector<std::uint32_t> near_blocks_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace freegap

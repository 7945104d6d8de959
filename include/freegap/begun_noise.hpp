#pragma once

/// @file
/// One-sided noise for each candidate of a list, finished where it matters. The noise of everybody
/// is begun: its first 16 bits are drawn, which bound it from above. From the same bits it is
/// finished for those whose bound is among the highest, as many as are needed to be sure of the
/// leaders. Nobody's noise is drawn twice, and that of the others stays unknown
/// (docs/proofs/all_noise.md, "Begun noise"; tests/mechanisms/begun_noise_test.cpp).
///
/// Everything in this file is secret until a mechanism turns it into a release.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "freegap/ceiling.hpp"
#include "freegap/floor_ticks.hpp"
#include "freegap/grid.hpp"
#include "freegap/noise.hpp"
#include "freegap/rate.hpp"

namespace freegap::detail {

/// The largest of some values.
std::int64_t largest(std::span<const std::int64_t> values);
/// The place of one that equals `value`, which must occur. Looks at all of them.
std::size_t place_of(std::int64_t value, std::span<const std::int64_t> values);

/// Candidates at a time: few enough for the caches.
inline constexpr std::size_t begun_chunk = std::size_t{1} << 20U;
/// Where more leaders are wanted, noise for everybody costs less.
inline constexpr std::size_t most_begun_leaders = 1024;
/// Candidates whose noise is finished in any case, besides the unbounded, to find m leaders.
/// Seldom are more needed, whatever the data are.
constexpr std::size_t surely_finished(std::size_t m) { return m + m / 4 + 16; }

/// Leaders of a chunk by begun noise.
template <class Number, BeginningSource Source>
class BegunNoise {
 public:
  /// Begins the noise of all. Everything must outlive this object.
  BegunNoise(std::span<const Number> answers, const Grid& grid, const Rate& rate, Source& noise)
      : answers_(answers),
        grid_(&grid),
        rate_(&rate),
        noise_(&noise),
        ceiling_(rate),
        blocks_((answers.size() + noisy_block - 1) / noisy_block),
        bits_(new std::uint64_t[blocks_ * words], Wipe{blocks_ * words}) {
    for (std::size_t b = 0; b < blocks_; ++b) {
      if (b % blocks_at_once == 0) {
        noise.keys({bits_.get() + b * words, std::min(blocks_at_once, blocks_ - b) * words});
      }
      const Highest block = highest(ceiling_, ticks_of(b), bits_of(b));
      if (block.unbounded) {
        find_unbounded(b);
      }
      maxima_.push_back(block.unbounded ? largest(raised(b)) : block.value);
    }
  }

  /// Shows `visit(place, value)` candidates with their noisy values, among them the m best and all
  /// that tie with the last of these: `least`, where there are so many, and more as far as needed.
  template <class Visit>
  void finish(std::size_t m, std::size_t least, const Visit& visit) {
    std::vector<std::int64_t> values;
    const auto look_at = [&](std::size_t place) {
      values.push_back(ticks_of(place / noisy_block)[place % noisy_block] +
                       noise_->finish(*rate_, beginning(place)));
      visit(place, values.back());
    };
    for (const std::size_t place : unbounded_) {
      look_at(place);
    }
    for (std::size_t round = 0;; ++round) {
      const std::int64_t bound = largest(maxima_);
      if (bound < -Grid::limit_ticks || (round >= least && surpassed(bound, m, values))) {
        return;
      }
      const std::size_t b = place_of(bound, maxima_);
      const std::size_t place = b * noisy_block + place_of(bound, raised(b));
      look_at(place);
      forget(place);
      maxima_[b] = largest(raised(b));
    }
  }

 private:
  static constexpr std::size_t words = noisy_block / 4;  // of bits in a block
  static constexpr std::size_t blocks_at_once = 32;      // that bits are drawn for
  static constexpr std::int64_t nothing = INT64_MIN;     // below every bound

  /// Frees random bits and leaves nothing of them.
  struct Wipe {
    std::size_t size;
    void operator()(std::uint64_t* bits) const {
      explicit_bzero(bits, size * sizeof(std::uint64_t));
      delete[] bits;
    }
  };

  /// Whether m of the values are above the bound.
  static bool surpassed(std::int64_t bound, std::size_t m, std::span<const std::int64_t> values) {
    return static_cast<std::size_t>(std::count_if(values.begin(), values.end(),
                                                  [&](std::int64_t v) { return v > bound; })) >= m;
  }

  [[nodiscard]] const std::uint64_t* bits_of(std::size_t b) const {
    return bits_.get() + b * words;
  }
  [[nodiscard]] std::uint16_t beginning(std::size_t place) const {
    return static_cast<std::uint16_t>(bits_.get()[place / 4] >> (16 * (place % 4)));
  }

  /// Leaves nothing of the bits of one who is finished, and so no bound.
  void forget(std::size_t place) {
    bits_.get()[place / 4] &= ~(std::uint64_t{0xffff} << (16 * (place % 4)));
  }

  /// Ticks of a block, filled up with nothing.
  std::span<std::int64_t> ticks_of(std::size_t b) {
    const auto part =
        answers_.subspan(b * noisy_block, std::min(noisy_block, answers_.size() - b * noisy_block));
    floor_ticks(part, *grid_, std::span(ticks_).first(part.size()));
    std::fill(ticks_.begin() + static_cast<std::ptrdiff_t>(part.size()), ticks_.end(), nothing);
    return ticks_;
  }
  /// Bounds of a block; nothing for those without bits.
  std::span<std::int64_t> raised(std::size_t b) {
    const std::span<std::int64_t> block = ticks_of(b);
    raise(ceiling_, bits_of(b), nothing, block);
    return block;
  }
  void find_unbounded(std::size_t b) {
    for (std::size_t i = b * noisy_block; i < std::min((b + 1) * noisy_block, answers_.size());
         ++i) {
      if (beginning(i) == 0) {
        unbounded_.push_back(i);
      }
    }
  }

  std::span<const Number> answers_;
  const Grid* grid_;
  const Rate* rate_;
  Source* noise_;
  Ceiling ceiling_;
  std::size_t blocks_;
  std::unique_ptr<std::uint64_t, Wipe> bits_;  // the first of them
  std::vector<std::int64_t> maxima_;
  std::vector<std::size_t> unbounded_;
  std::array<std::int64_t, noisy_block> ticks_{};
};

}  // namespace freegap::detail

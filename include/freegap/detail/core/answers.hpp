#pragma once

/// @file
/// What scans do with answers: put them on a grid, find the largest of each block, find those that
/// reach a bound. Secret.

#include <cstddef>
#include <cstdint>
#include <span>

#include "freegap/candidates.hpp"
#include "freegap/grid.hpp"

namespace freegap::detail {

/// The answers [first, last).
Answers part(const Answers& answers, std::size_t first, std::size_t last);
/// Answer number i, in ticks.
inline std::int64_t ticks(const Answers& answers, std::size_t i, const Grid& grid) {
  return grid.floor_ticks(answers[i]);
}
/// Asks memory for answer number i, which will be read soon. Inline because GCC drops a call that
/// does nothing else.
inline void prefetch(const Answers& answers, std::size_t i) {
  __builtin_prefetch(
      answers.visit([i](const auto& values) -> const void* { return values.data() + i; }));
}
/// Throws InvalidParameter when an answer is NaN or infinite.
void check_finite(const Answers& answers);

/// Writes the largest answer of each block of `block` answers; the last block may be shorter. Whole
/// numbers are taken as they are, reals in ticks.
void maxima_of_blocks(const Answers& answers, std::size_t block, const Grid& grid,
                      std::span<std::int64_t> maxima);
/// Writes the positions within [first, last) of all answers that are at least `bound`, rising, and
/// returns their number. Whole numbers are compared as they are, reals in ticks. `positions` has
/// room for one more than the range.
std::size_t positions_at_least(const Answers& answers, std::int64_t bound, std::size_t first,
                               std::size_t last, const Grid& grid,
                               std::span<std::uint32_t> positions);

}  // namespace freegap::detail

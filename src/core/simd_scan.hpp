#pragma once

/// @file
/// Plain scans of numbers in the widest vectors the processor has. Nothing here knows of noise.

#include <cstddef>
#include <cstdint>
#include <span>

namespace freegap::detail {

/// Writes the largest value of each block of `block` values; the last block may be shorter.
void maxima_of_blocks(std::span<const std::int64_t> values, std::size_t block,
                      std::span<std::int64_t> maxima);
/// The same of smaller numbers.
void maxima_of_blocks(std::span<const std::int32_t> values, std::size_t block,
                      std::span<std::int64_t> maxima);

/// Writes the positions of all values that are at least `bound`, rising, and returns how many there
/// are. `positions` has room for one more than there are values.
std::size_t positions_at_least(std::span<const std::int64_t> values, std::int64_t bound,
                               std::span<std::uint32_t> positions);
/// The same of smaller numbers.
std::size_t positions_at_least(std::span<const std::int32_t> values, std::int64_t bound,
                               std::span<std::uint32_t> positions);

}  // namespace freegap::detail

#pragma once

/// @file
/// How high noise can be, given its first bits: a bound from above, in single precision, for many
/// at once (docs/proofs/all_noise.md, "Begun noise"; tests/noise/ceiling_test.cpp). Secret.

#include <cstddef>
#include <cstdint>
#include <span>

#include "freegap/rate.hpp"

namespace freegap::detail {

/// Candidates in a block.
inline constexpr std::size_t noisy_block = 512;

/// Bounds draws of `geometric(rate)` from above by their first 16 bits v, where v > 0: a draw is at
/// most ln(2^16 / v) / rate, and that is at most `factor` times the distance of v from 2^16 when
/// both are written as floats and their bits read as integers. For every v by
/// tests/noise/ceiling_test.cpp.
struct Ceiling {
  /// For a rate that it covers.
  explicit Ceiling(const Rate& rate);
  /// Whether bounds at this rate fit 31 bits.
  static bool covers(const Rate& rate);

  float factor;  ///< ticks for each unit in the last place of a float, rounded up
};

/// The highest that a block may get.
struct Highest {
  std::int64_t value;  ///< the largest of `ticks` plus bound, over those that are bounded
  bool unbounded;      ///< whether some of them are not: their bits are all zero
};

/// Of a whole block: ticks, and the bits of four candidates in each word, the first in the lowest.
/// Where `unbounded`, the value means nothing.
Highest highest(const Ceiling& ceiling, std::span<const std::int64_t> ticks,
                const std::uint64_t* bits);
/// Adds to the ticks of a whole block their bounds; the unbounded become `nothing`.
void raise(const Ceiling& ceiling, const std::uint64_t* bits, std::int64_t nothing,
           std::span<std::int64_t> ticks);

}  // namespace freegap::detail

#pragma once

/// @file
/// The fast path of bulk noise: floor(-ln(U) / rate) from the first 31 bits of U, in vectors of
/// single precision with a bound on their error. Where the bound does not settle the integer, it
/// says so. The samplers in noise.cpp go on from the same bits. docs/proofs/samplers.md, "In bulk".

#include <cstddef>
#include <cstdint>
#include <span>

#include "freegap/rate.hpp"

namespace freegap::detail {

/// What the kernel makes of v, the first 31 bits of U: for all U in [v, v + 1] / 2^31
///
///     L (1 - error_factor) - error_shift - w  <=  -ln U  <=  L (1 + error_factor) + error_shift
///
/// (the upper bound for v > 0). Checked for every v, on every vector target of the machine, by
/// tests/noise/bulk_kernel_test.cpp.
struct BulkLogarithm {
  static constexpr double error_factor = 0x1p-23;  ///< relative to L
  static constexpr double error_shift = 0x1p-24;   ///< absolute
  float l;                                         ///< about -ln(v / 2^31)
  float w;                                         ///< at least about ln((v + 1) / v)
};

/// The kernel for some v < 2^31 at once. For tests.
void bulk_logarithms(std::span<const std::uint32_t> v, std::span<BulkLogarithm> out);

/// The linear maps that take L and w to bounds of -ln(U) / rate, in single precision.
struct BulkBounds {
  /// Wider by `widening` on both sides than they need to be, which tests ask for.
  BulkBounds(const Rate& rate, double widening);

  float lower_factor;  ///< times L, less `shift`, less `width_factor` w: not above -ln(U) / rate
  float upper_factor;  ///< times L, plus `shift`: not below -ln(U) / rate
  float width_factor;  ///< see there
  float shift;         ///< see there
};

/// At most so many samples at a time.
constexpr std::size_t bulk_samples = 4096;
/// Stands for a two-sided sample that is not settled; no settled one is as small.
constexpr std::int64_t bulk_unsettled = INT32_MIN;

/// Draws from 32 bits each: a sign, which counts only where `two_sided`, and the first 31 bits of
/// U. Writes to `open` the positions of samples that are not settled, or minus zero (0 with a
/// sign), and returns how many there are. `bits` must be readable up to a multiple of 4096 samples,
/// for whole vectors.
std::size_t bulk_draw(const BulkBounds& bounds, bool two_sided, const std::uint32_t* bits,
                      std::span<std::int64_t> out, std::uint32_t* open);

}  // namespace freegap::detail

#pragma once

/// @file
/// The fast path of bulk noise: floor(-ln(U) / rate) from the first 31 bits of U, in vectors of
/// single precision with a bound on their error. Samples that the bound does not settle are
/// reported, and the samplers in noise.cpp continue from the same bits. Proof:
/// docs/proofs/samplers.md, "In bulk". Reasons: docs/decisions/0015-bulk-noise.md.

#include <cstddef>
#include <cstdint>
#include <span>

#include "freegap/rate.hpp"

namespace freegap::detail {

/// What the kernel computes from v, the first 31 bits of U. For all U in [v, v + 1] / 2^31
///
///     L (1 - error_factor) - error_shift - w  <=  -ln U  <=  L (1 + error_factor) + error_shift
///
/// (the upper bound for v > 0). This is not derived but checked: tests/noise/bulk_kernel_test.cpp
/// tries every v, on every vector target of the machine.
struct BulkLogarithm {
  static constexpr double error_factor = 0x1p-23;  ///< relative to L
  static constexpr double error_shift = 0x1p-24;   ///< absolute
  float l;                                         ///< about -ln(v / 2^31)
  float w;                                         ///< at least about ln((v + 1) / v)
};

/// The kernel applied to each v < 2^31. For tests.
void bulk_logarithms(std::span<const std::uint32_t> v, std::span<BulkLogarithm> out);

/// Constants of the bounds of -ln(U) / rate, in single precision:
///
///     lower_factor L - shift - width_factor w  <=  -ln(U) / rate  <=  upper_factor L + shift
struct BulkBounds {
  /// Tests pass a positive `widening`, which moves both bounds outwards by that much.
  BulkBounds(const Rate& rate, double widening);

  float lower_factor;  ///< of L in the lower bound
  float upper_factor;  ///< of L in the upper bound
  float width_factor;  ///< of w in the lower bound
  float shift;         ///< the absolute error, in both bounds
};

/// The largest number of samples per call.
constexpr std::size_t bulk_samples = 4096;
/// Marks a two-sided sample that is not settled. No settled one is as small.
constexpr std::int64_t bulk_unsettled = INT32_MIN;

/// Draws one sample from each 32 bits: a sign, used only if `two_sided`, and the first 31 bits of
/// U. Writes to `open` the positions of samples that are not settled or are minus zero (0 with a
/// negative sign), and returns the number of positions. `bits` must be readable up to a multiple of
/// 4096 samples, because whole vectors are loaded.
std::size_t bulk_draw(const BulkBounds& bounds, bool two_sided, const std::uint32_t* bits,
                      std::span<std::int64_t> out, std::uint32_t* open);

}  // namespace freegap::detail

#pragma once

/// @file
/// How far below a noisy threshold a candidate must be so that it hardly passes
/// (docs/proofs/unknown_items.md; tests/noise/passing_test.cpp).

#include <cstdint>

#include "freegap/distribution.hpp"
#include "freegap/rate.hpp"
#include "freegap/rational.hpp"

namespace freegap::detail {

/// The noise ν of a candidate and the noise η of the threshold, both on ticks.
struct PassingNoise {
  Distribution distribution;  ///< of both
  Rate candidate;             ///< of ν
  Rate threshold;             ///< of η
};

/// The least t >= 0 with items * P(ν >= t + η) <= δ e^-ε. Both sides are enclosed with directed
/// rounding: where the enclosures cannot tell, t is one larger. A public number. Throws
/// InvalidParameter where t would be beyond 2^60.
std::int64_t safe_distance_ticks(const PassingNoise& noise, std::uint64_t items,
                                 const Rational& delta, const Rational& epsilon);

}  // namespace freegap::detail

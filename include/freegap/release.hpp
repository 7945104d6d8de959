#pragma once

/// @file
/// What all releases share: their cost, and the public threshold of those that have one. A release
/// is a plain struct of public data, one type per mechanism in freegap/release/. Estimates and
/// presentation take releases and never candidates, so nothing secret is on their side. Gaps are
/// whole numbers of ticks, with the tick beside them; doubles appear only where a public number is
/// shown.

#include <cstdint>

#include "freegap/rational.hpp"

namespace freegap {

/// What a release cost, as exact rationals. The mechanism's loss is at most `spent` for the output
/// at hand and at most `reserved` for any output.
struct Cost {
  Rational reserved;  ///< the worst case, to be set aside before noise is drawn
  Rational spent;     ///< what the output itself shows was used
  /// What comes back.
  [[nodiscard]] Rational left() const { return reserved - spent; }
};

/// The public threshold of a sparse vector or a hybrid.
struct Threshold {
  Rational asked;               ///< as the caller gave it
  Rational used;                ///< rounded up to a tick
  std::int64_t used_ticks = 0;  ///< the same, in ticks
};

/// One way for a query to pass a sparse vector.
struct Branch {
  Rational epsilon;               ///< price of an answer by this branch
  Rational scale;                 ///< scale of its noise
  std::int64_t offset_ticks = 0;  ///< subtracted from the raw difference so that gaps are centred
  std::int64_t cut_ticks = 0;     ///< smallest centred gap that passes
};

}  // namespace freegap

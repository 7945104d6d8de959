#pragma once

/// @file
/// What releases have in common: cost (of budget.hpp), threshold, branches. A release is a struct
/// of public data, one type per mechanism in freegap/release/. Estimates and presentation take
/// releases and never candidates, so they see nothing secret. Gaps are whole numbers of ticks, with
/// the tick in the same struct; doubles appear only for display.

#include <cstdint>

#include "freegap/budget.hpp"  // IWYU pragma: export
#include "freegap/rational.hpp"

namespace freegap {

/// The public threshold of a sparse vector or a hybrid.
struct Threshold {
  Rational asked;               ///< as the caller gave it
  Rational used;                ///< rounded up to a tick
  std::int64_t used_ticks = 0;  ///< the same, in ticks
};

/// One test of a sparse vector that a query can pass.
struct Branch {
  Rational epsilon;               ///< price of an answer by this branch
  Rational scale;                 ///< scale of its noise
  std::int64_t offset_ticks = 0;  ///< subtracted from the raw difference so that gaps are centred
  std::int64_t cut_ticks = 0;     ///< smallest centred gap that passes
};

}  // namespace freegap

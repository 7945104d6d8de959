#pragma once

/// @file
/// Noise that stands between a scan and its source: one that hands everything through, and mistakes
/// that a scan could make, made in its noise.

#include <algorithm>
#include <cstdint>

#include "freegap/noise.hpp"
#include "freegap/rate.hpp"

namespace freegap::testing {

/// Hands everything through.
template <SkippingSource Noise>
struct Sound {
  Noise& noise;
  std::int64_t geometric(const Rate& rate) { return noise.geometric(rate); }
  std::int64_t laplace(const Rate& rate) { return noise.laplace(rate); }
  std::uint64_t below(std::uint64_t n) { return noise.below(n); }
  std::uint64_t key() { return noise.key(); }
  bool reaches(const Rate& rate, Distance d) { return noise.reaches(rate, d); }
  std::uint64_t skips(const Rate& rate, Distance d, std::uint64_t n) {
    return noise.skips(rate, d, n);
  }
  bool above_zero(const Rate& rate) { return noise.above_zero(rate); }
};

/// What reaches the cutoff stops soon after.
template <SkippingSource Noise>
struct NothingBeyondTheCutoff : Sound<Noise> {
  std::int64_t geometric(const Rate& rate) {
    return std::min<std::int64_t>(1, this->noise.geometric(rate));
  }
};

/// Successes are rarer than they should be.
template <SkippingSource Noise>
struct CutoffOneTooHigh : Sound<Noise> {
  std::uint64_t skips(const Rate& rate, Distance d, std::uint64_t n) {
    return this->noise.skips(rate, d + 1, n);
  }
};

/// Two-sided noise is taken for one-sided.
template <SkippingSource Noise>
struct LowerSideForgotten : Sound<Noise> {
  static bool above_zero(const Rate& /*rate*/) { return true; }
};

}  // namespace freegap::testing

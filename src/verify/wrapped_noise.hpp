#pragma once

/// @file
/// Noise that stands between a mechanism and its source: one that hands everything through, one
/// that draws in bulk, and mistakes that a scan could make, made in its noise.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "freegap/noise.hpp"
#include "freegap/rate.hpp"

namespace freegap::verify {

/// Hands everything through.
template <SkippingSource Noise>
struct Sound {
  Noise& noise;  ///< the source
  /// As in NoiseSource.
  std::int64_t geometric(const Rate& rate) { return noise.geometric(rate); }
  /// As in NoiseSource.
  std::int64_t laplace(const Rate& rate) { return noise.laplace(rate); }
  /// As in NoiseSource.
  std::uint64_t below(std::uint64_t n) { return noise.below(n); }
  /// As in NoiseSource.
  std::uint64_t key() { return noise.key(); }
  /// As in SkippingSource.
  std::uint64_t skips(const Rate& rate, Distance d, std::uint64_t n) {
    return noise.skips(rate, d, n);
  }
  /// As in SkippingSource.
  bool above_zero(const Rate& rate) { return noise.above_zero(rate); }
};

/// Draws few trials ahead, where production draws thousands: what happens after the first few
/// failures does not matter to a handful of candidates, and is left open. So the sizes of
/// production can be enumerated. A mechanism that took more trials would find failures where there
/// may be none, and the distribution would show it.
template <SkippingSource Noise>
struct FewTrials : Sound<Noise> {
  /// How many trials of a large request are drawn; the others fail.
  static constexpr std::uint64_t drawn = 4;
  /// As in SkippingSource.
  std::uint64_t skips(const Rate& rate, Distance d, std::uint64_t n) {
    const std::uint64_t few = std::min(n, drawn);
    const std::uint64_t failures = this->noise.skips(rate, d, few);
    return failures == few ? n : failures;
  }
};

/// Draws in bulk, as the sources of production do, so that a mechanism takes the way it takes
/// there. Of a large request only the last few are drawn: a mechanism takes noise drawn ahead from
/// the end, and what it does not take changes nothing. The others are numbers that no noise has: if
/// one is taken, the distribution shows it.
template <SkippingSource Noise>
struct DrawsInBulk : FewTrials<Noise> {
  using Sound<Noise>::geometric;
  using Sound<Noise>::laplace;
  /// How many of a large request are drawn. Requests up to this are drawn whole.
  static constexpr std::size_t drawn = 5;
  /// What the others are.
  static constexpr std::int64_t never = std::numeric_limits<std::int32_t>::min();

  /// As in ExactNoise.
  void geometric(const Rate& rate, std::span<std::int64_t> out) {
    fill(out, [&] { return this->noise.geometric(rate); });
  }
  /// As in ExactNoise.
  void laplace(const Rate& rate, std::span<std::int64_t> out) {
    fill(out, [&] { return this->noise.laplace(rate); });
  }

 private:
  template <class Draw>
  static void fill(std::span<std::int64_t> out, const Draw& draw) {
    std::fill(out.begin(), out.end(), never);
    for (std::int64_t& value : out.last(std::min(drawn, out.size()))) {
      value = draw();
    }
  }
};

// Mistakes.

/// What reaches the cutoff stops soon after.
template <SkippingSource Noise>
struct NothingBeyondTheCutoff : Sound<Noise> {
  /// As in NoiseSource.
  std::int64_t geometric(const Rate& rate) {
    return std::min<std::int64_t>(1, this->noise.geometric(rate));
  }
};

/// Successes are rarer than they should be.
template <SkippingSource Noise>
struct CutoffOneTooHigh : Sound<Noise> {
  /// As in SkippingSource.
  std::uint64_t skips(const Rate& rate, Distance d, std::uint64_t n) {
    return this->noise.skips(rate, d + 1, n);
  }
};

/// Two-sided noise is taken for one-sided.
template <SkippingSource Noise>
struct LowerSideForgotten : Sound<Noise> {
  /// As in SkippingSource.
  static bool above_zero(const Rate& /*rate*/) { return true; }
};

/// Each skip passes over one candidate too many.
template <SkippingSource Noise>
struct OneForgotten : Sound<Noise> {
  /// As in SkippingSource.
  std::uint64_t skips(const Rate& rate, Distance d, std::uint64_t n) {
    return std::min(n, this->noise.skips(rate, d, n) + 1);
  }
};

/// A random order that is none: the first comes first.
template <SkippingSource Noise>
struct NotShuffled : FewTrials<Noise> {
  /// As in NoiseSource.
  static std::uint64_t below(std::uint64_t /*n*/) { return 0; }
};

/// Draws in bulk that hand out the same noise twice.
template <SkippingSource Noise>
struct SameInBulk : Sound<Noise> {
  using Sound<Noise>::geometric;
  using Sound<Noise>::laplace;
  /// As in ExactNoise.
  void geometric(const Rate& rate, std::span<std::int64_t> out) {
    std::fill(out.begin(), out.end(), this->noise.geometric(rate));
  }
  /// As in ExactNoise.
  void laplace(const Rate& rate, std::span<std::int64_t> out) {
    std::fill(out.begin(), out.end(), this->noise.laplace(rate));
  }
};

}  // namespace freegap::verify

#pragma once

/// @file
/// The grid of ticks on which a mechanism computes. Everything secret is a whole number of ticks;
/// the tick is public. Flooring answers to ticks and clamping them to ±2^62 ticks raise neither the
/// sensitivity nor the privacy loss (docs/proofs/setting.md; tests/core/grid_test.cpp).

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include "freegap/rational.hpp"

namespace freegap {

/// One secret answer: a whole number or a finite real one.
class Answer {
 public:
  /// A whole number. Numbers beyond 64 signed bits are clamped, which does not raise the
  /// sensitivity.
  template <std::integral Int>
  Answer(Int whole)  // NOLINT(google-explicit-constructor)
      : whole_(std::in_range<std::int64_t>(whole) ? static_cast<std::int64_t>(whole) : INT64_MAX) {}
  /// A real number; `check` refuses NaN and infinities.
  Answer(double real) : real_(real), is_real_(true) {}  // NOLINT(google-explicit-constructor)

  /// Throws InvalidParameter unless the answer is finite.
  void check() const;
  /// Whether its type is a whole number.
  [[nodiscard]] bool whole() const { return !is_real_; }
  /// The whole number; only if `whole()`.
  [[nodiscard]] std::int64_t whole_number() const { return whole_; }
  /// The real number; only if not `whole()`.
  [[nodiscard]] double real_number() const { return real_; }

 private:
  friend class Grid;
  std::int64_t whole_ = 0;
  double real_ = 0;
  bool is_real_ = false;
};

/// A public grid: the size of a tick and the sensitivity measured in ticks.
class Grid {
 public:
  /// Answers are clamped to ± this many ticks.
  static constexpr std::int64_t limit_ticks = std::int64_t{1} << 62U;

  /// A grid with the given tick; the sensitivity in ticks is rounded up. Both must be positive,
  /// and the sensitivity at most 2^40 ticks.
  Grid(const Rational& tick, const Rational& sensitivity);

  /// The tick Δ/2^s with the smallest s >= 0 for which noise of scale `scale` spans at least 724
  /// ticks (about a thousand). A tick chosen by the user is used as it is; it must be a power of
  /// two.
  static Grid for_scale(const Rational& sensitivity, const Rational& scale,
                        const std::optional<Rational>& chosen_tick);

  /// The size of a tick, in the unit of the answers.
  [[nodiscard]] const Rational& tick() const { return tick_; }
  /// The sensitivity, in ticks, rounded up.
  [[nodiscard]] std::int64_t sensitivity_ticks() const { return sensitivity_ticks_; }
  /// The sensitivity on the grid: `sensitivity_ticks()` times the tick.
  [[nodiscard]] Rational sensitivity() const { return Rational(sensitivity_ticks_) * tick_; }
  /// Whether whole numbers are whole multiples of the tick, so that flooring does not change them.
  [[nodiscard]] bool keeps_whole_numbers() const { return tick_.numerator() == 1; }
  /// An answer, floored to ticks and clamped.
  [[nodiscard]] std::int64_t floor_ticks(const Answer& answer) const {
    return answer.is_real_ ? floor_real(answer.real_) : floor_whole(answer.whole_);
  }
  /// A whole number w such that every whole answer of at least `ticks` ticks is at least w.
  [[nodiscard]] std::int64_t least_whole(std::int64_t ticks) const;
  /// A public number, rounded up to ticks and clamped.
  [[nodiscard]] std::int64_t ceil_ticks(const Rational& value) const;

 private:
  [[nodiscard]] std::int64_t floor_whole(std::int64_t whole) const {
    return whole >= -simple_ && whole <= simple_ ? whole * denominator_ : divide_whole(whole);
  }
  [[nodiscard]] std::int64_t divide_whole(std::int64_t whole) const;
  [[nodiscard]] std::int64_t floor_real(double real) const;

  Rational tick_;
  std::int64_t sensitivity_ticks_;
  std::int64_t numerator_ = 0;    // of the tick; 0 when tick_ does not fit two words
  std::int64_t denominator_ = 0;  // of the tick
  std::int64_t simple_ = -1;      // up to here whole numbers need no division and no clamping
  int power_ = 0;                 // tick = 2^power_, where power_of_two_
  bool power_of_two_ = false;
};

/// a - b, saturated to 64 bits. Where it is released, saturation is post-processing.
inline std::int64_t difference_ticks(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) {
    return result;
  }
  return a > b ? INT64_MAX : INT64_MIN;
}

}  // namespace freegap

#pragma once

/// @file
/// What comes out: plain structs of public data, once winners have been turned into public labels
/// (see Item). Right of this border nothing else is secret; estimates and presentation take
/// releases and never candidates. Gaps are whole numbers of ticks, with the tick beside them;
/// doubles appear only where a public number is shown.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"

namespace freegap {

/// The shape of the noise.
enum class Law : std::uint8_t {
  exponential,  ///< one-sided, on a fine tick
  laplace,      ///< two-sided, on a fine tick
  geometric     ///< one-sided, on a tick of 1 unless another is chosen: integer gaps for integer
                ///< queries
};

/// Whether noise of this law takes both signs.
constexpr bool two_sided(Law law) { return law == Law::laplace; }

/// One source of noise as it was used: N ticks with P(N) proportional to exp(-|N| tick / scale),
/// over N >= 0 for one-sided laws.
struct NoiseLaw {
  Law law = Law::exponential;  ///< its shape
  Rational scale;              ///< in the unit of the answers
  Rational tick;               ///< all values are whole multiples of it

  /// A number of ticks in the unit of the answers, for showing.
  [[nodiscard]] double shown(std::int64_t ticks) const;
  /// Variance of one draw, in squared units of the answers.
  [[nodiscard]] double variance() const;
};

/// What a release cost, as exact rationals. The mechanism's loss is at most `spent` for the output
/// at hand and at most `reserved` for any output.
struct Cost {
  Rational reserved;  ///< the worst case, to be set aside before noise is drawn
  Rational spent;     ///< what the output itself shows was used
  /// What comes back.
  [[nodiscard]] Rational left() const { return reserved - spent; }
};

/// The order of the k largest candidates, with the free gaps.
struct TopKRelease {
  Queries queries;               ///< what was asked, and what is protected
  NoiseLaw noise;                ///< added to every candidate
  Cost cost;                     ///< ε reserved and spent
  std::uint64_t candidates = 0;  ///< how many there were (public)
  std::vector<Item> winners;     ///< best first
  /// Noisy lead of each winner over the runner-up, best first; empty for the classic mechanism.
  /// Differences of leads are exact differences of noisy values; each lead may be one tick short of
  /// its noisy difference (the borrow). Where all candidates win there is no runner-up, and the
  /// leads are over the last winner.
  std::vector<std::int64_t> lead_ticks;
  /// Whether some candidate did not win, so that the last lead says something.
  bool has_runner_up = true;
  /// Whether answers are whole multiples of the tick by their type; otherwise they were floored to
  /// it.
  bool exact_answers = false;

  /// Winners, to pass on to `measure`.
  [[nodiscard]] std::span<const Item> indices() const { return winners; }
  /// Gap between winner i and the next best, in ticks; nothing for the last where no runner-up
  /// exists and for the classic mechanism.
  [[nodiscard]] std::optional<std::int64_t> gap_ticks(std::size_t i) const;
  /// Noisy value of winner i minus that of winner j, in ticks. Needs gaps.
  [[nodiscard]] std::int64_t pairwise_gap_ticks(std::size_t i, std::size_t j) const;
};

/// Noisy values of chosen candidates.
struct MeasureRelease {
  Queries queries;                        ///< what was asked, and what is protected
  NoiseLaw noise;                         ///< two-sided, added to each value
  Cost cost;                              ///< ε reserved and spent
  std::vector<Item> items;                ///< what was measured
  std::vector<std::int64_t> value_ticks;  ///< their noisy values
  /// Noisy value number i in the unit of the answers.
  [[nodiscard]] double value(std::size_t i) const { return noise.shown(value_ticks[i]); }
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

/// When an adaptive sparse vector stops.
enum class StopRule : std::uint8_t {
  afford,  ///< as long as some branch can still be paid for; only those branches are tried
  paper    ///< as soon as the dearest branch can no longer be paid for
};

/// The answer to one query of a sparse vector.
struct SparseVectorAnswer {
  Item item;               ///< which query
  bool above = false;      ///< whether it passed
  std::size_t branch = 0;  ///< which branch it passed, 1 the first tried; 0 if none
  std::optional<std::int64_t>
      gap_ticks;  ///< centred gap over the noisy threshold; none for classic
};

/// The answers of a sparse vector, in the order the queries were asked: all of them, or those above
/// alone. Answers below have nothing to tell but that they are.
struct SparseVectorRelease {
  Queries queries;                          ///< what was asked, and what is protected
  Law law = Law::exponential;               ///< of all noise
  Rational tick;                            ///< size of a tick
  Rational theta;                           ///< share of the budget for the threshold
  Threshold threshold;                      ///< public
  Rational threshold_epsilon;               ///< ε of the threshold
  Rational threshold_scale;                 ///< scale of its noise
  std::vector<Branch> branches;             ///< in the order they are tried
  StopRule stop_rule = StopRule::afford;    ///< when it stops
  Cost cost;                                ///< ε reserved and spent
  std::vector<SparseVectorAnswer> answers;  ///< in the order asked
  std::optional<std::uint64_t> asked;       ///< how many queries were asked, where that is told

  /// Price of an answer: that of its branch, or nothing.
  [[nodiscard]] Rational spent(const SparseVectorAnswer& answer) const {
    return answer.above ? branches[answer.branch - 1].epsilon : Rational(0);
  }
  /// How many passed.
  [[nodiscard]] std::uint64_t above() const;
  /// The noise of the threshold.
  [[nodiscard]] NoiseLaw threshold_noise() const { return {law, threshold_scale, tick}; }
  /// The noise of branch number b, counted from 1.
  [[nodiscard]] NoiseLaw branch_noise(std::size_t b) const {
    return {law, branches[b - 1].scale, tick};
  }
  /// A gap in the unit of the answers.
  [[nodiscard]] double shown(std::int64_t ticks) const { return threshold_noise().shown(ticks); }
};

/// What the gap of a hybrid's winner is measured against.
enum class GapTo : std::uint8_t {
  next,      ///< lead over the runner-up, as in top-k
  threshold  ///< gap over the noisy threshold: add the threshold for an estimate
};

/// The winners of a hybrid: the k largest candidates, as far as they are above the threshold.
struct HybridRelease {
  Queries queries;                  ///< what was asked, and what is protected
  NoiseLaw noise;                   ///< added to every candidate
  NoiseLaw threshold_noise;         ///< added to the threshold
  Threshold threshold;              ///< public
  std::uint64_t k = 0;              ///< most winners possible
  Cost cost;                        ///< ε reserved and spent
  std::vector<Item> winners;        ///< best first, all above the noisy threshold
  GapTo gap_to = GapTo::threshold;  ///< what `gap_ticks` is measured against
  std::vector<std::int64_t>
      gap_ticks;  ///< one a winner: over the threshold, or leads over the runner-up
  /// Identity first, threshold reached: lead of the noisy threshold over its own runner-up.
  std::optional<std::int64_t> threshold_gap_ticks;
  /// Estimates first: the share, the prices and the centring; absent in the identity-first hybrid.
  struct Estimates {
    Rational theta;              ///< share of the budget for the threshold
    Rational threshold_epsilon;  ///< ε of the threshold
    Branch branch;               ///< price, scale and centring of an answer
  };
  std::optional<Estimates> estimates;  ///< see Estimates
};

/// The choice of an exponential mechanism with its free gap.
struct ExponentialRelease {
  Queries queries;                        ///< what was asked, and what is protected
  Cost cost;                              ///< ε reserved and spent
  Rational tick;                          ///< of the utilities
  Rational rate;                          ///< weights are exp(rate * utility): ε / (c Δ)
  Item chosen;                            ///< the winner
  Rational gap_tick;                      ///< of the gap, in scaled units rate * utility
  std::optional<std::int64_t> gap_ticks;  ///< none for the classic mechanism or a single candidate
  /// Whether utilities are whole multiples of the tick by their type; otherwise they were floored
  /// to it.
  bool exact_answers = false;

  /// The gap in scaled units.
  [[nodiscard]] std::optional<double> gap() const;
  /// The gap in the unit of the utilities.
  [[nodiscard]] std::optional<double> gap_in_utility() const;
};

}  // namespace freegap

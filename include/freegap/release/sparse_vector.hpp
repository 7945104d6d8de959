#pragma once

/// @file
/// The release of the sparse vector technique.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "freegap/distribution.hpp"
#include "freegap/item.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"
#include "freegap/release.hpp"

namespace freegap {

/// When an adaptive sparse vector stops.
enum class StopRule : std::uint8_t {
  afford,  ///< as long as some branch can still be paid for; only those branches are tried
  paper    ///< as soon as the most expensive branch can no longer be paid for
};

/// "afford" or "paper": its name in options and in JSON.
const char* name(StopRule rule);

/// The answer to one query of a sparse vector.
struct SparseVectorAnswer {
  Item item;               ///< which query
  bool above = false;      ///< whether it passed
  std::size_t branch = 0;  ///< which branch it passed, 1 the first tried; 0 if none
  std::optional<std::int64_t>
      gap_ticks;  ///< centred gap over the noisy threshold; none for classic
};

/// The answers of a sparse vector, in the order the queries were asked: all of them, or only those
/// above. An answer below says nothing more than that.
struct SparseVectorRelease {
  Queries queries;                                        ///< what was asked, and what is protected
  Distribution distribution = Distribution::exponential;  ///< of all noise
  Rational tick;                                          ///< size of a tick
  Rational theta;                                         ///< share of the budget for the threshold
  Threshold threshold;                                    ///< public
  Rational threshold_epsilon;                             ///< ε of the threshold
  Rational threshold_scale;                               ///< scale of its noise
  std::vector<Branch> branches;                           ///< in the order they are tried
  StopRule stop_rule = StopRule::afford;                  ///< when it stops
  std::optional<std::uint64_t> stop_after;                ///< also after so many answers above
  Cost cost;                                              ///< ε reserved and spent
  std::vector<SparseVectorAnswer> answers;                ///< in the order asked
  std::optional<std::uint64_t> asked;  ///< how many queries were asked, where that is released

  /// Price of an answer: that of its branch, or nothing.
  [[nodiscard]] Rational spent(const SparseVectorAnswer& answer) const {
    return answer.above ? branches[answer.branch - 1].epsilon : Rational(0);
  }
  /// How many passed.
  [[nodiscard]] std::uint64_t above() const;
  /// The noise of the threshold.
  [[nodiscard]] NoiseDistribution threshold_noise() const {
    return {distribution, threshold_scale, tick};
  }
  /// The noise of branch number b, counted from 1.
  [[nodiscard]] NoiseDistribution branch_noise(std::size_t b) const {
    return {distribution, branches[b - 1].scale, tick};
  }
  /// A gap in the unit of the answers.
  [[nodiscard]] double shown(std::int64_t ticks) const { return threshold_noise().shown(ticks); }
};

}  // namespace freegap

#pragma once

/// @file
/// Bernoulli trials, sampled by geometric skips: the one way in which every scan passes over
/// candidates far below a threshold without drawing noise for each. Lists, groups, universes and
/// sparse vectors, online and over a list, all use it (docs/how_a_scan_works.md).
///
/// A candidate at distance d below the threshold reaches it with probability exp(-rate d). That
/// event is split in two: its noise covers the first r <= d, a *trial* with probability
/// exp(-rate r); then fresh noise covers the rest, by memorylessness. All candidates at distance r
/// or more can share one sequence of trials, of which only the number of failures before the next
/// success is drawn. So failures cost no random bits (docs/proofs/noisy_top_m.md, "The skip
/// sampler"; tests/mechanisms/noisy_top_m_distribution_test.cpp,
/// tests/mechanisms/sparse_vector_distribution_test.cpp). Secret.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "freegap/detail/core/wiped.hpp"
#include "freegap/detail/mechanisms/tick_noise.hpp"
#include "freegap/noise.hpp"

namespace freegap::detail {

/// How far trials are drawn ahead. Changes the running time, not the distribution.
struct SkipSizes {
  std::uint64_t ahead;  ///< trials drawn at once, at most; at least 1
  std::size_t last;     ///< the last class, below 64

  /// Good sizes where about `count` trials will be taken.
  static constexpr SkipSizes for_count(std::uint64_t count) {
    constexpr std::uint64_t most_ahead = std::uint64_t{1} << 22U;  // more would take several draws
    return {std::clamp<std::uint64_t>(count, 1, most_ahead),
            std::min(static_cast<std::size_t>(std::bit_width(count)) + 6, std::size_t{63})};
  }
};

/// Decides which candidates reach a threshold. This version is for sources of noise that cannot
/// skip, such as tapes: it draws noise for every candidate, and no candidate counts as far.
template <NoiseSource Source>
class SkipSampler {
 public:
  /// `noise` must outlive this object.
  SkipSampler(const TickNoise& distribution, const SkipSizes& /*sizes*/, Source& noise)
      : distribution_(distribution), noise_(&noise) {}

  /// The noisy value of a candidate, if it reaches the threshold.
  std::optional<Position> reach(Position value, Position threshold) {
    const Position position = value + distribution_.draw(*noise_);
    return position >= threshold ? std::optional(position) : std::nullopt;
  }
  /// Values below this are far: none.
  [[nodiscard]] static Position far_below(Position /*threshold*/) {
    return std::numeric_limits<std::int64_t>::min();
  }
  /// How many of the next far candidates are known not to reach the threshold.
  static std::uint64_t known_far_failures() { return 0; }
  /// Takes the trials of so many far candidates.
  static void take_far(std::uint64_t /*count*/) {}

 private:
  TickNoise distribution_;
  Source* noise_;
};

/// The same for sources that can skip. It holds endless sequences of independent trials, one per
/// class of distance; a trial of class c succeeds with probability exp(-rate reach(c)).
template <SkippingSource Source>
class SkipSampler<Source> {
 public:
  /// `noise` must outlive this object.
  SkipSampler(const TickNoise& distribution, const SkipSizes& sizes, Source& noise)
      : distribution_(distribution),
        width_(distribution.rate().halving_ticks()),
        ahead_(sizes.ahead),
        last_(std::min(sizes.last, classes - 1)),
        noise_(&noise) {}

  /// The noise that decides.
  [[nodiscard]] const TickNoise& distribution() const { return distribution_; }

  /// The class of a candidate that is not above the threshold: the last one whose reach does not
  /// exceed its distance.
  [[nodiscard]] std::size_t class_of(Position value, Position threshold) const {
    const auto distance = static_cast<Distance>(threshold - value);
    return distance >= last_ * Distance{width_}
               ? last_
               : static_cast<std::size_t>(static_cast<std::uint64_t>(distance) / width_);
  }
  /// The last class: its trials hardly ever succeed.
  [[nodiscard]] std::size_t last() const { return last_; }
  /// The least distance of class c. Each class is about half as likely to succeed as the one
  /// before.
  [[nodiscard]] Position reach_of(std::size_t c) const {
    return static_cast<Position>(Distance{width_} * c);
  }
  /// A class of which `count` trials have half a success or less on average; or the last.
  [[nodiscard]] std::size_t rare(std::uint64_t count) const {
    return std::min(static_cast<std::size_t>(std::bit_width(count)), last_);
  }

  /// Takes trials of class c up to and including the first success, `count` of them at most.
  /// Returns the number of failures: `count` when all failed. Which candidates they are for, and
  /// `count`, must not depend on trials not yet taken.
  std::uint64_t failures(std::size_t c, std::uint64_t count) {
    Sequence& sequence = sequences_.get()[c];
    if (sequence.drawn && sequence.failures >= count) {
      sequence.failures -= count;
      return count;
    }
    std::uint64_t failed = 0;
    for (;;) {
      if (!sequence.drawn) {
        draw(c, std::max(ahead_, count - failed));
      }
      if (sequence.failures >= count - failed) {
        sequence.failures -= count - failed;
        return count;
      }
      failed += sequence.failures;
      sequence.drawn = false;
      if (sequence.success) {
        return failed;
      }
    }
  }

  /// The same at an exact distance instead of that of a class: for long runs, where drawing ahead
  /// gains nothing and rounding to classes would double the successes.
  std::uint64_t failures_at(Position distance, std::uint64_t count) {
    return noise_->skips(distribution_.rate(), static_cast<Distance>(distance), count);
  }

  /// How much further than the distance of its trial the noise of a candidate goes whose trial
  /// succeeded.
  std::int64_t further() {
    if constexpr (requires(std::span<std::int64_t> out) {
                    noise_->geometric(distribution_.rate(), out);
                  }) {
      if (further_left_ == 0) {
        noise_->geometric(distribution_.rate(), further_.get());
        further_left_ = further_.get().size();
      }
      // Used noise does not stay in memory.
      return std::exchange(further_.get()[--further_left_], 0);
    } else {
      return noise_->geometric(distribution_.rate());
    }
  }
  /// The noisy value of a candidate whose trial of reaching up by `reach` succeeded and whose noise
  /// goes `further`, if it reaches the threshold. Two-sided noise is at or above zero with
  /// probability 1 / (1 + exp(-rate)), independently of its size; negative noise does not reach a
  /// threshold above the value.
  std::optional<Position> land(Position value, Position reach, std::int64_t further,
                               Position threshold) {
    const Position position = value + reach + further;
    if (position < threshold ||
        (distribution_.two_sided() && !noise_->above_zero(distribution_.tick_rate()))) {
      return std::nullopt;
    }
    return position;
  }
  /// A noisy value by noise of its own, for candidates above the threshold.
  Position draw(Position value) {
    return value + (distribution_.two_sided() ? distribution_.draw(*noise_) : further());
  }
  /// The noisy value of one candidate, if it reaches the threshold.
  std::optional<Position> reach(Position value, Position threshold) {
    if (value > threshold) {
      const Position position = draw(value);
      return position >= threshold ? std::optional(position) : std::nullopt;
    }
    const std::size_t c = class_of(value, threshold);
    return failures(c, 1) == 1 ? std::nullopt : land(value, reach_of(c), further(), threshold);
  }

  /// Values below this are far: of the last class.
  [[nodiscard]] Position far_below(Position threshold) const {
    return threshold - reach_of(last_) + 1;
  }
  /// How many of the next far candidates are known not to reach the threshold. Their trials are not
  /// taken.
  std::uint64_t known_far_failures() {
    Sequence& sequence = sequences_.get()[last_];
    if (!sequence.drawn || (sequence.failures == 0 && !sequence.success)) {
      draw(last_, ahead_);
    }
    return sequence.failures;
  }
  /// Takes the trials of so many far candidates, all known failures.
  void take_far(std::uint64_t count) { failures(last_, count); }

 private:
  static constexpr std::size_t classes = 64;

  /// What is drawn of a sequence: some failures, then perhaps a success.
  struct Sequence {
    bool drawn = false;
    bool success = false;
    std::uint64_t failures = 0;
  };

  /// Draws the failures before the next success, cut off at `limit`. After a cut the sequence
  /// starts afresh, by memorylessness.
  void draw(std::size_t c, std::uint64_t limit) {
    const std::uint64_t failures =
        noise_->skips(distribution_.rate(), static_cast<Distance>(reach_of(c)), limit);
    sequences_.get()[c] = {true, failures < limit, failures};
  }

  TickNoise distribution_;
  std::uint64_t width_;  // of a class of distances
  std::uint64_t ahead_;
  std::size_t last_;
  Source* noise_;
  Wiped<std::array<Sequence, classes>> sequences_;
  Wiped<std::array<std::int64_t, 64>>
      further_;  // noise drawn ahead in bulk; the last `further_left_` unused
  std::size_t further_left_ = 0;
};

}  // namespace freegap::detail

#pragma once

/// @file
/// SkipSampler of which only the successes are drawn: how a scan passes over candidates without
/// drawing noise for each (docs/proofs/noisy_top_m.md;
/// tests/mechanisms/noisy_top_m_distribution_test.cpp).

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "freegap/noise.hpp"
#include "freegap/rate.hpp"

namespace freegap {

/// How trials are drawn. It changes the time taken, and no distribution.
struct SkipSizes {
  std::uint64_t ahead;  ///< how many are drawn at once, at most; at least 1
  std::size_t last;     ///< the last class, below 64

  /// Good sizes where about `count` trials will be taken.
  static constexpr SkipSizes for_count(std::uint64_t count) {
    constexpr std::uint64_t most_ahead = std::uint64_t{1} << 22U;  // more would be several draws
    return {std::clamp<std::uint64_t>(count, 1, most_ahead),
            std::min(static_cast<std::size_t>(std::bit_width(count)) + 6, std::size_t{63})};
  }
};

/// Endless sequences of independent trials, one for each class of distance below the bar; a trial
/// of class c succeeds with probability exp(-rate * reach(c)). Only the successes are drawn, so
/// handing out failures costs no random bits.
template <SkippingSource Source>
class SkipSampler {
 public:
  /// Both the rate and the noise must outlive this object.
  SkipSampler(const Rate& rate, const SkipSizes& sizes, Source& noise)
      : rate_(&rate),
        width_(rate.halving_ticks()),
        ahead_(sizes.ahead),
        last_(sizes.last),
        noise_(&noise) {}

  /// The class of a distance: the last whose reach is not beyond it.
  [[nodiscard]] std::size_t class_of(Distance distance) const {
    return distance >= last_ * Distance{width_}
               ? last_
               : static_cast<std::size_t>(static_cast<std::uint64_t>(distance) / width_);
  }
  /// The last class: of all its trials there is hardly ever a success.
  [[nodiscard]] std::size_t last() const { return last_; }
  /// The least distance of a class.
  [[nodiscard]] Distance reach(std::size_t c) const { return Distance{width_} * c; }
  /// A class of which `count` trials have half a success or less, on average; or the last.
  [[nodiscard]] std::size_t rare(std::uint64_t count) const {
    return std::min(static_cast<std::size_t>(std::bit_width(count)), last_);
  }

  /// How many trials of class c are known to fail, drawing ahead if none is known. They are not
  /// taken.
  std::uint64_t known_failures(std::size_t c) {
    Sequence& sequence = sequences_[c];
    if (!sequence.drawn || (sequence.failures == 0 && !sequence.success)) {
      draw(c);
    }
    return sequence.failures;
  }
  /// Takes trials of class c up to and including the first success, `count` of them at most.
  /// Returns how many failed: `count` when all did.
  std::uint64_t failures(std::size_t c, std::uint64_t count) {
    Sequence& sequence = sequences_[c];
    if (sequence.drawn && sequence.failures >= count) {
      sequence.failures -= count;
      return count;
    }
    std::uint64_t failed = 0;
    for (;;) {
      if (!sequence.drawn) {
        draw(c);
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

 private:
  /// Each is about half as likely to succeed as the one before.
  static constexpr std::size_t classes = 64;

  /// What was drawn ahead: some failures, then perhaps a success.
  struct Sequence {
    bool drawn = false;
    bool success = false;
    std::uint64_t failures = 0;
  };

  void draw(std::size_t c) {
    const std::uint64_t failures = noise_->skips(*rate_, reach(c), ahead_);
    sequences_[c] = {true, failures < ahead_, failures};
  }

  const Rate* rate_;
  std::uint64_t width_;
  std::uint64_t ahead_;
  std::size_t last_;
  Source* noise_;
  std::array<Sequence, classes> sequences_;
};

}  // namespace freegap

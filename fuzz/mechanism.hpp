// Shared by the fuzz targets of all mechanisms: a run is refused before any bit is drawn, or it
// gives a release.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/distribution.hpp"
#include "freegap/errors.hpp"
#include "freegap/grid.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"
#include "freegap/release.hpp"
#include "fuzz/input.hpp"
#include "fuzz/require.hpp"

namespace freegap::fuzz {

/// The most winners to ask for: selecting a billion candidates is correct but slow.
inline constexpr std::uint64_t most_winners = 64;

/// The release of `run(noise)`. Nothing if it is refused, or if the bits of the input are so
/// unusual that they settle nothing.
template <class Run>
auto release_of(testing::ScriptedBits& bits, const Run& run)
    -> std::optional<decltype(run(std::declval<ExactNoise&>()))> {
  ExactNoise noise(bits);
  try {
    return run(noise);
  } catch (const InvalidParameter&) {
    require(bits.taken() == 0, "misuse is noticed before any bit is drawn");
  } catch (const MachineFault&) {
    require(bits.taken() >= 64, "only many bits can be found broken");
  }
  return std::nullopt;
}

/// Candidates for any options.
inline constexpr auto any_candidates = [](Input& input, const auto&) {
  return input.candidates(12);
};

/// The fuzz target of a mechanism that selects k winners: reads options and candidates, selects,
/// and checks the release.
template <class ReadOptions, class Select, class Check,
          class ReadCandidates = decltype(any_candidates)>
int fuzz_selection(const std::uint8_t* data, std::size_t size, const ReadOptions& read_options,
                   const Select& select, const Check& check,
                   const ReadCandidates& read_candidates = any_candidates) {
  Input input(data, size);
  try {
    const auto options = read_options(input);
    testing::ScriptedBits bits = input.bits();
    const auto owned = read_candidates(input, options);
    const Candidates& candidates = *owned->candidates;
    if (options.k > most_winners && options.k <= candidates.size()) {
      return 0;
    }
    const auto release =
        release_of(bits, [&](ExactNoise& noise) { return select(candidates, options, noise); });
    if (release) {
      check(*release, options, candidates);
    }
  } catch (const InvalidParameter&) {  // a budget or candidates that are not valid
  }
  return 0;
}

inline void require_cost(const Cost& cost, const Rational& epsilon) {
  require(cost.reserved == epsilon, "the budget is reserved, exactly");
  require(cost.spent.sign() >= 0 && cost.spent <= cost.reserved, "0 <= spent <= reserved");
}

/// Requires that winners differ and are candidates.
inline void require_winners(const std::vector<Item>& winners, const Candidates& candidates) {
  for (std::size_t i = 0; i < winners.size(); ++i) {
    require(candidates.contains(winners[i]), "a winner is a candidate");
    require(std::find(winners.begin(), winners.begin() + static_cast<std::ptrdiff_t>(i),
                      winners[i]) == winners.begin() + static_cast<std::ptrdiff_t>(i),
            "winners are different");
  }
}

/// Requires that gaps are not negative and do not increase.
inline void require_falling(const std::vector<std::int64_t>& gaps) {
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    require(gaps[i] >= 0, "gaps are not negative");
    require(i == 0 || gaps[i] <= gaps[i - 1], "gaps fall");
  }
}

/// The sensitivity on the grid of this tick, by its definition.
inline Rational grid_sensitivity(const Queries& queries, const Rational& tick) {
  return Rational(mpq_class((queries.sensitivity / tick).ceil())) * tick;
}

/// Requires that the tick is the chosen one, or fine for noise of this scale.
inline void require_tick(const std::optional<Rational>& chosen, const Rational& tick,
                         const Queries& queries, const Rational& scale, Distribution distribution) {
  if (chosen) {
    require(tick == *chosen, "a chosen tick is taken");
  } else if (distribution == Distribution::geometric) {
    require(tick == Rational(1), "geometric noise has a tick of 1");
  } else {
    require(tick <= queries.sensitivity && scale >= Rational(724) * tick, "a tick is fine");
  }
}

/// Requires that a threshold is rounded up by less than a tick, or clamped.
inline void require_threshold(const Threshold& threshold, const Rational& asked,
                              const Rational& tick) {
  require(threshold.asked == asked, "the threshold is reported as asked for");
  require(threshold.used == Rational(threshold.used_ticks) * tick, "thresholds are whole ticks");
  if (threshold.used_ticks > -Grid::limit_ticks && threshold.used_ticks < Grid::limit_ticks) {
    require(threshold.used >= asked && threshold.used - asked < tick, "thresholds are rounded up");
  }
}

}  // namespace freegap::fuzz

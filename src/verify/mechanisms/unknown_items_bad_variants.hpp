#pragma once

/// @file
/// Selections from items nobody listed that are nearly right. Each exceeds what the proof allows
/// (docs/proofs/unknown_items.md, "What stays unsaid").

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "verify/mechanisms/unknown_items.hpp"

namespace freegap::verify::bad {

/// The setting of most: one winner, one-sided noise on whole numbers.
inline UnknownSetting usual_unknown(std::uint64_t max_items = 1) {
  return {.prefer = Prefer::identity,
          .distribution = Distribution::geometric,
          .k = 1,
          .max_items = max_items};
}

/// The threshold's lead over its runner-up, which may be an item of one unit.
struct ThresholdGapReleased {
  std::string name = "unknown items: the threshold's own gap is released";  ///< what is wrong
  UnknownCase c = case_of(usual_unknown());                                 ///< the rest is right

  /// Its δ.
  [[nodiscard]] double delta() const { return c.delta; }
  /// What is found.
  [[nodiscard]] DivergenceShare worst() const {
    return worst_share(
        c, unknown_pairs(c),
        [](const UnknownCase& with, const Occurring& items, LossNoise& noise, NamedOrder& order) {
          UnknownCase listed = with;
          listed.plan.blank.cost.delta = 0;
          HybridRelease release = plain_unknown(listed, items, noise, order);
          release.cost = {release.cost.reserved, release.cost.reserved, with.plan.blank.cost.delta};
          return release;
        });
  }
};

/// The threshold for units of one item, where they bring two.
struct OneItemPerUnitAssumed {
  std::string name = "unknown items: the threshold forgets how many items a unit has";  ///< wrong
  UnknownCase c = [] {
    UnknownSetting s = usual_unknown();
    s.base = {1, 2};  // so small an ε that δ itself is exceeded, not only δ e^-ε
    return case_of(s);
  }();  ///< planned for one

  /// Its δ.
  [[nodiscard]] double delta() const { return c.delta; }
  /// What is found.
  [[nodiscard]] DivergenceShare worst() const {
    return worst_share(c, {{{0, 0}, {1, 1}}}, plain_unknown);
  }
};

/// The threshold is one tick lower than the least that is safe.
struct ThresholdOneLower {
  std::string name = "unknown items: the threshold is one tick too low";  ///< what is wrong
  UnknownCase c = [] {
    UnknownCase lower = case_of(usual_unknown());
    --lower.plan.blank.threshold.used_ticks;
    return lower;
  }();  ///< moved

  /// Its δ.
  [[nodiscard]] double delta() const { return c.delta; }
  /// What is found.
  [[nodiscard]] DivergenceShare worst() const {
    return worst_share(c, unknown_pairs(c), plain_unknown);
  }
};

/// A unit with too many items keeps the one that most units hold: a new unit then changes what
/// others keep.
struct CutByOtherUnits {
  std::string name = "unknown items: a unit is cut by what others hold";  ///< what is wrong
  UnknownCase c = case_of(usual_unknown());                               ///< the rest is right

  /// Its δ.
  [[nodiscard]] double delta() const { return c.delta; }
  /// Counts after the cut, by name.
  [[nodiscard]] static Vector cut(const std::vector<Vector>& units) {
    Vector held(2, 0);
    for (const Vector& unit : units) {
      for (const std::int64_t item : unit) {
        ++held[static_cast<std::size_t>(item)];
      }
    }
    Vector counts(2, 0);
    for (const Vector& unit : units) {
      const auto kept =
          std::max_element(unit.begin(), unit.end(), [&](std::int64_t a, std::int64_t b) {
            return held[static_cast<std::size_t>(a)] < held[static_cast<std::size_t>(b)];
          });
      ++counts[static_cast<std::size_t>(*kept)];
    }
    return counts;
  }
  /// What is found: all units hold both items, and the new one decides which is kept.
  [[nodiscard]] DivergenceShare worst() const {
    std::vector<Vector> units(8, Vector{0, 1});
    const Vector smaller = cut(units);
    units.push_back({1});
    return worst_share(c, {{smaller, cut(units)}}, plain_unknown);
  }
};

/// Less is charged where nothing is left that could have won: whether another item occurs shows in
/// the refund.
struct CostCountsItems {
  std::string name = "unknown items: a refund counts the items that occur";  ///< what is wrong
  UnknownCase c = [] {
    UnknownSetting s = usual_unknown();
    s.k = 2;
    return case_of(s);
  }();  ///< two may win

  /// Its δ.
  [[nodiscard]] double delta() const { return c.delta; }
  /// What is found.
  [[nodiscard]] DivergenceShare worst() const {
    return worst_share(
        c, unknown_pairs(c),
        [](const UnknownCase& with, const Occurring& items, LossNoise& noise, NamedOrder& order) {
          HybridRelease release = plain_unknown(with, items, noise, order);
          if (release.winners.size() == items.counts.size()) {
            release.cost.spent = release.cost.reserved / Rational(with.setting.k);
          }
          return release;
        });
  }
};

}  // namespace freegap::verify::bad

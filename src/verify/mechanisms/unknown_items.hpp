#pragma once

/// @file
/// Selection from items nobody listed under check: (ε, δ) on all outcomes of small inputs
/// (docs/proofs/unknown_items.md). An input is a list of counts by name; 0 stands for an item that
/// does not occur.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "freegap/hybrid.hpp"
#include "freegap/verify/alignment.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "verify/divergence.hpp"
#include "verify/grid_shapes.hpp"
#include "verify/mechanisms/hybrid.hpp"
#include "verify/named_order.hpp"

namespace freegap::verify {

/// One small setting. δ is so chosen that the threshold is hardly higher than it must be.
struct UnknownSetting {
  Prefer prefer;                ///< which hybrid
  Distribution distribution;    ///< of the noise
  std::uint64_t k = 1;          ///< most winners
  std::uint64_t max_items = 1;  ///< most items that one unit brings in
  Rational base = {3, 2};       ///< exponent of a unit of noise
  Rational tick = 1;            ///< of the grid
  std::int64_t subticks = 1;    ///< units per tick of a candidate's noise, identity first
};

/// A setting with all that follows from it.
struct UnknownCase {
  UnknownSetting setting;       ///< what it was made from
  HybridPlan plan;              ///< as the library plans it
  double delta;                 ///< its δ
  std::int64_t distance;        ///< ticks from an item of one unit to the threshold
  std::uint64_t epsilon_units;  ///< ε, in units
  std::uint64_t cut;            ///< orders of the enumeration
};

/// Plans a setting: δ is the least at which some whole distance is safe, and a hundredth more.
/// Throws if the library does not take that distance.
UnknownCase case_of(const UnknownSetting& setting);

/// D, and D' with one more unit, which holds at most M items.
std::vector<NeighbourPair> unknown_pairs(const UnknownCase& c);

/// Items that occur, and their names.
struct Occurring {
  Vector counts;           ///< all above 0
  std::vector<int> names;  ///< of each

  /// Those of `counts` that are not 0.
  explicit Occurring(const Vector& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] != 0) {
        counts.push_back(all[i]);
        names.push_back(static_cast<int>(i));
      }
    }
  }
};

/// The selection on noise for every item.
inline constexpr auto plain_unknown = [](const UnknownCase& c, const Occurring& items,
                                         LossNoise& noise, NamedOrder& order) {
  Vector ticks;
  for (const std::int64_t count : items.counts) {
    ticks.push_back(c.plan.grid.floor_ticks(count));
  }
  return shipped_hybrid(PlainShape(ticks), c.plan, noise, order);
};

/// What `select(case, items, noise, order)` shows of `counts`. The threshold comes before item
/// number `place` in the order of ties. `number` gives the place of a winner among the items that
/// occur.
template <class Select>
SeenDistribution seen_unknown(const UnknownCase& c, const Vector& counts, std::size_t place,
                              const Select& select,
                              const Name& number = SmallCandidates::dense_names()) {
  const Occurring items(counts);
  const auto name = [&](const Item& item) {
    return item == threshold_item ? threshold_name
                                  : items.names.at(static_cast<std::size_t>(number(item)));
  };
  const std::vector<int> order = names_with_threshold_at(place, counts.size());
  const Rational& base = c.setting.base;
  return seen_at(base, c.cut, [&](LossNoise& noise) {
    NamedOrder ties(order, name);
    HybridRelease release = select(c, items, noise, ties);
    for (Item& winner : release.winners) {
      winner = Item{name(winner), 0};
    }
    Seen seen = seen_in(observe(release), base);
    seen.shown.push_back(in_units(release.cost.reserved, base));
    seen.shown.push_back(release.cost.delta == c.plan.blank.cost.delta ? 1 : 0);
    return seen;
  });
}

/// A divergence against what the proof allows.
struct DivergenceShare {
  double least = 0;        ///< not above divergence / allowed
  double most = 0;         ///< not below it
  double divergence = 0;   ///< not above the divergence with the largest `least`
  std::string where = {};  ///< of the largest `most`

  /// Takes in another one.
  void merge(const DivergenceShare& other);
};

/// Both directions between D and D': from the larger data set the proof allows δ e^-ε, from the
/// smaller one δ.
DivergenceShare share_of(const UnknownCase& c, const SeenDistribution& smaller,
                         const SeenDistribution& larger);

/// Over pairs, with the threshold first and last in the order of ties. `seen(counts, place)` is the
/// distribution of what is shown.
template <class SeenOf>
DivergenceShare worst_share_by(const UnknownCase& c, const std::vector<NeighbourPair>& pairs,
                               const SeenOf& seen) {
  std::map<std::pair<Vector, bool>, SeenDistribution> distributions;
  const auto at = [&](Vector counts, bool last) -> const SeenDistribution& {
    while (!counts.empty() && counts.back() == 0) {
      counts.pop_back();  // items that do not occur change nothing
    }
    const auto found = distributions.find({counts, last});
    return found != distributions.end()
               ? found->second
               : distributions
                     .emplace(std::pair(counts, last), seen(counts, last ? counts.size() : 0))
                     .first->second;
  };
  DivergenceShare worst;
  for (const NeighbourPair& pair : pairs) {
    for (const bool last : {true, false}) {
      if (!last && c.setting.prefer == Prefer::estimates) {
        continue;  // the threshold plays no part in the order of ties
      }
      DivergenceShare share = share_of(c, at(pair.first, last), at(pair.second, last));
      share.where = "between " + text(pair.first) + " and " + text(pair.second);
      worst.merge(share);
    }
  }
  return worst;
}

/// The same for what `select(case, items, noise, order)` shows.
template <class Select>
DivergenceShare worst_share(const UnknownCase& c, const std::vector<NeighbourPair>& pairs,
                            const Select& select) {
  return worst_share_by(c, pairs, [&](const Vector& counts, std::size_t place) {
    return seen_unknown(c, counts, place, select);
  });
}

/// The same through Candidates::unknown or, in groups, Candidates::unknown_grouped, as production
/// scans them.
DivergenceShare worst_share_through(GridShape shape, const UnknownCase& c,
                                    const std::vector<NeighbourPair>& pairs);

}  // namespace freegap::verify

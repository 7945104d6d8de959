#pragma once

/// @file
/// Selections through the shapes of candidates that production scans: a list, groups of equal
/// values, a universe of which zeros are not listed. For privacy losses by enumeration.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "freegap/detail/mechanisms/candidates_on_grid.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "verify/named_order.hpp"
#include "verify/noise_shifts.hpp"
#include "verify/small_candidates.hpp"
#include "verify/small_settings.hpp"

namespace freegap::verify {

/// A shape of candidates.
enum class GridShape { list, groups, universe };

/// For names of rows.
inline const char* shape_name(GridShape shape) {
  return shape == GridShape::list ? "list" : shape == GridShape::groups ? "groups" : "universe";
}

/// The shapes that queries of this kind can have: a universe holds counts.
inline std::vector<GridShape> shapes_of(Kind kind) {
  std::vector<GridShape> shapes{GridShape::list, GridShape::groups};
  if (kind == Kind::counts) {
    shapes.push_back(GridShape::universe);
  }
  return shapes;
}

/// The candidates of a shape, and their common names.
inline std::pair<Candidates, Name> in_shape(const SmallCandidates& small, GridShape shape) {
  switch (shape) {
    case GridShape::list:
      return {small.dense(), SmallCandidates::dense_names()};
    case GridShape::groups:
      return {small.grouped(), small.grouped_names()};
    case GridShape::universe:
      break;
  }
  return {small.universe(), SmallCandidates::universe_names()};
}

/// Lower numbers win a tie; the threshold of a hybrid comes before candidate number `place`.
inline std::vector<int> names_with_threshold_at(std::size_t place, std::size_t n) {
  std::vector<int> names;
  for (std::size_t i = 0; i < n; ++i) {
    names.push_back(static_cast<int>(i));
  }
  names.insert(names.begin() + static_cast<std::ptrdiff_t>(place), threshold_name);
  return names;
}

/// What `select(shape, noise, order)` shows of `counts`, in units of `base`, with winners under
/// common names. `order` lists the names, best first.
template <class Select>
SeenDistribution seen_through(GridShape shape, const Vector& counts, Kind kind,
                              const std::vector<int>& order, const Rational& base,
                              std::uint64_t cut, const Select& select) {
  const SmallCandidates small(counts, kind);
  const auto [candidates, name] = in_shape(small, shape);
  const Grid grid(1, 1);
  const detail::CandidatesOnGrid on_grid(candidates, grid);
  return seen_distribution(base, cut, [&, &candidates_name = name](LossNoise& noise) {
    NamedOrder ties(order, candidates_name);
    auto release = select(on_grid, noise, ties);
    for (Item& winner : release.winners) {
      winner = Item{candidates_name(winner), 0};
    }
    return seen_in(observe(release), base);
  });
}

}  // namespace freegap::verify

// Shapes of data on which estimates and claims are tested: from data on which gaps are most useful
// to data on which selection is mere luck. Distances are roughly in hundredths of the noise scale.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "estimates/simulation.hpp"

namespace freegap::testing {

/// The approximate noise scale of the candidates in all settings made here.
inline constexpr std::int64_t scale_of_shapes = 100;

/// k winners far apart, far above the threshold and all other candidates.
inline Shape separated(std::uint64_t k) {
  Shape shape = {"separated", {}, {}};
  for (std::uint64_t i = 0; i < k; ++i) {
    shape.values.push_back(4000 * static_cast<std::int64_t>(k - i));
    shape.multiplicities.push_back(1);
  }
  shape.values.push_back(-4000);
  shape.multiplicities.push_back(5);
  return shape;
}

/// Counts that fall like 1/rank.
inline Shape zipf(std::int64_t candidates, std::int64_t largest) {
  Shape shape = {"Zipf", {}, {}};
  for (std::int64_t i = 1; i <= candidates; ++i) {
    const std::int64_t value = largest / i;
    if (shape.values.empty() || shape.values.back() != value) {
      shape.values.push_back(value);
      shape.multiplicities.push_back(0);
    }
    ++shape.multiplicities.back();
  }
  return shape;
}

/// All shapes for k winners, with `crowd` candidates in crowds.
inline std::vector<Shape> shapes(std::uint64_t k, std::int64_t crowd) {
  const auto winners = static_cast<std::int64_t>(k);
  Shape fewer = separated(k - 1);
  fewer.name = "separated, fewer than k";
  return {separated(k),
          fewer,
          {"all equal, at the threshold", {0}, {40}},
          {"one ahead of a crowd", {3000, -400}, {1, crowd}},
          {"threshold far above all", {-600}, {40}},
          {"threshold just above all", {-100}, {40}},
          {"threshold just below all", {150}, {40}},
          {"mixed", {2500, 0, -300, 900, 60, 1700, -50, 250}, {2, 4, 10, 1, 3, 1, 6, 2}},
          {"tied winners far above the rest", {2500, -2500}, {winners, 40}}};
}

/// A setting whose noise on candidates has a scale of about 100, with measurements of scale 100.
inline Setting setting_for(Selection selection, Distribution distribution, std::uint64_t k,
                           Shape shape) {
  Setting setting{selection, distribution, k, std::move(shape)};
  setting.measuring = budget_for(k, scale_of_shapes);
  const bool divided =
      selection == Selection::sparse_vector || selection == Selection::estimates_first;
  // If the threshold takes a share of the budget, a fifth more keeps the scale.
  setting.selecting = setting.measuring * (divided ? Rational(6, 5) : Rational(1));
  return setting;
}

}  // namespace freegap::testing

// RankedValues in a form that can be compared; lists to look for them in, and what they are
// compared with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "freegap/detail/mechanisms/ranking.hpp"
#include "freegap/grid.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "noise/strings.hpp"

namespace freegap::testing {

/// Positions of top with their noisy values.
using RankedValues = std::vector<std::pair<std::int64_t, detail::Position>>;

inline RankedValues named(const std::vector<detail::NoisyCandidate>& top) {
  RankedValues result;
  for (const detail::NoisyCandidate& candidate : top) {
    result.emplace_back(candidate.item.id, candidate.position);
  }
  return result;
}

/// The same answers, each put on the grid by itself.
template <class Value>
verify::PlainShape plain_shape(const std::vector<Value>& answers, const Grid& grid) {
  std::vector<std::int64_t> ticks;
  for (const Value answer : answers) {
    ticks.push_back(grid.floor_ticks(answer));
  }
  return verify::PlainShape(ticks);
}

/// An order of ties among `size` candidates that has nothing to do with where they stand.
inline verify::PlaceOrder shuffled_order(std::size_t size) {
  std::vector<std::int64_t> places(size + 1);
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), Random(5));
  return verify::PlaceOrder(places);
}

/// Lists of one length.
struct AnswersOfAllTypes {
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> small;
  std::vector<double> reals;
};

inline AnswersOfAllTypes answers_of_all_types(std::size_t size, Random& random) {
  AnswersOfAllTypes lists;
  for (std::size_t i = 0; i < size; ++i) {
    lists.counts.push_back(static_cast<std::int64_t>(random() % 1000));
    lists.small.push_back(static_cast<std::int32_t>(random() % 50));
    lists.reals.push_back(30 * unit(random));
  }
  return lists;
}

/// The ends of the number type, and zeros.
inline std::vector<std::int64_t> extreme_counts() {
  std::vector<std::int64_t> counts(2000);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = i % 3 == 0 ? INT64_MAX : i % 3 == 1 ? INT64_MIN : 0;
  }
  return counts;
}

}  // namespace freegap::testing

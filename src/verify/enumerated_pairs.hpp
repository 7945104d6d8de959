#pragma once

/// @file
/// Inputs on which bad variants are enumerated.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "freegap/verify/alignment.hpp"
#include "freegap/verify/privacy_loss.hpp"

namespace freegap::verify::bad {

/// Everything a bad variant is tried on, besides random tapes.
struct Enumerated {
  Enumeration how;                   ///< units, draws and orders
  std::vector<NeighbourPair> pairs;  ///< neighbours, each tried in both directions
};

/// Pairs, and how they are enumerated.
inline Enumerated enumerate(std::vector<NeighbourPair> pairs, const Enumeration& how) {
  return {how, std::move(pairs)};
}

/// All inputs of n answers from lo to hi, with all their neighbours.
inline std::vector<NeighbourPair> all_pairs(std::size_t n, std::int64_t lo, std::int64_t hi,
                                            Moves moves) {
  std::vector<NeighbourPair> pairs;
  for (const Vector& q : all_vectors(n, lo, hi)) {
    for (const Vector& other : neighbours_of(q, moves)) {
      pairs.push_back({q, other});
    }
  }
  return pairs;
}

/// The same, and pairs that a grid near the threshold would miss.
inline std::vector<NeighbourPair> with_far(std::vector<NeighbourPair> pairs,
                                           const std::vector<NeighbourPair>& far) {
  pairs.insert(pairs.end(), far.begin(), far.end());
  return pairs;
}

}  // namespace freegap::verify::bad

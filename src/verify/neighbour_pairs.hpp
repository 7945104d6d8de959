#pragma once

/// @file
/// Neighbouring inputs to try: ties, tiny gaps, answers far from a threshold on either side, and
/// huge ones, with every kind of move a neighbour may make. A grid of small answers alone would
/// miss mistakes that show only where noise must carry a query far.

#include <cstddef>
#include <cstdint>

#include "freegap/verify/alignment.hpp"
#include "freegap/verify/tape.hpp"

namespace freegap::verify {

/// What pairs are asked for.
struct PairShape {
  std::size_t n = 1;             ///< answers
  std::int64_t sensitivity = 1;  ///< most that an answer may move
  bool monotone = false;         ///< all moves in one direction
  std::int64_t centre = 0;       ///< where things happen: the threshold
};

/// A pair of neighbours, with answers and moves of a random style. Answers stay within ±2^62.
NeighbourPair random_pair(const PairShape& shape, TapeSource& random);

}  // namespace freegap::verify

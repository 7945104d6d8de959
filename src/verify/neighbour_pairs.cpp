#include "verify/neighbour_pairs.hpp"

#include <algorithm>

#include "freegap/grid.hpp"

namespace freegap::verify {
namespace {

/// Uniform on -most .. most.
std::int64_t around_zero(std::int64_t most, TapeSource& random) {
  return static_cast<std::int64_t>(random.below(2 * static_cast<std::uint64_t>(most) + 1)) - most;
}

std::int64_t either_sign(std::int64_t value, TapeSource& random) {
  return random.below(2) == 0 ? value : -value;
}

std::int64_t clamped(std::int64_t value) {
  return std::clamp(value, -Grid::limit_ticks, Grid::limit_ticks);
}

/// An answer of a style, relative to the centre.
std::int64_t offset(std::uint64_t style, std::int64_t sensitivity, TapeSource& random) {
  switch (style) {
    case 0:  // a tie
      return 0;
    case 1:  // tiny gaps
      return around_zero(3, random);
    case 2:  // gaps of whole moves
      return around_zero(3, random) * sensitivity;
    case 3:  // 20 to 30 moves away: a neighbour's noise must follow
      return either_sign((20 + static_cast<std::int64_t>(random.below(11))) * sensitivity, random) +
             around_zero(1, random);
    case 4:  // thousands of ticks away
      return around_zero(9999, random);
    case 5:
      return around_zero(std::int64_t{1} << 40U, random);
    default:  // at the clamp
      return either_sign(Grid::limit_ticks - static_cast<std::int64_t>(random.below(3)), random);
  }
}

/// How far a neighbour moves one answer, by style; the sign is for monotone moves.
std::int64_t size_of_move(std::uint64_t style, std::int64_t sensitivity, TapeSource& random) {
  switch (style) {
    case 0:  // as far as allowed
      return sensitivity;
    case 1:  // all or nothing
      return random.below(2) == 0 ? sensitivity : 0;
    case 2:  // anything between
      return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(sensitivity) + 1));
    default:  // hardly any
      return random.below(4) == 0 ? sensitivity : 0;
  }
}

}  // namespace

NeighbourPair random_pair(const PairShape& shape, TapeSource& random) {
  constexpr std::uint64_t styles = 7;
  const std::uint64_t style = random.below(styles);
  const bool mixed = random.below(4) == 0;
  const bool equal = random.below(16) == 0;
  const std::uint64_t moves = random.below(4);
  const std::int64_t direction = random.below(2) == 0 ? 1 : -1;
  NeighbourPair pair;
  pair.first.reserve(shape.n);
  pair.second.reserve(shape.n);
  for (std::size_t i = 0; i < shape.n; ++i) {
    const std::uint64_t own = mixed ? random.below(styles) : style;
    const std::int64_t centre = own < 6 ? shape.centre : 0;
    const std::int64_t first = clamped(centre + offset(own, shape.sensitivity, random));
    const std::int64_t size = equal ? 0 : size_of_move(moves, shape.sensitivity, random);
    const std::int64_t move = shape.monotone ? direction * size : either_sign(size, random);
    pair.first.push_back(first);
    pair.second.push_back(clamped(first + move));
  }
  return pair;
}

}  // namespace freegap::verify

#pragma once

/// @file
/// What kind of numbers a selection works on, and what it protects. Half the noise suffices for
/// queries that all move the same way when one unit is added; whether they do follows from the
/// declarations here, not from a flag that someone hopes is right (docs/proofs/setting.md).

#include <cstdint>

#include "freegap/rational.hpp"

namespace freegap {

/// Which data sets are neighbours, that is, what one person's change can be.
enum class Neighbours : std::uint8_t {
  add_remove,  ///< one unit more or less
  replace      ///< one unit exchanged for another
};

/// How answers react to one unit more.
enum class Kind : std::uint8_t {
  counts,  ///< one unit more never lowers an answer (counts, sums of nonnegative parts)
  general  ///< each answer may move either way
};

/// "counts" or "general": its name in options and in JSON.
const char* name(Kind kind);
/// "add-remove" or "replace": its name in options and in JSON.
const char* name(Neighbours neighbours);

/// The public facts about a family of queries on which the scale of the noise rests.
struct Queries {
  Kind kind = Kind::general;                       ///< how answers react to one unit more
  Neighbours neighbours = Neighbours::add_remove;  ///< what is protected
  Rational sensitivity = 1;  ///< the most that one neighbour step changes one answer

  /// Whether all answers move in the same direction between neighbours. Under `replace` a record
  /// can raise one count and lower another, so counts are monotone under `add_remove` only.
  [[nodiscard]] bool monotone() const {
    return kind == Kind::counts && neighbours == Neighbours::add_remove;
  }
  /// The constant c of the proofs: 1 for monotone queries, 2 for all others.
  [[nodiscard]] int noise_factor() const { return monotone() ? 1 : 2; }
};

}  // namespace freegap

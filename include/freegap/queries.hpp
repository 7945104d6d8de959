#pragma once

/// @file
/// What the caller declares about the queries: their kind, what neighbouring data sets are, and the
/// sensitivity. Monotone queries, which all move in the same direction between neighbours, need
/// half the noise; whether queries are monotone follows from the declarations here
/// (docs/proofs/setting.md).

#include <algorithm>
#include <cstdint>
#include <optional>

#include "freegap/rational.hpp"

namespace freegap {

/// Which data sets are neighbours.
enum class Neighbours : std::uint8_t {
  add_remove,  ///< one privacy unit more or less (unbounded differential privacy)
  replace      ///< one privacy unit exchanged for another (bounded differential privacy)
};

/// How answers change when one unit is added.
enum class Kind : std::uint8_t {
  counts,  ///< one more unit never lowers an answer (counts, sums of nonnegative parts)
  general  ///< each answer may move either way
};

/// "counts" or "general": its name in options and in JSON.
const char* name(Kind kind);
/// "add-remove" or "replace": its name in options and in JSON.
const char* name(Neighbours neighbours);

/// The public facts about a family of queries that determine the scale of the noise.
struct Queries {
  Kind kind = Kind::general;                       ///< how answers change with one more unit
  Neighbours neighbours = Neighbours::add_remove;  ///< what is protected
  Rational sensitivity = 1;  ///< the most that one answer differs between neighbours (L∞)
  /// Contribution bound: the most answers that one unit contributes to; none: any number of them.
  std::optional<std::uint64_t> max_items = std::nullopt;

  /// Whether all answers move in the same direction between neighbours. Under `replace` a record
  /// can raise one count and lower another, so counts are monotone under `add_remove` only.
  [[nodiscard]] bool monotone() const {
    return kind == Kind::counts && neighbours == Neighbours::add_remove;
  }
  /// The constant c of the proofs: 1 for monotone queries, 2 for all others.
  [[nodiscard]] int noise_factor() const { return monotone() ? 1 : 2; }
  /// The most of t answers that differ between neighbours: all of them without a contribution
  /// bound. Under `replace` one unit leaves and another one comes.
  [[nodiscard]] std::uint64_t most_changed(std::uint64_t t) const {
    if (!max_items) {
      return t;
    }
    const std::uint64_t units = neighbours == Neighbours::replace ? 2 : 1;
    return *max_items > t / units ? t : std::min(t, *max_items * units);
  }
};

}  // namespace freegap

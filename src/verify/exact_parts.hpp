#pragma once

/// @file
/// What the enumerations of all mechanisms share.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "freegap/distribution.hpp"
#include "freegap/queries.hpp"
#include "freegap/verify/alignment.hpp"
#include "freegap/verify/privacy_loss.hpp"

namespace freegap::verify {

/// c: 1 for monotone queries (counts), 2 for general ones.
inline std::int64_t factor_of(Kind kind) { return kind == Kind::counts ? 1 : 2; }

/// How the answers of neighbours differ.
inline Moves moves_of(Kind kind) {
  return kind == Kind::counts ? Moves::together : Moves::either_way;
}

/// "with gap, monotone, geometric" and so on: names that all checks share.
inline std::string variant_of(const std::string& name, Kind kind, Distribution distribution) {
  return name + (kind == Kind::counts ? ", monotone, " : ", general, ") +
         (two_sided(distribution) ? "Laplace" : "geometric");
}

/// An observation with its admitted loss in units of `base`.
inline Seen seen_in(Observed observed, const Rational& base) {
  return {std::move(observed.shown), in_units(observed.spent, base)};
}

/// Worst cases both ways.
inline Worst worst_both_ways(Distributions& distributions, const Vector& one, const Vector& other) {
  Worst worst = worst_loss(distributions.at(one), distributions.at(other));
  worst.where += " from " + text(one) + " to " + text(other);
  Worst back = worst_loss(distributions.at(other), distributions.at(one));
  back.where += " from " + text(other) + " to " + text(one);
  worst.merge(back);
  return worst;
}

}  // namespace freegap::verify

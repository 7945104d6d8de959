#pragma once

/// @file
/// Small inputs and the names of rows: what the checks of all mechanisms share.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
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

/// A list of answers of either kind. `answers` must outlive the candidates.
inline Candidates candidates_of(const Answers& answers, Kind kind,
                                const Rational& sensitivity = 1) {
  const std::span<const std::int64_t> list = answers;
  return kind == Kind::counts ? Candidates::counting(list, Neighbours::add_remove, sensitivity)
                              : Candidates::general(list, Neighbours::add_remove, sensitivity);
}

/// Candidates 0 .. n-1, all of them, as items.
inline std::vector<Item> first_items(std::size_t n) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < n; ++i) {
    items.push_back({static_cast<std::int64_t>(i), 0});
  }
  return items;
}

/// "with gap, monotone, geometric" and so on. All checks name rows in this way, so that the rows of
/// one variant are merged.
inline std::string variant_of(const std::string& name, Kind kind, Distribution distribution) {
  const std::string noise =
      distribution == Distribution::laplace ? "Laplace" : freegap::name(distribution);
  return name + (kind == Kind::counts ? ", monotone, " : ", general, ") + noise;
}

/// An observation with its stated cost in units of `base`.
inline Seen seen_in(Observed observed, const Rational& base) {
  return {std::move(observed.shown), in_units(observed.spent, base)};
}

/// The larger loss of both directions between two inputs.
inline Worst worst_both_ways(Distributions& distributions, const Vector& one, const Vector& other) {
  Worst worst = distributions.worst(one, other);
  worst.merge(distributions.worst(other, one));
  return worst;
}

}  // namespace freegap::verify

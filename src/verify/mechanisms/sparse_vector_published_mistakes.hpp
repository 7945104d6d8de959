#pragma once

/// @file
/// The four sparse vectors that were published as private and are not, as Lyu, Su and Li list them
/// in "Understanding the Sparse Vector Technique for Differential Privacy" (VLDB 2017). All have
/// two-sided noise, as published, here on integers with Δ = 1 and the threshold at 0.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "freegap/noise.hpp"
#include "verify/enumerated_pairs.hpp"
#include "verify/neighbour_pairs.hpp"
#include "verify/noise_shifts.hpp"

namespace freegap::verify::bad {

/// A sparse vector with whatever noise and whatever output.
struct CatalogueVector {
  std::string name;                 ///< what is wrong
  Rate threshold_rate;              ///< noise of the threshold, in units per tick
  std::optional<Rate> query_rate;   ///< noise of the queries, if any
  bool shows_value;                 ///< noisy values in place of ⊤
  std::optional<std::size_t> stop;  ///< after so many ⊤, if ever
  std::int64_t epsilon;             ///< claimed, in units
  PairShape pairs;                  ///< inputs to try
  Enumerated enumerated;            ///< inputs to enumerate

  /// Asks the answers in order.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    Observed seen{{}, Rational(epsilon)};
    const std::int64_t threshold = noise.laplace(threshold_rate);
    std::size_t above = 0;
    for (const std::int64_t answer : answers) {
      const std::int64_t value = answer + (query_rate ? noise.laplace(*query_rate) : 0);
      const bool passes = value >= threshold;
      seen.shown.push_back(passes ? 1 : 0);
      if (passes && shows_value) {
        seen.shown.push_back(value);
      }
      if (passes && ++above == stop) {
        break;
      }
    }
    return seen;
  }
  /// The alignment its authors had in mind: the threshold's noise follows, and that of each passing
  /// query, if it has any. A value that is shown must stay, so its noise makes up for the answer.
  [[nodiscard]] Tape moved(const NeighbourPair& pair, const Observed& seen, const Tape& tape,
                           std::int64_t sign) const {
    std::vector<Passing> passing;
    std::size_t query = 0;
    for (std::size_t i = 0; i < seen.shown.size(); ++i, ++query) {
      if (seen.shown[i] == 1) {
        passing.push_back({query, query + 1});
        i += shows_value ? 1 : 0;
      }
    }
    if (!query_rate) {
      passing.clear();
    }
    Tape result = shift_passing(pair, passing, 1, false, tape, sign);
    for (const Passing& pass : passing) {
      result[pass.draw].value -= shows_value ? sign : 0;
    }
    return result;
  }
};

/// Algorithm 3: Roth's lecture notes of 2011. The noisy value that was compared is released in
/// place of ⊤. It shows that the noisy threshold is not above it, so every ⊥ before it speaks about
/// the queries and no longer about the threshold: the loss grows with their number. Aligning, the
/// threshold must rise for the ⊥ and must not rise past the value shown. Caught by both.
inline CatalogueVector noisy_answers() {
  return {"sparse vector: noisy answers in place of ⊤ (Lyu et al., algorithm 3)",
          Rate(1),  // Δ/ε₁, ε₁ = ε/2
          Rate(1),  // cΔ/ε₂, c = 1
          true,
          1,
          2,
          {3, 1, false, 0},
          {{1, 4, 12}, {{{0, 0, 1}, {1, 1, 0}}, {{4, 4, 0}, {5, 5, 1}}}}};
}

/// Algorithm 4: Lee and Clifton 2014. A quarter of the budget goes to the threshold, and the query
/// noise Δ/ε₂ is scaled neither with the cut-off c nor by the factor 2: the loss is ((1+6c)/4) ε.
/// Caught by both: the alignment is right and costs too much.
inline CatalogueVector unscaled_noise() {
  return {"sparse vector: query noise not scaled with the cut-off (Lyu et al., algorithm 4)",
          Rate(1),  // Δ/ε₁, ε₁ = ε/4
          Rate(3),  // Δ/ε₂, ε₂ = 3ε/4
          false,
          2,
          4,
          {3, 1, false, 0},
          {{1, 4, 24}, {{{0, -2, -2}, {1, -3, -3}}, {{3, 0, 0}, {4, -1, -1}}}}};
}

/// Algorithm 5: Stoddard et al. 2014. No noise on the queries, no cut-off: two answers that change
/// places give an output that is impossible on the other side. Caught by both: a query that passes
/// has no noise with which to follow the threshold.
inline CatalogueVector no_query_noise() {
  return {"sparse vector: no query noise, no cut-off (Lyu et al., algorithm 5)",
          Rate(1),
          std::nullopt,
          false,
          std::nullopt,
          2,
          {3, 1, false, 0},
          {{1, 1, 20}, {{{0, 1}, {1, 0}}}}};
}

/// Algorithm 6: Chen et al. 2015. Query noise Δ/ε₂ without the factor 2, and no cut-off: every ⊤
/// adds to the loss. Caught by both: the alignment is right and costs too much.
inline CatalogueVector no_cut_off() {
  return {"sparse vector: no cut-off (Lyu et al., algorithm 6)",
          Rate(1),
          Rate(1),
          false,
          std::nullopt,
          2,
          {3, 1, false, 0},
          {{1, 5, 17}, {{{3, 3, 0, 0}, {4, 4, -1, -1}}}}};
}

}  // namespace freegap::verify::bad

#pragma once

/// @file
/// Checks the alignment of a mechanism on many tapes and inputs, in random settings: number of
/// candidates, budget, θ, sensitivity, tick, threshold and order of ties change every few hundred
/// tapes, inputs with every tape.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/verify/alignment.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "verify/mechanism_checks.hpp"
#include "verify/neighbour_pairs.hpp"

namespace freegap::verify {

/// What a row is about.
struct RowKind {
  Kind kind;                  ///< of the queries
  Distribution distribution;  ///< of the noise
};

/// Public parameters that most mechanisms have, chosen at random.
struct RandomSetting {
  Queries queries;                                        ///< kind and sensitivity
  Distribution distribution = Distribution::exponential;  ///< of the noise
  Epsilon epsilon{Rational(1)};                           ///< budget
  std::optional<Rational> theta;                          ///< share of the threshold
  std::optional<Rational> tick;                           ///< size of a tick
  Rational threshold;                                     ///< public
  std::uint64_t n = 1;                                    ///< candidates
};

/// Chooses a setting.
RandomSetting random_setting(const RowKind& row, TapeSource& tapes);
/// Candidates that fit a setting: plans look at how many there are, never at their answers.
Candidates candidates_in(const RandomSetting& setting, const Answers& answers);
/// A random order of ties among n candidates and a threshold.
PlaceOrder random_order(std::uint64_t n, TapeSource& tapes);

/// A mechanism in one setting, ready to be checked.
template <class Release>
struct AlignmentCase {
  Subject<Release> subject;  ///< the mechanism and its alignment
  PairShape pairs;           ///< inputs to try
};

/// A new setting is chosen after so many tapes.
inline constexpr std::uint64_t tapes_per_setting = 250;

/// Checks `replays` tapes. `variant(setting, tapes)` makes an AlignmentCase.
template <class Variant>
AlignmentReport check_alignment(const Variant& variant, const RowKind& row, std::uint64_t replays,
                                std::uint64_t seed) {
  TapeSource tapes(seed);
  AlignmentReport report;
  while (report.replays < replays && !report.counterexample) {
    const auto prepared = variant(random_setting(row, tapes), tapes);
    const std::uint64_t until = std::min(replays, report.replays + tapes_per_setting);
    while (report.replays < until) {
      check_tape(prepared.subject, random_pair(prepared.pairs, tapes), tapes, report);
    }
  }
  return report;
}

/// The row of a report: the worst cost of the alignment as a share of what the release states.
Row alignment_row(const std::string& mechanism, const std::string& variant, const RowKind& row,
                  const AlignmentReport& report);

/// Adds a row for one kind of queries and one distribution.
template <class Variant>
void add_alignment(std::vector<AlignmentCheck>& checks, const std::string& mechanism,
                   const std::string& name, const Variant& variant, const RowKind& row) {
  checks.emplace_back([=](std::uint64_t replays, std::uint64_t seed) {
    return alignment_row(mechanism, name, row, check_alignment(variant, row, replays, seed));
  });
}

/// Adds rows for general and monotone queries and all distributions.
template <class Variant>
void add_alignments(std::vector<AlignmentCheck>& checks, const std::string& mechanism,
                    const std::string& name, const Variant& variant) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const Distribution distribution :
         {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
      add_alignment(checks, mechanism, name, variant, RowKind{kind, distribution});
    }
  }
}

}  // namespace freegap::verify

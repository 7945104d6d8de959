#pragma once

/// @file
/// Checks of mechanisms that are known to be wrong, as published or as one might write them. A
/// verification that passes everything proves nothing: each of these must be caught.
///
/// A bad variant is a struct with `name`, `run(answers, noise)`, the alignment `moved(pair, output,
/// tape, sign)` that its author would claim, `pairs` to try it on at random, and `enumerated`.

#include <optional>
#include <sstream>
#include <string>

#include "freegap/verify/alignment.hpp"
#include "verify/enumerated_pairs.hpp"
#include "verify/mechanism_checks.hpp"
#include "verify/neighbour_pairs.hpp"
#include "verify/noise_shifts.hpp"
#include "verify/small_settings.hpp"

namespace freegap::verify {

/// The first thing that the alignment checker finds.
template <class Bad>
std::optional<Counterexample> misaligned(const Bad& bad, const SuiteOptions& options) {
  const auto subject =
      make_subject([&bad](const Answers& answers, auto& noise) { return bad.run(answers, noise); },
                   [](const auto& output) { return observe(output); },
                   [&bad](const NeighbourPair& pair, const auto& output, const Tape& tape) {
                     return bad.moved(pair, output, tape, 1);
                   },
                   [&bad](const NeighbourPair& pair, const auto& output, const Tape& tape) {
                     return bad.moved(pair, output, tape, -1);
                   });
  TapeSource tapes(options.seed);
  AlignmentReport report;
  while (report.replays < options.replays && !report.counterexample) {
    check_tape(subject, random_pair(bad.pairs, tapes), tapes, report);
  }
  return report.counterexample;
}

/// The worst loss, by enumeration, over all its pairs in both directions.
template <class Bad>
Worst enumerated_loss(const Bad& bad) {
  const Enumeration& how = bad.enumerated.how;
  Distributions distributions([&](const Vector& q) {
    return seen_distribution(
        how, [&](LossNoise& noise) { return seen_in(observe(bad.run(q, noise)), how.base); });
  });
  Worst worst;
  for (const NeighbourPair& pair : bad.enumerated.pairs) {
    worst.merge(worst_both_ways(distributions, pair.first, pair.second));
  }
  return worst;
}

/// Both checks, as a row.
template <class Bad>
BadRow bad_row(const Bad& bad, const SuiteOptions& options) {
  BadRow row{bad.name, false, false, ""};
  std::ostringstream evidence;
  if (const auto found = misaligned(bad, options)) {
    row.by_alignment = true;
    evidence << found->problem;
  }
  const Worst worst = enumerated_loss(bad);
  if (worst.excess > slack) {
    row.by_enumeration = true;
    evidence << (row.by_alignment ? "; " : "") << "exceeds its stated cost by " << worst.excess
             << " units: " << worst.where;
  }
  row.evidence = evidence.str();
  return row;
}

/// A check of one bad variant.
template <class Bad>
BadVariantCheck bad_variant(const Bad& bad) {
  return [bad](const SuiteOptions& options) { return bad_row(bad, options); };
}

}  // namespace freegap::verify

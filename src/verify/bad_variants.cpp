#include "bad_variants.hpp"

#include <cstddef>
#include <optional>
#include <sstream>
#include <string>

#include "verify/bad/black_box_exponential.hpp"
#include "verify/bad/catalogue.hpp"
#include "verify/bad/hybrid.hpp"
#include "verify/bad/printed_alignment.hpp"
#include "verify/bad/sparse_vector.hpp"
#include "verify/bad/top_k.hpp"

namespace freegap::verify {
namespace {

/// The alignment checker's view of a bad variant.
template <class Bad>
auto subject_of_bad(const Bad& bad) {
  return make_subject(
      [&bad](const Answers& answers, auto& noise) { return bad.run(answers, noise); },
      [](const auto& output) { return observe(output); },
      [&bad](const NeighbourPair& pair, const auto& output, const Tape& tape) {
        return bad.moved(pair, output, tape, 1);
      },
      [&bad](const NeighbourPair& pair, const auto& output, const Tape& tape) {
        return bad.moved(pair, output, tape, -1);
      });
}

/// The first thing the alignment checker finds.
template <class Bad>
std::optional<Counterexample> misaligned(const Bad& bad, const SuiteOptions& options) {
  const auto subject = subject_of_bad(bad);
  TapeSource tapes(options.seed);
  AlignmentReport report;
  while (report.replays < options.replays && !report.counterexample) {
    check_tape(subject, random_pair(bad.pairs, tapes), tapes, report);
  }
  return report.counterexample;
}

/// The worst loss beyond the claim, by enumeration.
template <class Bad>
Worst enumerated_loss(const Bad& bad) {
  const Enumeration& how = bad.enumerated.how;
  Distributions distributions([&](const Vector& q) {
    return seen_distribution(how, [&](LossNoise& noise) {
      const Observed seen = observe(bad.run(q, noise));
      return Seen{seen.shown, in_units(seen.spent, how.base)};
    });
  });
  Worst worst;
  const auto take = [&](const Vector& q, const Vector& other) {
    Worst one = worst_loss(distributions.at(q), distributions.at(other));
    one.where += " from " + text(q) + " to " + text(other);
    worst.merge(one);
  };
  for (const NeighbourPair& pair : bad.enumerated.pairs) {
    take(pair.first, pair.second);
    take(pair.second, pair.first);
  }
  return worst;
}

template <class Bad>
BadRow check_bad(const Bad& bad, const SuiteOptions& options) {
  BadRow row{bad.name, false, false, ""};
  std::ostringstream evidence;
  if (const auto found = misaligned(bad, options)) {
    row.by_alignment = true;
    evidence << found->problem;
  }
  const Worst worst = enumerated_loss(bad);
  if (worst.excess > slack) {
    row.by_enumeration = true;
    evidence << (row.by_alignment ? "; " : "") << "loses " << worst.excess
             << " units more than it admits to: " << worst.where;
  }
  row.evidence = evidence.str();
  return row;
}

BadRow check_black_box() {
  const bad::BlackBoxExponential bad;
  const double loss = bad.worst_loss();
  std::ostringstream evidence;
  evidence << "joint loss of choice and gap " << loss << " at ε = " << bad.epsilon;
  return {bad.name, false, loss > bad.epsilon, evidence.str()};
}

}  // namespace

std::vector<BadRow> check_bad_variants(const SuiteOptions& options) {
  std::vector<BadRow> rows;
  const auto check = [&](const auto& bad) { rows.push_back(check_bad(bad, options)); };
  check(bad::noisy_answers());
  check(bad::unscaled_noise());
  check(bad::no_query_noise());
  check(bad::no_cut_off());
  check(bad::missing_factor());
  check(bad::one_too_many());
  check(bad::cheap_branch_price());
  check(bad::free_bottoms());
  check(bad::SecretPrice());
  check(bad::FreeBelow());
  check(bad::SharedDraw());
  check(bad::monotone_scale());
  check(bad::without_k());
  for (const std::size_t k : {1U, 2U}) {
    check(bad::RawGaps(k, Moves::either_way));
    check(bad::RawGaps(k, Moves::together));
  }
  check(bad::NamedRunnerUp());
  check(bad::NoisyValue());
  check(bad::FreshGap());
  check(bad::SubtractedNoise());
  check(bad::PrintedAlignment());
  check(bad::FreeThreshold());
  check(bad::SharedThreshold());
  rows.push_back(check_black_box());
  return rows;
}

}  // namespace freegap::verify

// Checks a mechanism of your own with the library's tools. The correct version passes on 100,000
// tapes and in an exact enumeration. With half the noise it fails both, and they report where.
//
// docs/verify.md explains this file.

#include <cstdint>
#include <cstdio>
#include <freegap/noise.hpp>
#include <freegap/verify/alignment.hpp>
#include <freegap/verify/privacy_loss.hpp>
#include <string>
#include <vector>

namespace {

using freegap::Rate;
using freegap::Rational;
using namespace freegap::verify;

/// What a duel releases.
struct Verdict {
  std::size_t winner;  ///< 0 or 1
  std::int64_t lead;   ///< noisy; at least 0 for candidate 0, at least 1 for candidate 1
};

/// Which of two answers is larger, and by how much: report noisy max for two answers, with its free
/// gap. Candidate 0 wins ties. Between neighbours each answer may change by 1, up or down.
template <freegap::NoiseSource Source>
Verdict duel(const std::vector<std::int64_t>& answers, const Rate& rate, Source& noise) {
  const std::int64_t first = answers[0] + noise.laplace(rate);
  const std::int64_t second = answers[1] + noise.laplace(rate);
  return first >= second ? Verdict{0, first - second} : Verdict{1, second - first};
}

/// Everything an observer sees.
std::vector<std::int64_t> shown(const Verdict& verdict) {
  return {static_cast<std::int64_t>(verdict.winner), verdict.lead};
}

/// The alignment: to keep the winner's lead, the winner's noise compensates for the changes of its
/// own answer and of the loser's, by at most 2. The inverse subtracts the same.
Tape moved(const NeighbourPair& pair, const Verdict& verdict, Tape tape, std::int64_t sign) {
  const std::size_t w = verdict.winner;
  const std::size_t l = 1 - w;
  tape[w].value += sign * ((pair.second[l] - pair.first[l]) - (pair.second[w] - pair.first[w]));
  return tape;
}

const Rational epsilon = 1;  // the claimed cost of a duel

/// Tape by tape: does the alignment hold, and at what cost?
bool holds_on_tapes(const Rate& rate) {
  const auto subject = make_subject(
      [&](const Answers& answers, auto& noise) { return duel(answers, rate, noise); },
      [](const Verdict& verdict) {
        return Observed{shown(verdict), epsilon};
      },
      [](const auto& pair, const Verdict& v, const Tape& tape) { return moved(pair, v, tape, 1); },
      [](const auto& pair, const Verdict& v, const Tape& tape) {
        return moved(pair, v, tape, -1);
      });
  TapeSource source(1);
  AlignmentReport report;
  for (const Vector& d : all_vectors(2, 0, 3)) {
    for (const Vector& d2 : neighbours_of(d, Moves::either_way)) {
      for (int i = 0; i < 800; ++i) {
        check_tape(subject, {d, d2}, source, report);
      }
    }
  }
  std::printf("  %llu tapes, dearest alignment %s of epsilon %s\n",
              static_cast<unsigned long long>(report.replays), report.worst_cost.str().c_str(),
              epsilon.str().c_str());
  if (report.counterexample) {
    std::printf("  refuted: %s", report.counterexample->str().c_str());
  }
  return !report.counterexample;
}

/// All short tapes at once: what is the largest loss of any output?
bool holds_by_enumeration(const Rate& rate) {
  const Rational base = epsilon / Rational(2);
  const Enumeration how{.base = base, .draws = 2, .cut = 12};
  Distributions distributions([&](const Vector& answers) {
    return seen_distribution(how, [&](LossNoise& noise) {
      return Seen{shown(duel(answers, rate, noise)), in_units(epsilon, base)};
    });
  });
  const Worst worst = distributions.worst(all_vectors(2, 0, 3), Moves::either_way);
  std::printf("  %zu losses, the largest %.4f of epsilon %s\n", worst.outcomes,
              worst.loss * base.shown(), epsilon.str().c_str());
  const bool holds = worst.excess <= slack;
  if (!holds) {
    std::printf("  refuted: %s\n", worst.where.c_str());
  }
  return holds;
}

}  // namespace

int main() {
  std::puts("duel with noise of rate epsilon / 2, on tapes and by enumeration:");
  const Rate right(epsilon / Rational(2));
  const bool right_holds = holds_on_tapes(right) && holds_by_enumeration(right);

  std::puts("duel with half that noise:");
  const Rate wrong(epsilon);
  const bool tapes_see_it = !holds_on_tapes(wrong);
  const bool enumeration_sees_it = !holds_by_enumeration(wrong);
  return right_holds && tapes_see_it && enumeration_sees_it ? 0 : 1;
}

#pragma once

/// @file
/// The alignment checker: proofs that run. An alignment says how noise must change so that a
/// neighbouring input gives the same output. If it is injective, keeps noise within its support and
/// costs at most ε, the mechanism is ε-differentially private (docs/proofs/setting.md). It is
/// checked on the mechanism's own template, one tape after another: same output, same draws,
/// support, exact cost, and that the tape can be recovered, which is what injective means.
///
/// docs/verify.md shows how to check a mechanism of your own.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "freegap/rational.hpp"
#include "freegap/verify/tape.hpp"

namespace freegap::verify {

/// Answers in ticks.
using Answers = std::vector<std::int64_t>;

/// A pair of neighbouring inputs.
struct NeighbourPair {
  Answers first;   ///< D
  Answers second;  ///< D', at most the sensitivity away in each answer
};

/// What an observer sees: a list of numbers that differs where outputs differ, and the cost that
/// the release states.
struct Observed {
  std::vector<std::int64_t> shown;  ///< everything released
  Rational spent;                   ///< ε that the release states
};

/// A mechanism under check. `Output` is what the alignment may look at: everything released, and
/// nothing else.
template <class Output>
struct Subject {
  /// Runs the mechanism on answers, with recorded or replayed noise; must not depend on anything
  /// else that is secret.
  std::function<Output(const Answers&, RecordingNoise&)> record;
  std::function<Output(const Answers&, ReplayedNoise&)> replay;  ///< the same code on a tape
  std::function<Observed(const Output&)> observe;  ///< everything released, as numbers
  /// The alignment: a tape for D' that gives the same output as `tape` for D.
  std::function<Tape(const NeighbourPair&, const Output&, const Tape&)> align;
  /// Its inverse, given the same neighbours and output: recovers the tape for D.
  std::function<Tape(const NeighbourPair&, const Output&, const Tape&)> recover;
};

/// A subject from one generic `run(answers, noise)`, a template over its noise source.
template <class Run, class Observe, class Align, class Recover>
auto make_subject(const Run& run, Observe observe, Align align, Recover recover) {
  using Output = std::decay_t<std::invoke_result_t<Run, const Answers&, RecordingNoise&>>;
  return Subject<Output>{run, run, std::move(observe), std::move(align), std::move(recover)};
}

/// What a check found wrong, with everything needed to see it again.
struct Counterexample {
  std::string problem;                ///< what does not hold
  Answers first;                      ///< D
  Answers second;                     ///< D'
  Tape tape;                          ///< H
  Tape aligned;                       ///< φ(H), where it exists
  std::vector<std::int64_t> output;   ///< of D with H
  std::vector<std::int64_t> output2;  ///< of D' with φ(H), where it ran

  /// For reading.
  [[nodiscard]] std::string str() const;
};

/// The result of many checks.
struct AlignmentReport {
  std::uint64_t replays = 0;                     ///< tapes checked
  Rational worst_cost;                           ///< largest cost of an alignment
  Rational worst_share;                          ///< largest cost / spent
  std::optional<Counterexample> counterexample;  ///< the first thing that did not hold
};

/// Exact cost of moving from one tape to the other: the sum of rate * |shift|. Nothing where the
/// tapes differ in kind or a draw that is no noise was moved.
std::optional<Rational> alignment_cost(const Tape& from, const Tape& to);
/// Whether two tapes hold the same draws.
bool same_tape(const Tape& a, const Tape& b);

/// Checks one tape. Returns the counterexample, if any, and adds to the report.
template <class Output>
void check_tape(const Subject<Output>& subject, const NeighbourPair& pair, TapeSource& source,
                AlignmentReport& report) {
  Tape tape;
  source.begin();
  RecordingNoise recording(source, tape);
  const Output output = subject.record(pair.first, recording);
  const Observed seen = subject.observe(output);
  ++report.replays;

  Tape aligned;
  std::vector<std::int64_t> shown2;
  const auto fail = [&](const std::string& problem) {
    if (!report.counterexample) {
      report.counterexample =
          Counterexample{problem, pair.first, pair.second, tape, aligned, seen.shown, shown2};
    }
  };
  aligned = subject.align(pair, output, tape);
  const std::optional<Rational> cost = alignment_cost(tape, aligned);
  if (!cost) {
    return fail(
        "the alignment changes the kind or number of draws, or moves a draw that is no noise");
  }
  for (const Draw& draw : aligned) {
    if (draw.kind == DrawKind::geometric && draw.value < 0) {
      return fail("the alignment makes one-sided noise negative");
    }
  }
  try {
    ReplayedNoise replayed(aligned);
    const Output output2 = subject.replay(pair.second, replayed);
    const Observed seen2 = subject.observe(output2);
    shown2 = seen2.shown;
    if (!replayed.used_up()) {
      return fail("the neighbour draws less noise");
    }
    if (seen2.shown != seen.shown || seen2.spent != seen.spent) {
      return fail("the neighbour's output differs");
    }
  } catch (const TapeMismatch& mismatch) {
    return fail(std::string("the neighbour draws differently: ") + mismatch.what());
  }
  if (*cost > report.worst_cost) {
    report.worst_cost = *cost;
  }
  if (seen.spent.sign() > 0 && *cost > report.worst_share * seen.spent) {
    report.worst_share = *cost / seen.spent;
  }
  if (*cost > seen.spent) {
    return fail("the alignment costs " + cost->str() + ", the release states " + seen.spent.str());
  }
  if (!same_tape(tape, subject.recover(pair, output, aligned))) {
    return fail("the tape cannot be recovered: the alignment is not injective");
  }
}

}  // namespace freegap::verify

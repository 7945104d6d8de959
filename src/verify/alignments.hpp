#pragma once

/// @file
/// The local alignments of the library's own mechanisms, as code. Each stands beside its proof in
/// docs/proofs and is checked on the production template by the alignment checker.

#include <cstdint>
#include <vector>

#include "freegap/hybrid.hpp"
#include "freegap/measure.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/top_k.hpp"
#include "freegap/verify/alignment.hpp"
#include "freegap/verify/plain.hpp"

namespace freegap::verify {

/// Where the candidates' noise is on a tape.
struct CandidateDraws {
  std::size_t first = 0;      ///< draw of candidate 0
  std::size_t each = 1;       ///< draws a candidate: 2 where the fraction of a tick comes by itself
  std::int64_t per_tick = 1;  ///< steps of the first draw that make a tick
  std::int64_t subticks = 1;  ///< fractions of a tick

  /// As TickNoise draws them, from draw number `first` on.
  CandidateDraws(const TickNoise& noise, std::size_t first);
  /// One draw a candidate, in ticks.
  CandidateDraws() = default;
  /// Whole ticks of candidate i's noise.
  [[nodiscard]] std::int64_t ticks(const Tape& tape, std::size_t i) const {
    return tape[first + i * each].value / per_tick;
  }
  /// Its fraction of a tick, which decides ties before the order does. No alignment changes it.
  [[nodiscard]] std::int64_t fraction(const Tape& tape, std::size_t i) const {
    return tape[first + i * each + each - 1].value % subticks;
  }
  /// Moves candidate i's noise by whole ticks.
  void move(Tape& tape, std::size_t i, std::int64_t by) const {
    tape[first + i * each].value += by * per_tick;
  }
};

/// A selection among candidates 0 .. n-1, each with one noise: the first `t` of a ranking were
/// selected, by leads over the best of the rest. What the alignment of top-k and of the
/// identity-first hybrid needs to know.
struct Selected {
  std::vector<std::size_t> winners;  ///< in order; the last one decides ties with the runner-up
  std::vector<std::int64_t>
      tie_offsets;       ///< for each candidate: 1 where it would win a tie against the last winner
  CandidateDraws draws;  ///< the candidates' noise
};

/// One-sided noise (docs/proofs/top_k.md): winners follow the best loser; where that would make
/// noise negative, the best loser under D is raised with them.
Tape align_one_sided(const NeighbourPair& pair, const Selected& selected, const Tape& tape);
/// Its inverse.
Tape recover_one_sided(const NeighbourPair& pair, const Selected& selected, const Tape& tape);
/// Two-sided noise (docs/proofs/top_k.md): winners follow the best loser.
Tape align_two_sided(const NeighbourPair& pair, const Selected& selected, const Tape& tape);
/// Its inverse.
Tape recover_two_sided(const NeighbourPair& pair, const Selected& selected, const Tape& tape);

/// The threshold's noise is raised by the sensitivity, and each passing noise by so much that its
/// gap stays; with monotone answers that fall, the threshold stays (docs/proofs/sparse_vector.md).
struct Passing {
  std::size_t query = 0;      ///< which answer
  std::size_t draw = 0;       ///< which draw passed
  std::int64_t per_tick = 1;  ///< steps of that draw that make a tick
};
/// Moves the tape forwards (`sign` 1) or back (`sign` -1). The threshold's noise is draw number 0.
Tape shift_passing(const NeighbourPair& pair, const std::vector<Passing>& passing,
                   std::int64_t sensitivity_ticks, bool monotone, const Tape& tape,
                   std::int64_t sign);

/// Top-k on the plain shape.
Subject<TopKRelease> subject_of(const TopKPlan& plan, const PlaceOrder& order);
/// What a sparse vector showed, without its public parameters: a check copies it many times.
struct Answered {
  std::vector<SparseVectorAnswer> answers;  ///< in order
  Rational spent;                           ///< as released
};
/// A sparse vector that is asked the answers in order.
Subject<Answered> subject_of(const SparseVectorPlan& plan);
/// Either hybrid on the plain shape.
Subject<HybridRelease> subject_of(const HybridPlan& plan, const PlaceOrder& order);
/// A measurement of all of n answers.
Subject<MeasureRelease> subject_of(const Queries& queries, std::size_t n,
                                   const MeasureOptions& options);

/// Everything that a release shows, as numbers.
Observed observe(const TopKRelease& release);
/// Everything that a release shows, as numbers.
Observed observe(const Answered& release);
/// Everything that a release shows, as numbers.
Observed observe(const HybridRelease& release);
/// Everything that a release shows, as numbers.
Observed observe(const MeasureRelease& release);

/// Numbers as they are.
inline Observed observe(const Observed& seen) { return seen; }

}  // namespace freegap::verify

#pragma once

/// @file
/// How alignments move noise: the parts that the proofs of several mechanisms share
/// (docs/proofs/top_k.md, docs/proofs/sparse_vector.md).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "freegap/detail/mechanisms/ranking.hpp"
#include "freegap/item.hpp"
#include "freegap/verify/alignment.hpp"
#include "freegap/verify/reference_shape.hpp"

namespace freegap::verify {

/// Where the candidates' noise is on a tape.
struct CandidateDraws {
  std::size_t first = 0;      ///< draw of candidate 0
  std::size_t each = 1;       ///< draws per candidate: 2 where the fraction of a tick is a draw
  std::int64_t per_tick = 1;  ///< steps of the first draw that make a tick
  std::int64_t subticks = 1;  ///< fractions of a tick

  /// As TickNoise draws them, from draw number `first` on.
  CandidateDraws(const detail::TickNoise& noise, std::size_t first);
  /// One draw per candidate, in ticks.
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

/// A selection among candidates 0 .. n-1, each with one noise: which ones were selected, and how
/// ties with the last of them are decided.
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

/// A noise that passed a threshold.
struct Passing {
  std::size_t query = 0;      ///< which answer
  std::size_t draw = 0;       ///< which draw passed
  std::int64_t per_tick = 1;  ///< steps of that draw that make a tick
};
/// The alignment of mechanisms with a noisy threshold (docs/proofs/sparse_vector.md): the
/// threshold's noise is raised by the sensitivity, and each passing noise by as much as keeps its
/// gap. Where monotone answers fall, the threshold stays. Moves the tape forwards (`sign` 1) or
/// back (`sign` -1). The threshold's noise is draw number 0.
Tape shift_passing(const NeighbourPair& pair, const std::vector<Passing>& passing,
                   std::int64_t sensitivity_ticks, bool monotone, const Tape& tape,
                   std::int64_t sign);

/// For each of n candidates, whether it would win a tie in whole ticks against the last winner: by
/// its fraction of a tick, then by the order. `item_of(i)` is candidate i in that order.
template <class ItemOf>
std::vector<std::int64_t> tie_offsets(const PlaceOrder& order, const Selected& selected,
                                      const Tape& tape, std::size_t n, const ItemOf& item_of) {
  const std::size_t last = selected.winners.back();
  const std::int64_t bar = selected.draws.fraction(tape, last);
  std::vector<std::int64_t> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t fraction = selected.draws.fraction(tape, i);
    const bool wins = fraction != bar ? fraction > bar : order.precedes(item_of(i), item_of(last));
    result[i] = wins ? 1 : 0;
  }
  return result;
}

/// Everything that a release shows, as numbers. Each mechanism specialises it for its release.
template <class Release>
Observed observe(const Release& release);
/// Numbers as they are.
template <>
inline Observed observe(const Observed& release) {
  return release;
}

/// A subject whose alignment is that of a ranking. `describe(pair, release, tape)` gives the
/// answers that are ranked, and what was selected among them.
template <class Release, class Run, class Describe>
Subject<Release> ranked_subject(Run run, Describe describe, bool two_sided) {
  const auto align = [describe, two_sided](const NeighbourPair& pair, const Release& release,
                                           const Tape& tape) {
    const auto [ranked, selected] = describe(pair, release, tape);
    return two_sided ? align_two_sided(ranked, selected, tape)
                     : align_one_sided(ranked, selected, tape);
  };
  const auto recover = [describe, two_sided](const NeighbourPair& pair, const Release& release,
                                             const Tape& tape) {
    const auto [ranked, selected] = describe(pair, release, tape);
    return two_sided ? recover_two_sided(ranked, selected, tape)
                     : recover_one_sided(ranked, selected, tape);
  };
  return make_subject(
      run, [](const Release& release) { return observe(release); }, align, recover);
}

/// A subject whose alignment adds constants: `moved(pair, release, tape, sign)`.
template <class Release, class Run, class Moved>
Subject<Release> shifted_subject(Run run, Moved moved) {
  return make_subject(
      run, [](const Release& release) { return observe(release); },
      [moved](const NeighbourPair& pair, const Release& release, const Tape& tape) {
        return moved(pair, release, tape, 1);
      },
      [moved](const NeighbourPair& pair, const Release& release, const Tape& tape) {
        return moved(pair, release, tape, -1);
      });
}

/// The winners' numbers.
std::vector<std::int64_t> ids(const std::vector<Item>& items);
/// Appends a list with its length.
void append(std::vector<std::int64_t>& shown, const std::vector<std::int64_t>& more);

}  // namespace freegap::verify

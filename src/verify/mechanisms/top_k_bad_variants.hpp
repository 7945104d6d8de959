#pragma once

/// @file
/// Top-k selections that are nearly right: noise for every candidate and a ranking as in
/// production, with something wrong about scale, ties or output. One-sided noise, Δ = 1, a tick of
/// 1, ties to the lower number; at ε = c k a unit is one tick of noise.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "freegap/top_k.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "verify/enumerated_pairs.hpp"
#include "verify/neighbour_pairs.hpp"
#include "verify/noise_shifts.hpp"

namespace freegap::verify::bad {

/// The first k names of a ranking, for a stated cost.
inline Observed first_names(const std::vector<detail::NoisyCandidate>& best, std::size_t k,
                            const Rational& spent) {
  Observed seen{{}, spent};
  for (std::size_t i = 0; i < k; ++i) {
    seen.shown.push_back(best[i].item.id);
  }
  return seen;
}

/// The same with the raw gap behind each: no borrow.
inline Observed names_and_raw_gaps(const std::vector<detail::NoisyCandidate>& best, std::size_t k,
                                   const Rational& spent) {
  Observed seen = first_names(best, k, spent);
  for (std::size_t i = 0; i < k; ++i) {
    seen.shown.push_back(difference_ticks(static_cast<std::int64_t>(best[i].position),
                                          static_cast<std::int64_t>(best[i + 1].position)));
  }
  return seen;
}

/// Candidates 0 .. n-1 with noise, ranked.
struct Ranked {
  std::size_t n;          ///< candidates
  std::size_t k;          ///< winners
  std::int64_t epsilon;   ///< claimed, in units
  std::int64_t rate = 1;  ///< units per tick
  PairShape pairs;        ///< inputs to try
  Enumerated enumerated;  ///< inputs to enumerate

  /// A setting as it should be, for general or monotone queries.
  Ranked(std::size_t candidates, std::size_t winners, Moves moves, std::int64_t highest,
         std::uint64_t cut)
      : n(candidates),
        k(winners),
        epsilon(static_cast<std::int64_t>(winners) * (moves == Moves::together ? 1 : 2)),
        pairs{candidates, 1, moves == Moves::together, 0},
        enumerated{{1, candidates, cut}, all_pairs(candidates, 0, highest, moves)} {}

  /// Ties go to the lower number.
  [[nodiscard]] PlaceOrder order() const { return PlaceOrder::by_number(n); }
  /// The m best.
  template <NoiseSource Source>
  std::vector<detail::NoisyCandidate> top_m(const Answers& answers, std::size_t m,
                                            Source& noise) const {
    PlaceOrder ties = order();
    return PlainShape(answers).top_m(
        m, detail::TickNoise(Distribution::geometric, Rational(rate), 1), noise, ties);
  }
  /// Shows the winners' names, with the leads that production shows.
  [[nodiscard]] Observed names_and_leads(const std::vector<detail::NoisyCandidate>& best) const {
    Observed seen = names(best);
    PlaceOrder ties = order();
    const auto leads = leads_over_runner_up(best, k, detail::Ranking(ties, 1));
    seen.shown.insert(seen.shown.end(), leads.begin(), leads.end());
    return seen;
  }
  /// Shows the winners' names only.
  [[nodiscard]] Observed names(const std::vector<detail::NoisyCandidate>& best) const {
    return first_names(best, k, Rational(epsilon));
  }
  /// The selection that an output shows: its first k numbers are names.
  [[nodiscard]] Selected selected(const Observed& seen) const {
    Selected result;
    for (std::size_t i = 0; i < k; ++i) {
      result.winners.push_back(static_cast<std::size_t>(seen.shown[i]));
    }
    for (std::size_t i = 0; i < n; ++i) {
      result.tie_offsets.push_back(i < result.winners.back() ? 1 : 0);
    }
    return result;
  }
  /// The alignment of top-k.
  [[nodiscard]] Tape moved(const NeighbourPair& pair, const Observed& seen, const Tape& tape,
                           std::int64_t sign) const {
    return sign > 0 ? align_one_sided(pair, selected(seen), tape)
                    : recover_one_sided(pair, selected(seen), tape);
  }
};

/// Right in all but the noise.
struct WrongScale : Ranked {
  std::string name;  ///< what is wrong

  /// Names and leads.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    return names_and_leads(top_m(answers, k + 1, noise));
  }
};

/// The scale for monotone queries, used on queries that move either way: also what becomes of
/// counts when a neighbour may replace a record. Caught by both, at twice the claim.
inline WrongScale monotone_scale() {
  WrongScale bad{{3, 1, Moves::either_way, 2, 18},
                 "top-k: noise for monotone queries on general ones"};
  bad.epsilon = 1;
  return bad;
}

/// Noise of scale cΔ/ε whatever k is: right for noisy max only. Caught by both.
inline WrongScale without_k() {
  WrongScale bad{{3, 2, Moves::together, 1, 18}, "top-k: noise that does not grow with k"};
  bad.rate = 2;
  return bad;
}

/// Integer noise, ties by index, and gaps as they are: what the paper's remarks on implementation
/// suggest. A last gap of zero shows on which side of the winner the runner-up's index lies. The
/// loss is exactly ((k+1)/k) ε (docs/proofs/top_k.md). Caught by both: where values tie, the
/// alignment changes the winner.
struct RawGaps : Ranked {
  std::string name;  ///< what is wrong

  /// For k winners of k + 2.
  RawGaps(std::size_t winners, Moves moves)
      : Ranked(winners + 2, winners, moves, winners == 1 ? 2 : 1, winners == 1 ? 18 : 15),
        name("top-k: index ties and raw gaps, k = " + std::to_string(winners) +
             (moves == Moves::together ? ", monotone" : ", general")) {}

  /// Names and raw gaps.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    return names_and_raw_gaps(top_m(answers, k + 1, noise), k, Rational(epsilon));
  }
  /// The alignment of top-k on raw values.
  [[nodiscard]] Tape moved(const NeighbourPair& pair, const Observed& seen, const Tape& tape,
                           std::int64_t sign) const {
    Selected raw = selected(seen);
    raw.tie_offsets.assign(n, 0);
    return sign > 0 ? align_one_sided(pair, raw, tape) : recover_one_sided(pair, raw, tape);
  }
};

/// Names the runner-up as well, as the paper's argmax, which returns k + 1 indices, invites one to:
/// that is a top-(k+1), at (k+1)/k times the price. Caught by both.
struct NamedRunnerUp : Ranked {
  std::string name = "top-k: the runner-up is named";  ///< what is wrong

  /// Noisy max of three counts.
  NamedRunnerUp() : Ranked(3, 1, Moves::together, 2, 18) {}
  /// Names, leads, and one name more.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    const auto best = top_m(answers, k + 1, noise);
    Observed seen = names_and_leads(best);
    seen.shown.push_back(best[k].item.id);
    return seen;
  }
};

/// Releases the winner's noisy value where its gap was meant: noise that was used to select is not
/// fresh. One-sided noise even excludes values outright. Caught by both: the winner's noise can
/// make up for its own answer, but then the losers would have to follow.
struct NoisyValue : Ranked {
  std::string name = "top-k: the winner's noisy value in place of its gap";  ///< what is wrong

  /// Noisy max of three.
  NoisyValue() : Ranked(3, 1, Moves::either_way, 1, 18) {}
  /// Name and value.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    const auto best = top_m(answers, k, noise);
    Observed seen = names(best);
    seen.shown.push_back(static_cast<std::int64_t>(best[0].position));
    return seen;
  }
  /// The value stays, so its noise makes up for the answer.
  [[nodiscard]] Tape moved(const NeighbourPair& pair, const Observed& seen, const Tape& tape,
                           std::int64_t sign) const {
    const auto winner = static_cast<std::size_t>(seen.shown[0]);
    Tape result = tape;
    result[winner].value -= sign * (pair.second[winner] - pair.first[winner]);
    return result;
  }
};

/// Selects the winner and then draws fresh noise for the gap, on the true difference: a second
/// release, for which nothing is charged. Caught by both: the true difference moves by up to 2Δ and
/// no noise of the selection makes up for it.
struct FreshGap : Ranked {
  std::string name = "top-k: gap with fresh noise, free of charge";  ///< what is wrong

  /// Noisy max of two.
  FreshGap() : Ranked(2, 1, Moves::either_way, 1, 18) { enumerated.how.draws = 3; }
  /// Name and gap.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    Observed seen = names(top_m(answers, k, noise));
    const auto winner = static_cast<std::size_t>(seen.shown[0]);
    std::int64_t rival = INT64_MIN;
    for (std::size_t i = 0; i < n; ++i) {
      rival = i == winner ? rival : std::max(rival, answers[i]);
    }
    const std::int64_t noisy = answers[winner] + noise.laplace(Rate(Rational(rate)));
    seen.shown.push_back(difference_ticks(noisy, rival));
    return seen;
  }
};

/// One-sided noise with the wrong sign: noisy min was wanted, so the noise was turned round and the
/// ranking was not. Subtracted noise bounds every value from above. For the best of m losers to
/// rise or fall by one, all m must, so the loss grows with m: 2m units where 2 are claimed. Caught
/// by both: the alignment makes noise negative.
struct SubtractedNoise : Ranked {
  std::string name = "noisy max: one-sided noise subtracted";  ///< what is wrong

  /// One winner of three.
  SubtractedNoise() : Ranked(3, 1, Moves::either_way, 1, 18) {}
  /// Name and lead.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    const Rate by{Rational(rate)};
    std::vector<detail::NoisyCandidate> all;
    for (std::size_t i = 0; i < n; ++i) {
      all.push_back({{static_cast<std::int64_t>(i), 0}, answers[i] - noise.geometric(by), {}});
    }
    PlaceOrder ties = order();
    const detail::Ranking ranking(ties, 1);
    std::sort(all.begin(), all.end(),
              [&](const detail::NoisyCandidate& a, const detail::NoisyCandidate& b) {
                return ranking.better(a, b);
              });
    return names_and_leads(all);
  }
  /// The winner follows the best loser.
  [[nodiscard]] Tape moved(const NeighbourPair& pair, const Observed& seen, const Tape& tape,
                           std::int64_t sign) const {
    Tape negated = tape;
    for (Draw& draw : negated) {
      draw.value = -draw.value;
    }
    Tape result = sign > 0 ? align_two_sided(pair, selected(seen), negated)
                           : recover_two_sided(pair, selected(seen), negated);
    for (Draw& draw : result) {
      draw.value = -draw.value;
    }
    return result;
  }
};

}  // namespace freegap::verify::bad

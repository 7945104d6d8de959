#pragma once

/// @file
/// The alignment that the paper prints for top-k with exponential noise. The mechanism is right and
/// its theorem holds; the alignment is not one-to-one, so it proves nothing (docs/errata.md, 1).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "verify/mechanisms/top_k_bad_variants.hpp"

namespace freegap::verify::bad {

/// Top-k as it should be, with the printed alignment: where winners' noise would become negative,
/// the loser that is best on D' is raised, to a value in which its own noise no longer occurs.
/// Caught by the alignment checker alone, as it should be: tapes cannot be recovered. The
/// enumerator finds no loss above the claim.
struct PrintedAlignment : Ranked {
  std::string name = "top-k: the paper's alignment for one-sided noise";  ///< what is wrong

  /// Noisy max of three.
  PrintedAlignment() : Ranked(3, 1, Moves::either_way, 1, 18) {}
  /// Names and leads.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    return names_and_leads(top_m(answers, k + 1, noise));
  }
  /// As printed, with our borrow; backwards, the same formulas on the image.
  [[nodiscard]] Tape moved(const NeighbourPair& pair, const Observed& seen, const Tape& tape,
                           std::int64_t sign) const {
    const Selected chosen = selected(seen);
    const auto [s, s_value] = best_loser(pair.first, chosen, tape);
    const auto [t, t_value] = best_loser(pair.second, chosen, tape);
    std::int64_t least = INT64_MAX;  // δ_*
    for (const std::size_t i : chosen.winners) {
      least = std::min(least, pair.first[i] - pair.second[i] + t_value - s_value);
    }
    const std::int64_t lift = std::max<std::int64_t>(-least, 0);
    Tape result = tape;
    result[t].value += sign * lift;
    for (const std::size_t i : chosen.winners) {
      result[i].value += sign * (pair.first[i] - pair.second[i] + t_value - s_value + lift);
    }
    return result;
  }

 private:
  [[nodiscard]] std::pair<std::size_t, std::int64_t> best_loser(const Answers& answers,
                                                                const Selected& chosen,
                                                                const Tape& tape) const {
    std::pair<std::size_t, std::int64_t> best{0, INT64_MIN};
    for (std::size_t l = 0; l < n; ++l) {
      const bool won =
          std::find(chosen.winners.begin(), chosen.winners.end(), l) != chosen.winners.end();
      const std::int64_t value = answers[l] + chosen.tie_offsets[l] + tape[l].value;
      if (!won && value > best.second) {
        best = {l, value};
      }
    }
    return best;
  }
};

/// How many tapes with noise 0 .. most have the same image as an earlier one with the same output,
/// under the forward alignment of `bad`: none, if it is injective. No inverse is asked for.
template <class Bad>
std::size_t collisions(const Bad& bad, const NeighbourPair& pair, std::int64_t most) {
  std::set<std::pair<Vector, Vector>> images;
  std::size_t tapes = 0;
  for (const Vector& values : all_vectors(pair.first.size(), 0, most)) {
    Tape tape;
    for (const std::int64_t value : values) {
      tape.push_back({DrawKind::geometric, std::make_shared<const Rational>(bad.rate), value});
    }
    ReplayedNoise noise(tape);
    const Observed seen = bad.run(pair.first, noise);
    Vector image;
    for (const Draw& draw : bad.moved(pair, seen, tape, 1)) {
      image.push_back(draw.value);
    }
    images.emplace(seen.shown, image);
    ++tapes;
  }
  return tapes - images.size();
}

}  // namespace freegap::verify::bad

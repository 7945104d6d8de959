#include "alignments.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace freegap::verify {
namespace {

/// Losers' noisy values, ties settled by whole ticks: max over losers of answer + offset + noise.
struct Best {
  std::int64_t value = std::numeric_limits<std::int64_t>::min();
  std::size_t candidate = 0;
};

class Losers {
 public:
  Losers(const Selected& selected, std::size_t n) : selected_(&selected), won_(n, false) {
    for (const std::size_t winner : selected.winners) {
      won_[winner] = true;
    }
  }
  [[nodiscard]] bool any() const {
    return std::find(won_.begin(), won_.end(), false) != won_.end();
  }
  /// The best loser on `answers`, the lowest number among equals.
  [[nodiscard]] Best best(const Answers& answers, const Tape& tape) const {
    Best best;
    for (std::size_t l = 0; l < won_.size(); ++l) {
      if (won_[l]) {
        continue;
      }
      const std::int64_t noise = tape[selected_->first_draw + l].value;
      const std::int64_t value = answers[l] + selected_->tie_offsets[l] + noise;
      if (value > best.value) {
        best = {value, l};
      }
    }
    return best;
  }

 private:
  const Selected* selected_;
  std::vector<bool> won_;
};

std::int64_t change(const NeighbourPair& pair, std::size_t i) {
  return pair.second[i] - pair.first[i];
}

std::int64_t largest_change(const NeighbourPair& pair, const Selected& selected) {
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (const std::size_t winner : selected.winners) {
    most = std::max(most, change(pair, winner));
  }
  return most;
}

/// Moves the winners' noise by (by - change) ticks, forwards or back.
void move_winners(const NeighbourPair& pair, const Selected& selected, std::int64_t by,
                  std::int64_t sign, Tape& tape) {
  for (const std::size_t winner : selected.winners) {
    tape[selected.first_draw + winner].value += sign * (by - change(pair, winner));
  }
}

Tape move_one_sided(const NeighbourPair& pair, const Selected& selected, const Tape& tape,
                    std::int64_t sign) {
  const Losers losers(selected, pair.first.size());
  const std::int64_t together = largest_change(pair, selected);
  Tape moved = tape;
  if (!losers.any()) {
    move_winners(pair, selected, together, sign, moved);
    return moved;
  }
  // Unmoved losers have the same two maxima before and after; where the best one was raised, they
  // differ by less than `together` on both sides, too. So either side tells the case.
  const Best first = losers.best(pair.first, tape);
  const Best second = losers.best(pair.second, tape);
  const std::int64_t follow = second.value - first.value;
  if (follow >= together) {
    move_winners(pair, selected, follow, sign, moved);
    return moved;
  }
  const std::size_t raised = sign > 0 ? first.candidate : second.candidate;
  moved[selected.first_draw + raised].value += sign * (together - change(pair, raised));
  move_winners(pair, selected, together, sign, moved);
  return moved;
}

Tape move_two_sided(const NeighbourPair& pair, const Selected& selected, const Tape& tape,
                    std::int64_t sign) {
  const Losers losers(selected, pair.first.size());
  Tape moved = tape;
  const std::int64_t follow =
      losers.any() ? losers.best(pair.second, tape).value - losers.best(pair.first, tape).value
                   : largest_change(pair, selected);
  move_winners(pair, selected, follow, sign, moved);
  return moved;
}

std::vector<std::int64_t> offsets(const PlaceOrder& order, const Item& last, std::size_t n) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < n; ++i) {
    result.push_back(order.precedes(Item{static_cast<std::int64_t>(i), 0}, last) ? 1 : 0);
  }
  return result;
}

/// A subject whose alignment is that of a ranking.
template <class Release, class Run, class Describe>
Subject<Release> ranked_subject(Run run, Describe describe, bool both_signs) {
  const auto prepare = [describe](const NeighbourPair& pair, const Release& release) {
    return describe(pair, release);
  };
  return {
      [run](const Answers& answers, RecordingNoise& noise) { return run(answers, noise); },
      [run](const Answers& answers, ReplayedNoise& noise) { return run(answers, noise); },
      [](const Release& release) { return observe(release); },
      [prepare, both_signs](const NeighbourPair& pair, const Release& release, const Tape& tape) {
        const auto [extended, selected] = prepare(pair, release);
        return both_signs ? align_two_sided(extended, selected, tape)
                          : align_one_sided(extended, selected, tape);
      },
      [prepare, both_signs](const NeighbourPair& pair, const Release& release, const Tape& tape) {
        const auto [extended, selected] = prepare(pair, release);
        return both_signs ? recover_two_sided(extended, selected, tape)
                          : recover_one_sided(extended, selected, tape);
      }};
}

std::vector<std::int64_t> ids(const std::vector<Item>& items) {
  std::vector<std::int64_t> result;
  for (const Item& item : items) {
    result.push_back(item.id);
  }
  return result;
}

void append(std::vector<std::int64_t>& shown, const std::vector<std::int64_t>& more) {
  shown.push_back(static_cast<std::int64_t>(more.size()));
  shown.insert(shown.end(), more.begin(), more.end());
}

}  // namespace

Tape align_one_sided(const NeighbourPair& pair, const Selected& selected, const Tape& tape) {
  return move_one_sided(pair, selected, tape, 1);
}
Tape recover_one_sided(const NeighbourPair& pair, const Selected& selected, const Tape& tape) {
  return move_one_sided(pair, selected, tape, -1);
}
Tape align_two_sided(const NeighbourPair& pair, const Selected& selected, const Tape& tape) {
  return move_two_sided(pair, selected, tape, 1);
}
Tape recover_two_sided(const NeighbourPair& pair, const Selected& selected, const Tape& tape) {
  return move_two_sided(pair, selected, tape, -1);
}

Tape shift_passing(const NeighbourPair& pair, const std::vector<Passing>& passing,
                   std::int64_t sensitivity_ticks, bool monotone, const Tape& tape,
                   std::int64_t sign) {
  bool falls = monotone;
  for (std::size_t i = 0; i < pair.first.size(); ++i) {
    falls = falls && change(pair, i) <= 0;
  }
  const std::int64_t raise = falls ? 0 : sensitivity_ticks;
  Tape moved = tape;
  if (!moved.empty()) {
    moved[0].value += sign * raise;
  }
  for (const Passing& pass : passing) {
    moved[pass.draw].value += sign * (raise - change(pair, pass.query));
  }
  return moved;
}

Subject<TopKRelease> subject_of(const TopKPlan& plan, const PlaceOrder& order) {
  const auto run = [plan, order](const Answers& answers, auto& noise) {
    PlaceOrder ties = order;
    return select_top_k(PlainShape(answers), plan, noise, ties);
  };
  const auto describe = [plan, order](const NeighbourPair& pair, const TopKRelease& release) {
    Selected selected;
    for (const Item& winner : release.winners) {
      selected.winners.push_back(static_cast<std::size_t>(winner.id));
    }
    selected.tie_offsets = offsets(order, release.winners.back(), pair.first.size());
    return std::pair(pair, selected);
  };
  return ranked_subject<TopKRelease>(run, describe, plan.noise.two_sided());
}

Subject<SparseVectorRelease> subject_of(const SparseVectorPlan& plan) {
  const auto run = [plan](const Answers& answers, auto& noise) {
    SparseVector vector(plan, noise);
    for (std::size_t i = 0; i < answers.size() && vector.open(); ++i) {
      vector.ask_ticks(answers[i], Item{static_cast<std::int64_t>(i), 0});
    }
    return vector.release();
  };
  const auto moved = [plan](const NeighbourPair& pair, const SparseVectorRelease& release,
                            const Tape& tape, std::int64_t sign) {
    // Draws per query: one for each branch tried, up to the one that passed. Which branches were
    // affordable follows from the answers before.
    std::vector<Passing> passing;
    std::size_t draw = 1;
    std::uint64_t used = 0;
    for (std::size_t i = 0; i < release.answers.size(); ++i) {
      const SparseVectorAnswer& answer = release.answers[i];
      for (std::size_t b = 0; b < plan.steps.size() && used + plan.steps[b].weight <= plan.budget;
           ++b, ++draw) {
        if (answer.above && answer.branch == b + 1) {
          passing.push_back({i, draw});
          used += plan.steps[b].weight;
          ++draw;
          break;
        }
      }
    }
    return shift_passing(pair, passing, plan.grid.sensitivity_ticks(), plan.queries.monotone(),
                         tape, sign);
  };
  return {[run](const Answers& answers, RecordingNoise& noise) { return run(answers, noise); },
          [run](const Answers& answers, ReplayedNoise& noise) { return run(answers, noise); },
          [](const SparseVectorRelease& release) { return observe(release); },
          [moved](const NeighbourPair& pair, const SparseVectorRelease& release, const Tape& tape) {
            return moved(pair, release, tape, 1);
          },
          [moved](const NeighbourPair& pair, const SparseVectorRelease& release, const Tape& tape) {
            return moved(pair, release, tape, -1);
          }};
}

Subject<HybridRelease> subject_of(const HybridPlan& plan, const PlaceOrder& order) {
  const auto run = [plan, order](const Answers& answers, auto& noise) {
    PlaceOrder ties = order;
    const PlainShape shape(answers);
    return plan.prefer == Prefer::identity ? select_identity_first(shape, plan, noise, ties)
                                           : select_estimates_first(shape, plan, noise, ties);
  };
  if (plan.prefer == Prefer::identity) {
    // The threshold is candidate 0, with noise before all others; the answers follow.
    const auto describe = [plan, order](const NeighbourPair& pair, const HybridRelease& release) {
      const std::int64_t threshold = plan.blank.threshold.used_ticks;
      NeighbourPair extended = pair;
      extended.first.insert(extended.first.begin(), threshold);
      extended.second.insert(extended.second.begin(), threshold);
      Selected selected;
      for (const Item& winner : release.winners) {
        selected.winners.push_back(static_cast<std::size_t>(winner.id) + 1);
      }
      const bool reached = release.gap_to == GapTo::threshold;
      if (reached) {
        selected.winners.push_back(0);
      }
      const Item last = reached ? threshold_item : release.winners.back();
      selected.tie_offsets = offsets(order, last, pair.first.size());
      selected.tie_offsets.insert(selected.tie_offsets.begin(),
                                  order.precedes(threshold_item, last) ? 1 : 0);
      return std::pair(extended, selected);
    };
    return ranked_subject<HybridRelease>(run, describe, plan.noise.two_sided());
  }
  const auto moved = [plan](const NeighbourPair& pair, const HybridRelease& release,
                            const Tape& tape, std::int64_t sign) {
    std::vector<Passing> passing;
    for (const Item& winner : release.winners) {
      const auto i = static_cast<std::size_t>(winner.id);
      passing.push_back({i, i + 1});
    }
    return shift_passing(pair, passing, plan.grid.sensitivity_ticks(),
                         plan.blank.queries.monotone(), tape, sign);
  };
  return {[run](const Answers& answers, RecordingNoise& noise) { return run(answers, noise); },
          [run](const Answers& answers, ReplayedNoise& noise) { return run(answers, noise); },
          [](const HybridRelease& release) { return observe(release); },
          [moved](const NeighbourPair& pair, const HybridRelease& release, const Tape& tape) {
            return moved(pair, release, tape, 1);
          },
          [moved](const NeighbourPair& pair, const HybridRelease& release, const Tape& tape) {
            return moved(pair, release, tape, -1);
          }};
}

Subject<MeasureRelease> subject_of(const Queries& queries, const MeasureOptions& options) {
  const auto run = [queries, options](const Answers& answers, auto& noise) {
    const Candidates candidates = Candidates::general(std::span<const std::int64_t>(answers),
                                                      queries.sensitivity, queries.neighbours);
    std::vector<Item> all;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      all.push_back({static_cast<std::int64_t>(i), 0});
    }
    return measure(candidates, all, options, noise);
  };
  const auto moved = [](const NeighbourPair& pair, const MeasureRelease& release, const Tape& tape,
                        std::int64_t sign) {
    const std::int64_t ticks = (Rational(1) / release.noise.tick).floor().get_si();
    Tape result = tape;
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i].value -= sign * change(pair, i) * ticks;
    }
    return result;
  };
  return {[run](const Answers& answers, RecordingNoise& noise) { return run(answers, noise); },
          [run](const Answers& answers, ReplayedNoise& noise) { return run(answers, noise); },
          [](const MeasureRelease& release) { return observe(release); },
          [moved](const NeighbourPair& pair, const MeasureRelease& release, const Tape& tape) {
            return moved(pair, release, tape, 1);
          },
          [moved](const NeighbourPair& pair, const MeasureRelease& release, const Tape& tape) {
            return moved(pair, release, tape, -1);
          }};
}

Observed observe(const TopKRelease& release) {
  Observed seen{ids(release.winners), release.cost.spent};
  append(seen.shown, release.lead_ticks);
  return seen;
}

Observed observe(const SparseVectorRelease& release) {
  Observed seen{{}, release.cost.spent};
  for (const SparseVectorAnswer& answer : release.answers) {
    seen.shown.insert(seen.shown.end(), {answer.item.id, static_cast<std::int64_t>(answer.branch),
                                         answer.gap_ticks.value_or(-1)});
  }
  return seen;
}

Observed observe(const HybridRelease& release) {
  Observed seen{ids(release.winners), release.cost.spent};
  append(seen.shown, release.gap_ticks);
  seen.shown.push_back(release.gap_to == GapTo::threshold ? 1 : 0);
  if (release.threshold_gap_ticks) {
    seen.shown.push_back(*release.threshold_gap_ticks);
  }
  return seen;
}

Observed observe(const MeasureRelease& release) {
  return {release.value_ticks, release.cost.spent};
}

}  // namespace freegap::verify

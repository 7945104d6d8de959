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
      const std::int64_t noise = selected_->draws.ticks(tape, l);
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
    selected.draws.move(tape, winner, sign * (by - change(pair, winner)));
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
  selected.draws.move(moved, raised, sign * (together - change(pair, raised)));
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

/// For each candidate, whether it would win a tie in whole ticks against the last winner: by its
/// fraction of a tick, then by the order.
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

/// A subject whose alignment is that of a ranking.
template <class Release, class Run, class Describe>
Subject<Release> ranked_subject(Run run, Describe describe, bool both_signs) {
  const auto align = [describe, both_signs](const NeighbourPair& pair, const Release& release,
                                            const Tape& tape) {
    const auto [extended, selected] = describe(pair, release, tape);
    return both_signs ? align_two_sided(extended, selected, tape)
                      : align_one_sided(extended, selected, tape);
  };
  const auto recover = [describe, both_signs](const NeighbourPair& pair, const Release& release,
                                              const Tape& tape) {
    const auto [extended, selected] = describe(pair, release, tape);
    return both_signs ? recover_two_sided(extended, selected, tape)
                      : recover_one_sided(extended, selected, tape);
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

/// The selection of an identity-first hybrid among the threshold, candidate 0, and the others.
std::pair<NeighbourPair, Selected> with_threshold(const HybridPlan& plan, const PlaceOrder& order,
                                                  const NeighbourPair& pair,
                                                  const HybridRelease& release, const Tape& tape) {
  const std::int64_t threshold = plan.blank.threshold.used_ticks;
  NeighbourPair extended = pair;
  extended.first.insert(extended.first.begin(), threshold);
  extended.second.insert(extended.second.begin(), threshold);
  Selected selected;
  selected.draws = CandidateDraws(plan.noise, 0);
  for (const Item& winner : release.winners) {
    selected.winners.push_back(static_cast<std::size_t>(winner.id) + 1);
  }
  if (release.gap_to == GapTo::threshold) {
    selected.winners.push_back(0);
  }
  selected.tie_offsets =
      tie_offsets(order, selected, tape, extended.first.size(), [](std::size_t i) {
        return i == 0 ? threshold_item : Item{static_cast<std::int64_t>(i) - 1, 0};
      });
  return {std::move(extended), std::move(selected)};
}

/// The passing draws of a sparse vector. Draws per query: one for each branch tried, up to the one
/// that passed; which branches were affordable follows from the answers before.
std::vector<Passing> passing_draws(const SparseVectorPlan& plan, const Answered& release) {
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
  return passing;
}

std::vector<std::int64_t> ids(const std::vector<Item>& items) {
  std::vector<std::int64_t> result;
  result.reserve(items.size());
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

CandidateDraws::CandidateDraws(const TickNoise& noise, std::size_t first_draw)
    : first(first_draw),
      each(noise.two_sided() && noise.subticks() > 1 ? 2 : 1),
      per_tick(noise.two_sided() ? 1 : noise.subticks()),
      subticks(noise.subticks()) {}

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
    moved[pass.draw].value += sign * (raise - change(pair, pass.query)) * pass.per_tick;
  }
  return moved;
}

Subject<TopKRelease> subject_of(const TopKPlan& plan, const PlaceOrder& order) {
  const auto run = [plan, order](const Answers& answers, auto& noise) {
    PlaceOrder ties = order;
    return select_top_k(PlainShape(answers), plan, noise, ties);
  };
  const auto describe = [draws = CandidateDraws(plan.noise, 0), order](const NeighbourPair& pair,
                                                                       const TopKRelease& release,
                                                                       const Tape& tape) {
    Selected selected;
    selected.draws = draws;
    for (const Item& winner : release.winners) {
      selected.winners.push_back(static_cast<std::size_t>(winner.id));
    }
    selected.tie_offsets = tie_offsets(order, selected, tape, pair.first.size(), [](std::size_t i) {
      return Item{static_cast<std::int64_t>(i), 0};
    });
    return std::pair<const NeighbourPair&, Selected>(pair, std::move(selected));
  };
  return ranked_subject<TopKRelease>(run, describe, plan.noise.two_sided());
}

Subject<Answered> subject_of(const SparseVectorPlan& plan) {
  // A run copies its plan; the description of branches, which only a reader needs, may stay behind.
  SparseVectorPlan bare = plan;
  bare.blank.branches.clear();
  const auto run = [bare](const Answers& answers, auto& noise) {
    SparseVector vector(bare, noise);
    Answered result;
    for (std::size_t i = 0; i < answers.size() && vector.open(); ++i) {
      result.answers.push_back(vector.ask_ticks(answers[i], Item{static_cast<std::int64_t>(i), 0}));
    }
    result.spent = vector.release().cost.spent;
    return result;
  };
  const auto moved = [plan](const NeighbourPair& pair, const Answered& release, const Tape& tape,
                            std::int64_t sign) {
    return shift_passing(pair, passing_draws(plan, release), plan.grid.sensitivity_ticks(),
                         plan.queries.monotone(), tape, sign);
  };
  return shifted_subject<Answered>(run, moved);
}

Subject<HybridRelease> subject_of(const HybridPlan& plan, const PlaceOrder& order) {
  const auto run = [plan, order](const Answers& answers, auto& noise) {
    PlaceOrder ties = order;
    const PlainShape shape(answers);
    return plan.prefer == Prefer::identity ? select_identity_first(shape, plan, noise, ties)
                                           : select_estimates_first(shape, plan, noise, ties);
  };
  if (plan.prefer == Prefer::identity) {
    const auto describe = [plan, order](const NeighbourPair& pair, const HybridRelease& release,
                                        const Tape& tape) {
      return with_threshold(plan, order, pair, release, tape);
    };
    return ranked_subject<HybridRelease>(run, describe, plan.noise.two_sided());
  }
  const auto moved = [plan, draws = CandidateDraws(plan.noise, 1)](
                         const NeighbourPair& pair, const HybridRelease& release, const Tape& tape,
                         std::int64_t sign) {
    std::vector<Passing> passing;
    for (const Item& winner : release.winners) {
      const auto i = static_cast<std::size_t>(winner.id);
      passing.push_back({i, draws.first + i * draws.each, draws.per_tick});
    }
    return shift_passing(pair, passing, plan.grid.sensitivity_ticks(),
                         plan.blank.queries.monotone(), tape, sign);
  };
  return shifted_subject<HybridRelease>(run, moved);
}

Subject<MeasureRelease> subject_of(const Queries& queries, std::size_t n,
                                   const MeasureOptions& options) {
  std::vector<Item> all;
  for (std::size_t i = 0; i < n; ++i) {
    all.push_back({static_cast<std::int64_t>(i), 0});
  }
  const auto candidates = [queries](const Answers& answers) {
    return Candidates::general(std::span<const std::int64_t>(answers), queries.sensitivity,
                               queries.neighbours);
  };
  const auto run = [=](const Answers& answers, auto& noise) {
    return measure(candidates(answers), all, options, noise);
  };
  const Grid grid = plan_measure(candidates(Answers(n)), all, options).grid;
  const auto moved = [grid](const NeighbourPair& pair, const MeasureRelease&, const Tape& tape,
                            std::int64_t sign) {
    Tape result = tape;
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i].value -=
          sign * (grid.floor_ticks(pair.second[i]) - grid.floor_ticks(pair.first[i]));
    }
    return result;
  };
  return shifted_subject<MeasureRelease>(run, moved);
}

Observed observe(const TopKRelease& release) {
  Observed seen{ids(release.winners), release.cost.spent};
  append(seen.shown, release.lead_ticks);
  return seen;
}

Observed observe(const Answered& release) {
  Observed seen{{}, release.spent};
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

#include "verify/noise_shifts.hpp"

#include <algorithm>
#include <limits>

namespace freegap::verify {
namespace {

/// The best loser: the largest answer + tie offset + noise, in whole ticks.
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
  // differ by less than `together` on both sides, too. So both sides see the same case.
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

}  // namespace

CandidateDraws::CandidateDraws(const detail::TickNoise& noise, std::size_t first_draw)
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

}  // namespace freegap::verify

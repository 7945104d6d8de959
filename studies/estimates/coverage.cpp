#include "studies/estimates/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace freegap::studies {
namespace {

double length(const std::optional<Interval>& interval) { return interval->high - interval->low; }

}  // namespace

bool contains(const std::optional<Interval>& interval, double answer) {
  return interval && interval->low <= answer && answer <= interval->high;
}

void Coverage::add(const std::vector<Estimate>& estimates, std::span<const double> answers) {
  const std::size_t n = estimates.size();
  if (by_rank.size() < n) {
    by_rank.resize(n);
    by_rank_simultaneous.resize(n);
  }
  std::map<std::int64_t, Share> items;
  Share held;
  bool all = true;
  double lengths = 0;
  double simultaneous_lengths = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool holds = contains(estimates[i].interval, answers[i]);
    const bool holds_at_once = contains(estimates[i].simultaneous, answers[i]);
    items[estimates[i].item.id].add(holds);
    by_rank[i].add(holds);
    by_rank_simultaneous[i].add(holds_at_once);
    held.add(holds);
    all = all && holds_at_once;
    lengths += length(estimates[i].interval);
    simultaneous_lengths += length(estimates[i].simultaneous);
  }
  for (const auto& [id, share] : items) {
    by_item[id].add(static_cast<double>(share.happened), static_cast<double>(share.trials));
    selections_[id] += share.trials;
  }
  average.add(held.value());
  simultaneous.add(all);
  marginal_length.add(lengths / static_cast<double>(n));
  simultaneous_length.add(simultaneous_lengths / static_cast<double>(n));
}

std::optional<Coverage::Item> Coverage::worst_item(double bar, double least_share) const {
  std::optional<Item> worst;
  double most = -HUGE_VAL;
  for (const auto& [id, ratio] : by_item) {
    const auto often = static_cast<double>(selections_.at(id));
    if (often < 1000 ||
        static_cast<double>(ratio.runs()) < least_share * static_cast<double>(average.runs())) {
      continue;
    }
    // Where hardly any interval fails, the spread seen is too small.
    const double error = std::max(ratio.error(), std::sqrt(bar * (1 - bar) / often));
    if ((bar - ratio.value()) / error > most) {
      most = (bar - ratio.value()) / error;
      worst = Item{id, ratio.value(), error};
    }
  }
  return worst;
}

std::pair<std::size_t, Share> worst_rank(const std::vector<Share>& shares, double p,
                                         bool want_high) {
  std::pair<std::size_t, Share> worst{0, {}};
  double most = -HUGE_VAL;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double off =
        (want_high ? p - shares[i].value() : shares[i].value() - p) / shares[i].error_if(p);
    if (shares[i].trials >= enough_to_tell && off > most) {
      most = off;
      worst = {i, shares[i]};
    }
  }
  return worst;
}

}  // namespace freegap::studies

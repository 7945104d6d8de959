#include "experiments/simulation.hpp"

#include <algorithm>

#include "freegap/errors.hpp"

namespace freegap::experiments {

Candidates candidates_of(std::span<const std::int64_t> counts, Kind kind) {
  return kind == Kind::counts ? Candidates::counting(counts, Neighbours::add_remove)
                              : Candidates::general(counts, Neighbours::add_remove, 1);
}

DrawnThreshold threshold_below(std::span<const std::int64_t> counts, std::uint64_t rank) {
  if (rank == 0 || rank >= counts.size()) {
    throw InvalidParameter("rank", "the data has too few items for this threshold");
  }
  const Rational value = Rational(counts[rank - 1] + counts[rank], 2);
  const auto first_below = std::partition_point(
      counts.begin(), counts.end(), [&](std::int64_t count) { return Rational(count) >= value; });
  return {value, static_cast<std::uint64_t>(first_below - counts.begin())};
}

RepeatedSparseVector::RepeatedSparseVector(std::span<const std::int64_t> counts, Kind kind,
                                           const SparseVectorOptions& options, Ranks ranks)
    : candidates_(candidates_of(counts, kind)) {
  if (!std::is_sorted(counts.rbegin(), counts.rend())) {
    throw InvalidParameter("counts", "they must come largest first");
  }
  // Plans differ in their thresholds alone.
  SparseVectorPlan plan = plan_sparse_vector(queries_of(kind), options, true);
  for (std::uint64_t rank = ranks.first; rank <= ranks.last; ++rank) {
    const DrawnThreshold threshold = threshold_below(counts, rank);
    const std::int64_t ticks = plan.grid.ceil_ticks(threshold.value);
    plan.blank.threshold = {threshold.value, Rational(ticks) * plan.grid.tick(), ticks};
    plans_.push_back({plan, threshold.above});
  }
  maxima_.emplace(counts, plans_.front().plan.grid,
                  detail::AboveSizes::for_list(counts.size()).blocks, 1);
}

SparseVectorRelease RepeatedSparseVector::run(InsecureSeededNoise& noise) {
  const PlanOfRank& chosen = plans_[noise.below(plans_.size())];
  above_ = chosen.above;
  detail::ScanCounters counters;
  detail::AboveScan<InsecureSeededNoise> scan(
      candidates_, chosen.plan, detail::SkipSizes::for_count(candidates_.size()), noise, counters);
  std::vector<detail::PassingQuery> passing = scan.scan(*maxima_, 0);
  detail::SparseVectorAccount account(chosen.plan);
  if (place_.empty()) {
    return detail::pass_shuffled<InsecureSeededNoise>(passing, account, noise);
  }
  std::sort(passing.begin(), passing.end(),
            [&](const detail::PassingQuery& a, const detail::PassingQuery& b) {
              return place_[a.place] < place_[b.place];
            });
  detail::AskedInOrder(account).ask(passing, place_.size());
  return account.release(std::nullopt);
}

std::vector<Item> passed(const SparseVectorRelease& release) {
  std::vector<Item> items;
  for (const SparseVectorAnswer& answer : release.answers) {
    if (answer.above) {
      items.push_back(answer.item);
    }
  }
  return items;
}

}  // namespace freegap::experiments

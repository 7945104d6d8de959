#include "experiments/simulation.hpp"

#include <algorithm>
#include <numeric>

#include "freegap/errors.hpp"

namespace freegap::experiments {

Candidates candidates_of(std::span<const std::int64_t> counts, Kind kind) {
  return kind == Kind::counts ? Candidates::counting(counts, Neighbours::add_remove)
                              : Candidates::general(counts, 1, Neighbours::add_remove);
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

SparseVectorRuns::SparseVectorRuns(std::span<const std::int64_t> counts, Kind kind,
                                   SparseVectorOptions options, Ranks ranks)
    : order_(counts.size()) {
  for (std::uint64_t rank = ranks.first; rank <= ranks.last; ++rank) {
    const DrawnThreshold threshold = threshold_below(counts, rank);
    options.threshold = threshold.value;
    settled_.push_back({plan_sparse_vector(queries_of(kind), options, true), threshold.above});
  }
  const Grid& grid = settled_.front().plan.grid;  // the same for every threshold
  for (const std::int64_t count : counts) {
    ticks_.push_back(grid.floor_ticks(count));
  }
  std::iota(order_.begin(), order_.end(), 0U);
}

void SparseVectorRuns::fix_order(std::vector<std::uint32_t> order) {
  order_ = std::move(order);
  fixed_order_ = true;
}

const SparseVectorRelease& SparseVectorRuns::run(InsecureSeededNoise& noise) {
  const Settled& settled = settled_[noise.below(settled_.size())];
  above_ = settled.above;
  vector_.emplace(settled.plan, noise);
  const std::size_t n = ticks_.size();
  for (std::size_t i = 0; i < n && vector_->open(); ++i) {
    if (!fixed_order_) {
      // The order left by earlier runs is as good a start for a shuffle as any.
      std::swap(order_[i], order_[i + noise.below(n - i)]);
    }
    const std::uint32_t query = order_[i];
    vector_->ask_ticks(ticks_[query], Item{query, 0});
  }
  return vector_->release();
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

const MeasureRelease& Meter::measure(std::span<const Item> items, const Rational& epsilon,
                                     InsecureSeededNoise& noise) {
  auto found = prepared_.find({items.size(), epsilon});
  if (found == prepared_.end()) {
    MeasurePlan plan = plan_measure(*candidates_, items, {Epsilon(epsilon)});
    MeasureRelease blank{plan.queries, plan.law, plan.cost, {}, {}};
    found =
        prepared_
            .emplace(std::pair(items.size(), epsilon), Prepared{std::move(plan), std::move(blank)})
            .first;
  }
  auto& [plan, release] = found->second;
  release.items.assign(items.begin(), items.end());
  release.value_ticks.clear();
  for (const Item& item : items) {
    release.value_ticks.push_back(candidates_->ticks(item, plan.grid) + noise.laplace(*plan.rate));
  }
  return release;
}

}  // namespace freegap::experiments

#include "experiments/simulation.hpp"

#include <algorithm>

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

namespace {

/// Noise that passes no branch: below anything a draw can be.
constexpr std::int64_t does_not_pass = -(std::int64_t{1} << 61U);

/// Candidates in the first jump; each jump after it is over eight times as many, as their counts
/// differ less and less.
constexpr std::size_t first_jump = 8;

}  // namespace

SparseVectorRuns::SparseVectorRuns(std::span<const std::int64_t> counts, Kind kind,
                                   const SparseVectorOptions& options, Ranks ranks) {
  if (!std::is_sorted(counts.rbegin(), counts.rend())) {
    throw InvalidParameter("counts", "they must come largest first");
  }
  // Plans differ in their thresholds alone.
  SparseVectorPlan plan = plan_sparse_vector(queries_of(kind), options, true);
  const Grid grid = plan.grid;
  for (std::uint64_t rank = ranks.first; rank <= ranks.last; ++rank) {
    const DrawnThreshold threshold = threshold_below(counts, rank);
    const std::int64_t ticks = grid.ceil_ticks(threshold.value);
    plan.blank.threshold = {threshold.value, Rational(ticks) * grid.tick(), ticks};
    settled_.push_back({plan, threshold.above});
  }
  ticks_.reserve(counts.size());
  for (const std::int64_t count : counts) {
    ticks_.push_back(grid.floor_ticks(count));
  }
}

void SparseVectorRuns::find_near(std::int64_t lowest_bar) {
  const auto end = std::partition_point(ticks_.begin(), ticks_.end(),
                                        [&](std::int64_t ticks) { return ticks >= lowest_bar; });
  near_ = static_cast<std::size_t>(end - ticks_.begin());
  asks_.clear();
  far_noise_.clear();
  for (std::size_t i = 0; i < near_; ++i) {
    asks_.push_back({static_cast<std::uint32_t>(i), 0});
  }
}

void SparseVectorRuns::note_far(std::size_t query, std::size_t branch, std::int64_t noise) {
  const std::size_t branches = settled_.front().plan.steps.size();
  const auto known = std::find_if(asks_.begin() + static_cast<std::ptrdiff_t>(near_), asks_.end(),
                                  [&](const Ask& ask) { return ask.query == query; });
  std::size_t far = 0;
  if (known != asks_.end()) {
    far = known->far;
  } else {
    far = far_noise_.size() / branches + 1;
    far_noise_.resize(far * branches, does_not_pass);
    asks_.push_back({static_cast<std::uint32_t>(query), static_cast<std::uint32_t>(far)});
  }
  far_noise_[(far - 1) * branches + branch] = noise;
}

// A query at distance d below the bar reaches it with probability e^(-rate d), for two-sided noise
// times 1 / (1 + e^-rate), and then lies above it by fresh one-sided noise.
void SparseVectorRuns::find_far(std::size_t branch, std::int64_t bar, InsecureSeededNoise& noise) {
  const SparseVectorPlan& plan = settled_.front().plan;
  const Rate& rate = plan.steps[branch].noise.rate();
  const bool both_sides = two_sided(plan.blank.distribution);
  std::size_t size = first_jump;
  for (std::size_t first = near_; first < ticks_.size(); first += size, size *= 8) {
    const std::size_t last = std::min(first + size, ticks_.size());
    const std::int64_t most = ticks_[first];
    const auto down = static_cast<Distance>(bar - most);
    for (std::size_t i = first; i < last; ++i) {
      i += noise.skips(rate, down, last - i);
      if (i < last && noise.reaches(rate, static_cast<Distance>(most - ticks_[i])) &&
          (!both_sides || noise.above_zero(rate))) {
        note_far(i, branch, bar - ticks_[i] + noise.geometric(rate));
      }
    }
  }
}

const SparseVectorRelease& SparseVectorRuns::run(InsecureSeededNoise& noise) {
  const Settled& settled = settled_[noise.below(settled_.size())];
  const SparseVectorPlan& plan = settled.plan;
  above_ = settled.above;
  const std::int64_t drawn = draw(plan.blank.distribution, plan.threshold_rate, noise);
  const std::int64_t threshold = plan.blank.threshold.used_ticks + drawn;
  std::int64_t lowest = INT64_MAX;
  for (const SparseVectorPlan::Step& step : plan.steps) {
    lowest = std::min(lowest, threshold + step.pass_at);
  }
  find_near(lowest);
  for (std::size_t b = 0; b < plan.steps.size(); ++b) {
    find_far(b, threshold + plan.steps[b].pass_at, noise);
  }
  if (!place_.empty()) {
    std::sort(asks_.begin(), asks_.end(),
              [&](const Ask& a, const Ask& b) { return place_[a.query] < place_[b.query]; });
  }

  source_.emplace(noise);
  source_->settle(drawn);
  vector_.emplace(plan, *source_);
  const std::size_t branches = plan.steps.size();
  for (std::size_t i = 0; i < asks_.size() && vector_->open(); ++i) {
    if (place_.empty()) {
      std::swap(asks_[i], asks_[i + noise.below(asks_.size() - i)]);
    }
    const auto [query, far] = asks_[i];
    for (std::size_t b = 0; far > 0 && b < branches; ++b) {
      source_->settle(far_noise_[(far - 1) * branches + b]);
    }
    vector_->ask_ticks(ticks_[query], Item{query, 0});
    source_->forget();
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
    MeasureRelease blank{plan.queries, plan.distribution, plan.cost, {}, {}};
    found =
        prepared_
            .emplace(std::pair(items.size(), epsilon), Prepared{std::move(plan), std::move(blank)})
            .first;
  }
  auto& [plan, release] = found->second;
  release.items.assign(items.begin(), items.end());
  release.value_ticks.clear();
  for (const Item& item : items) {
    release.value_ticks.push_back(detail::CandidateAccess(*candidates_).ticks(item, plan.grid) +
                                  noise.laplace(*plan.rate));
  }
  return release;
}

}  // namespace freegap::experiments

#include "freegap/measure.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/detail/core/candidate_walk.hpp"
#include "freegap/detail/mechanisms/candidates_on_grid.hpp"
#include "freegap/errors.hpp"

namespace freegap {

namespace {

/// With a contribution bound, one unit changes so many items; an item that is listed twice would
/// change twice.
void check_once(std::span<const Item> items) {
  std::vector<Item> sorted(items.begin(), items.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw InvalidParameter("items", "with a contribution bound each must be listed once");
  }
}

}  // namespace

MeasurePlan plan_measure(const Candidates& candidates, std::span<const Item> items,
                         const MeasureOptions& options) {
  detail::check_constant_work(options.constant_work, candidates, detail::most_constant_work);
  const Queries& queries = candidates.queries();
  for (const Item& item : items) {
    if (!candidates.contains(item)) {
      throw InvalidParameter("items", candidates.unknown_items()
                                          ? "each must be one that occurs"
                                          : "each must be one of the " +
                                                std::to_string(candidates.size()) + " candidates");
    }
  }
  if (queries.max_items) {
    check_once(items);
  }
  const Rational& epsilon = options.epsilon.value();
  const Rational changed(items.empty() ? 1 : queries.most_changed(items.size()));
  const Grid grid =
      Grid::for_scale(queries.sensitivity, changed * queries.sensitivity / epsilon, options.tick);
  const NoiseDistribution distribution{Distribution::laplace,
                                       changed * grid.sensitivity() / epsilon, grid.tick()};
  if (items.empty()) {
    return {queries, grid, distribution, std::nullopt, {epsilon, 0}};
  }
  return {queries,
          grid,
          distribution,
          Rate(distribution.tick / distribution.scale),
          {epsilon, epsilon}};
}

std::vector<std::int64_t> item_ticks(const Candidates& candidates, std::span<const Item> items,
                                     const Grid& grid, bool constant_work) {
  const detail::CandidateAccess access(candidates);
  if (constant_work && access.searches()) {
    return detail::ticks_by_walk(candidates, items, grid);
  }
  std::vector<std::int64_t> ticks;
  for (const Item& item : items) {
    ticks.push_back(access.ticks(item, grid));
  }
  return ticks;
}

}  // namespace freegap

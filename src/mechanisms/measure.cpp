#include "freegap/measure.hpp"

#include <string>

#include "freegap/errors.hpp"

namespace freegap {

MeasurePlan plan_measure(const Candidates& candidates, std::span<const Item> items,
                         const MeasureOptions& options) {
  const Queries& queries = candidates.queries();
  for (const Item& item : items) {
    if (!candidates.contains(item)) {
      throw InvalidParameter(
          "items", "each must be one of the " + std::to_string(candidates.size()) + " candidates");
    }
  }
  const Rational& epsilon = options.epsilon.value();
  const Rational t(items.empty() ? 1 : items.size());
  const Grid grid =
      Grid::for_scale(queries.sensitivity, t * queries.sensitivity / epsilon, options.tick);
  const NoiseDistribution distribution{Distribution::laplace, t * grid.sensitivity() / epsilon,
                                       grid.tick()};
  if (items.empty()) {
    return {queries, grid, distribution, std::nullopt, {epsilon, 0}};
  }
  return {queries,
          grid,
          distribution,
          Rate(distribution.tick / distribution.scale),
          {epsilon, epsilon}};
}

}  // namespace freegap

// The share of the budget that a sparse vector's threshold gets: the paper's figure on geometric
// noise. No simulation.
#include <cmath>

#include "experiments/experiment.hpp"
#include "freegap/allocation.hpp"

namespace freegap::experiments {
namespace {

double best_for_geometric(std::uint64_t k, const Rational& epsilon) {
  return best_threshold_share({.distribution = Distribution::geometric,
                               .noise_factor = 1,
                               .k = k,
                               .epsilon = epsilon})
      .shown();
}

Chapter theta_chapter() {
  constexpr std::uint64_t most = 50;
  Table table{"theta",
              "Best share of the budget for the threshold, counts",
              {"k", "curve", "geometric_epsilon_1", "geometric_epsilon_10", "geometric_epsilon_50"},
              {}};
  Panel panel{"theta", "Best share θ of the threshold", "k", "θ", 0, 0.6, false, {}};
  panel.series = {{"1 / (1 + ∛k²)", Style::line, 1, {}},
                  {"geometric noise, ε = 1", Style::points, 0, {}},
                  {"geometric noise, ε = 10", Style::points, 2, {}},
                  {"geometric noise, ε = 50", Style::points, 3, {}}};
  double furthest = 0;
  for (std::uint64_t k = 1; k <= most; ++k) {
    const auto x = static_cast<double>(k);
    const double curve = 1 / (1 + std::cbrt(x * x));
    std::vector<std::string> row{std::to_string(k), shown(curve)};
    panel.series[0].samples.push_back({x, curve, 0});
    std::size_t number = 1;
    for (const int epsilon : {1, 10, 50}) {
      const double theta = best_for_geometric(k, epsilon);
      row.push_back(shown(theta));
      panel.series[number++].samples.push_back({x, theta, 0});
      furthest = epsilon == 1 ? std::max(furthest, std::fabs(theta / curve - 1)) : furthest;
    }
    table.rows.push_back(row);
  }
  return {"The best share for the threshold",
          "The variance of a gap under geometric noise is least for the θ shown as points; the "
          "line is the formula for exponential noise. For ε = 1, the paper's case, they differ by "
          "at most " +
              shown(std::round(1e6 * furthest) / 1e4) +
              " % of θ. The paper's “almost the same” ends with the budget: at ε = 10 and more the "
              "points leave the line.",
          {{"theta",
            "Best share of the budget for the threshold",
            "Points: minimum of the exact variance. Line: the formula for exponential noise.",
            {panel},
            {"theta"}}},
          {table},
          {}};
}

}  // namespace

Experiment theta_experiment() {
  return {"theta", {}, [](std::span<const Measured>) { return theta_chapter(); }};
}

}  // namespace freegap::experiments

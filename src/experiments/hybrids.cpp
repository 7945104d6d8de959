// The paper's two hybrids of top-k and sparse vector, compared with both: which items are found,
// what that costs, and how precise the estimates are if the unspent budget is used for measuring.
#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/experiment.hpp"
#include "experiments/names.hpp"
#include "experiments/repeated_measure.hpp"
#include "experiments/simulation.hpp"
#include "experiments/squared_errors.hpp"
#include "freegap/estimate.hpp"
#include "freegap/hybrid.hpp"

namespace freegap::experiments {
namespace {

constexpr std::uint64_t threshold_rank = 12;

enum class Selecting : std::uint8_t { identity_first, estimates_first, top_k, sparse_vector };
constexpr std::array all_ways{Selecting::identity_first, Selecting::estimates_first,
                              Selecting::top_k, Selecting::sparse_vector};

std::string name_of(Selecting way) {
  switch (way) {
    case Selecting::identity_first:
      return "identity first";
    case Selecting::estimates_first:
      return "estimates first";
    case Selecting::top_k:
      return "top-k";
    case Selecting::sparse_vector:
      return "sparse vector";
  }
  return {};
}

struct Point {
  SharedDataset data;
  Selecting way;
  std::uint64_t k;
  Rational epsilon;
};

std::string task_name(const Point& point) {
  return "hybrids/" + point.data->name + "/" + name_of(point.way) + "/" + std::to_string(point.k);
}

// What is measured at a point.
constexpr std::size_t recall = 0;      // share of the true top k above the threshold that was found
constexpr std::size_t spent = 1;       // share of the selecting half of the budget
constexpr std::size_t linear = 2;      // mean squared error of the winners' estimates, the paper's
constexpr std::size_t winners = 3;     // number of winners
constexpr std::size_t likelihood = 4;  // mean squared error of estimates by likelihood

/// Runs one of the mechanisms, and calls `visit` with each release.
template <class Visit>
void run_all(const Point& point, const Candidates& candidates, std::uint64_t runs,
             InsecureSeededNoise& noise, const Visit& visit) {
  const std::span<const std::int64_t> counts = point.data->counts;
  const Epsilon epsilon(point.epsilon / Rational(2));
  const Rational threshold = threshold_below(counts, threshold_rank).value;
  if (point.way == Selecting::top_k) {
    RepeatedTopK selection(counts, Kind::counts, {.k = point.k, .epsilon = epsilon});
    for (std::uint64_t run = 0; run < runs; ++run) {
      const TopKRelease release = selection.run(noise);
      visit(release, release.winners);
    }
  } else if (point.way == Selecting::sparse_vector) {
    RepeatedSparseVector selection(counts, Kind::counts,
                                   {.k = point.k, .epsilon = epsilon, .threshold = 0},
                                   {threshold_rank, threshold_rank});
    for (std::uint64_t run = 0; run < runs; ++run) {
      const SparseVectorRelease release = selection.run(noise);
      visit(release, passed(release));
    }
  } else {
    const bool identity = point.way == Selecting::identity_first;
    const HybridPlan plan =
        plan_hybrid(candidates, {.k = point.k,
                                 .epsilon = epsilon,
                                 .threshold = threshold,
                                 .prefer = identity ? Prefer::identity : Prefer::estimates});
    const detail::CandidatesOnGrid shape(candidates, plan.grid);
    for (std::uint64_t run = 0; run < runs; ++run) {
      detail::RandomOrder order(noise);
      const HybridRelease release = identity ? select_identity_first(shape, plan, noise, order)
                                             : select_estimates_first(shape, plan, noise, order);
      visit(release, release.winners);
    }
  }
}

Measured simulate(const Point& point, std::uint64_t runs, std::uint64_t seed) {
  const std::span<const std::int64_t> counts = point.data->counts;
  const Candidates candidates = candidates_of(counts, Kind::counts);
  const auto wanted = static_cast<std::int64_t>(std::min(point.k, threshold_rank));
  RepeatedMeasure measurer(candidates);
  Estimator paper({.method = Method::linear});
  Estimator ours;
  InsecureSeededNoise noise(seed);
  Measured measured(5);
  run_all(point, candidates, runs, noise, [&](const auto& release, const std::vector<Item>& items) {
    const auto found = std::count_if(items.begin(), items.end(),
                                     [&](const Item& item) { return item.id < wanted; });
    measured[recall].add(static_cast<double>(found) / static_cast<double>(wanted));
    measured[spent].add((release.cost.spent / release.cost.reserved).shown());
    measured[winners].add(static_cast<double>(items.size()));
    if (items.empty()) {
      return;
    }
    const MeasureRelease& values =
        measurer.measure(items, point.epsilon - release.cost.spent, noise);
    measured[linear].add(squared_error(paper(release, values), counts));
    if (measured[likelihood].runs() < likelihood_runs(runs)) {
      measured[likelihood].add(squared_error(ours(release, values), counts));
    }
  });
  return measured;
}

Sample root(double x, const Ratio& mean_square) {
  const double value = std::sqrt(mean_square.value());
  return {x, value, mean_square.error() / (2 * value)};
}

Sample sample(double x, const Ratio& mean, double factor) {
  return {x, factor * mean.value(), factor * mean.error()};
}

Table table_of(const std::vector<Point>& points, std::span<const Measured> results) {
  Table table{
      "hybrids",
      "Hybrids against top-k and sparse vector",
      {"data", "mechanism", "k", "runs", "recall", "recall_error", "spent_percent", "spent_error",
       "winners", "linear", "linear_error", "likelihood_runs", "likelihood", "likelihood_error"},
      {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Measured& m = results[i];
    const Sample paper = root(0, m[linear]);
    const Sample ours = root(0, m[likelihood]);
    table.rows.push_back({points[i].data->name, name_of(points[i].way), std::to_string(points[i].k),
                          std::to_string(m[recall].runs()), shown(m[recall].value()),
                          shown(m[recall].error()), shown(100 * m[spent].value()),
                          shown(100 * m[spent].error()), shown(m[winners].value()), shown(paper.y),
                          shown(paper.error), std::to_string(m[likelihood].runs()), shown(ours.y),
                          shown(ours.error)});
  }
  return table;
}

std::vector<Figure> figures_of(const Setup& setup, const std::vector<Point>& points,
                               std::span<const Measured> results) {
  std::vector<Figure> figures;
  for (const SharedDataset& data : setup.datasets) {
    const std::string name = "hybrids-" + file_name(data->name);
    Panel found{name + "-recall", "Found of those wanted", "k", "recall", 0, 1, false, {}};
    Panel cost{
        name + "-spent", "Spent on selection", "k", "% of what was reserved", 0, 100, false, {}};
    Panel error{name + "-error",
                "Error of the estimates",
                "k",
                "root mean squared error",
                0,
                10,
                false,
                {}};
    for (std::size_t w = 0; w < all_ways.size(); ++w) {
      const auto colour = static_cast<unsigned>(w);
      Series a{name_of(all_ways[w]), Style::joined, colour, {}};
      Series b = a;
      Series c = a;
      Series d{name_of(all_ways[w]) + ", linear", Style::dashed, colour, {}};
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].data->name == data->name && points[i].way == all_ways[w]) {
          const auto k = static_cast<double>(points[i].k);
          a.samples.push_back(sample(k, results[i][recall], 1));
          b.samples.push_back(sample(k, results[i][spent], 100));
          c.samples.push_back(root(k, results[i][likelihood]));
          d.samples.push_back(root(k, results[i][linear]));
          error.y_high =
              std::max({error.y_high, 1.05 * c.samples.back().y, 1.05 * d.samples.back().y});
        }
      }
      found.series.push_back(std::move(a));
      cost.series.push_back(std::move(b));
      error.series.push_back(std::move(c));
      error.series.push_back(std::move(d));
    }
    figures.push_back({name,
                       "Hybrids: " + data->name,
                       "Threshold below the 12th largest count: with k up to 12 all k wanted are "
                       "above it, beyond that twelve are. Points: estimates by likelihood. Broken "
                       "lines: the paper's linear ones.",
                       {found, cost, error},
                       {"hybrids"}});
  }
  return figures;
}

}  // namespace

Experiment hybrids_experiment(const Setup& setup) {
  std::vector<Point> points;
  for (const SharedDataset& data : setup.datasets) {
    for (const Selecting way : all_ways) {
      for (std::uint64_t k = 4; k <= last_k; k += 4) {
        points.push_back({data, way, k, setup.epsilon});
      }
    }
  }
  return {
      "hybrids", tasks_for(points, task_name, simulate),
      [setup, points](std::span<const Measured> results) {
        return Chapter{
            "Hybrids",
            "The k largest counts, as far as they are above a public threshold. Half of ε = 0.7 "
            "is reserved for selecting; what selection does not use goes into measuring, with "
            "the other half, and gaps and measurements are combined. Noise is exponential.\n\n"
            "Top-k has no threshold, so for k above 12 it names counts below it, and shares "
            "its measuring budget among them. Sparse vector takes whatever it is asked first, so "
            "it "
            "finds some k of those above, not the largest. The identity-first hybrid selects like "
            "top-k "
            "and is charged for what it names alone; the estimates-first one pays for the "
            "threshold separately, and its gaps are estimates by themselves.",
            figures_of(setup, points, results),
            {table_of(points, results)},
            {}};
      }};
}

}  // namespace freegap::experiments

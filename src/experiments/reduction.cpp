// How much of the mean squared error the free gaps save: the paper's figures against k and against
// the budget, with theory beside them; for counts and for arbitrary queries.
#include <array>
#include <cmath>

#include "experiments/experiment.hpp"
#include "experiments/measuring.hpp"
#include "experiments/names.hpp"
#include "experiments/simulation.hpp"
#include "freegap/planning.hpp"

namespace freegap::experiments {
namespace {

/// One point of a figure.
struct Point {
  SharedDataset data;
  Selecting selecting;
  Distribution distribution;
  std::uint64_t k;
  Rational epsilon;
  Kind kind = Kind::counts;
};

std::string task_name(const Point& point) {
  return "reduction/" + point.data->name + "/" + name_of(point.selecting) + "/" +
         distribution_name(point.distribution) + "/" + std::to_string(point.k) + "/" +
         point.epsilon.str() + (point.kind == Kind::general ? "/general" : "");
}

// What is measured at a point.
constexpr std::size_t combined = 0;  // squared error of the paper's estimates over that of
                                     // measurements alone
constexpr std::size_t together = 1;  // the same, all answers of a run combined together; for top-k
                                     // the paper does that already
constexpr std::size_t direct = 2;    // squared error of measurements alone

Measured simulate(const Point& point, std::uint64_t runs, std::uint64_t seed) {
  const Rational half = point.epsilon / Rational(2);
  Measured measured(3);
  select_and_measure(point.data->counts,
                     {point.selecting, point.k, half, half, point.distribution, point.kind}, runs,
                     seed, [&](const MeasuredRun& run) {
                       const SquaredErrors& squared = run.squared;
                       measured[combined].add(squared.per_query, squared.direct);
                       measured[together].add(squared.joint, squared.direct);
                       measured[direct].add(squared.direct);
                     });
  return measured;
}

struct Theory {
  double combined;
  double together;
};

/// Shares saved on well-separated data.
Theory theory(const Point& point) {
  if (point.selecting == Selecting::top_k) {
    const Forecast forecast = freegap::forecast(
        TopKQuestion{queries_of(point.kind), point.k, point.epsilon, point.distribution});
    return {forecast.reduction, forecast.reduction};
  }
  const Forecast forecast = freegap::forecast(
      SparseVectorQuestion{queries_of(point.kind), point.k, point.epsilon, point.distribution});
  const double ratio = forecast.per_query_error / forecast.direct_error;
  return {1 - ratio * ratio, forecast.reduction};
}

Table table_of(const std::string& name, const std::string& title, const std::vector<Point>& points,
               std::span<const Measured> results) {
  Table table{name,
              title,
              {"data", "mechanism", "noise", "queries", "k", "epsilon", "runs", "reduction_percent",
               "standard_error", "theory_percent", "joint_reduction_percent",
               "joint_standard_error", "joint_theory_percent", "direct_squared_error"},
              {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    const Measured& result = results[i];
    const Theory expected = theory(point);
    const bool joint = point.selecting == Selecting::sparse_vector;
    table.rows.push_back(
        {point.data->name, name_of(point.selecting), distribution_name(point.distribution),
         point.kind == Kind::counts ? "counts" : "general", std::to_string(point.k),
         shown(point.epsilon.shown()), std::to_string(result[combined].runs()),
         shown(100 * (1 - result[combined].value())), shown(100 * result[combined].error()),
         shown(100 * expected.combined), joint ? shown(100 * (1 - result[together].value())) : "",
         joint ? shown(100 * result[together].error()) : "",
         joint ? shown(100 * expected.together) : "", shown(result[direct].value())});
  }
  return table;
}

constexpr std::array distributions{Distribution::laplace, Distribution::exponential,
                                   Distribution::geometric};

/// Measured points and theory for one data set and mechanism.
Panel panel_of(const std::string& name, const Dataset& data, Selecting selecting,
               const std::vector<Point>& points, std::span<const Measured> results, bool by_k) {
  Panel panel{
      name,
      (selecting == Selecting::top_k ? "Top-k with measures, " : "Sparse vector with measures, ") +
          data.name,
      by_k ? "k" : "privacy budget ε",
      "reduction of squared error, %",
      0,
      70,
      false,
      {}};
  for (std::size_t l = 0; l < distributions.size(); ++l) {
    Series line{distribution_name(distributions[l]) + ", theory",
                Style::line,
                static_cast<unsigned>(l),
                {}};
    Series dots{distribution_name(distributions[l]) + ", measured",
                Style::points,
                static_cast<unsigned>(l),
                {}};
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Point& point = points[i];
      if (point.data->name != data.name || point.selecting != selecting ||
          point.distribution != distributions[l]) {
        continue;
      }
      const double x = by_k ? static_cast<double>(point.k) : point.epsilon.shown();
      line.samples.push_back({x, 100 * theory(point).combined, 0});
      dots.samples.push_back(
          {x, 100 * (1 - results[i][combined].value()), 100 * results[i][combined].error()});
    }
    // Geometric noise has the theory of exponential noise but for a hair.
    if (distributions[l] != Distribution::geometric) {
      panel.series.push_back(std::move(line));
    }
    panel.series.push_back(std::move(dots));
  }
  return panel;
}

std::vector<Figure> figures_of(const std::string& name, const std::string& title,
                               const std::string& caption,
                               const std::vector<SharedDataset>& datasets,
                               const std::vector<Point>& points, std::span<const Measured> results,
                               bool by_k) {
  std::vector<Figure> figures;
  for (const SharedDataset& data : datasets) {
    Figure figure{
        name + "-" + file_name(data->name), title + ": " + data->name, caption, {}, {name}};
    for (const Selecting selecting : {Selecting::sparse_vector, Selecting::top_k}) {
      figure.panels.push_back(
          panel_of(figure.name + (selecting == Selecting::top_k ? "-top-k" : "-sparse-vector"),
                   *data, selecting, points, results, by_k));
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::vector<Point> points_for(const std::vector<SharedDataset>& datasets, Kind kind,
                              const std::vector<std::uint64_t>& ks,
                              const std::vector<Rational>& epsilons) {
  std::vector<Point> points;
  for (const SharedDataset& data : datasets) {
    for (const Selecting selecting : {Selecting::sparse_vector, Selecting::top_k}) {
      for (const Distribution distribution : distributions) {
        for (const std::uint64_t k : ks) {
          for (const Rational& epsilon : epsilons) {
            points.push_back({data, selecting, distribution, k, epsilon, kind});
          }
        }
      }
    }
  }
  return points;
}

std::vector<std::uint64_t> every_k(std::uint64_t step) {
  std::vector<std::uint64_t> ks;
  for (std::uint64_t k = first_k; k <= last_k; k += step) {
    ks.push_back(k);
  }
  return ks;
}

/// A sentence on the largest distance between measurement and theory, in percentage points.
std::string agreement(const std::vector<Point>& points, std::span<const Measured> results) {
  double furthest = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    furthest = std::max(furthest,
                        std::fabs(1 - results[i][combined].value() - theory(points[i]).combined));
  }
  return "The largest distance between a point and its theory is " + fixed(100 * furthest, 1) +
         " percentage points.";
}

}  // namespace

Experiment reduction_by_k_experiment(const Setup& setup) {
  const std::vector<Point> points =
      points_for(setup.datasets, Kind::counts, every_k(1), {setup.epsilon});
  return {"reduction-k", tasks_for(points, task_name, simulate),
          [setup, points](std::span<const Measured> results) {
            Chapter chapter{
                "What gaps save, by k",
                "Half of ε = 0.7 selects k counts, the other half measures them. Theory is the "
                "closed form for well-separated answers. " +
                    agreement(points, results),
                figures_of("reduction-k", "Reduction of the mean squared error against k",
                           "Points: measured, with two standard errors either way. Lines: theory.",
                           setup.datasets, points, results, true),
                {table_of("reduction-k", "Reduction of the mean squared error against k", points,
                          results)},
                {}};
            return chapter;
          }};
}

Experiment reduction_by_epsilon_experiment(const Setup& setup) {
  std::vector<Rational> epsilons;
  for (std::int64_t tenths = 1; tenths <= 15; ++tenths) {
    epsilons.emplace_back(tenths, 10);
  }
  const std::vector<Point> points = points_for(setup.datasets, Kind::counts, {10}, epsilons);
  return {
      "reduction-epsilon", tasks_for(points, task_name, simulate),
      [setup, points](std::span<const Measured> results) {
        Chapter chapter{
            "What gaps save, by budget",
            "The same for k = 10 and budgets from 0.1 to 1.5. Theory hardly depends on the "
            "budget. Where noise is as wide as the distances between counts, at the left, "
            "selection biases the gaps, and measurement leaves theory. " +
                agreement(points, results),
            figures_of("reduction-epsilon", "Reduction of the mean squared error against ε",
                       "Points: measured, with two standard errors either way. Lines: theory.",
                       setup.datasets, points, results, false),
            {table_of("reduction-epsilon", "Reduction of the mean squared error against the budget",
                      points, results)},
            {}};
        return chapter;
      }};
}

Experiment general_experiment(const Setup& setup) {
  const std::vector<SharedDataset> first{setup.datasets.front()};
  const std::vector<Point> points = points_for(first, Kind::general, every_k(2), {setup.epsilon});
  return {"general", tasks_for(points, task_name, simulate),
          [first, points](std::span<const Measured> results) {
            Chapter chapter{
                "Arbitrary queries",
                "The same numbers, taken for queries that one person may raise or lower. "
                "Selection then needs noise twice as wide while measuring does not, so the gaps "
                "save less: 33 % at most with one-sided noise, 20 % with Laplace noise. " +
                    agreement(points, results),
                figures_of("general", "Reduction for arbitrary queries",
                           "Points: measured, with two standard errors either way. Lines: theory.",
                           first, points, results, true),
                {table_of("general", "Reduction of the mean squared error, arbitrary queries",
                          points, results)},
                {}};
            return chapter;
          }};
}

}  // namespace freegap::experiments

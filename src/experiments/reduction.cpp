// How much of the mean squared error the free gaps save: the paper's figures against k and against
// the budget, with theory and with the library's estimates by likelihood beside them; for counts
// and for arbitrary queries.
#include <array>
#include <cmath>
#include <map>
#include <tuple>

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
constexpr std::size_t linear = 0;      // squared error of the paper's estimates over that of
                                       // measurements alone
constexpr std::size_t likelihood = 1;  // the same of estimates by likelihood
constexpr std::size_t direct = 2;      // squared error of measurements alone

Measured simulate(const Point& point, std::uint64_t runs, std::uint64_t seed) {
  const Rational half = point.epsilon / Rational(2);
  Measured measured(3);
  select_and_measure(
      point.data->counts,
      {point.selecting, point.k, half, half, point.distribution, point.kind, likelihood_runs(runs)},
      runs, seed, [&](const MeasuredRun& run) {
        measured[linear].add(run.squared.linear, run.squared.direct);
        if (run.likelihood) {
          measured[likelihood].add(*run.likelihood, run.squared.direct);
        }
        measured[direct].add(run.squared.direct);
      });
  return measured;
}

/// Shares saved on well-separated data.
struct Theory {
  double linear = 0;
  double likelihood = 0;
};

Theory theory_of(const Point& point) {
  const auto saved = [](const Forecast& expected, double linear_error) {
    const double ratio = linear_error / expected.direct_error;
    return Theory{1 - ratio * ratio, expected.reduction};
  };
  if (point.selecting == Selecting::top_k) {
    const Forecast expected =
        forecast(TopKQuestion{queries_of(point.kind), point.k, point.epsilon, point.distribution});
    return saved(expected, expected.linear_error);
  }
  const Forecast expected = forecast(
      SparseVectorQuestion{queries_of(point.kind), point.k, point.epsilon, point.distribution});
  return saved(expected, expected.per_query_error);
}

/// One per point. A forecast takes milliseconds, so that it is made once for all data sets.
std::vector<Theory> theories_of(const std::vector<Point>& points) {
  std::map<std::tuple<Selecting, Distribution, Kind, std::uint64_t, Rational>, Theory> known;
  std::vector<Theory> theories;
  for (const Point& point : points) {
    const auto [found, added] = known.try_emplace(
        {point.selecting, point.distribution, point.kind, point.k, point.epsilon});
    if (added) {
      found->second = theory_of(point);
    }
    theories.push_back(found->second);
  }
  return theories;
}

/// What is saved, in per cent.
Sample saved(double x, const Ratio& ratio) {
  return {x, 100 * (1 - ratio.value()), 100 * ratio.error()};
}

Table table_of(const std::string& name, const std::string& title, const std::vector<Point>& points,
               std::span<const Measured> results, std::span<const Theory> theories) {
  Table table{
      name,
      title,
      {"data", "mechanism", "noise", "queries", "k", "epsilon", "runs", "linear_percent",
       "linear_standard_error", "linear_theory_percent", "likelihood_runs", "likelihood_percent",
       "likelihood_standard_error", "likelihood_theory_percent", "direct_squared_error"},
      {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    const Measured& result = results[i];
    const Sample paper = saved(0, result[linear]);
    const Sample ours = saved(0, result[likelihood]);
    table.rows.push_back(
        {point.data->name, name_of(point.selecting), distribution_name(point.distribution),
         point.kind == Kind::counts ? "counts" : "general", std::to_string(point.k),
         shown(point.epsilon.shown()), std::to_string(result[linear].runs()), shown(paper.y),
         shown(paper.error), shown(100 * theories[i].linear),
         std::to_string(result[likelihood].runs()), shown(ours.y), shown(ours.error),
         shown(100 * theories[i].likelihood), shown(result[direct].value())});
  }
  return table;
}

constexpr std::array distributions{Distribution::laplace, Distribution::exponential,
                                   Distribution::geometric};

/// Colours of estimates by likelihood, one per distribution.
constexpr std::array<unsigned, 3> likelihood_colours{3, 5, 6};

/// Measured points and theory for one data set and mechanism.
Panel panel_of(const std::string& name, const Dataset& data, Selecting selecting,
               const std::vector<Point>& points, std::span<const Measured> results,
               std::span<const Theory> theories, bool by_k) {
  Panel panel{
      name,
      (selecting == Selecting::top_k ? "Top-k with measures, " : "Sparse vector with measures, ") +
          data.name,
      by_k ? "k" : "privacy budget ε",
      "reduction of squared error, %",
      0,
      75,
      false,
      {}};
  for (std::size_t l = 0; l < distributions.size(); ++l) {
    const std::string noise = distribution_name(distributions[l]);
    const auto colour = static_cast<unsigned>(l);
    Series line{noise + ", linear, theory", Style::line, colour, {}};
    Series dots{noise + ", linear", Style::points, colour, {}};
    Series broken{noise + ", likelihood, theory", Style::dashed, likelihood_colours[l], {}};
    Series ours{noise + ", likelihood", Style::points, likelihood_colours[l], {}};
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Point& point = points[i];
      if (point.data->name != data.name || point.selecting != selecting ||
          point.distribution != distributions[l]) {
        continue;
      }
      const double x = by_k ? static_cast<double>(point.k) : point.epsilon.shown();
      line.samples.push_back({x, 100 * theories[i].linear, 0});
      broken.samples.push_back({x, 100 * theories[i].likelihood, 0});
      dots.samples.push_back(saved(x, results[i][linear]));
      ours.samples.push_back(saved(x, results[i][likelihood]));
    }
    // Geometric noise has the theory of exponential noise but for a hair.
    if (distributions[l] != Distribution::geometric) {
      panel.series.push_back(std::move(line));
      panel.series.push_back(std::move(broken));
    }
    panel.series.push_back(std::move(dots));
    panel.series.push_back(std::move(ours));
  }
  return panel;
}

std::vector<Figure> figures_of(const std::string& name, const std::string& title,
                               const std::string& caption,
                               const std::vector<SharedDataset>& datasets,
                               const std::vector<Point>& points, std::span<const Measured> results,
                               std::span<const Theory> theories, bool by_k) {
  std::vector<Figure> figures;
  for (const SharedDataset& data : datasets) {
    Figure figure{
        name + "-" + file_name(data->name), title + ": " + data->name, caption, {}, {name}};
    for (const Selecting selecting : {Selecting::sparse_vector, Selecting::top_k}) {
      figure.panels.push_back(
          panel_of(figure.name + (selecting == Selecting::top_k ? "-top-k" : "-sparse-vector"),
                   *data, selecting, points, results, theories, by_k));
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

const char* const caption =
    "Points: measured, with two standard errors either way. Plain lines: theory of linear "
    "estimates.";

/// A sentence on the largest distance between measurement and theory, in percentage points.
std::string agreement(const std::vector<Point>& points, std::span<const Measured> results,
                      std::span<const Theory> theories) {
  double furthest = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    furthest = std::max(furthest, std::fabs(1 - results[i][linear].value() - theories[i].linear));
  }
  return "The largest distance between linear estimates and their theory is " +
         fixed(100 * furthest, 1) + " percentage points.";
}

}  // namespace

Experiment reduction_by_k_experiment(const Setup& setup) {
  const std::vector<Point> points =
      points_for(setup.datasets, Kind::counts, every_k(1), {setup.epsilon});
  return {"reduction-k", tasks_for(points, task_name, simulate),
          [setup, points](std::span<const Measured> results) {
            const std::vector<Theory> theories = theories_of(points);
            Chapter chapter{
                "What gaps save, by k",
                "Half of ε = 0.7 selects k counts, the other half measures them. Linear: the "
                "paper's combination of gaps and measurements. Likelihood: the library's default, "
                "on a twentieth of the runs. Theory is for well-separated answers. " +
                    agreement(points, results, theories),
                figures_of("reduction-k", "Reduction of the mean squared error against k", caption,
                           setup.datasets, points, results, theories, true),
                {table_of("reduction-k", "Reduction of the mean squared error against k", points,
                          results, theories)},
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
        const std::vector<Theory> theories = theories_of(points);
        Chapter chapter{
            "What gaps save, by budget",
            "The same for k = 10 and budgets from 0.1 to 1.5. Theory hardly depends on the "
            "budget. Where noise is as wide as the distances between counts, at the left, "
            "selection biases the gaps, and linear estimates leave their theory. The likelihood "
            "allows for selection. " +
                agreement(points, results, theories),
            figures_of("reduction-epsilon", "Reduction of the mean squared error against ε",
                       caption, setup.datasets, points, results, theories, false),
            {table_of("reduction-epsilon", "Reduction of the mean squared error against the budget",
                      points, results, theories)},
            {}};
        return chapter;
      }};
}

Experiment general_experiment(const Setup& setup) {
  const std::vector<SharedDataset> first{setup.datasets.front()};
  const std::vector<Point> points = points_for(first, Kind::general, every_k(2), {setup.epsilon});
  return {"general", tasks_for(points, task_name, simulate),
          [first, points](std::span<const Measured> results) {
            const std::vector<Theory> theories = theories_of(points);
            Chapter chapter{
                "Arbitrary queries",
                "The same numbers, taken for queries that one person may raise or lower. "
                "Selection then needs noise twice as wide while measuring does not, so the gaps "
                "save less: with linear estimates 33 % at most with one-sided noise, 20 % with "
                "Laplace noise. " +
                    agreement(points, results, theories),
                figures_of("general", "Reduction for arbitrary queries", caption, first, points,
                           results, theories, true),
                {table_of("general", "Reduction of the mean squared error, arbitrary queries",
                          points, results, theories)},
                {}};
            return chapter;
          }};
}

}  // namespace freegap::experiments

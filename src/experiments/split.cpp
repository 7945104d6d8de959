// How much of a budget should measure, and how much select? Measured errors beside the library's
// forecasts, with what selection loses.
#include <cmath>

#include "experiments/experiment.hpp"
#include "experiments/measuring.hpp"
#include "experiments/simulation.hpp"
#include "freegap/planning.hpp"

namespace freegap::experiments {
namespace {

constexpr std::uint64_t k = 10;

struct Point {
  SharedDataset data;
  Selecting selecting;
  Rational measuring;  ///< share of the budget
  Rational epsilon;
};

// What is measured at a point.
constexpr std::size_t linear = 0;      // squared error of the paper's estimates
constexpr std::size_t likelihood = 1;  // the same of estimates by likelihood
constexpr std::size_t recall = 2;      // top-k: share of the true top k; sparse vector: precision

std::string task_name(const Point& point) {
  return "split/" + point.data->name + "/" + name_of(point.selecting) + "/" +
         (point.measuring * Rational(10)).str();
}

Measured simulate(const Point& point, std::uint64_t runs, std::uint64_t seed) {
  const Rational measuring = point.measuring * point.epsilon;
  Measured measured(3);
  Measuring how{point.selecting, k, point.epsilon - measuring, measuring};
  how.likelihood_runs = likelihood_runs(runs);
  select_and_measure(point.data->counts, how, runs, seed, [&](const MeasuredRun& run) {
    measured[linear].add(run.squared.linear);
    if (run.likelihood) {
      measured[likelihood].add(*run.likelihood);
    }
    measured[recall].add(run.right);
  });
  return measured;
}

/// Errors if the winners stand apart.
struct Theory {
  double linear = 0;
  double likelihood = 0;
};

Theory theory_of(const Point& point) {
  if (point.selecting == Selecting::top_k) {
    const Forecast expected = forecast(TopKQuestion{queries_of(Kind::counts), k, point.epsilon,
                                                    Distribution::exponential, point.measuring});
    return {expected.linear_error, expected.combined_error};
  }
  SparseVectorQuestion question{queries_of(Kind::counts), k, point.epsilon};
  question.measuring_share = point.measuring;
  const Forecast expected = forecast(question);
  return {point.measuring.sign() == 0 ? expected.gap_error : expected.per_query_error,
          expected.combined_error};
}

Sample root(double x, const Ratio& mean_square) {
  const double value = std::sqrt(mean_square.value());
  return {x, value, mean_square.error() / (2 * value)};
}

Chapter chapter_of(const std::vector<Point>& points, std::span<const Measured> results) {
  Table table{"split",
              "Error against the share of the budget that measures, k = 10",
              {"data", "mechanism", "measuring_share", "runs", "linear", "linear_error",
               "linear_theory", "likelihood_runs", "likelihood", "likelihood_error",
               "likelihood_theory", "recall_or_precision", "recall_or_precision_error"},
              {}};
  Panel errors{"split-error",
               "Error of the estimates, k = 10",
               "share of the budget that measures",
               "root mean squared error",
               0,
               70,
               false,
               {}};
  Panel found{"split-recall",
              "What selection gets right",
              "share of the budget that measures",
              "recall (top-k), precision (sparse vector)",
              0,
              1,
              false,
              {}};
  unsigned colour = 0;
  for (const Selecting selecting : {Selecting::top_k, Selecting::sparse_vector}) {
    const std::string name = name_of(selecting);
    Series line{name + ", linear, theory", Style::line, colour, {}};
    Series dots{name + ", linear", Style::points, colour, {}};
    Series broken{name + ", likelihood, theory", Style::dashed, colour + 2, {}};
    Series ours{name + ", likelihood", Style::points, colour + 2, {}};
    Series right{name, Style::joined, colour, {}};
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].selecting != selecting) {
        continue;
      }
      const double x = points[i].measuring.shown();
      const Measured& m = results[i];
      const Theory theory = theory_of(points[i]);
      line.samples.push_back({x, theory.linear, 0});
      broken.samples.push_back({x, theory.likelihood, 0});
      dots.samples.push_back(root(x, m[linear]));
      ours.samples.push_back(root(x, m[likelihood]));
      right.samples.push_back({x, m[recall].value(), m[recall].error()});
      const Sample& paper = dots.samples.back();
      const Sample& likely = ours.samples.back();
      table.rows.push_back({points[i].data->name, name, shown(x), std::to_string(m[linear].runs()),
                            shown(paper.y), shown(paper.error), shown(theory.linear),
                            std::to_string(m[likelihood].runs()), shown(likely.y),
                            shown(likely.error), shown(theory.likelihood), shown(m[recall].value()),
                            shown(m[recall].error())});
    }
    errors.series.push_back(std::move(line));
    errors.series.push_back(std::move(dots));
    errors.series.push_back(std::move(broken));
    errors.series.push_back(std::move(ours));
    found.series.push_back(std::move(right));
    ++colour;
  }
  return {"How to divide a budget",
          "The paper gives half to selecting. For the error of the estimates alone, top-k would "
          "measure with nearly everything, but then what is selected is no longer the top k: the "
          "right-hand panel is the price. A sparse vector's gaps are estimates by themselves: with "
          "exponential noise and k = 10 measuring nothing at all is best.",
          {{"split",
            "Selecting or measuring: " + points.front().data->name,
            "ε = 0.7, exponential noise. Lines: theory for winners that stand apart.",
            {errors, found},
            {"split"}}},
          {table},
          {}};
}

}  // namespace

Experiment split_experiment(const Setup& setup) {
  std::vector<Point> points;
  for (const Selecting selecting : {Selecting::top_k, Selecting::sparse_vector}) {
    for (std::int64_t tenths = selecting == Selecting::top_k ? 1 : 0; tenths <= 9; ++tenths) {
      points.push_back({setup.datasets.front(), selecting, Rational(tenths, 10), setup.epsilon});
    }
  }
  return {"split", tasks_for(points, task_name, simulate),
          [points](std::span<const Measured> results) { return chapter_of(points, results); }};
}

}  // namespace freegap::experiments

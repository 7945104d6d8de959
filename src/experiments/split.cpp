// How much of a budget should measure, and how much select? Measured errors beside the library's
// forecasts, with what selection loses.
#include <algorithm>
#include <cmath>
#include <optional>

#include "experiments/combining.hpp"
#include "experiments/experiment.hpp"
#include "experiments/simulation.hpp"
#include "freegap/planning.hpp"

namespace freegap::experiments {
namespace {

constexpr std::uint64_t k = 10;

struct Point {
  SharedDataset data;
  bool top_k;
  Rational measuring;  ///< share of the budget
  Rational epsilon;
};

// What is measured at a point.
constexpr std::size_t combined = 0;  // squared error of the estimates
constexpr std::size_t recall = 1;    // top-k: share of the true top k; sparse vector: precision

Measured simulate_top_k(const Point& point, std::uint64_t runs, std::uint64_t seed) {
  const std::span<const std::int64_t> counts = point.data->counts;
  const Candidates candidates = candidates_of(counts, Kind::counts);
  const Rational measuring = point.measuring * point.epsilon;
  TopKRuns selection(candidates, {.k = k, .epsilon = Epsilon(point.epsilon - measuring)});
  Meter meter(candidates);
  InsecureSeededNoise noise(seed);
  std::optional<TopKErrors> errors;
  Measured measured(2);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const TopKRelease release = selection.run(noise);
    const MeasureRelease& values = meter.measure(release.winners, measuring, noise);
    if (!errors) {
      errors.emplace(release, values);
    }
    measured[combined].add(errors->of(release, values, counts).joint);
    const auto found =
        std::count_if(release.winners.begin(), release.winners.end(),
                      [](const Item& item) { return item.id < static_cast<std::int64_t>(k); });
    measured[recall].add(static_cast<double>(found) / static_cast<double>(k));
  }
  return measured;
}

double squared_error_of_gaps(const SparseVectorErrors& errors, const SparseVectorRelease& release,
                             std::span<const std::int64_t> counts) {
  double sum = 0;
  double number = 0;
  for (const SparseVectorAnswer& answer : release.answers) {
    if (answer.above) {
      const auto truth = static_cast<double>(counts[static_cast<std::size_t>(answer.item.id)]);
      sum += std::pow(errors.from_gap(release, answer) - truth, 2);
      ++number;
    }
  }
  return sum / number;
}

Measured simulate_sparse_vector(const Point& point, std::uint64_t runs, std::uint64_t seed) {
  const std::span<const std::int64_t> counts = point.data->counts;
  const Candidates candidates = candidates_of(counts, Kind::counts);
  const Rational measuring = point.measuring * point.epsilon;
  SparseVectorRuns selection(
      counts, Kind::counts, {.k = k, .epsilon = Epsilon(point.epsilon - measuring), .threshold = 0},
      paper_ranks(k));
  Meter meter(candidates);
  InsecureSeededNoise noise(seed);
  std::optional<SparseVectorErrors> errors;
  Measured measured(2);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const SparseVectorRelease& release = selection.run(noise);
    const std::vector<Item> items = passed(release);
    if (items.empty()) {
      continue;
    }
    if (!errors) {
      errors.emplace(release);
    }
    measured[combined].add(
        measuring.sign() == 0
            ? squared_error_of_gaps(*errors, release, counts)
            : errors->of(release, meter.measure(items, measuring, noise), counts).joint);
    const auto right = std::count_if(items.begin(), items.end(), [&](const Item& item) {
      return static_cast<std::uint64_t>(item.id) < selection.above();
    });
    measured[recall].add(static_cast<double>(right) / static_cast<double>(items.size()));
  }
  return measured;
}

double theory(const Point& point) {
  if (point.top_k) {
    return forecast(TopKQuestion{queries_of(Kind::counts), k, point.epsilon, Law::exponential,
                                 point.measuring})
        .combined_error;
  }
  SparseVectorQuestion question{queries_of(Kind::counts), k, point.epsilon};
  question.measuring_share = point.measuring;
  const Forecast expected = forecast(question);
  return point.measuring.sign() == 0 ? expected.gap_error : expected.combined_error;
}

Chapter chapter_of(const std::vector<Point>& points, std::span<const Measured> results) {
  Table table{"split",
              "Error against the share of the budget that measures, k = 10",
              {"data", "mechanism", "measuring_share", "runs", "error", "error_error", "theory",
               "recall_or_precision", "recall_or_precision_error"},
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
  for (const bool top_k : {true, false}) {
    const std::string name = top_k ? "top-k" : "sparse vector";
    const unsigned colour = top_k ? 0 : 1;
    Series line{name + ", theory", Style::line, colour, {}};
    Series dots{name + ", measured", Style::points, colour, {}};
    Series right{name, Style::joined, colour, {}};
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].top_k != top_k) {
        continue;
      }
      const double x = points[i].measuring.shown();
      const Measured& m = results[i];
      const double error = std::sqrt(m[combined].value());
      const double its_error = m[combined].error() / (2 * error);
      line.samples.push_back({x, theory(points[i]), 0});
      dots.samples.push_back({x, error, its_error});
      right.samples.push_back({x, m[recall].value(), m[recall].error()});
      table.rows.push_back({points[i].data->name, name, shown(x),
                            std::to_string(m[combined].runs()), shown(error), shown(its_error),
                            shown(theory(points[i])), shown(m[recall].value()),
                            shown(m[recall].error())});
    }
    errors.series.push_back(std::move(line));
    errors.series.push_back(std::move(dots));
    found.series.push_back(std::move(right));
  }
  return {"How to divide a budget",
          "The paper gives half to selecting. For the error of the estimates alone, top-k would "
          "measure with nearly everything, but then what is selected is no longer the top k: the "
          "right-hand panel is the price. A sparse vector's gaps are estimates by themselves: with "
          "exponential noise and k = 10 measuring nothing at all is best.",
          {{"split",
            "Selecting or measuring: " + points.front().data->name,
            "ε = 0.7, exponential noise; gaps and measurements of a run combined together.",
            {errors, found},
            {"split"}}},
          {table},
          {}};
}

}  // namespace

Experiment split_experiment(const Setup& setup) {
  std::vector<Point> points;
  std::vector<Task> tasks;
  for (const bool top_k : {true, false}) {
    for (std::int64_t tenths = top_k ? 1 : 0; tenths <= 9; ++tenths) {
      const Point point{setup.datasets.front(), top_k, Rational(tenths, 10), setup.epsilon};
      points.push_back(point);
      tasks.push_back({"split/" + point.data->name + (top_k ? "/top-k/" : "/sparse vector/") +
                           std::to_string(tenths),
                       [point](std::uint64_t runs, std::uint64_t seed) {
                         return point.top_k ? simulate_top_k(point, runs, seed)
                                            : simulate_sparse_vector(point, runs, seed);
                       }});
    }
  }
  return {"split", std::move(tasks),
          [points](std::span<const Measured> results) { return chapter_of(points, results); }};
}

}  // namespace freegap::experiments

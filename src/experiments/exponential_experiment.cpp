// The exponential mechanism with its free gap: how often the best is chosen, how large the gap is,
// and what it proves. Exact probabilities beside the measured ones.
#include <array>
#include <cmath>

#include "experiments/experiment.hpp"
#include "experiments/names.hpp"
#include "experiments/simulation.hpp"
#include "freegap/confidence.hpp"
#include "freegap/exponential.hpp"
#include "freegap/groups.hpp"

namespace freegap::experiments {
namespace {

/// Budgets in units of 1 / (lead of the best over the next): at 1 the best is e times as likely as
/// the next.
constexpr std::array<std::int64_t, 5> eighths{4, 8, 16, 32, 64};

struct Point {
  SharedDataset data;
  std::int64_t eighths;
};

std::string task_name(const Point& point) {
  return "exponential/" + point.data->name + "/" + std::to_string(point.eighths);
}

std::int64_t lead_of(const Dataset& data) {
  return std::max<std::int64_t>(1, data.counts[0] - data.counts[1]);
}

Rational epsilon_of(const Point& point) { return {point.eighths, 8 * lead_of(*point.data)}; }

// What is measured at a point.
constexpr std::size_t best = 0;         // the best was chosen
constexpr std::size_t gap = 1;          // gap over the true lead, given that the best was chosen
constexpr std::size_t proven = 2;       // p-value at most 0.05
constexpr std::size_t false_alarm = 3;  // the same, given that another was chosen
constexpr std::size_t false_lead = 4;   // the claimed lead is more than the true one

Measured simulate(const Point& point, std::uint64_t runs, std::uint64_t seed) {
  const std::vector<std::int64_t>& counts = point.data->counts;
  const Groups groups(counts);
  const Candidates candidates = groups.candidates(queries_of(Kind::counts));
  const ExponentialOptions options{Epsilon(epsilon_of(point))};
  const auto lead = static_cast<double>(lead_of(*point.data));
  InsecureSeededNoise noise(seed);
  Measured measured(5);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const ExponentialRelease release = exponential(candidates, options, noise);
    const std::int64_t chosen = counts[groups.place(release.chosen)];
    const bool is_best = chosen == counts[0];
    const std::int64_t best_other = is_best ? counts[1] : counts[0];  // counts fall
    const Claim claim = *claim_best(release, 0.95);
    const double significant = claim.p_value <= 0.05 ? 1 : 0;
    measured[best].add(is_best ? 1 : 0);
    measured[proven].add(significant);
    if (is_best) {
      measured[gap].add(*release.gap_in_utility() / lead);
    } else {
      measured[false_alarm].add(significant);
    }
    const auto true_lead = static_cast<double>(chosen - best_other);
    measured[false_lead].add(claim.at_least && *claim.at_least > true_lead ? 1 : 0);
  }
  return measured;
}

struct Theory {
  double best;
  double gap;
};

/// P(the best is chosen), and the mean gap given that, over the true lead: with m the scaled lead
/// over all others together, (1 + e^-m) ln(1 + e^m).
Theory theory(const Point& point) {
  const double epsilon = epsilon_of(point).shown();
  const std::vector<std::int64_t>& counts = point.data->counts;
  double others = 0;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    others += std::exp(epsilon * static_cast<double>(counts[i] - counts[0]));
  }
  const double m = -std::log(others);
  return {1 / (1 + others), (1 + std::exp(-m)) * std::log1p(std::exp(m)) / epsilon /
                                static_cast<double>(lead_of(*point.data))};
}

Table table_of(const std::vector<Point>& points, std::span<const Measured> results) {
  Table table{
      "exponential",
      "Exponential mechanism with gap",
      {"data", "epsilon_times_lead", "epsilon", "runs", "best_chosen", "best_chosen_error",
       "best_chosen_theory", "gap_over_lead", "gap_over_lead_error", "gap_over_lead_theory",
       "p_at_most_005", "p_at_most_005_given_not_best", "runs_not_best", "false_claims_of_lead"},
      {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Measured& m = results[i];
    const Theory expected = theory(points[i]);
    table.rows.push_back({points[i].data->name, shown(static_cast<double>(points[i].eighths) / 8),
                          shown(epsilon_of(points[i]).shown()), std::to_string(m[best].runs()),
                          shown(m[best].value()), shown(m[best].error()), shown(expected.best),
                          shown(m[gap].value()), shown(m[gap].error()), shown(expected.gap),
                          shown(m[proven].value()), shown(m[false_alarm].value()),
                          std::to_string(m[false_alarm].runs()), shown(m[false_lead].value())});
  }
  return table;
}

Figure figure_of(const Setup& setup, const std::vector<Point>& points,
                 std::span<const Measured> results) {
  const char* const x_label = "ε × (largest − second largest count)";
  Panel chosen{"exponential-best", "The best is chosen", x_label, "share of runs", 0, 1, true, {}};
  Panel gaps{"exponential-gap",
             "Mean gap, the best being chosen",
             x_label,
             "gap over true lead",
             0,
             3,
             true,
             {}};
  unsigned colour = 0;
  for (const SharedDataset& data : setup.datasets) {
    Series line{data->name + ", exact", Style::line, colour, {}};
    Series dots{data->name + ", measured", Style::points, colour++, {}};
    Series gap_line = line;
    Series gap_dots = dots;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].data->name != data->name) {
        continue;
      }
      const double x = static_cast<double>(points[i].eighths) / 8;
      const Theory expected = theory(points[i]);
      const Measured& m = results[i];
      line.samples.push_back({x, expected.best, 0});
      dots.samples.push_back({x, m[best].value(), m[best].error()});
      if (m[gap].runs() > 1) {
        gap_line.samples.push_back({x, expected.gap, 0});
        gap_dots.samples.push_back({x, m[gap].value(), m[gap].error()});
      }
    }
    chosen.series.push_back(std::move(line));
    chosen.series.push_back(std::move(dots));
    gaps.series.push_back(std::move(gap_line));
    gaps.series.push_back(std::move(gap_dots));
  }
  return {
      "exponential",
      "Exponential mechanism with gap",
      "Lines: exact probability and mean. Points: measured, with two standard errors either way.",
      {chosen, gaps},
      {"exponential"}};
}

}  // namespace

Experiment exponential_experiment(const Setup& setup) {
  std::vector<Point> points;
  for (const SharedDataset& data : setup.datasets) {
    for (const std::int64_t x : eighths) {
      points.push_back({data, x});
    }
  }
  return {
      "exponential", tasks_for(points, task_name, simulate),
      [setup, points](std::span<const Measured> results) {
        return Chapter{
            "Exponential mechanism with gap",
            "The largest count is to be found, with budgets so small that it may be missed. "
            "The gap comes free. From it follow a p-value for “the choice is not the best” and a "
            "claim of a lead: "
            "the table says how often the p-value is 0.05 or less, how often it is although "
            "the choice is not the best (at most 0.05 is allowed), and how often a false lead is "
            "claimed (the same).",
            {figure_of(setup, points, results)},
            {table_of(points, results)},
            {}};
      }};
}

}  // namespace freegap::experiments

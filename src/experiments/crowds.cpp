// Data for which the theory of the paper's estimates does not hold: many answers close to the k-th
// or to the threshold. Errors of the paper's linear estimates and of those by likelihood.
#include <algorithm>
#include <cmath>
#include <optional>

#include "experiments/experiment.hpp"
#include "experiments/repeated_measure.hpp"
#include "experiments/simulation.hpp"
#include "experiments/squared_errors.hpp"
#include "freegap/estimate.hpp"

namespace freegap::experiments {
namespace {

constexpr std::uint64_t k = 10;

// Top-k ------------------------------------------------------------------------------------------

/// Values with multiplicities.
struct Crowd {
  std::string name;
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> multiplicities;
  Rational epsilon;
  double x;  ///< position in the figure
};

/// One count far ahead of n - 1 equal ones.
Crowd one_ahead(std::int64_t n) {
  return {"one ahead of a crowd",
          {100'000, 50'000},
          {1, n - 1},
          Rational(7, 10),
          static_cast<double>(n)};
}

/// Counts that fall like 1/rank, with a small budget.
Crowd zipf(std::int64_t hundredths) {
  constexpr std::int64_t items = 2000;
  constexpr std::int64_t largest = 10'000;
  Crowd crowd{"Zipf", {}, {}, Rational(hundredths, 100), static_cast<double>(hundredths) / 100};
  for (std::int64_t rank = 1; rank <= items; ++rank) {
    if (crowd.values.empty() || crowd.values.back() != largest / rank) {
      crowd.values.push_back(largest / rank);
      crowd.multiplicities.push_back(0);
    }
    ++crowd.multiplicities.back();
  }
  return crowd;
}

// What is measured of a crowd.
constexpr std::size_t linear = 0;      // squared error of the paper's estimates over measurements'
constexpr std::size_t likelihood = 1;  // the same of estimates by likelihood
constexpr std::size_t first_bias = 2;  // error of the first winner's paper estimate, in standard
                                       // deviations of a measurement
constexpr std::size_t used = 3;  // share of winners whose gap improves the likelihood's estimate

double square(double x) { return x * x; }

Measured simulate_crowd(const Crowd& crowd, std::uint64_t runs, std::uint64_t seed) {
  const Candidates candidates = Candidates::grouped(std::span<const std::int64_t>(crowd.values),
                                                    crowd.multiplicities, queries_of(Kind::counts));
  const Rational half = crowd.epsilon / Rational(2);
  RepeatedTopK selection(candidates, {.k = k, .epsilon = Epsilon(half)});
  RepeatedMeasure measurer(candidates);
  Estimator paper({.method = Method::linear});
  Estimator ours;
  InsecureSeededNoise noise(seed);
  Measured measured(4);
  const auto truth = [&](const Item& item) {
    return static_cast<double>(crowd.values[static_cast<std::size_t>(item.id)]);
  };
  for (std::uint64_t run = 0; run < runs; ++run) {
    const TopKRelease release = selection.run(noise);
    const MeasureRelease& values = measurer.measure(release.winners, half, noise);
    const auto errors_of = [&](const std::vector<Estimate>& estimates) {
      double sum = 0;
      for (const Estimate& estimate : estimates) {
        sum += square(estimate.value - truth(estimate.item));
      }
      return sum;
    };
    double direct = 0;
    for (std::size_t i = 0; i < k; ++i) {
      direct += square(values.value(i) - truth(values.items[i]));
    }
    const std::vector<Estimate> combined = paper(release, values);
    measured[linear].add(errors_of(combined), direct);
    measured[first_bias].add((combined[0].value - truth(combined[0].item)) /
                             std::sqrt(values.noise.variance()));
    if (run < likelihood_runs(runs)) {
      const std::vector<Estimate> likely = ours(release, values);
      measured[likelihood].add(errors_of(likely), direct);
      const auto gaps = std::count_if(likely.begin(), likely.end(),
                                      [](const Estimate& estimate) { return estimate.used_gap; });
      measured[used].add(static_cast<double>(gaps) / static_cast<double>(k));
    }
  }
  return measured;
}

// Sparse vector ----------------------------------------------------------------------------------

/// Distances of the query from the threshold, in halves of the noise's scale.
constexpr std::int64_t nearest = -6;
constexpr std::int64_t furthest = 10;

// What is measured of a query beside the threshold.
constexpr std::size_t passes = 0;  // share of runs
constexpr std::size_t bias = 1;    // of its gap given that it passed, in nominal deviations
constexpr std::size_t mse = 2;     // of its gap given that it passed, over the nominal variance

SparseVectorPlan plan_beside() {
  return plan_sparse_vector(queries_of(Kind::counts),
                            {.k = k, .epsilon = Epsilon(Rational(7, 10)), .threshold = 1'000'000},
                            true);
}

Measured simulate_beside(std::int64_t halves, std::uint64_t runs, std::uint64_t seed) {
  const SparseVectorPlan plan = plan_beside();
  const SparseVectorErrors gaps(plan.blank);
  const double scale = plan.blank.branches.front().scale.shown();
  const auto answer = 1'000'000 + std::llround(static_cast<double>(halves) / 2 * scale);
  const double variance =
      plan.blank.branch_noise(1).variance() + plan.blank.threshold_noise().variance();
  const std::int64_t ticks = plan.grid.floor_ticks(answer);
  InsecureSeededNoise noise(seed);
  Measured measured(3);
  for (std::uint64_t run = 0; run < runs; ++run) {
    SparseVector<InsecureSeededNoise> vector(plan, noise);
    const SparseVectorAnswer& said = vector.ask_ticks(ticks, Item{0, 0});
    measured[passes].add(said.above ? 1 : 0);
    if (said.above) {
      const double error = gaps.from_gap(vector.release(), said) - static_cast<double>(answer);
      measured[bias].add(error / std::sqrt(variance));
      measured[mse].add(square(error) / variance);
    }
  }
  return measured;
}

struct Theory {
  double passes;
  double bias;
  double mse;
};

/// Closed form for exponential noise. Let b1 and b0 be the scales of query and threshold, d the
/// distance and a = b1 - b0 - d. If a >= 0, the gap of a query that passes is Exp(b1), whatever d
/// is. If a < 0, only the lower tail is missing.
Theory theory_beside(double d, double b1, double b0) {
  const double a = b1 - b0 - d;
  const double c = b1 - b0;
  const double variance = b1 * b1 + b0 * b0;
  if (a >= 0) {
    return {b1 / (b1 + b0) * std::exp(-a / b1), (b1 - d) / std::sqrt(variance),
            (2 * b1 * b1 - 2 * d * b1 + d * d) / variance};
  }
  const double lost = b0 / (b0 + b1) * std::exp(a / b0);
  const double mean_lost = a - b0 - c;
  const double square_lost = square(a - c) - 2 * (a - c) * b0 + 2 * b0 * b0;
  return {1 - lost, -lost * mean_lost / (1 - lost) / std::sqrt(variance),
          (variance - lost * square_lost) / (1 - lost) / variance};
}

Theory theory_beside(std::int64_t halves) {
  const SparseVectorPlan plan = plan_beside();
  const double b1 = plan.blank.branches.front().scale.shown();
  const double b0 = plan.blank.threshold_scale.shown();
  const double d = std::round(static_cast<double>(halves) / 2 * b1);
  return theory_beside(d, b1, b0);
}

// Chapter ----------------------------------------------------------------------------------------

Table crowd_table(const std::vector<Crowd>& crowds, std::span<const Measured> results) {
  Table table{
      "crowds",
      "Top-k in a crowd: squared error over that of measuring alone, k = 10",
      {"data", "candidates", "epsilon", "runs", "linear_ratio", "linear_ratio_error",
       "likelihood_runs", "likelihood_ratio", "likelihood_ratio_error", "linear_bias_of_first",
       "linear_bias_of_first_error", "gaps_used_by_likelihood", "linear_theory_if_separated"},
      {}};
  for (std::size_t i = 0; i < crowds.size(); ++i) {
    const Measured& m = results[i];
    std::int64_t candidates = 0;
    for (const std::int64_t many : crowds[i].multiplicities) {
      candidates += many;
    }
    table.rows.push_back({crowds[i].name, std::to_string(candidates),
                          shown(crowds[i].epsilon.shown()), std::to_string(m[linear].runs()),
                          shown(m[linear].value()), shown(m[linear].error()),
                          std::to_string(m[likelihood].runs()), shown(m[likelihood].value()),
                          shown(m[likelihood].error()), shown(m[first_bias].value()),
                          shown(m[first_bias].error()), shown(m[used].value()), "0.4"});
  }
  return table;
}

Panel crowd_panel(const std::string& name, const std::string& title, const std::string& x_label,
                  const std::string& which, const std::vector<Crowd>& crowds,
                  std::span<const Measured> results) {
  Panel panel{name, title, x_label, "squared error over measuring alone", 0, 2.5, true, {}};
  Series theory{"linear, theory, separated", Style::line, 4, {}};
  Series paper{"linear (the paper)", Style::points, 1, {}};
  Series ours{"likelihood (the default)", Style::joined, 0, {}};
  for (std::size_t i = 0; i < crowds.size(); ++i) {
    if (crowds[i].name == which) {
      const double x = crowds[i].x;
      theory.samples.push_back({x, 0.4, 0});
      paper.samples.push_back({x, results[i][linear].value(), results[i][linear].error()});
      ours.samples.push_back({x, results[i][likelihood].value(), results[i][likelihood].error()});
    }
  }
  panel.series = {theory, paper, ours};
  return panel;
}

Table beside_table(const std::vector<std::int64_t>& halves, std::span<const Measured> results) {
  Table table{"beside-threshold",
              "The gap of one query beside the threshold, given that it passed, k = 10",
              {"distance_in_scales", "runs", "passes", "passes_error", "passes_theory", "bias",
               "bias_error", "bias_theory", "squared_error_ratio", "squared_error_ratio_error",
               "squared_error_ratio_theory"},
              {}};
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const Measured& m = results[i];
    const Theory expected = theory_beside(halves[i]);
    table.rows.push_back({shown(static_cast<double>(halves[i]) / 2),
                          std::to_string(m[passes].runs()), shown(m[passes].value()),
                          shown(m[passes].error()), shown(expected.passes), shown(m[bias].value()),
                          shown(m[bias].error()), shown(expected.bias), shown(m[mse].value()),
                          shown(m[mse].error()), shown(expected.mse)});
  }
  return table;
}

Figure beside_figure(const std::vector<std::int64_t>& halves, std::span<const Measured> results) {
  const char* const x_label = "distance above the threshold, in scales of the noise";
  Panel biased{"beside-threshold-bias",
               "Bias of the gap, given that it passed",
               x_label,
               "in nominal standard deviations",
               -0.5,
               4,
               false,
               {}};
  Panel errors{"beside-threshold-error",
               "Squared error of the gap, given that it passed",
               x_label,
               "over the nominal variance",
               0,
               15,
               false,
               {}};
  Series bias_line{"theory after selection", Style::line, 0, {}};
  Series bias_dots{"measured", Style::points, 0, {}};
  Series nominal{"theory without selection", Style::dashed, 4, {}};
  Series error_line = bias_line;
  Series error_dots = bias_dots;
  Series error_nominal = nominal;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const double x = static_cast<double>(halves[i]) / 2;
    const Theory expected = theory_beside(halves[i]);
    const Measured& m = results[i];
    bias_line.samples.push_back({x, expected.bias, 0});
    nominal.samples.push_back({x, 0, 0});
    error_line.samples.push_back({x, expected.mse, 0});
    error_nominal.samples.push_back({x, 1, 0});
    if (m[bias].runs() > 1) {
      bias_dots.samples.push_back({x, m[bias].value(), m[bias].error()});
      error_dots.samples.push_back({x, m[mse].value(), m[mse].error()});
    }
  }
  biased.series = {bias_line, bias_dots, nominal};
  errors.series = {error_line, error_dots, error_nominal};
  return {"beside-threshold",
          "A query beside the threshold",
          "One query, exponential noise, budget for k = 10 answers at ε = 0.7.",
          {biased, errors},
          {"beside-threshold"}};
}

const char* const crowd_text =
    "The theory behind the other figures holds for winners that would have won with any noise. "
    "Where candidates crowd together, the winners are those with large noise.\n\n"
    "Top-k: with one count far ahead of a crowd of equals, the nine other winners are the luckiest "
    "of the crowd, and their common luck is taken for a small distance to the first: its estimate "
    "is pulled down, the more the larger the crowd. On Zipf counts the same happens when the "
    "budget is so small that the noise spans many counts. The likelihood knows that a winner whose "
    "lead is small may owe it to luck, and leaves such a winner to its measurement: it keeps the "
    "gains where winners stand apart, and is not worse than measuring alone where they do "
    "not.\n\n"
    "Sparse vector: a query that passes from below the threshold does so by luck, and its gap "
    "shows that luck alone: with one-sided noise its distribution is the same wherever the query "
    "is. From "
    "two scales "
    "above the threshold on, selection no longer matters.";

}  // namespace

Experiment crowds_experiment(const Setup& /*setup*/) {
  std::vector<Crowd> crowds;
  for (const std::int64_t n : {20, 50, 200, 1000, 5000, 20'000}) {
    crowds.push_back(one_ahead(n));
  }
  for (const std::int64_t hundredths : {5, 10, 20, 50, 100, 200}) {
    crowds.push_back(zipf(hundredths));
  }
  std::vector<std::int64_t> queries;
  for (std::int64_t halves = nearest; halves <= furthest; ++halves) {
    queries.push_back(halves);
  }
  std::vector<Task> tasks = tasks_for(
      crowds, [](const Crowd& crowd) { return "crowds/" + crowd.name + "/" + shown(crowd.x); },
      simulate_crowd);
  for (Task& task : tasks_for(
           queries, [](std::int64_t halves) { return "beside/" + std::to_string(halves); },
           simulate_beside)) {
    tasks.push_back(std::move(task));
  }
  return {"crowds", std::move(tasks), [crowds, queries](std::span<const Measured> results) {
            const auto of_crowds = results.first(crowds.size());
            const auto of_queries = results.subspan(crowds.size());
            Figure top{"crowds",
                       "Top-k in a crowd, k = 10",
                       "Below 1 the gaps help, above 1 they harm. Exponential noise.",
                       {crowd_panel("crowds-one-ahead", "One ahead of a crowd, ε = 0.7",
                                    "candidates", "one ahead of a crowd", crowds, of_crowds),
                        crowd_panel("crowds-zipf", "Zipf, 10,000 / rank, 2,000 candidates",
                                    "privacy budget ε", "Zipf", crowds, of_crowds)},
                       {"crowds"}};
            return Chapter{"Where theory breaks",
                           crowd_text,
                           {std::move(top), beside_figure(queries, of_queries)},
                           {crowd_table(crowds, of_crowds), beside_table(queries, of_queries)},
                           {}};
          }};
}

}  // namespace freegap::experiments

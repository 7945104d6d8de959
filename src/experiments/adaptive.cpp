// The adaptive sparse vector, compared with the classic one: answers by branch, precision,
// F-measure and unspent budget. Also other stop rules and cut-offs, and more branches.
#include <cmath>
#include <numeric>

#include "experiments/experiment.hpp"
#include "experiments/names.hpp"
#include "experiments/simulation.hpp"

namespace freegap::experiments {
namespace {

/// A variant of the sparse vector, and of how its answers are evaluated.
struct Variant {
  std::string name;
  std::size_t branches = 2;
  Distribution distribution = Distribution::laplace;
  Rational sigma = 2;
  StopRule stop_rule = StopRule::paper;
  bool double_cost = false;     ///< stop when a sum of costs in doubles reaches the budget
  bool truth_less_one = false;  ///< count the smallest answer above the threshold as not above
  bool one_order = false;       ///< ask in the same random order in all runs
};

/// One point of a figure.
struct Point {
  SharedDataset data;
  Variant variant;
  std::uint64_t k;
  Rational epsilon;
};

// What is measured at a point.
constexpr std::size_t answers = 0;
constexpr std::size_t precision = 1;
constexpr std::size_t f_measure = 2;
constexpr std::size_t left = 3;          // share of the budget after k answers
constexpr std::size_t first_branch = 4;  // answers by branch, cheapest first

std::string task_name(const Point& point) {
  return "adaptive/" + point.data->name + "/" + point.variant.name + "/" + std::to_string(point.k);
}

/// Costs summed in doubles, as in the authors' program. If the costs of a run add up to the budget
/// exactly, rounding errors may end the run one answer early.
class DoubleCost {
 public:
  DoubleCost(double epsilon, std::uint64_t k) : epsilon_(epsilon) {
    const auto answers_paid = static_cast<double>(k);
    const double y = std::pow(answers_paid, 2.0 / 3.0);
    full_ = y / (1 + y) * epsilon / answers_paid;
    reduced_ = y / (1 + y) * epsilon / (2 * answers_paid);
    cost_ = 1 / (1 + y) * epsilon;
  }
  [[nodiscard]] bool open() const { return cost_ <= epsilon_ - full_; }
  void pay(bool full) { cost_ += full ? full_ : reduced_; }

 private:
  double epsilon_;
  double full_;
  double reduced_;
  double cost_;
};

std::size_t answers_with_double_cost(const SparseVectorRelease& release, const Point& point) {
  DoubleCost cost(point.epsilon.shown(), point.k);
  std::size_t count = 0;
  for (const SparseVectorAnswer& answer : release.answers) {
    if (!cost.open()) {
      break;
    }
    if (answer.above) {
      cost.pay(answer.branch == release.branches.size());
      ++count;
    }
  }
  return count;
}

void add_run(const SparseVectorRelease& release, const Point& point, std::uint64_t above,
             Measured& measured) {
  const double epsilon = point.epsilon.shown();
  const std::size_t most =
      point.variant.double_cost ? answers_with_double_cost(release, point) : release.answers.size();
  const std::uint64_t truth = above - (point.variant.truth_less_one ? 1 : 0);
  std::vector<std::uint64_t> by_branch(release.branches.size(), 0);
  std::uint64_t count = 0;
  std::uint64_t right = 0;
  double cost = release.threshold_epsilon.shown();
  for (const SparseVectorAnswer& answer : release.answers) {
    if (!answer.above || count >= most) {
      continue;
    }
    if (count < point.k) {
      cost += release.branches[answer.branch - 1].epsilon.shown();
    }
    ++count;
    ++by_branch[answer.branch - 1];
    right += static_cast<std::uint64_t>(answer.item.id) < truth ? 1U : 0U;
  }
  measured[answers].add(static_cast<double>(count));
  for (std::size_t b = 0; b < by_branch.size(); ++b) {
    measured[first_branch + b].add(static_cast<double>(by_branch[b]));
  }
  // If the costs add up to the budget exactly, the rest may differ from 0 by rounding.
  const double rest = 1 - cost / epsilon;
  measured[left].add(std::fabs(rest) < 1e-12 ? 0 : rest);
  if (count > 0) {
    measured[precision].add(static_cast<double>(right) / static_cast<double>(count));
  }
  measured[f_measure].add(2 * static_cast<double>(right) / static_cast<double>(count + truth));
}

Measured simulate(const Point& point, std::uint64_t runs, std::uint64_t seed) {
  InsecureSeededNoise noise(seed);
  RepeatedSparseVector selection(point.data->counts, Kind::counts,
                                 {.k = point.k,
                                  .epsilon = Epsilon(point.epsilon),
                                  .threshold = 0,
                                  .noise = point.variant.distribution,
                                  .branches = point.variant.branches,
                                  .sigma = point.variant.sigma,
                                  .stop_rule = point.variant.stop_rule},
                                 paper_ranks(point.k));
  if (point.variant.one_order) {
    std::vector<std::uint32_t> order(point.data->counts.size());
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::swap(order[i], order[i + noise.below(order.size() - i)]);
    }
    selection.fix_order(std::move(order));
  }
  Measured measured(first_branch + point.variant.branches);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const SparseVectorRelease release = selection.run(noise);
    add_run(release, point, selection.above(), measured);
  }
  return measured;
}

Table table_of(const std::string& name, const std::string& title, const std::vector<Point>& points,
               std::span<const Measured> results) {
  Table table{name,
              title,
              {"data", "way", "noise", "branches", "k", "runs", "answers", "answers_error",
               "precision", "precision_error", "f_measure", "f_measure_error", "left_percent",
               "left_error", "cheapest_answers", "full_price_answers"},
              {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    const Measured& m = results[i];
    table.rows.push_back(
        {point.data->name, point.variant.name, distribution_name(point.variant.distribution),
         std::to_string(point.variant.branches), std::to_string(point.k),
         std::to_string(m[answers].runs()), shown(m[answers].value()), shown(m[answers].error()),
         shown(m[precision].value()), shown(m[precision].error()), shown(m[f_measure].value()),
         shown(m[f_measure].error()), shown(100 * m[left].value()), shown(100 * m[left].error()),
         shown(m[first_branch].value()), shown(m.back().value())});
  }
  return table;
}

/// Samples of one variant and data set against k.
std::vector<Sample> samples_of(const std::vector<Point>& points, std::span<const Measured> results,
                               const Dataset& data, const std::string& variant, std::size_t what,
                               double factor = 1, std::uint64_t every = 1) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].data->name == data.name && points[i].variant.name == variant &&
        points[i].k % every == 0) {
      samples.push_back({static_cast<double>(points[i].k), factor * results[i][what].value(),
                         factor * results[i][what].error()});
    }
  }
  return samples;
}

const Variant classic{.name = "classic", .branches = 1};
const Variant adaptive{.name = "adaptive"};

Figure answers_figure(const Setup& setup, const std::vector<Point>& points,
                      std::span<const Measured> results) {
  Figure figure{
      "answers",
      "Queries answered by classic and adaptive sparse vector",
      "Left bars: classic. Right bars: adaptive, by branch: top (cheaper, noisier, passed "
      "by two standard deviations at least) and middle. ε = 0.7, Laplace noise, as in the "
      "paper.",
      {},
      {"adaptive"}};
  for (const SharedDataset& data : setup.datasets) {
    Panel panel{
        "answers-" + file_name(data->name), data->name, "k", "queries answered", 0, 60, false, {}};
    panel.series.push_back(
        {"classic", Style::bars, 0, samples_of(points, results, *data, "classic", answers, 1, 2)});
    panel.series.push_back(
        {"adaptive, middle branch", Style::bars, 1,
         samples_of(points, results, *data, "adaptive", first_branch + 1, 1, 2)});
    panel.series.push_back({"adaptive, top branch", Style::stacked, 3,
                            samples_of(points, results, *data, "adaptive", first_branch, 1, 2)});
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

Figure precision_figure(const Setup& setup, const std::vector<Point>& points,
                        std::span<const Measured> results) {
  Figure figure{"precision",
                "Precision and F-measure of classic and adaptive sparse vector",
                "Precision: share of the answers that are truly above the threshold. F-measure: "
                "harmonic mean of precision and of the share of all truly above that were found.",
                {},
                {"adaptive"}};
  for (const SharedDataset& data : setup.datasets) {
    Panel panel{"precision-" + file_name(data->name),
                data->name,
                "k",
                "precision, F-measure",
                0,
                1,
                false,
                {}};
    unsigned colour = 0;
    for (const char* variant : {"classic", "adaptive"}) {
      panel.series.push_back({std::string(variant) + ", precision", Style::joined, colour++,
                              samples_of(points, results, *data, variant, precision)});
      panel.series.push_back({std::string(variant) + ", F-measure", Style::joined, colour++,
                              samples_of(points, results, *data, variant, f_measure)});
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

Figure left_figure(const Setup& setup, const std::vector<Point>& points,
                   std::span<const Measured> results) {
  Figure figure{"left",
                "Budget left over when adaptive sparse vector is stopped after k answers",
                "In per cent of ε = 0.7. Classic sparse vector leaves nothing.",
                {},
                {"adaptive"}};
  Panel panel{"left", "Adaptive sparse vector, stopped after k answers",
              "k",    "budget left, %",
              0,      50,
              false,  {}};
  unsigned colour = 0;
  for (const SharedDataset& data : setup.datasets) {
    panel.series.push_back({data->name, Style::joined, colour++,
                            samples_of(points, results, *data, "adaptive", left, 100)});
  }
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace

Experiment adaptive_experiment(const Setup& setup) {
  std::vector<Point> points;
  for (const SharedDataset& data : setup.datasets) {
    for (const Variant& variant : {classic, adaptive}) {
      for (std::uint64_t k = first_k; k <= last_k; ++k) {
        points.push_back({data, variant, k, setup.epsilon});
      }
    }
  }
  return {
      "adaptive", tasks_for(points, task_name, simulate),
      [setup, points](std::span<const Measured> results) {
        return Chapter{
            "What adaptivity brings",
            "The paper's adaptive sparse vector: Laplace noise, two branches, the "
            "cheaper one passed by 2σ or more, stopped as soon as an answer at full "
            "price can no longer be paid for; against the classic one. Each run draws a "
            "threshold from the top 2k to 8k and asks all counts in random order.",
            {answers_figure(setup, points, results), precision_figure(setup, points, results),
             left_figure(setup, points, results)},
            {table_of("adaptive", "Classic and adaptive sparse vector against k", points, results)},
            {}};
      }};
}

namespace {

const std::string authors_variant = "the first three together";
const std::string afford_variant = "as long as a branch can be paid for";

std::vector<Variant> variants_to_compare() {
  return {adaptive,
          {.name = "cut-off 4σ", .sigma = 4},
          {.name = "cost in doubles", .double_cost = true},
          {.name = "truth one short", .truth_less_one = true},
          {.name = "one order for all runs", .one_order = true},
          {.name = authors_variant, .sigma = 4, .double_cost = true, .truth_less_one = true},
          {.name = afford_variant, .stop_rule = StopRule::afford},
          {.name = "exponential noise", .distribution = Distribution::exponential},
          {.name = "geometric noise", .distribution = Distribution::geometric},
          {.name = "exponential noise, " + afford_variant,
           .distribution = Distribution::exponential,
           .stop_rule = StopRule::afford}};
}

/// The k for which a run of reduced answers alone gives fewer than the 2k - 1 it can pay for.
std::string ends_early(const Rational& epsilon) {
  std::string list;
  for (std::uint64_t k = first_k; k <= last_k; ++k) {
    DoubleCost cost(epsilon.shown(), k);
    std::uint64_t count = 0;
    for (; cost.open(); ++count) {
      cost.pay(false);
    }
    if (count < 2 * k - 1) {
      list += list.empty() ? "" : ", ";
      list += std::to_string(k);
    }
  }
  return list;
}

std::string choices_text(const Rational& epsilon) {
  return "Adaptive sparse vector as in the figures above, with one choice changed at a time. The "
         "first four are those of the authors' published program where it differs from the "
         "paper:\n\n"
         "Cut-off 4σ: for counts the paper halves the noise, and σ with it; the program keeps the "
         "general σ, so that a query must pass the top branch by twice as much. Fewer pass there, "
         "more pay the full price.\n\n"
         "Cost in doubles: the sum of the costs is kept in floating point, so that a run whose "
         "costs add up to the budget exactly may end one answer early. Whether it does depends on "
         "ε and k alone; here it can for k = " +
         ends_early(epsilon) +
         ".\n\n"
         "Truth one short: the smallest count above the threshold is not counted as being above. "
         "Precision falls by about one answer in the number of counts above the threshold.\n\n"
         "One order for all runs: the counts are shuffled once, not for each run. Means shift by "
         "the luck of that order, by more than the standard errors show.\n\n"
         "The last four are the library's own: it goes on as long as some branch can be paid for, "
         "which is worth one more answer, and its default noise is exponential.";
}

/// The data set to show: the paper's own if it is among them.
std::string shown_data(const std::vector<Point>& points) {
  for (const Point& point : points) {
    if (paper_dataset(*point.data)) {
      return point.data->name;
    }
  }
  return points.front().data->name;
}

Table choices_shown(const std::vector<Point>& points, std::span<const Measured> results) {
  const std::string data = shown_data(points);
  Table table{"choices",
              "One choice changed at a time: " + data,
              {"way", "k", "answers", "precision", "F-measure", "budget left after k answers, %"},
              {}};
  const auto cell = [](const Ratio& mean, double factor, int decimals) {
    return fixed(factor * mean.value(), decimals) + " ± " + fixed(factor * mean.error(), decimals);
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].data->name == data) {
      const Measured& m = results[i];
      table.rows.push_back({points[i].variant.name, std::to_string(points[i].k),
                            cell(m[answers], 1, 2), cell(m[precision], 1, 4),
                            cell(m[f_measure], 1, 3), cell(m[left], 100, 2)});
    }
  }
  return table;
}

}  // namespace

Experiment adaptive_choices_experiment(const Setup& setup) {
  std::vector<Point> points;
  for (const SharedDataset& data : setup.datasets) {
    for (const Variant& variant : variants_to_compare()) {
      for (const std::uint64_t k : {10U, 11U, 24U}) {
        points.push_back({data, variant, k, setup.epsilon});
      }
    }
  }
  return {"choices", tasks_for(points, task_name, simulate),
          [setup, points](std::span<const Measured> results) {
            return Chapter{"Choices that differ",
                           choices_text(setup.epsilon),
                           {},
                           {table_of("choices", "One choice changed at a time", points, results)},
                           {choices_shown(points, results)}};
          }};
}

namespace {

std::string branches_name(std::size_t m) {
  return std::to_string(m) + (m == 1 ? " branch" : " branches");
}

std::vector<Figure> branches_figures(const Setup& setup, const std::vector<Point>& points,
                                     std::span<const Measured> results) {
  std::vector<Figure> figures;
  for (const SharedDataset& data : setup.datasets) {
    const std::string name = "branches-" + file_name(data->name);
    Panel many{name + "-answers", "Queries answered", "k", "queries answered", 0, 100, false, {}};
    Panel right{name + "-precision", "Precision", "k", "precision", 0.9, 1, false, {}};
    Panel rest{name + "-left", "Left after k answers", "k", "budget left, %", 0, 80, false, {}};
    for (std::size_t m = 1; m <= 4; ++m) {
      const auto colour = static_cast<unsigned>(m - 1);
      const auto series = [&](std::size_t what, double factor) {
        return Series{branches_name(m), Style::joined, colour,
                      samples_of(points, results, *data, branches_name(m), what, factor)};
      };
      many.series.push_back(series(answers, 1));
      right.series.push_back(series(precision, 1));
      rest.series.push_back(series(left, 100));
    }
    figures.push_back({name,
                       "One to four branches: " + data->name,
                       "Exponential noise, ε = 0.7, each branch but the last passed by 2σ or more.",
                       {many, right, rest},
                       {"branches"}});
  }
  return figures;
}

}  // namespace

Experiment branches_experiment(const Setup& setup) {
  std::vector<Point> points;
  for (const SharedDataset& data : setup.datasets) {
    for (std::size_t m = 1; m <= 4; ++m) {
      for (const std::uint64_t k : {2U, 6U, 10U, 16U, 24U}) {
        points.push_back({data,
                          {.name = branches_name(m),
                           .branches = m,
                           .distribution = Distribution::exponential,
                           .stop_rule = StopRule::afford},
                          k,
                          setup.epsilon});
      }
    }
  }
  return {"branches", tasks_for(points, task_name, simulate),
          [setup, points](std::span<const Measured> results) {
            return Chapter{
                "More branches",
                "With m branches the r-th cheapest costs 1/(m + 1 − r) of a full answer: halves "
                "with two, "
                "a third and a half with three, and so on. One branch is the plain sparse vector "
                "with gap. Each run goes on as long as some branch can be paid for.",
                branches_figures(setup, points, results),
                {table_of("branches", "One to four branches", points, results)},
                {}};
          }};
}

}  // namespace freegap::experiments

// Sections (a) and (b): well-separated data, on which errors have closed forms.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "estimates/outcomes.hpp"
#include "estimates/shapes.hpp"
#include "estimates/simulation.hpp"
#include "experiments/names.hpp"
#include "experiments/ratio.hpp"
#include "freegap/distribution.hpp"
#include "freegap/estimate.hpp"
#include "freegap/queries.hpp"
#include "freegap/release/hybrid.hpp"
#include "freegap/release/measure.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/release/top_k.hpp"
#include "studies/estimates/figures.hpp"
#include "studies/estimates/study.hpp"
#include "studies/estimates/table.hpp"

namespace freegap::studies {
namespace {

using experiments::distribution_name;
using testing::Mean;
using testing::Ratio;

// Closed forms, independent of the library --------------------------------------------------------

/// Variance of noise on a tick.
double variance(const NoiseDistribution& noise) {
  const double a = noise.tick.shown() / noise.scale.shown();
  const double one_sided = 1 / std::pow(2 * std::sinh(a / 2), 2) * std::pow(noise.tick.shown(), 2);
  return noise.distribution == Distribution::laplace ? 2 * one_sided : one_sided;
}

/// Variances of a measurement and of the linear estimate.
struct Theory {
  double direct = 0;
  double linear = 0;
};

Theory theory(const TopKRelease& release, const MeasureRelease& direct) {
  const auto k = static_cast<double>(release.winners.size());
  const double alpha = variance(direct.noise);
  const double lambda = variance(release.noise) / alpha;
  return {alpha, alpha * (1 + lambda * k) / (k * (1 + lambda))};
}

Theory theory(const SparseVectorRelease& release, const MeasureRelease& direct) {
  const double alpha = variance(direct.noise);
  const double gap =
      variance(release.branch_noise(release.branches.size())) + variance(release.threshold_noise());
  return {alpha, alpha * gap / (alpha + gap)};
}

Theory theory(const HybridRelease& /*release*/, const MeasureRelease& /*direct*/) { return {}; }

// (a) Closed forms --------------------------------------------------------------------------------

/// Linear estimates on well-separated data.
std::vector<Row> closed_forms(const Setting& setting, std::uint64_t runs) {
  Estimator linear({confidence, Method::linear});
  testing::EstimateOutcomes outcomes;
  Ratio ratio;
  Theory expected;
  testing::simulate(setting, runs, seed_of(name(setting)),
                    [&](const auto& release, auto& direct, std::span<const double> answers) {
                      const MeasureRelease& measured = direct();
                      if (expected.direct == 0) {
                        expected = theory(release, measured);
                      }
                      const auto estimates = linear(release, measured);
                      outcomes.add(estimates, answers);
                      ratio.add(testing::squared_error(estimates, answers),
                                testing::squared_error(measured, answers));
                    });
  const std::string section = "(a) linear estimates against closed forms";
  const std::string what = name(setting);
  const Mean& covered = outcomes.run_covered;
  // Intervals allow for ticks: on coarse ones they are slightly too wide.
  const bool exact = covered.value() + 4 * covered.error() >= confidence &&
                     covered.value() - 4 * covered.error() <= confidence + 0.001;
  return {equal(section, what, "variance", outcomes.run_squared.value(),
                outcomes.run_squared.error(), expected.linear),
          {section, what, "coverage", covered.value(), covered.error(), "= 0.95", exact},
          equal(section, what, "reduction", 1 - ratio.value(), ratio.error(),
                1 - expected.linear / expected.direct)};
}

// (b) Reduction against k -------------------------------------------------------------------------

std::vector<Row> reduction(const Setting& setting, std::uint64_t runs, Figures& figures) {
  Estimator likelihood;
  Estimator linear({confidence, Method::linear});
  Ratio of_likelihood;
  Ratio of_linear;
  Theory expected;
  testing::simulate(
      setting, runs, seed_of(name(setting)) + 1,
      [&](const auto& release, auto& direct, std::span<const double> answers) {
        const MeasureRelease& measured = direct();
        if (expected.direct == 0) {
          expected = theory(release, measured);
        }
        const double alone = testing::squared_error(measured, answers);
        of_likelihood.add(testing::squared_error(likelihood(release, measured), answers), alone);
        of_linear.add(testing::squared_error(linear(release, measured), answers), alone);
      });
  const std::string section = "(b) reduction of the mean squared error, separated counts";
  const std::string what = name(setting);
  const double wanted = 1 - expected.linear / expected.direct;
  const double by_linear = 1 - of_linear.value();
  const double by_likelihood = 1 - of_likelihood.value();
  figures.add(&Figures::reduction, name(setting.selection) + "," +
                                       distribution_name(setting.distribution) + "," +
                                       std::to_string(setting.k) + "," + text(wanted, 6) + "," +
                                       text(by_linear, 6) + "," + text(by_likelihood, 6));
  return {{section, what, "linear", by_linear, of_linear.error(), "= " + text(wanted),
           std::fabs(by_linear - wanted) <= std::max(0.01, 4 * of_linear.error())},
          at_least(section, what, "likelihood", by_likelihood, of_likelihood.error(), wanted)};
}

}  // namespace

std::vector<Task> section_a(Study& study) {
  std::vector<Task> tasks;
  for (const Selection selection : {Selection::top_k, Selection::sparse_vector}) {
    for (const Distribution distribution : all_distributions) {
      for (const Kind kind : {Kind::counts, Kind::general}) {
        for (const std::uint64_t k : {2U, 10U}) {
          Setting setting = testing::setting_for(selection, distribution, k, testing::separated(k));
          setting.kind = kind;
          // The linear combination takes about a tenth of the time.
          tasks.push_back({"(a) " + name(setting), "reduction", cost_of(setting, study.runs) / 10,
                           [=, &study] { return closed_forms(setting, study.runs); }});
        }
      }
    }
  }
  return tasks;
}

std::vector<Task> section_b(Study& study) {
  std::vector<Task> tasks;
  for (const Selection selection : {Selection::sparse_vector, Selection::top_k}) {
    for (const Distribution distribution : {Distribution::laplace, Distribution::exponential}) {
      for (std::uint64_t k = 2; k <= 24; ++k) {
        Setting setting = testing::setting_for(selection, distribution, k, testing::separated(k));
        setting.selecting = setting.measuring;  // half and half
        const std::uint64_t runs = study.runs / (2 * k);
        tasks.push_back({"(b) " + name(setting), "likelihood", cost_of(setting, runs),
                         [=, &study] { return reduction(setting, runs, study.figures); }});
      }
    }
  }
  return tasks;
}

}  // namespace freegap::studies

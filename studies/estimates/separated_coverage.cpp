// Section (c): coverage on well-separated data.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "estimates/shapes.hpp"
#include "estimates/simulation.hpp"
#include "freegap/distribution.hpp"
#include "freegap/estimate.hpp"
#include "freegap/release/measure.hpp"
#include "studies/estimates/coverage.hpp"
#include "studies/estimates/study.hpp"
#include "studies/estimates/table.hpp"

namespace freegap::studies {
namespace {

std::vector<Row> separated_coverage(const Setting& setting, std::uint64_t runs) {
  Estimator likelihood;
  Coverage coverage;
  Coverage measured_alone;
  testing::simulate(setting, runs, seed_of(name(setting)) + 2,
                    [&](const auto& release, auto& direct, std::span<const double> answers) {
                      const MeasureRelease& measured = direct();
                      coverage.add(likelihood(release, measured), answers);
                      measured_alone.add(likelihood(measured), answers);
                    });
  const std::string section = "(c) 95 % intervals on well-separated data";
  const std::string what = name(setting);
  const double covered = coverage.average.value();
  const double error = coverage.average.error();
  const bool within = covered - 4 * error <= 0.955 && covered + 4 * error >= confidence;
  return {{section, what, "marginal coverage", covered, error, "0.95-0.955", within},
          at_least(section, what, "simultaneous coverage", coverage.simultaneous.value(),
                   coverage.simultaneous.error_if(confidence), confidence),
          at_most(section, what, "length / measured alone",
                  coverage.marginal_length.value() / measured_alone.marginal_length.value(), 0, 1),
          at_most(section, what, "simultaneous length / same",
                  coverage.simultaneous_length.value() / measured_alone.simultaneous_length.value(),
                  0, 1)};
}

}  // namespace

std::vector<Task> section_c(const Study& study) {
  std::vector<Task> tasks;
  for (const std::uint64_t k : {100U, 10U, 2U, 1U}) {
    for (const Selection selection : {Selection::top_k, Selection::sparse_vector}) {
      for (const Distribution distribution : all_distributions) {
        const Setting setting =
            testing::setting_for(selection, distribution, k, testing::separated(k));
        const std::uint64_t runs = runs_of(k, study.runs);
        tasks.push_back({"(c) " + name(setting), "simultaneous length / same",
                         cost_of(setting, runs),
                         [=] { return separated_coverage(setting, runs); }});
      }
    }
  }
  return tasks;
}

}  // namespace freegap::studies

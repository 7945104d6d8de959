// The part of section (e) on the exponential mechanism.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "estimates/outcomes.hpp"
#include "estimates/shapes.hpp"
#include "freegap/candidates.hpp"
#include "freegap/confidence.hpp"
#include "freegap/exponential.hpp"
#include "freegap/noise.hpp"
#include "studies/estimates/study.hpp"
#include "studies/estimates/table.hpp"

namespace freegap::studies {
namespace {

using testing::Share;

std::vector<Row> exponential_mechanism(const Shape& shape, std::uint64_t runs) {
  const Candidates candidates = Candidates::grouped(std::span(shape.values), shape.multiplicities,
                                                    {Kind::counts, Neighbours::add_remove, 1});
  const ExponentialOptions options{.epsilon = Epsilon(Rational(1, testing::scale_of_shapes))};
  InsecureSeededNoise noise(shape.values.size() * 1000 + shape.name.size());
  Share wrong;
  Share made;
  Share low;
  Share median;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const ExponentialRelease release = exponential(candidates, options, noise);
    const auto chosen = static_cast<std::size_t>(release.chosen.id);
    double best = -HUGE_VAL;
    double weight = 0;  // of all others, relative to the choice
    const double rate = release.rate.shown();
    for (std::size_t g = 0; g < shape.values.size(); ++g) {
      const std::int64_t others = shape.multiplicities[g] - (g == chosen ? 1 : 0);
      const auto ahead = static_cast<double>(shape.values[chosen] - shape.values[g]);
      best = others > 0 ? std::max(best, -ahead) : best;
      weight += static_cast<double>(others) * std::exp(-rate * ahead);
    }
    const std::optional<Claim> claim = claim_best(release, confidence);
    wrong.add(claim->at_least && *claim->at_least > -best);
    made.add(claim->at_least.has_value());
    if (-best <= 0) {
      low.add(claim->p_value <= 1 - confidence);
    }
    // Median-unbiased: above and below with equal probability, if there is an estimate.
    const std::optional<double> lead = estimate_lead(release);
    median.add(lead && *lead > -std::log(weight) / rate);
  }
  const std::string section = "(e) claims after selection";
  const std::string what = "exponential mechanism: " + shape.name;
  std::vector<Row> rows{
      note(section, what, "claims made", made.value(), made.error_if(0.5)),
      at_least(section, what, "no false claim", 1 - wrong.value(), wrong.error_if(0.05), 0.949)};
  if (low.trials > 0) {
    rows.push_back(
        at_most(section, what, "p <= 0.05, no true winner", low.value(), low.error_if(0.05), 0.05));
  }
  Row even =
      equal(section, what, "estimate above the lead", median.value(), median.error_if(0.5), 0.5);
  even.passed = std::fabs(median.value() - 0.5) <= 4 * even.error + 0.001;  // gaps are on a tick
  rows.push_back(even);
  return rows;
}

}  // namespace

std::vector<Task> section_exponential(Study& study) {
  std::vector<Task> tasks;
  for (const Shape& shape : {Shape{"separated", {1500, 0}, {1, 20}}, Shape{"all equal", {0}, {20}},
                             Shape{"one ahead of a crowd", {1200, 0}, {1, 20'000}},
                             Shape{"mixed", {500, 400, 350, 0}, {1, 2, 3, 30}}}) {
    tasks.push_back({"(e) exponential mechanism: " + shape.name, "estimate above the lead",
                     static_cast<double>(study.runs),
                     [=, &study] { return exponential_mechanism(shape, study.runs); }});
  }
  return tasks;
}

}  // namespace freegap::studies

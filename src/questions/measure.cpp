#include "questions/measure.hpp"

#include "freegap/estimate.hpp"
#include "questions/document.hpp"

namespace freegap::questions {
namespace {

Outcome written(const MeasureRelease& release, const std::vector<Estimate>& estimates,
                const std::vector<std::string>& labels, const Json& parameters) {
  Outcome outcome{head("measure", parameters, release.cost), release.cost.spent};
  outcome.document["noise"] = noise(release.noise);
  Json& rows = outcome.document["measurements"] = Json::array();
  for (std::size_t i = 0; i < release.items.size(); ++i) {
    Json row = {{"item", labels[i]},
                {"measured", release.value(i)},
                {"measured_ticks", release.value_ticks[i]}};
    add_estimate(row, estimates[i]);
    rows.push_back(std::move(row));
  }
  return outcome;
}

}  // namespace

Question measure_question(const MeasureOptions& options, double confidence,
                          const std::vector<Item>& items,
                          const std::shared_ptr<const LabelledCandidates>& labelled) {
  const sources::DataSource& source = labelled->source();
  const MeasurePlan plan = plan_measure(labelled->candidates(), items, options);
  const auto estimator = std::make_shared<Estimator>(EstimateOptions{.confidence = confidence});
  Json parameters;
  describe(parameters, source);
  describe_limit(parameters, source, {plan.grid.tick()});
  labelled->facts().describe_value(parameters);
  const std::vector<std::string> names = labelled->labels(items);
  parameters["items"] = names;
  parameters["confidence"] = confidence;
  return {.verb = "measure",
          .source = source,
          .reserved = plan.cost.reserved,
          .parameters = parameters,
          .draw =
              [=](ExactNoise& noise) {
                const MeasureRelease release =
                    measure(labelled->candidates(), items, options, noise);
                return written(release, (*estimator)(release), names, parameters);
              },
          .candidate_list = labelled->facts().list,
          .largest_release = bytes_of_rows(items.size(), 0, labelled->name_bytes(items.size()))};
}

}  // namespace freegap::questions

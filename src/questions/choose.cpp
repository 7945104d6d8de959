#include "questions/choose.hpp"

#include "freegap/confidence.hpp"
#include "questions/document.hpp"

namespace freegap::questions {
namespace {

Outcome written(const ExponentialRelease& release, const std::string& label, const Json& parameters,
                double confidence) {
  const std::optional<Claim> claim = claim_best(release, confidence);
  Outcome outcome{head("exponential", parameters, release.cost), release.cost.spent};
  Json& document = outcome.document;
  document["rate"] = release.rate.str();
  document["utility_tick"] = release.tick.shown();
  document["tick"] = release.gap_tick.shown();
  document["item"] = label;
  document["gap"] = number(release.gap());
  document["gap_ticks"] = release.gap_ticks ? Json(*release.gap_ticks) : Json();
  document["gap_in_utility"] = number(release.gap_in_utility());
  document["lead_estimate"] = release.gap_ticks ? number(estimate_lead(release)) : Json();
  document["lead_at_least"] = claim ? number(claim->at_least) : Json();
  document["p_not_best"] = claim ? Json(claim->p_value) : Json();
  return outcome;
}

}  // namespace

Question choose_question(const ChooseOptions& asked, double confidence,
                         const std::shared_ptr<const LabelledCandidates>& labelled,
                         const std::function<Item()>& sampler) {
  const sources::DataSource& source = labelled->source();
  const ExponentialOptions options{.epsilon = asked.epsilon.value(),
                                   .gap = !asked.classic,
                                   .tick = asked.tick,
                                   .constant_work = asked.constant_work};
  const ExponentialPlan plan = plan_exponential(labelled->candidates(), options);
  Json parameters;
  describe(parameters, source);
  labelled->facts().describe(parameters);
  describe_limit(parameters, source, {plan.grid.tick()});
  parameters["classic"] = asked.classic;
  parameters["confidence"] = confidence;
  return {.verb = "choose",
          .source = source,
          .reserved = plan.blank.cost.reserved,
          .parameters = parameters,
          .draw =
              [=](ExactNoise& noise) {
                const Candidates& candidates = labelled->candidates();
                const ExponentialRelease release =
                    sampler ? exponential_around(candidates, options, sampler, noise)
                            : exponential(candidates, options, noise);
                return written(release, labelled->labels({release.chosen}).front(), parameters,
                               confidence);
              },
          .candidate_list = labelled->facts().list,
          .largest_release = bytes_of_rows(1, 0, labelled->name_bytes(1))};
}

}  // namespace freegap::questions

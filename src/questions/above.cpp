#include "questions/above.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "questions/sparse_vector_document.hpp"

namespace freegap::questions {
namespace {

/// Whether the budget allows no more answers. Follows from those that were released.
bool used_up(const SparseVectorRelease& release) {
  const Rational left = release.cost.reserved - release.cost.spent;
  const Branch& next =
      release.stop_rule == StopRule::paper ? release.branches.back() : release.branches.front();
  return left < next.epsilon;
}

/// Lists all answers, or of a universe, whose ids are too many to list, those above.
Outcome draw(Selection& selection, const LabelledCandidates& labelled,
             const SparseVectorOptions& options, ExactNoise& noise) {
  const Candidates& candidates = labelled.candidates();
  const bool universe = !candidates.dense();
  const SparseVectorRelease release = universe ? sparse_vector_above(candidates, options, noise)
                                               : sparse_vector(candidates, options, noise);
  std::vector<Item> asked;
  std::vector<Item> passed;
  for (const SparseVectorAnswer& answer : release.answers) {
    asked.push_back(answer.item);
    if (answer.above) {
      passed.push_back(answer.item);
    }
  }
  const std::optional<MeasureRelease> direct = selection.measure_all(candidates, passed, noise);
  Outcome outcome = selection.outcome(mechanism(release), release.cost, direct);
  const bool all_asked = universe ? !used_up(release) : release.answers.size() == candidates.size();
  add_answers(
      outcome.document, release,
      answers(release, direct, labelled.labels(asked), selection.estimator, selection.confidence),
      why_stopped(release, all_asked));
  return outcome;
}

}  // namespace

const char* name(Order order) {
  if (order == Order::random) {
    return "random";
  }
  return order == Order::file ? "file" : "label";
}

SparseVectorOptions sparse_vector_options(const AboveOptions& options, const Epsilon& epsilon) {
  return {.k = options.k,
          .epsilon = epsilon,
          .threshold = options.threshold,
          .noise = options.noise.distribution,
          .branches = options.adaptive ? static_cast<std::size_t>(options.branches) : 1,
          .theta = value_of(options.theta),
          .sigma = options.sigma,
          .stop_rule = options.stop_rule,
          .stop_after = options.stop_after,
          .gaps = !options.classic,
          .tick = value_of(options.noise.tick),
          .asking = options.order == Order::random ? Asking::shuffled : Asking::as_given,
          .constant_work = options.constant_work};
}

void add_parameters(Json& parameters, const AboveOptions& options, const char* order) {
  parameters["threshold"] = number(options.threshold);
  parameters["adaptive"] = options.adaptive;
  if (options.adaptive) {
    parameters["branches"] = options.branches;
    parameters["sigma"] = number(options.sigma);
  }
  parameters["stop_rule"] = name(options.stop_rule);
  parameters["stop_after"] = options.stop_after ? Json(*options.stop_after) : Json();
  parameters["classic"] = options.classic;
  parameters["order"] = order;
}

Question above_question(const AboveOptions& options, double confidence,
                        const std::shared_ptr<const LabelledCandidates>& labelled) {
  const auto selection =
      std::make_shared<Selection>(options, confidence, labelled->source(), labelled->facts());
  const SparseVectorOptions asked = sparse_vector_options(options, selection->selecting);
  const Candidates& candidates = labelled->candidates();
  const SparseVectorPlan plan = plan_sparse_vector(candidates.queries(), asked, candidates.whole());
  // Every answer costs at least 1/branches of the full price.
  const std::uint64_t most = std::min(
      {candidates.size(), options.k * asked.branches, options.stop_after.value_or(UINT64_MAX)});
  selection->settle_grids(plan.grid.tick(), most);
  add_parameters(selection->parameters, options, name(options.order));
  if (!candidates.dense()) {
    check_queries_above(candidates, asked);
    selection->parameters["answers"] = "above";  // those below are too many to list
  }
  return selection->question(
      "above", *labelled, plan.blank.cost, most, candidates.dense(),
      [=](ExactNoise& noise) { return draw(*selection, *labelled, asked, noise); });
}

}  // namespace freegap::questions

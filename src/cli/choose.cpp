#include <CLI/CLI.hpp>

#include "document.hpp"
#include "freegap/confidence.hpp"
#include "freegap/exponential.hpp"
#include "labelled_candidates.hpp"
#include "verbs.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  printf 'item,utility\nnorth,41.5\nsouth,12\nwest,39\n' > sites.csv
  freegap choose sites.csv --epsilon 1 --sensitivity 2 --items-are-public \
    --no-ledger

Chooses one item, each with probability proportional to
exp(epsilon * utility / (c * S)), where c is 1 for counts and 2 in general, and
tells by which gap it won, at no cost.)";

struct ChooseOptions {
  DataOptions data;
  std::string epsilon;
  std::string tick;
  bool classic = false;
};

/// A choice about to be made. Candidates are a view of the labelled.
struct Choice {
  Choice(const ChooseOptions& asked, const OutputOptions& output, Secrecy secrecy)
      : queries(queries_of(asked.data, Kind::general, counts_records(asked.data))),
        options{.epsilon = epsilon_of("--epsilon", asked.epsilon),
                .gap = !asked.classic,
                .tick = tick_of({.distribution = {}, .tick = asked.tick})},
        confidence(output.level()),
        labelled(
            LabelledCandidates::read(asked.data, queries, counts_records(asked.data), secrecy)),
        candidates(labelled.candidates()),
        plan(plan_exponential(candidates, options)) {
    describe(parameters, queries, labelled.unit());
    parameters["candidates"] = labelled.mode();
    parameters["candidate_count"] = candidates.size();
    if (const auto& universe = labelled.universe()) {
      parameters["universe"] = {universe->first, universe->last};
    }
    parameters["classic"] = asked.classic;
    parameters["confidence"] = confidence;
  }

  Queries queries;
  ExponentialOptions options;
  double confidence;
  LabelledCandidates labelled;
  Candidates candidates;
  ExponentialPlan plan;
  Json parameters;
};

Outcome draw(const Choice& choice, ExactNoise& noise) {
  const ExponentialRelease release = exponential(choice.candidates, choice.options, noise);
  const std::optional<Claim> claim = claim_best(release, choice.confidence);
  Outcome outcome{head("exponential", choice.parameters, release.cost), release.cost.spent};
  Json& document = outcome.document;
  document["rate"] = release.rate.str();
  document["utility_tick"] = release.tick.shown();
  document["tick"] = release.gap_tick.shown();
  document["item"] = choice.labelled.label(release.chosen);
  document["gap"] = number(release.gap());
  document["gap_ticks"] = release.gap_ticks ? Json(*release.gap_ticks) : Json();
  document["gap_in_utility"] = number(release.gap_in_utility());
  document["lead_estimate"] = release.gap_ticks ? number(estimate_lead(release)) : Json();
  document["lead_at_least"] = claim ? number(claim->at_least) : Json();
  document["p_not_best"] = claim ? Json(claim->p_value) : Json();
  return outcome;
}

}  // namespace

Verb add_choose(CLI::App& parent, Secrecy secrecy) {
  auto options = std::make_shared<ChooseOptions>();
  auto output = std::make_shared<OutputOptions>();
  CLI::App* verb = parent.add_subcommand("choose", "The best option, with the gap by which it won");
  add_input(*verb, options->data);
  verb->add_option("--epsilon", options->epsilon, "Budget, for example 0.7 or 7/10")->required();
  verb->add_option("--tick", options->tick,
                   "Of the gap, in scaled units: a power of two (default 1/1024)");
  verb->add_flag("--classic", options->classic, "Without the gap");
  add_candidates(*verb, options->data, true);
  add_queries(*verb, options->data);
  return finished(*verb, output, secrecy, example, [=] {
    const auto choice = std::make_shared<Choice>(*options, *output, secrecy);
    return Job{"choose",
               choice->labelled.unit(),
               choice->queries.neighbours,
               choice->plan.blank.cost.reserved,
               choice->parameters,
               [=](ExactNoise& noise) { return draw(*choice, noise); }};
  });
}

}  // namespace freegap::cli

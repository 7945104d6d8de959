#include "questions/choose.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/colour.hpp"
#include "cli/release_verb_table.hpp"
#include "questions/missing.hpp"
#include "report/visible_text.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  printf 'item,utility\nnorth,41.5\nsouth,12\nwest,39\n' > sites.csv
  freegap choose sites.csv --epsilon 1 --sensitivity 2 --items-are-public \
    --no-ledger

Chooses one item, each with probability proportional to
exp(epsilon * utility / (c * S)), where c is 1 for counts and 2 in general, and
gives the gap by which it won, at no cost.)";

std::string choice_table(const Json& document) {
  std::string text =
      heading(fmt::format("Chosen of {}: {}", shown(document["parameters"]["candidate_count"]),
                          cut(visible(document["item"].get<std::string>()), 60))) +
      "\n";
  if (!document["gap"].is_null()) {
    text += fmt::format("It won by a noisy lead of {} in utility.\n",
                        shown(document["gap_in_utility"]));
    text += document["lead_at_least"].is_null()
                ? fmt::format("That shows no true lead with confidence {}", percent(document))
                : fmt::format("With confidence {} it truly leads by at least {}", percent(document),
                              shown(document["lead_at_least"]));
    text += fmt::format(".\nChance of such a lead if it were not best: {}.\n",
                        shown(document["p_not_best"]));
  }
  return text + cost(document);
}

/// Utilities are general unless declared otherwise. They have a sensitivity of their own, which
/// must be said unless they are counts. The data set may say whom they are about.
sources::Declaration declaration(const ChooseOptions& asked, Secrecy secrecy) {
  sources::Declaration declared = asked.data.declaration(Kind::general, secrecy);
  declared.numbers_said = asked.data.queries.sensitivity.has_value();
  declared.unit = sources::UnitRule::from_dataset;
  return declared;
}

RegisteredVerb add(CLI::App& parent, Secrecy secrecy) {
  auto options = std::make_shared<ChooseOptions>();
  CLI::App* verb = parent.add_subcommand("choose", "The best option, with the gap by which it won");
  add_input(*verb, options->data.input);
  add_parsed(*verb, "--epsilon", options->epsilon, "Budget, for example 0.7 or 7/10",
             Epsilon::parse)
      ->required();
  add_parsed(*verb, "--tick", options->tick,
             "Of the gap, in scaled units: a power of two (default 1/1024)", Rational::parse);
  verb->add_flag("--classic", options->classic, "Without the gap");
  add_constant_work(*verb, options->constant_work);
  add_candidates(*verb, options->data.candidates, true);
  add_queries(*verb, options->data);
  verb->footer(example);
  return {
      verb,
      [=](const OutputOptions& output, const Context&) {
        return choose_question(
            *options, output.confidence,
            std::make_shared<const LabelledCandidates>(
                options->data.candidates,
                sources::DataSource(options->data.input, declaration(*options, secrecy)), secrecy));
      },
      [=] {
        std::vector<Missing> missing =
            missing_about(options->data.input, declaration(*options, secrecy));
        if (const auto candidates = missing_candidates(options->data.candidates)) {
          missing.push_back(*candidates);
        }
        return missing;
      }};
}

}  // namespace

ReleaseVerb choose_verb() {
  return {add,
          {{"exponential",
            choice_table,
            "",
            {"item", "gap", "gap_ticks", "gap_in_utility", "lead_estimate", "lead_at_least",
             "p_not_best"}}}};
}

}  // namespace freegap::cli

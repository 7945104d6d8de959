#include "freegap/measure.hpp"

#include <CLI/CLI.hpp>
#include <set>

#include "cli/document.hpp"
#include "cli/labelled_candidates.hpp"
#include "cli/release_verb_table.hpp"
#include "freegap/errors.hpp"
#include "freegap/estimate.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap measure sample.dat --items 368,529 --epsilon 0.5 --no-ledger

Adds Laplace noise to the numbers of the named items. They share the budget: t
items get noise of scale t * S / epsilon. An item that is not in the data counts
0, and the release does not show that.)";

struct MeasuringOptions {
  DataOptions data;
  std::vector<std::string> items;
  std::optional<Epsilon> epsilon;
  std::optional<Rational> tick;
};

Outcome written(const MeasureRelease& release, const std::vector<Estimate>& estimates,
                const LabelledCandidates& labelled, const Json& parameters) {
  Outcome outcome{head("measure", parameters, release.cost), release.cost.spent};
  outcome.document["noise"] = noise(release.noise);
  Json& rows = outcome.document["measurements"] = Json::array();
  for (std::size_t i = 0; i < release.items.size(); ++i) {
    Json row = {{"item", labelled.label(release.items[i])},
                {"measured", release.value(i)},
                {"measured_ticks", release.value_ticks[i]}};
    add_estimate(row, estimates[i]);
    rows.push_back(std::move(row));
  }
  return outcome;
}

std::string measurements_table(const Json& document) {
  return setting(document) + "\n\n" +
         table(for_people(document["measurements"]),
               {{"item", "item", 24, true},
                {"estimate ± error", "estimate", 26},
                {percent(document) + " interval", "interval", 28}}) +
         "\n" + cost(document);
}

/// Names of items, each of them once.
std::vector<std::string> checked(std::vector<std::string> items) {
  for (std::string& item : items) {
    item = item_name("--items", item);
  }
  if (std::set<std::string>(items.begin(), items.end()).size() != items.size()) {
    throw InvalidParameter("--items", "name each item once");
  }
  return items;
}

Question make_question(const MeasuringOptions& asked, const OutputOptions& output) {
  const sources::DataSource source(asked.data.input,
                                   {.queries = asked.data.queries.declared(Kind::counts)});
  const std::vector<std::string> names = checked(asked.items);
  const MeasureOptions options{.epsilon = asked.epsilon.value(), .tick = asked.tick};
  const auto labelled = std::make_shared<const LabelledCandidates>(names, source);
  std::vector<Item> items(names.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].id = static_cast<std::int64_t>(i);
  }
  const MeasurePlan plan = plan_measure(labelled->candidates(), items, options);
  const auto estimator =
      std::make_shared<Estimator>(EstimateOptions{.confidence = output.confidence});
  Json parameters;
  describe(parameters, source);
  parameters["items"] = names;
  parameters["confidence"] = output.confidence;
  return {.verb = "measure",
          .source = source,
          .reserved = plan.cost.reserved,
          .parameters = parameters,
          .draw = [=](ExactNoise& noise) {
            const MeasureRelease release = measure(labelled->candidates(), items, options, noise);
            return written(release, (*estimator)(release), *labelled, parameters);
          }};
}

RegisteredVerb add(CLI::App& parent, Secrecy /*secrecy*/) {
  auto options = std::make_shared<MeasuringOptions>();
  CLI::App* verb = parent.add_subcommand("measure", "Noisy numbers of items that you name");
  add_input(*verb, options->data.input);
  verb->add_option("--items", options->items, "Which, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  add_parsed(*verb, "--epsilon", options->epsilon, "Budget for all of them, for example 0.7",
             Epsilon::parse)
      ->required();
  add_parsed(*verb, "--tick", options->tick,
             "Grid of the noise: 1 or another power of two (default: fine)", Rational::parse);
  add_queries(*verb, options->data.queries);
  verb->footer(example);
  return {verb, [=](const OutputOptions& output, const Context&) {
            return make_question(*options, output);
          }};
}

}  // namespace

ReleaseVerb measure_verb() {
  return {add,
          {{"measure",
            measurements_table,
            "measurements",
            {"item", "measured", "measured_ticks", "standard_error", "interval_low",
             "interval_high"}}}};
}

}  // namespace freegap::cli

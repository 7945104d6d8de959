#include "freegap/measure.hpp"

#include <CLI/CLI.hpp>
#include <set>

#include "document.hpp"
#include "freegap/errors.hpp"
#include "freegap/estimate.hpp"
#include "labelled_candidates.hpp"
#include "sources/text.hpp"
#include "verbs.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap measure sample.dat --items 368,529 --epsilon 0.5 --no-ledger

Adds Laplace noise to the numbers of the named items. They share the budget: t
items get noise of scale t * S / epsilon. An item that is not in the data counts
0, and nothing tells.)";

struct MeasuringOptions {
  DataOptions data;
  std::vector<std::string> items;
  std::string epsilon;
  std::string tick;
};

/// A measurement about to be made. Candidates are a view of the labelled.
struct Measuring {
  Measuring(const MeasuringOptions& asked, const OutputOptions& output)
      : queries(queries_of(asked.data, Kind::counts, counts_records(asked.data))),
        options{.epsilon = epsilon_of("--epsilon", asked.epsilon),
                .tick = tick_of({.distribution = {}, .tick = asked.tick})},
        confidence(output.level()),
        estimator({.confidence = confidence}),
        labelled(
            LabelledCandidates::of(asked.items, asked.data, queries, counts_records(asked.data))),
        candidates(labelled.candidates()),
        items(everything(candidates.size())),
        plan(plan_measure(candidates, items, options)) {
    describe(parameters, queries, labelled.unit());
    parameters["items"] = asked.items;
    parameters["confidence"] = confidence;
  }

  static std::vector<Item> everything(std::uint64_t n) {
    std::vector<Item> items(n);
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i].id = static_cast<std::int64_t>(i);
    }
    return items;
  }

  Queries queries;
  MeasureOptions options;
  double confidence;
  Estimator estimator;
  LabelledCandidates labelled;
  Candidates candidates;
  std::vector<Item> items;
  MeasurePlan plan;
  Json parameters;
};

Outcome draw(Measuring& measuring, ExactNoise& noise) {
  const MeasureRelease release =
      measure(measuring.candidates, measuring.items, measuring.options, noise);
  const std::vector<Estimate> estimates = measuring.estimator(release);
  Outcome outcome{head("measure", measuring.parameters, release.cost), release.cost.spent};
  outcome.document["noise"] = cli::noise(release.noise);
  Json& rows = outcome.document["measurements"] = Json::array();
  for (std::size_t i = 0; i < release.items.size(); ++i) {
    Json row = {{"item", measuring.labelled.label(release.items[i])},
                {"measured", release.value(i)},
                {"measured_ticks", release.value_ticks[i]}};
    add_estimate(row, estimates[i]);
    rows.push_back(std::move(row));
  }
  return outcome;
}

/// Names as the readers take them: without blanks around them, and not empty.
void check_items(std::vector<std::string>& items) {
  for (std::string& item : items) {
    item = std::string(sources::trimmed(item));
    if (item.empty() || item.size() > sources::longest_text ||
        sources::text_problem(item) != nullptr) {
      throw InvalidParameter("--items",
                             "a name is 1 to 1024 bytes of UTF-8 without control characters");
    }
  }
  if (std::set<std::string>(items.begin(), items.end()).size() != items.size()) {
    throw InvalidParameter("--items", "name each item once");
  }
}

}  // namespace

Verb add_measure(CLI::App& parent, Secrecy secrecy) {
  auto options = std::make_shared<MeasuringOptions>();
  auto output = std::make_shared<OutputOptions>();
  CLI::App* verb = parent.add_subcommand("measure", "Noisy numbers of items that you name");
  add_input(*verb, options->data);
  verb->add_option("--items", options->items, "Which, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  verb->add_option("--epsilon", options->epsilon, "Budget for all of them, for example 0.7")
      ->required();
  verb->add_option("--tick", options->tick,
                   "Grid of the noise: 1 or another power of two (default: fine)");
  add_queries(*verb, options->data);
  return finished(*verb, output, secrecy, example, [=] {
    check_items(options->items);
    const auto measuring = std::make_shared<Measuring>(*options, *output);
    return Job{"measure",
               measuring->labelled.unit(),
               measuring->queries.neighbours,
               measuring->plan.cost.reserved,
               measuring->parameters,
               [=](ExactNoise& noise) { return draw(*measuring, noise); }};
  });
}

}  // namespace freegap::cli

#include "questions/measure.hpp"

#include <CLI/CLI.hpp>
#include <set>

#include "cli/release_verb_table.hpp"
#include "freegap/errors.hpp"
#include "questions/document.hpp"
#include "questions/missing.hpp"
#include "report/explanations.hpp"
#include "sources/text.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap measure sample.dat --items 368,529 --epsilon 0.5 --no-ledger

Adds Laplace noise to the numbers of the named items. They share the budget: t
items get noise of scale t * S / epsilon. An item that is not in the data counts
0, and the release does not show that: to catch typing errors, say which items
there can be (--candidates, --universe). Names with commas: --item-name.)";

struct MeasuringOptions {
  DataOptions data;
  std::vector<std::string> items;  // separated by commas
  std::vector<std::string> names;  // taken whole
  std::string file;                // of names
  std::optional<Epsilon> epsilon;
  std::optional<Rational> tick;
  bool constant_work = false;
};

/// The members of a measurement, in order.
std::vector<std::string> csv_columns() {
  std::vector<std::string> columns{"item", "measured", "measured_ticks"};
  for (const std::string& column : estimate_columns()) {
    columns.push_back(column);
  }
  return columns;
}

std::string measurements_table(const Json& document) {
  return setting(document) + "\n\n" +
         table(for_people(document["measurements"]),
               {{"item", "item", 24, true},
                {"estimate ± error", "estimate", 26},
                {percent(document) + " interval", "interval", 28}}) +
         footnotes(document, document["measurements"]) + "\n" + cost(document);
}

/// Refuses a blank beside a comma of --items: the comma may be part of a name, and its halves would
/// be measured, and charged, as items that count 0.
void check_cut(const std::string& item) {
  if (sources::trimmed(item) != item) {
    throw InvalidParameter("--items",
                           "there is a blank beside a comma. If the comma is part of a name, say "
                           "--item-name NAME, which takes it whole; else leave out the blank. "
                           "Nothing was spent.");
  }
}

/// Names of items, each of them once.
std::vector<std::string> names_of(const MeasuringOptions& asked) {
  std::vector<std::string> names;
  for (const std::string& item : asked.items) {
    check_cut(item);
    names.push_back(item_name("--items", item));
  }
  for (const std::string& item : asked.names) {
    names.push_back(item_name("--item-name", item));
  }
  if (!asked.file.empty()) {
    const std::vector<std::string> listed = sources::read_list(asked.file);
    names.insert(names.end(), listed.begin(), listed.end());
  }
  if (names.empty()) {
    throw InvalidParameter(
        "--items",
        "which? Say --items A,B or --item-name NAME (repeatable, commas and all) "
        "or --items-file FILE (one name per line)");
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw InvalidParameter("--items", "name each item once");
  }
  return names;
}

Question make_question(const MeasuringOptions& asked, const OutputOptions& output,
                       Secrecy secrecy) {
  const sources::DataSource source(asked.data.input, asked.data.declaration(Kind::counts, secrecy));
  const std::vector<std::string> names = names_of(asked);
  const MeasureOptions options{
      .epsilon = asked.epsilon.value(), .tick = asked.tick, .constant_work = asked.constant_work};
  const std::optional<CandidateList> list = check_named(names, asked.data.candidates);
  const auto labelled = std::make_shared<const LabelledCandidates>(names, source);
  std::vector<Item> items(names.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].id = static_cast<std::int64_t>(i);
  }
  Question question = measure_question(options, output.confidence, items, labelled);
  question.candidate_list = list;
  return question;
}

RegisteredVerb add(CLI::App& parent, Secrecy secrecy) {
  auto options = std::make_shared<MeasuringOptions>();
  CLI::App* verb = parent.add_subcommand("measure", "Noisy numbers of items that you name");
  add_input(*verb, options->data.input);
  verb->add_option("--items", options->items, "Which, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("--item-name", options->names, "One of them, taken whole; repeatable")
      ->allow_extra_args(false);
  verb->add_option("--items-file", options->file, "File of their names, one per line");
  add_parsed(*verb, "--epsilon", options->epsilon, "Budget for all of them, for example 0.7",
             Epsilon::parse)
      ->required();
  add_parsed(*verb, "--tick", options->tick,
             "Grid of the noise: 1 or another power of two (default: fine)", Rational::parse);
  add_constant_work(*verb, options->constant_work);
  CLI::Option* list = verb->add_option("--candidates", options->data.candidates.list,
                                       "Public list of items; a name that is not in it is refused");
  add_universe(*verb, options->data.candidates,
               "LO..HI: public range of ids; a name that is none of them is refused")
      ->excludes(list);
  add_bounds(*verb, options->data.input);
  add_queries(*verb, options->data);
  verb->footer(example);
  return {verb,
          [=](const OutputOptions& output, const Context&) {
            return make_question(*options, output, secrecy);
          },
          [=] {
            return missing_about(options->data.input,
                                 options->data.declaration(Kind::counts, secrecy));
          },
          {options, &options->data.input}};
}

}  // namespace

ReleaseVerb measure_verb() {
  return {add, {{"measure", measurements_table, "measurements", csv_columns()}}};
}

}  // namespace freegap::cli

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/program.hpp"
#include "cli/rendering.hpp"
#include "cli/verbs.hpp"
#include "freegap/errors.hpp"
#include "freegap/version.hpp"
#include "ledger/ledger.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap budget create --ledger ledger.db --dataset shop --epsilon 3 \
    --unit transaction
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap top sample.dat -k 5 --epsilon 0.7 --universe 0..999 \
    --ledger ledger.db --dataset shop
  freegap budget show --ledger ledger.db --dataset shop
  freegap budget history --ledger ledger.db
  freegap budget show 1 --ledger ledger.db
  freegap budget export --ledger ledger.db

A ledger says what epsilon means for a data set and which releases spent it.
Every release is charged before it is drawn and stored before it is shown;
showing it again is free. (The answers of a stream are shown as they are given,
and stored at its end.))";

struct BudgetOptions {
  std::string ledger;
  std::string dataset;
  std::optional<Epsilon> epsilon;
  std::string unit;
  Neighbours neighbours = Neighbours::add_remove;
  std::optional<std::int64_t> entry;
  std::optional<OutputFormat> format;
};

Json parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json(text) : json;
}

/// A row for an entry, without the release itself, which may be long.
Json row_of(const ledger::Entry& entry) {
  return {{"entry", entry.number},
          {"dataset", entry.dataset},
          {"time", utc(entry.time)},
          {"who", entry.who},
          {"verb", entry.verb},
          {"parameters", parsed(entry.parameters)},
          {"reserved", entry.reserved.str()},
          {"spent", entry.spent ? Json(entry.spent->str()) : Json()},
          {"status", entry.spent ? "settled" : "unfinished"}};
}

const std::vector<std::string> entry_columns{"entry", "dataset",  "time",  "who",
                                             "verb",  "reserved", "spent", "status"};

void create(const BudgetOptions& options, const Context& context) {
  ledger::Ledger::create(options.ledger, {options.dataset, options.epsilon.value().value(),
                                          options.unit, options.neighbours});
  context.err << "freegap: " << options.ledger << " keeps a budget of "
              << options.epsilon->value().str() << " for \"" << options.dataset << "\"\n";
}

/// Prints a stored release again; of an unfinished entry, what is known of it.
void show_entry(const ledger::Ledger& ledger, const BudgetOptions& options, OutputFormat format,
                const Context& context) {
  const ledger::Entry entry = ledger.entry(*options.entry);
  if (!options.dataset.empty() && entry.dataset != options.dataset) {
    throw InvalidParameter("ENTRY", fmt::format("entry {} is of another data set, \"{}\"",
                                                entry.number, entry.dataset));
  }
  if (!entry.release) {
    throw InvalidParameter("ENTRY",
                           fmt::format("entry {} is unfinished: {} is charged, and no release was "
                                       "stored. What its process printed, if anything, is all "
                                       "there is",
                                       entry.number, entry.reserved.str()));
  }
  Json document = parsed(*entry.release);
  document["ledger"] = {{"entry", entry.number}};
  show(context, rendered(document, format));
}

/// The balances of one data set, or of all; refuses a name that is not in the ledger.
Json balances(const ledger::Ledger& ledger, const std::string& chosen) {
  Json rows = Json::array();
  for (const ledger::Dataset& dataset :
       chosen.empty() ? ledger.datasets() : std::vector{ledger.dataset(chosen)}) {
    const ledger::Balance balance = ledger.balance(dataset.name);
    rows.push_back({{"dataset", dataset.name},
                    {"total", balance.total.str()},
                    {"spent", balance.spent.str()},
                    {"reserved", balance.reserved.str()},
                    {"remaining", balance.remaining.str()},
                    {"unit", dataset.unit},
                    {"neighbours", name(dataset.neighbours)}});
  }
  return rows;
}

/// One JSON object per line, or CSV, or a table.
void show_rows(const Json& rows, const std::vector<std::string>& members,
               const std::vector<Column>& columns, OutputFormat format, const Context& context) {
  if (format == OutputFormat::csv) {
    show(context, csv(rows, members));
  } else if (format == OutputFormat::table) {
    show(context, rows.empty() ? "No entries yet.\n" : table(for_people(rows), columns));
  } else {
    std::string text;
    for (const Json& row : rows) {
      text += line_of(row) + "\n";
    }
    show(context, text);
  }
}

void show_balances(const ledger::Ledger& ledger, const BudgetOptions& options, OutputFormat format,
                   const Context& context) {
  show_rows(balances(ledger, options.dataset),
            {"dataset", "total", "spent", "reserved", "remaining", "unit", "neighbours"},
            {{"data set", "dataset", 18, true},
             {"total", "total", 10},
             {"spent", "spent", 12},
             {"reserved", "reserved", 10},
             {"left", "remaining", 12},
             {"unit", "unit", 14, true}},
            format, context);
}

void history(const BudgetOptions& options, const Context& context) {
  const ledger::Ledger ledger(options.ledger);
  Json rows = Json::array();
  for (const ledger::Entry& entry : ledger.history(options.dataset)) {
    rows.push_back(row_of(entry));
  }
  show_rows(rows, entry_columns,
            {{"entry", "entry"},
             {"data set", "dataset", 12, true},
             {"time", "time", 20, true},
             {"who", "who", 8, true},
             {"verb", "verb", 7, true},
             {"reserved", "reserved", 9},
             {"spent", "spent", 9}},
            format_or_default(options.format, context), context);
}

/// Everything, for auditors: one JSON document, or the entries as CSV.
void export_all(const BudgetOptions& options, const Context& context) {
  const ledger::Ledger ledger(options.ledger);
  Json entries = Json::array();
  for (const ledger::Entry& entry : ledger.history(options.dataset)) {
    Json row = row_of(entry);
    row["release"] = entry.release ? parsed(*entry.release) : Json();
    entries.push_back(std::move(row));
  }
  if (options.format == OutputFormat::csv) {
    std::vector<std::string> columns = entry_columns;
    columns.emplace_back("parameters");
    columns.emplace_back("release");
    for (Json& row : entries) {
      row["parameters"] = line_of(row["parameters"]);
      row["release"] = row["release"].is_null() ? Json() : Json(line_of(row["release"]));
    }
    show(context, csv(entries, columns));
    return;
  }
  Json document;
  document["freegap"] = version;
  document["datasets"] = balances(ledger, options.dataset);
  document["entries"] = std::move(entries);
  show(context, document.dump(1) + "\n");
}

CLI::App* add_verb(CLI::App& parent, const std::string& name, const std::string& what,
                   const std::shared_ptr<BudgetOptions>& options) {
  CLI::App* verb = parent.add_subcommand(name, what);
  verb->add_option("--ledger", options->ledger, "File of the ledger")->required();
  verb->add_option("--dataset", options->dataset, "Name of the data set")
      ->required(name == "create");
  verb->footer(example);
  return verb;
}

}  // namespace

void add_budget(CLI::App& app, const Context& context) {
  CLI::App* budget = app.add_subcommand("budget", "The ledger: what was spent, and what is left");
  budget->require_subcommand(1);
  budget->footer(example);
  auto options = std::make_shared<BudgetOptions>();

  CLI::App* verb = add_verb(*budget, "create", "Give a data set a budget", options);
  add_parsed(*verb, "--epsilon", options->epsilon, "All that may ever be spent on it",
             Epsilon::parse)
      ->required();
  verb->add_option("--unit", options->unit,
                   "What is protected: transaction, row, or the column that names a person")
      ->required();
  add_neighbours(*verb, options->neighbours, "add-remove (default) or replace");
  verb->callback([options, &context] { create(*options, context); });

  verb = add_verb(*budget, "show", "What is left; or an entry's release, again", options);
  add_number(*verb, "ENTRY", options->entry, "Number of an entry");
  add_format(*verb, options->format);
  verb->callback([options, &context] {
    const ledger::Ledger ledger(options->ledger);
    const OutputFormat format = format_or_default(options->format, context);
    options->entry ? show_entry(ledger, *options, format, context)
                   : show_balances(ledger, *options, format, context);
  });

  verb = add_verb(*budget, "history", "All entries, oldest first", options);
  add_format(*verb, options->format);
  verb->callback([options, &context] { history(*options, context); });

  verb = add_verb(*budget, "export", "Everything, releases included, for auditors", options);
  add_choice(*verb, "--format", options->format, "json (default) or csv",
             names_of({OutputFormat::json, OutputFormat::csv}));
  verb->callback([options, &context] { export_all(*options, context); });
}

}  // namespace freegap::cli

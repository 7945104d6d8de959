#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "cli/program.hpp"
#include "cli/release.hpp"
#include "cli/rendering.hpp"
#include "cli/report_file.hpp"
#include "cli/verbs.hpp"
#include "freegap/errors.hpp"
#include "freegap/version.hpp"
#include "ledger/ledger.hpp"
#include "questions/ledger_entry.hpp"
#include "questions/user.hpp"
#include "report/release_page.hpp"
#include "report/visible_text.hpp"

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
  freegap budget head --ledger ledger.db
  freegap budget check --ledger ledger.db

A ledger says what epsilon means for a data set and which releases spent it.
Every release is charged before it is drawn and stored before it is shown;
showing it again is free. (The answers of a stream are shown as they are given,
and stored at its end.) `check` reads the whole ledger and ends with exit status
1, and the row, where something does not hold.)";

struct BudgetOptions {
  std::string ledger;
  std::string dataset;
  std::optional<Epsilon> epsilon;
  std::optional<Delta> delta;
  std::string unit;
  std::optional<std::string> column;
  Neighbours neighbours = Neighbours::add_remove;
  std::optional<std::int64_t> entry;
  std::optional<OutputFormat> format;
  std::optional<std::string> report;
  std::optional<ledger::Head> head;
  std::string new_name;
  std::string copy;
  bool closed_copy = false;
};

Json parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json(text) : json;
}

/// A row for an entry, without the release itself, which may be long.
Json row_of(const ledger::Entry& entry) {
  const Json asked = entry.asked.empty() ? Json() : parsed(entry.asked);
  Json row{{"entry", entry.number},
           {"dataset", entry.dataset},
           {"time", utc(entry.time)},
           {"who", entry.who},
           {"verb", entry.verb},
           {"parameters", parsed(entry.parameters)},
           {"asked", asked},
           {"note", asked.is_object() ? asked.value("note", Json()) : Json()},
           {"reserved", entry.reserved.str()},
           {"spent", entry.spent ? Json(entry.spent->str()) : Json()}};
  if (entry.delta.sign() > 0) {
    row["delta"] = entry.delta.str();
  }
  row["status"] = entry.spent ? "settled" : "unfinished";
  return row;
}

std::string text_of(const ledger::Head& head) { return fmt::format("{}:{}", head.rows, head.hash); }

/// Whether any of the rows has a δ. Where none has, nothing is printed about it.
bool any_delta(const Json& rows, const std::string& member) {
  return std::any_of(rows.begin(), rows.end(), [&](const Json& row) {
    const auto found = row.find(member);
    return found != row.end() && *found != "0";
  });
}

/// The columns of entries as CSV.
std::vector<std::string> entry_columns(const Json& rows) {
  std::vector<std::string> columns{"entry", "dataset", "time", "who", "verb", "reserved", "spent"};
  if (any_delta(rows, "delta")) {
    columns.emplace_back("delta");
  }
  columns.insert(columns.end(), {"status", "note"});
  return columns;
}

/// Makes a change of the ledger. Where the machine fails, the message says whether it was made.
void make_change(const std::function<void()>& change) {
  using Fate = ledger::CommitFault::Fate;
  try {
    change();
  } catch (const ledger::CommitFault& fault) {
    throw MachineFault(std::string(fault.what()) +
                       (fault.fate() == Fate::not_written ? "; nothing was changed"
                        : fault.fate() == Fate::written
                            ? "; the change was made nevertheless"
                            : "; the change may have been made: `freegap budget show` tells"));
  } catch (const MachineFault& fault) {
    throw MachineFault(std::string(fault.what()) + "; nothing was changed");
  }
}

void create(const BudgetOptions& options, const Context& context) {
  check_unit_column(options.unit, options.column);
  make_change([&] {
    ledger::Ledger::create(options.ledger, {options.dataset, options.epsilon.value().value(),
                                            options.unit, options.neighbours, options.column,
                                            options.delta ? options.delta->value() : 0});
  });
  context.err << "freegap: " << visible(options.ledger) << " keeps a budget of "
              << options.epsilon->value().str()
              << (options.delta ? ", and a delta of " + options.delta->value().str() : "")
              << " for \"" << visible(options.dataset) << "\"\n";
}

/// The balances of one data set, or of all; refuses a name that is not in the ledger.
Json balances(const ledger::Ledger& ledger, const std::string& chosen) {
  Json rows = Json::array();
  for (const ledger::Dataset& dataset :
       chosen.empty() ? ledger.datasets() : std::vector{ledger.dataset(chosen)}) {
    Json row{{"dataset", dataset.name}};
    row.update(balance_document(ledger.balance(dataset.name)));
    row["unit"] = dataset.unit;
    row["column"] = dataset.column ? Json(*dataset.column) : Json();
    row["status"] = dataset.closed ? "closed" : "open";
    row["neighbours"] = name(dataset.neighbours);
    rows.push_back(std::move(row));
  }
  return rows;
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
    throw InvalidParameter(
        "ENTRY", fmt::format("entry {} is unfinished: {}{} is charged, and no release "
                             "was stored. What its process printed, if anything, is all "
                             "there is",
                             entry.number, entry.reserved.str(),
                             entry.delta.sign() > 0 ? " with delta " + entry.delta.str() : ""));
  }
  Json document = parsed(*entry.release);
  document["ledger"] = {{"entry", entry.number}};
  if (options.report) {
    write_file(*options.report, release_page(document, balances(ledger, entry.dataset).front()));
  }
  show(context, rendered(document, format));
}

/// One JSON object per line, or CSV, or a table.
void show_rows(const Json& rows, const std::vector<std::string>& members,
               const std::vector<Column>& columns, OutputFormat format, const Context& context) {
  if (is_csv(format)) {
    show(context, csv(rows, members, format));
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

/// Writes the page of a data set's spending.
void write_spending(const ledger::Ledger& ledger, const BudgetOptions& options) {
  const Json rows = balances(ledger, options.dataset);
  if (rows.size() != 1) {
    throw InvalidParameter("--report", "it is about one data set: say --dataset NAME");
  }
  const std::string dataset = rows.front()["dataset"];
  Json entries = Json::array();
  for (const ledger::Entry& entry : ledger.history(dataset)) {
    entries.push_back(row_of(entry));
    entries.back()["seconds"] = entry.time;
  }
  write_file(*options.report, spending_page(rows.front(), entries));
}

/// What is left of δ, for those data sets that have one; empty where none has.
std::string delta_table(const Json& rows) {
  Json deltas = Json::array();
  for (const Json& row : rows) {
    if (row["delta_total"] != "0") {
      deltas.push_back(row);
    }
  }
  if (deltas.empty()) {
    return "";
  }
  const std::vector<Column> columns{{"data set", "dataset", 18, true},
                                    {"δ total", "delta_total", 12},
                                    {"δ spent", "delta_spent", 12},
                                    {"δ reserved", "delta_reserved", 12},
                                    {"δ left", "delta_remaining", 12}};
  return "\n" + table(for_people(deltas), columns);
}

void show_balances(const ledger::Ledger& ledger, const BudgetOptions& options, OutputFormat format,
                   const Context& context) {
  Json rows = balances(ledger, options.dataset);
  if (format != OutputFormat::json) {  // in columns, what JSON has as one member
    for (Json& row : rows) {
      const Json delta = row["delta"];
      for (const auto& [name, value] : delta.items()) {
        row["delta_" + name] = value;
      }
    }
  }
  std::vector<std::string> members{"dataset", "total",  "spent",      "reserved", "remaining",
                                   "unit",    "column", "neighbours", "status"};
  if (any_delta(rows, "delta_total")) {
    members.insert(members.end(),
                   {"delta_total", "delta_spent", "delta_reserved", "delta_remaining"});
  }
  show_rows(rows, members,
            {{"data set", "dataset", 18, true},
             {"total", "total", 10},
             {"spent", "spent", 12},
             {"reserved", "reserved", 10},
             {"left", "remaining", 12},
             {"unit", "unit", 14, true},
             {"column", "column", 12, true},
             {"status", "status", 6, true}},
            format, context);
  if (format == OutputFormat::table) {
    show(context, delta_table(rows));
  }
}

void history(const BudgetOptions& options, const Context& context) {
  const ledger::Ledger ledger(options.ledger);
  Json rows = Json::array();
  for (const ledger::Entry& entry : ledger.history(options.dataset)) {
    rows.push_back(row_of(entry));
  }
  std::vector<Column> columns{{"entry", "entry"},         {"data set", "dataset", 12, true},
                              {"time", "time", 20, true}, {"who", "who", 8, true},
                              {"verb", "verb", 7, true},  {"reserved", "reserved", 9},
                              {"spent", "spent", 9}};
  if (any_delta(rows, "delta")) {
    columns.push_back({"δ", "delta", 10});
  }
  columns.push_back({"note", "note", 12, true});
  show_rows(rows, entry_columns(rows), columns, format_or_default(options.format, context),
            context);
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
  if (options.format && is_csv(*options.format)) {
    std::vector<std::string> columns = entry_columns(entries);
    columns.emplace_back("parameters");
    columns.emplace_back("asked");
    columns.emplace_back("release");
    for (Json& row : entries) {
      row["parameters"] = line_of(row["parameters"]);
      row["asked"] = row["asked"].is_null() ? Json() : Json(line_of(row["asked"]));
      row["release"] = row["release"].is_null() ? Json() : Json(line_of(row["release"]));
    }
    show(context, csv(entries, columns, *options.format));
    return;
  }
  Json document;
  document["freegap"] = version;
  document["head"] = text_of(ledger.head());
  document["datasets"] = balances(ledger, options.dataset);
  document["entries"] = std::move(entries);
  show(context, document.dump(1) + "\n");
}

/// "ROWS:HASH", or a hash alone.
ledger::Head parse_head(const std::string& text) {
  constexpr std::size_t hash_length = 64;
  const std::size_t colon = text.find(':');
  const bool alone = colon == std::string::npos;
  ledger::Head head{0, alone ? text : text.substr(colon + 1)};
  if (head.hash.size() != hash_length ||
      head.hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw InvalidParameter("head", "write what `freegap budget head` printed, ROWS:HASH");
  }
  if (!alone) {
    head.rows = static_cast<std::int64_t>(parse_whole(text.substr(0, colon), 1, INT64_MAX));
  }
  return head;
}

/// Checks the whole ledger. Where something does not hold, says so and sets the exit status.
void check(const BudgetOptions& options, const Context& context, int& status) {
  try {
    const ledger::Ledger ledger(options.ledger);
    const ledger::Head head = ledger.check(options.head);
    show(context, fmt::format("{} rows hold{}; head {}\n", head.rows,
                              options.head ? " and continue from that head" : "", text_of(head)));
  } catch (const ledger::Damaged& problem) {
    context.err << "freegap: " << visible_lines(problem.what()) << "\n";
    status = verification_failed;
  }
}

void close(const BudgetOptions& options, const Context& context) {
  make_change([&] { ledger::Ledger(options.ledger).close(options.dataset, user()); });
  context.err << "freegap: \"" << visible(options.dataset)
              << "\" is closed: nothing more can be released from it\n";
}

void rename(const BudgetOptions& options, const Context& context) {
  make_change(
      [&] { ledger::Ledger(options.ledger).rename(options.dataset, options.new_name, user()); });
  context.err << "freegap: \"" << visible(options.dataset) << "\" is now \""
              << visible(options.new_name) << "\"\n";
}

/// Copies the ledger. Either the copy or the original is closed afterwards.
void copy(const BudgetOptions& options, const Context& context) {
  using ledger::Copy;
  const ledger::Head head =
      ledger::Ledger(options.ledger)
          .copy(options.copy, user(), options.closed_copy ? Copy::closed : Copy::moved);
  show(context, text_of(head) + "\n");
  context.err << "freegap: " << visible(options.copy) << " has all rows up to this head"
              << (options.closed_copy
                      ? ", and its data sets are closed: releases go on in the original\n"
                      : "; the data sets of " + visible(options.ledger) + " are closed now\n");
}

CLI::App* add_verb(CLI::App& parent, const std::string& name, const std::string& what,
                   const std::shared_ptr<BudgetOptions>& options) {
  CLI::App* verb = parent.add_subcommand(name, what);
  verb->add_option("--ledger", options->ledger,
                   "File of the ledger, or postgresql://USER@HOST/DATABASE")
      ->required();
  if (name != "copy") {
    verb->add_option("--dataset", options->dataset, "Name of the data set")
        ->required(name == "create" || name == "close" || name == "rename");
  }
  verb->footer(example);
  return verb;
}

}  // namespace

void add_budget(CLI::App& app, const Context& context, int& status) {
  CLI::App* budget = app.add_subcommand("budget", "The ledger: what was spent, and what is left");
  budget->require_subcommand(1);
  budget->footer(example);
  auto options = std::make_shared<BudgetOptions>();

  CLI::App* verb = add_verb(*budget, "create", "Give a data set a budget", options);
  add_parsed(*verb, "--epsilon", options->epsilon, "All that may ever be spent on it",
             Epsilon::parse)
      ->required();
  add_parsed(*verb, "--delta", options->delta,
             "The sum of delta of releases that have one (default: none may)", Delta::parse);
  verb->add_option("--unit", options->unit,
                   "What is protected: transaction, row, or what a --column names")
      ->required();
  verb->add_option("--column", options->column,
                   "The column that names the unit: releases that count rows must name it");
  add_neighbours(*verb, options->neighbours, "add-remove (default) or replace");
  verb->callback([options, &context] { create(*options, context); });

  verb = add_verb(*budget, "show", "What is left; or an entry's release, again", options);
  add_number(*verb, "ENTRY", options->entry, "Number of an entry");
  add_format(*verb, options->format);
  add_report(*verb, options->report);
  verb->callback([options, &context] {
    if (options->report) {
      check_report(*options->report, {{"--ledger", options->ledger}});
    }
    const ledger::Ledger ledger(options->ledger);
    const OutputFormat format = format_or_default(options->format, context);
    if (options->report && !options->entry) {
      write_spending(ledger, *options);
    }
    options->entry ? show_entry(ledger, *options, format, context)
                   : show_balances(ledger, *options, format, context);
  });

  verb = add_verb(*budget, "history", "All entries, oldest first", options);
  add_format(*verb, options->format);
  verb->callback([options, &context] { history(*options, context); });

  verb = add_verb(*budget, "export", "Everything, releases included, for auditors", options);
  add_choice(*verb, "--format", options->format,
             "json (default), csv, or csv-safe: csv in which no text is a formula to a spreadsheet",
             names_of({OutputFormat::json, OutputFormat::csv, OutputFormat::csv_safe}));
  verb->callback([options, &context] { export_all(*options, context); });

  verb = add_verb(*budget, "check", "Check the whole ledger: chain, head and rules", options);
  add_parsed(*verb, "--head", options->head,
             "Also that it continues from this head, kept elsewhere: ROWS:HASH", parse_head);
  verb->callback([options, &context, &status] { check(*options, context, status); });

  verb = add_verb(*budget, "head", "One line for all entries, to be kept elsewhere", options);
  verb->callback([options, &context] {
    show(context, text_of(ledger::Ledger(options->ledger).head()) + "\n");
  });

  verb = add_verb(*budget, "close", "Let nothing more be released from a data set", options);
  verb->callback([options, &context] { close(*options, context); });

  verb = add_verb(*budget, "rename", "Give a data set another name", options);
  verb->add_option("--name", options->new_name, "The new name, not used before in this ledger")
      ->required();
  verb->callback([options, &context] { rename(*options, context); });

  verb = add_verb(*budget, "copy", "Move the whole ledger to a file or database", options);
  verb->add_option("--to", options->copy, "The new ledger: a file that is not there, or a URL")
      ->required();
  verb->add_flag("--closed", options->closed_copy,
                 "Close the data sets of the copy (for an archive) instead of those of the "
                 "original");
  verb->callback([options, &context] { copy(*options, context); });
}

}  // namespace freegap::cli

#include "cli/release.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/release_page.hpp"
#include "cli/rendering.hpp"
#include "cli/user.hpp"
#include "freegap/errors.hpp"
#include "ledger/ledger.hpp"
#include "sources/text.hpp"

namespace freegap::cli {
namespace {

constexpr const char* where_charged =
    "where is the cost to be charged? Say --ledger FILE --dataset NAME (`freegap budget create` "
    "makes one),\n  or --no-ledger if you account for the cost yourself.";

/// The unit of a release: what the source declares, where a column that the data set ties to its
/// unit stands for that unit; or else the data set's. Throws InvalidParameter where rows are
/// counted by another column than the data set's.
std::string unit_of(const sources::DataSource& source, const ledger::Dataset& dataset) {
  const std::optional<std::string> declared = source.unit();
  if (!declared) {
    return dataset.unit;
  }
  // A ledger may be older than the rule that such a column is refused. The unit of the release is
  // then not that of the data set, and the ledger refuses it.
  const bool tied = dataset.column && *dataset.column != "row" && named_by_column(dataset.unit);
  if (source.records() != sources::Records::rows || !tied) {
    return *declared;
  }
  if (*declared != *dataset.column) {
    throw InvalidParameter("--unit", "the unit of \"" + dataset.name + "\" is " + dataset.unit +
                                         ", which the column \"" + *dataset.column +
                                         "\" names: say --unit " + *dataset.column);
  }
  return dataset.unit;
}

std::string parse_note(const std::string& text) {
  constexpr std::size_t longest = 1000;
  if (text.empty() || text.size() > longest || sources::text_problem(text) != nullptr) {
    throw InvalidParameter("note", "a note is 1 to 1000 bytes of UTF-8 without control characters");
  }
  return text;
}

/// The document as it is stored: in one line, with the answers of a stream.
std::string stored_text(const Outcome& outcome) {
  std::string text = line_of(outcome.document);
  if (!outcome.answers.empty()) {
    // Quotation marks within a text have a backslash, so this is the member itself.
    constexpr std::string_view empty_list = "\"answers\":[]";
    text.insert(text.find(empty_list) + empty_list.size() - 1, outcome.answers);
  }
  return text;
}

/// The ledger entry of one release: charged when it is made. None where the caller declined a
/// ledger.
class LedgerEntry {
 public:
  /// Charges the worst case of a question. Throws where the ledger refuses.
  LedgerEntry(const LedgerOptions& options, const Question& question)
      : options_(options), unit_(question.source.unit()) {
    if (options.no_ledger) {
      return;
    }
    // A reader that goes away must not end the program before the entry is settled.
    std::signal(SIGPIPE, SIG_IGN);
    ledger_ = std::make_unique<ledger::Ledger>(options.file);
    unit_ = unit_of(question.source, ledger_->dataset(options.dataset));
    Json parameters = question.parameters;
    state_unit(parameters);
    reserve({.dataset = options.dataset,
             .unit = *unit_,
             .neighbours = question.source.queries().neighbours,
             .who = user(),
             .verb = question.verb,
             .parameters = line_of(parameters),
             .asked = line_of(question.asked),
             .reserved = question.reserved,
             .largest_release = question.largest_release + besides_the_answers});
    if (question.hold_room) {
      *question.hold_room = [this](std::uint64_t bytes) {
        ledger_->hold(number_, bytes + besides_the_answers);
      };
    }
  }

  /// Adds the unit to the parameters of the release; nothing where nobody declared one.
  void state_unit(Json& parameters) const {
    if (unit_) {
      parameters["unit"] = *unit_;
    }
  }

  /// Stores the release and what it cost.
  void settle(const Outcome& outcome) {
    if (!ledger_) {
      return;
    }
    try {
      ledger_->settle(number_, outcome.spent, stored_text(outcome));
    } catch (const ledger::CommitFault& fault) {
      throw MachineFault(std::string(fault.what()) + "; " + after_settling(fault.fate()));
    } catch (const std::exception& error) {
      fail(error);
    }
    try {
      const ledger::Balance balance = ledger_->balance(options_.dataset);
      remaining_ = balance.remaining.str();
      balance_ = {{"total", balance.total.str()},
                  {"spent", balance.spent.str()},
                  {"reserved", balance.reserved.str()},
                  {"remaining", remaining_}};
    } catch (const std::exception&) {
      remaining_.clear();  // the release is safe, and what is left can be asked for again
    }
  }

  /// Adds to a document where it is stored; nothing where there is no ledger.
  void stamp(Json& document) const {
    if (!ledger_) {
      return;
    }
    document["ledger"]["entry"] = number_;
    if (!remaining_.empty()) {
      document["ledger"]["remaining"] = remaining_;
    }
  }

  /// What the data set had and has left, after the settlement; null where that is not known.
  [[nodiscard]] const Json& balance() const { return balance_; }

  /// Where to find a release that could not be shown; empty where there is no ledger.
  [[nodiscard]] std::string whereabouts() const {
    return ledger_ ? "the release is safe: `freegap budget show " + std::to_string(number_) +
                         " --ledger " + options_.file + "` prints it"
                   : "";
  }

  /// Reports what failed between the charge and the settlement: a fault of the machine, never bad
  /// input, that says what stays charged.
  [[noreturn]] void fail(const std::exception& error) const {
    const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    throw MachineFault(
        (no_memory ? "out of memory" : error.what()) +
        (ledger_ ? "; entry " + std::to_string(number_) + " stays charged in full" : ""));
  }

 private:
  /// What a release may take besides its rows: parameters, noise, branches.
  static constexpr std::uint64_t besides_the_answers = std::uint64_t{1} << 16U;

  void reserve(const ledger::Request& request) {
    try {
      number_ = ledger_->reserve(request);
    } catch (const ledger::CommitFault& fault) {
      using Fate = ledger::CommitFault::Fate;
      const std::string look = "; `freegap budget history` shows it";
      throw MachineFault(std::string(fault.what()) +
                         (fault.fate() == Fate::not_written ? "; nothing was charged"
                          : fault.fate() == Fate::written
                              ? "; the reservation is charged in full" + look
                              : "; the reservation may be charged" + look));
    }
  }

  /// What is charged after a settlement that failed at its end.
  [[nodiscard]] std::string after_settling(ledger::CommitFault::Fate fate) const {
    const std::string entry = "entry " + std::to_string(number_);
    const std::string look = ": `freegap budget show " + std::to_string(number_) + " --ledger " +
                             options_.file + "` prints it";
    switch (fate) {
      case ledger::CommitFault::Fate::not_written:
        return entry + " stays charged in full";
      case ledger::CommitFault::Fate::written:
        return entry + " was settled nevertheless" + look;
      case ledger::CommitFault::Fate::unknown:
        break;
    }
    return entry + " is charged in full unless it was settled" + look + " in that case";
  }

  LedgerOptions options_;
  std::optional<std::string> unit_;
  std::unique_ptr<ledger::Ledger> ledger_;  // kept open: another file may get its name
  std::int64_t number_ = 0;
  std::string remaining_;
  Json balance_;
};

/// Writes the page of a release that is settled; what went wrong, if anything did.
std::string write_report(const std::string& path, const Outcome& outcome,
                         const LedgerEntry& entry) {
  try {
    write_file(path, release_page(outcome.document, entry.balance(), outcome.drawn));
    return "";
  } catch (const std::exception& error) {
    const std::string whereabouts = entry.whereabouts();
    return std::string(error.what()) + (whereabouts.empty() ? "" : "; " + whereabouts);
  }
}

}  // namespace

bool named_by_column(const std::string& unit) { return unit != "row" && unit != "transaction"; }

void add_ledger(CLI::App& verb, LedgerOptions& options) {
  CLI::Option* file =
      verb.add_option("--ledger", options.file, "Ledger that the cost is charged to");
  CLI::Option* dataset = verb.add_option("--dataset", options.dataset, "Data set in the ledger");
  file->needs(dataset);
  dataset->needs(file);
  add_parsed(verb, "--note", options.note, "A note for the ledger, up to 1000 bytes", parse_note)
      ->needs(file);
  verb.add_flag("--no-ledger", options.no_ledger,
                "Charge no ledger: you account for the cost yourself")
      ->excludes(file);
}

std::optional<Missing> missing_ledger(const LedgerOptions& options) {
  return options.no_ledger || !options.file.empty()
             ? std::nullopt
             : std::optional(Missing{"ledger", where_charged});
}

void release(const Question& question, const LedgerOptions& ledger, const OutputOptions& output,
             const Context& context) {
  SecureNoise noise;  // throws without entropy, before anything is charged
  LedgerEntry entry(ledger, question);
  Outcome outcome;
  try {
    outcome = question.draw(noise);
    entry.state_unit(outcome.document["parameters"]);
  } catch (const std::exception& error) {
    entry.fail(error);
  }
  entry.settle(outcome);
  entry.stamp(outcome.document);
  std::string text;
  try {
    text = question.rest ? question.rest(outcome.document)
                         : rendered(outcome.document, format_or_default(output.format, context));
  } catch (const std::exception& error) {  // the release is stored: say where, and exit as a fault
    throw MachineFault(std::string(error.what()) + "; " + entry.whereabouts());
  }
  const std::string unwritten = output.report ? write_report(*output.report, outcome, entry) : "";
  outcome.answers = std::string();
  show(context, text, entry.whereabouts());
  if (!unwritten.empty()) {
    throw MachineFault(unwritten);
  }
  if (!outcome.fault.empty()) {
    throw MachineFault(outcome.fault);
  }
}

void simulate(const Question& question, std::uint64_t runs, std::uint64_t seed,
              const Context& context) {
  Progress progress(context.err, context.terminal && !context.out_terminal);
  progress.start("runs");
  InsecureSeededNoise noise(seed);
  for (std::uint64_t run = 1; run <= runs; ++run) {
    Outcome outcome = question.draw(noise);
    outcome.document["simulated"] = {{"seed", seed}, {"run", run}};
    context.out << line_of(outcome.document) << '\n';
    if (!context.out) {
      break;
    }
    if (run % 64 == 0) {
      progress.show(run, runs);
    }
  }
  show(context, "");
}

}  // namespace freegap::cli

#include "cli/release.hpp"

#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/rendering.hpp"
#include "freegap/errors.hpp"
#include "ledger/ledger.hpp"

namespace freegap::cli {
namespace {

constexpr const char* no_choice =
    "where is the cost to be charged? Say --ledger FILE --dataset NAME (`freegap budget create` "
    "makes one),\n  or --no-ledger if you account for the cost yourself. Nothing was spent.";

/// The login name of the user who runs the program.
std::string user() {
  std::vector<char> buffer(4096);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr) {
    return found->pw_name;
  }
  return "uid " + std::to_string(geteuid());
}

/// The ledger entry of one release: charged when it is made. None where the caller declined a
/// ledger.
class LedgerEntry {
 public:
  /// Charges the worst case; `request` says all but the data set and the user. Throws where the
  /// ledger refuses.
  LedgerEntry(const LedgerOptions& options, ledger::Request request) : options_(options) {
    check_ledger(options);
    if (options.no_ledger) {
      return;
    }
    // A reader that goes away must not end the program before the entry is settled.
    std::signal(SIGPIPE, SIG_IGN);
    ledger_ = std::make_unique<ledger::Ledger>(options.file);
    request.dataset = options.dataset;
    request.who = user();
    number_ = ledger_->reserve(request);
  }

  /// Stores the release and what it cost.
  void settle(const Outcome& outcome) {
    if (!ledger_) {
      return;
    }
    ledger_->settle(number_, outcome.spent, line_of(outcome.document));
    try {
      remaining_ = ledger_->balance(options_.dataset).remaining.str();
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

  /// Where to find a release that could not be shown; empty where there is no ledger.
  [[nodiscard]] std::string whereabouts() const {
    return ledger_ ? "the release is safe: `freegap budget show " + std::to_string(number_) +
                         " --ledger " + options_.file + "` prints it"
                   : "";
  }

  /// Reports what failed between the charge and the end of the settlement: a fault of the machine,
  /// never bad input, that says what stays charged.
  [[noreturn]] void fail(const std::exception& error) const {
    throw MachineFault(
        error.what() +
        (ledger_ ? "; entry " + std::to_string(number_) + " stays charged in full" : ""));
  }

 private:
  LedgerOptions options_;
  std::unique_ptr<ledger::Ledger> ledger_;  // kept open: another file may get its name
  std::int64_t number_ = 0;
  std::string remaining_;
};

}  // namespace

void add_ledger(CLI::App& verb, LedgerOptions& options) {
  CLI::Option* file =
      verb.add_option("--ledger", options.file, "Ledger that the cost is charged to");
  CLI::Option* dataset = verb.add_option("--dataset", options.dataset, "Data set in the ledger");
  file->needs(dataset);
  dataset->needs(file);
  verb.add_flag("--no-ledger", options.no_ledger,
                "Charge no ledger: you account for the cost yourself")
      ->excludes(file);
}

void check_ledger(const LedgerOptions& options) {
  if (!options.no_ledger && options.file.empty()) {
    throw InvalidParameter("ledger", no_choice);
  }
}

void release(const Question& question, const LedgerOptions& ledger, OutputFormat format,
             const Context& context) {
  SecureNoise noise;  // throws without entropy, before anything is charged
  LedgerEntry entry(ledger, {.dataset = {},
                             .unit = question.source.unit(),
                             .neighbours = question.source.queries().neighbours,
                             .who = {},
                             .verb = question.verb,
                             .parameters = line_of(question.parameters),
                             .reserved = question.reserved});
  Outcome outcome;
  try {
    outcome = question.draw(noise);
    entry.settle(outcome);
  } catch (const std::exception& error) {
    entry.fail(error);
  }
  entry.stamp(outcome.document);
  std::string text;
  try {
    text = question.rest ? question.rest(outcome.document) : rendered(outcome.document, format);
  } catch (const std::exception& error) {  // the release is stored: say where, and exit as a fault
    throw MachineFault(std::string(error.what()) + "; " + entry.whereabouts());
  }
  show(context, text, entry.whereabouts());
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

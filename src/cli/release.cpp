#include "cli/release.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <ostream>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/rendering.hpp"
#include "freegap/errors.hpp"
#include "questions/ledger_entry.hpp"
#include "report/release_page.hpp"
#include "sources/text.hpp"

namespace freegap::cli {
namespace {

constexpr const char* where_charged =
    "where is the cost to be charged? Say --ledger FILE --dataset NAME (`freegap budget create` "
    "makes one),\n  or --no-ledger if you account for the cost yourself.";

std::string parse_note(const std::string& text) {
  constexpr std::size_t longest = 1000;
  if (text.empty() || text.size() > longest || sources::text_problem(text) != nullptr) {
    throw InvalidParameter("note", "a note is 1 to 1000 bytes of UTF-8 without control characters");
  }
  return text;
}

/// What went wrong, and where the release is kept, if it is.
std::string told(const std::exception& error, const LedgerEntry& entry) {
  const std::string whereabouts = entry.whereabouts();
  return std::string(error.what()) + (whereabouts.empty() ? "" : "; " + whereabouts);
}

/// Writes the page of a release that is settled; what went wrong, if anything did.
std::string write_report(const std::string& path, const Outcome& outcome,
                         const LedgerEntry& entry) {
  try {
    write_file(path, release_page(outcome.document, entry.balance(), outcome.drawn));
    return "";
  } catch (const std::exception& error) {
    return told(error, entry);
  }
}

}  // namespace

void add_ledger(CLI::App& verb, LedgerOptions& options) {
  CLI::Option* file = verb.add_option(
      "--ledger", options.file,
      "Ledger that the cost is charged to: a file, or postgresql://USER@HOST/DATABASE");
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
  if (!ledger.no_ledger) {
    // A reader that goes away must not end the program before the entry is settled.
    std::signal(SIGPIPE, SIG_IGN);
  }
  LedgerEntry entry(ledger, question);
  Outcome outcome = settled(question, entry, noise);
  entry.stamp(outcome.document);
  std::string text;
  try {
    text = question.rest ? question.rest(outcome.document)
                         : rendered(outcome.document, format_or_default(output.format, context));
  } catch (const std::exception& error) {  // the release is stored: say where, and exit as a fault
    throw MachineFault(told(error, entry));
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

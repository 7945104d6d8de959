#include "job.hpp"

#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <ostream>
#include <vector>

#include "freegap/errors.hpp"
#include "present.hpp"
#include "program.hpp"
#include "progress.hpp"

namespace freegap::cli {
namespace {

constexpr const char* unaccounted =
    "where is the cost to be written down? Say --ledger FILE --dataset NAME (`freegap budget "
    "create` "
    "makes one),\n  or --no-ledger if you keep the books yourself. Nothing was spent.";

/// The login name of whoever runs the program.
std::string who() {
  std::vector<char> buffer(4096);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr) {
    return found->pw_name;
  }
  return "uid " + std::to_string(geteuid());
}

}  // namespace

void add_ledger(CLI::App& verb, LedgerOptions& options) {
  CLI::Option* file =
      verb.add_option("--ledger", options.file, "Ledger that the cost is charged to");
  CLI::Option* dataset = verb.add_option("--dataset", options.dataset, "Data set in the ledger");
  file->needs(dataset);
  dataset->needs(file);
  verb.add_flag("--no-ledger", options.no_ledger, "Charge no ledger: you keep the books yourself")
      ->excludes(file);
}

void Booking::check(const LedgerOptions& options) {
  if (!options.no_ledger && options.file.empty()) {
    throw InvalidParameter("ledger", unaccounted);
  }
}

Booking::Booking(const LedgerOptions& options, const Job& job) : options_(options) {
  check(options);
  if (options.no_ledger) {
    return;
  }
  // A reader that goes away must not end the program before its books are settled.
  std::signal(SIGPIPE, SIG_IGN);
  books_ = std::make_unique<ledger::Ledger>(options.file);
  entry_ = books_->reserve({options.dataset, job.unit, job.neighbours, who(), job.verb,
                            line_of(job.parameters), job.reserved});
}

void Booking::fail(const std::exception& error) const {
  const std::string charged =
      books_ ? "; entry " + std::to_string(entry_) + " stays charged in full" : "";
  throw MachineFault(error.what() + charged);
}

void Booking::settle(const Outcome& outcome) {
  if (!books_) {
    return;
  }
  books_->settle(entry_, outcome.spent, line_of(outcome.document));
  try {
    remaining_ = books_->balance(options_.dataset).remaining.str();
  } catch (const std::exception&) {
    remaining_.clear();  // the release is safe, and what is left can be asked for again
  }
}

void Booking::stamp(Json& document) const {
  if (!books_) {
    return;
  }
  document["ledger"]["entry"] = entry_;
  if (!remaining_.empty()) {
    document["ledger"]["remaining"] = remaining_;
  }
}

std::string Booking::whereabouts() const {
  if (!books_) {
    return {};
  }
  return "the release is safe: `freegap budget show " + std::to_string(entry_) + " --ledger " +
         options_.file + "` prints it";
}

void release(const Job& job, const LedgerOptions& ledger, const std::string& format,
             const Context& context) {
  SecureNoise noise;  // no entropy, no reservation
  Booking booking(ledger, job);
  Outcome outcome;
  booking.guarded([&] {
    outcome = job.draw(noise);
    booking.settle(outcome);
  });
  booking.stamp(outcome.document);
  show(context, present(outcome.document, format_or_default(format, context)),
       booking.whereabouts());
}

void simulate(const Job& job, std::uint64_t runs, std::uint64_t seed, const Context& context) {
  Progress progress(context.err, context.terminal && !context.out_terminal);
  progress.start("runs");
  InsecureSeededNoise noise(seed);
  for (std::uint64_t run = 1; run <= runs; ++run) {
    Outcome outcome = job.draw(noise);
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

void show(const Context& context, const std::string& text, const std::string& whereabouts) {
  context.out << text << std::flush;
  if (!context.out) {
    throw MachineFault("cannot write to standard output" +
                       (whereabouts.empty() ? std::string() : "; " + whereabouts));
  }
}

std::string line_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string format_or_default(const std::string& format, const Context& context) {
  if (!format.empty()) {
    return format;
  }
  return context.out_terminal ? "table" : "json";
}

}  // namespace freegap::cli

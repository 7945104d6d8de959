#pragma once

/// @file
/// A release, from its validated question to its presentation. All validation is over before a job
/// exists; noise is drawn only when the ledger has charged the worst case; nothing is shown before
/// it has been settled.

#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "freegap/noise.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"
#include "ledger/ledger.hpp"
#include "options.hpp"

namespace freegap::cli {

struct Context;

/// Keeps its members in the order in which they were set.
using Json = nlohmann::ordered_json;

/// What was drawn: the public document that describes it, and its exact cost.
struct Outcome {
  Json document;   ///< everything public
  Rational spent;  ///< what the output shows was used
};

/// A question that is ready to be answered.
struct Job {
  std::string verb;                                ///< for the books
  std::string unit;                                ///< what is protected
  Neighbours neighbours = Neighbours::add_remove;  ///< against which change
  Rational reserved;                               ///< worst case
  Json parameters;                                 ///< all public options
  std::function<Outcome(ExactNoise&)> draw;        ///< answers
};

/// Where the cost of a release is written down.
struct LedgerOptions {
  std::string file;        ///< an existing ledger
  std::string dataset;     ///< a data set in it
  bool no_ledger = false;  ///< said outright
};

/// --ledger, --dataset, --no-ledger.
void add_ledger(CLI::App& verb, LedgerOptions& options);

/// The books of one release: charged before anything is drawn, settled before anything is shown.
class Booking {
 public:
  /// Throws unless a ledger was named or declined. Asked before any data is read.
  static void check(const LedgerOptions& options);
  /// Charges the worst case, or does nothing where no ledger is kept. Throws where the ledger
  /// refuses, and where it was neither named nor declined.
  Booking(const LedgerOptions& options, const Job& job);
  /// Writes down the release and what it cost.
  void settle(const Outcome& outcome);
  /// Adds to a document where it is in the books; nothing where no ledger is kept.
  void stamp(Json& document) const;
  /// Does the work between charging and settling. What fails there fails after the charge: it is a
  /// fault of the machine, never bad input.
  template <class Work>
  void guarded(const Work& work) const {
    try {
      work();
    } catch (const std::exception& error) {
      fail(error);
    }
  }
  /// Where to find a release that could not be shown; empty where no ledger is kept.
  [[nodiscard]] std::string whereabouts() const;

 private:
  /// Throws the error as a fault of the machine, with what became of the charge.
  [[noreturn]] void fail(const std::exception& error) const;

  LedgerOptions options_;
  std::unique_ptr<ledger::Ledger> books_;  // kept open: another file may come to have its name
  std::int64_t entry_ = 0;
  std::string remaining_;
};

/// Makes a release: charges, draws, settles, shows.
void release(const Job& job, const LedgerOptions& ledger, const std::string& format,
             const Context& context);

/// Makes many releases about data that is not secret, with seeded noise, one JSON object a line.
void simulate(const Job& job, std::uint64_t runs, std::uint64_t seed, const Context& context);

/// Writes to standard output and makes sure that it got there; otherwise throws MachineFault.
void show(const Context& context, const std::string& text, const std::string& whereabouts = {});

/// A document on one line.
std::string line_of(const Json& document);

/// table, json or csv: what was asked for, or what suits the output.
std::string format_or_default(const std::string& format, const Context& context);

}  // namespace freegap::cli

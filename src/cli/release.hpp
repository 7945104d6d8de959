#pragma once

/// @file
/// The one way to a release, for files and streams alike. A question is planned and validated
/// before it exists; then it is charged, drawn, settled, stamped and shown, in this order.

#include <cstdint>
#include <functional>
#include <string>

#include "cli/output.hpp"
#include "freegap/noise.hpp"
#include "freegap/rational.hpp"
#include "sources/data_source.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace freegap::cli {

/// What was drawn: the public document that describes it, and its exact cost.
struct Outcome {
  Json document;           ///< everything public
  Rational spent;          ///< what the output shows was used
  std::string fault = {};  ///< what ended it early, if the machine did; it is settled all the same
};

/// A validated question, ready to be answered.
struct Question {
  std::string verb;                          ///< for the ledger
  sources::DataSource source;                ///< has its unit and its neighbours
  Rational reserved;                         ///< worst case
  Json parameters;                           ///< all public options
  std::function<Outcome(ExactNoise&)> draw;  ///< answers; of a stream, also shows each answer
  std::function<std::string(const Json&)> rest = {};  ///< of a stream: what is shown at its end
};

/// Where the cost of a release is charged.
struct LedgerOptions {
  std::string file;        ///< an existing ledger
  std::string dataset;     ///< a data set in it
  bool no_ledger = false;  ///< the caller accounts for the cost
};

/// --ledger, --dataset, --no-ledger.
void add_ledger(CLI::App& verb, LedgerOptions& options);

/// Throws unless a ledger was named or declined. Asked before any data is read.
void check_ledger(const LedgerOptions& options);

/// Makes a release. Without entropy nothing is charged; nothing is drawn before the ledger has
/// charged the worst case, and nothing but the answers of a stream is shown before the release is
/// settled. Throws MachineFault for whatever fails after the charge.
void release(const Question& question, const LedgerOptions& ledger, OutputFormat format,
             const Context& context);

/// Makes many releases about data that is not secret, with seeded noise, one JSON object per line.
void simulate(const Question& question, std::uint64_t runs, std::uint64_t seed,
              const Context& context);

}  // namespace freegap::cli

#pragma once

/// @file
/// The verbs of the program, one a file. Those that release register their options and return how
/// the options become a job, so that `simulate` can run the same verbs on data that is not secret.

#include <functional>
#include <memory>
#include <string>

#include "job.hpp"
#include "options.hpp"

namespace freegap::cli {

/// A verb that releases: what it is called, and how its options become a job once they are parsed.
struct Verb {
  CLI::App* command = nullptr;                          ///< as registered
  std::shared_ptr<OutputOptions> output;                ///< how to show it
  std::function<Job()> job;                             ///< reads, validates, plans
  std::function<bool()> online = [] { return false; };  ///< whether it answers a stream instead
  /// Answers a stream, where `online` says so.
  std::function<void(const LedgerOptions&, const Context&)> stream;
};

/// A verb whose own options are registered: adds --confidence, --format and the example.
Verb finished(CLI::App& command, const std::shared_ptr<OutputOptions>& output, Secrecy secrecy,
              const char* example, std::function<Job()> job);

/// top: the k largest, with gaps; with a threshold, the hybrids.
Verb add_top(CLI::App& parent, Secrecy secrecy);
/// above: sparse vector, plain, adaptive or online.
Verb add_above(CLI::App& parent, Secrecy secrecy);
/// choose: the exponential mechanism.
Verb add_choose(CLI::App& parent, Secrecy secrecy);
/// measure: the Laplace mechanism.
Verb add_measure(CLI::App& parent, Secrecy secrecy);

/// Adds the verbs that release, with their ledger.
void add_releases(CLI::App& app, const Context& context);
/// Adds `simulate`, with the same verbs.
void add_simulate(CLI::App& app, const Context& context);
/// Adds `count`.
void add_count(CLI::App& app, const Context& context);
/// Adds `plan`.
void add_plan(CLI::App& app, const Context& context);
/// Adds `budget`.
void add_budget(CLI::App& app, const Context& context);
/// Adds `verify`. Its callback sets `status`.
void add_verify(CLI::App& app, const Context& context, int& status);

}  // namespace freegap::cli

#pragma once

/// @file
/// The verbs of the program, one per file. A mechanism is added with a file for its verb and one
/// line in the table `release_verbs`.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/release.hpp"
#include "cli/rendering.hpp"

namespace freegap::cli {

/// A verb that releases, once its own options are registered.
struct RegisteredVerb {
  CLI::App* command = nullptr;  ///< has the options
  /// Reads, validates and plans.
  std::function<Question(const OutputOptions&, const Context&)> question;
};

/// A verb that releases. It is registered twice: for data that is secret, and for `simulate`.
struct ReleaseVerb {
  RegisteredVerb (*add)(CLI::App& parent, Secrecy secrecy);  ///< registers its options
  std::vector<Renderer> renderers;                           ///< of its mechanisms
};

/// top: the k largest, with gaps; with a threshold, the hybrids.
ReleaseVerb top_verb();
/// above: sparse vector, plain or adaptive, of a file or a stream.
ReleaseVerb above_verb();
/// choose: the exponential mechanism.
ReleaseVerb choose_verb();
/// measure: the Laplace mechanism.
ReleaseVerb measure_verb();
/// All of these.
const std::vector<ReleaseVerb>& release_verbs();

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
/// Adds `quest`.
void add_quest(CLI::App& app, const Context& context);
/// Adds `reproduce`.
void add_reproduce(CLI::App& app, const Context& context);

}  // namespace freegap::cli

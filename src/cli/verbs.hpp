#pragma once

/// @file
/// The verbs of the program, one per file. Those that release have a table and a folder of their
/// own (cli/release_verb_table.hpp).

#include "cli/options.hpp"

namespace freegap::cli {

/// Adds the verbs that release, with their ledger.
void add_releases(CLI::App& app, const Context& context);
/// Adds `simulate`, with the same verbs.
void add_simulate(CLI::App& app, const Context& context);
/// Adds `count`.
void add_count(CLI::App& app, const Context& context);
/// Adds `plan`.
void add_plan(CLI::App& app, const Context& context);
/// Adds `budget`. The callback of `budget check` sets `status`.
void add_budget(CLI::App& app, const Context& context, int& status);
/// Adds `verify`. Its callback sets `status`.
void add_verify(CLI::App& app, const Context& context, int& status);
/// Adds `quest`.
void add_quest(CLI::App& app, const Context& context);
/// Adds `reproduce`.
void add_reproduce(CLI::App& app, const Context& context);

/// Adds all of these, and what the program has besides: the whole command line. `verify` and
/// `budget check` set `status`.
void add_program(CLI::App& app, const Context& context, int& status);

}  // namespace freegap::cli

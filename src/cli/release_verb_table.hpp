#pragma once

/// @file
/// The verbs that release. To add one, define `ReleaseVerb <name>_verb()` in
/// src/cli/release_verbs/<name>.cpp and add its line to the table.

#include <functional>
#include <memory>
#include <vector>

#include "cli/options.hpp"
#include "cli/release.hpp"
#include "cli/rendering.hpp"
#include "questions/missing.hpp"

// clang-format off
/// One line per verb, in the order of the help.
#define FREEGAP_RELEASE_VERBS(verb) \
  verb(top)                         \
  verb(above)                       \
  verb(choose)                      \
  verb(measure)
// clang-format on

namespace freegap::cli {

/// A verb that releases, once its own options are registered.
struct RegisteredVerb {
  CLI::App* command = nullptr;  ///< has the options
  /// Reads, validates and plans.
  std::function<Question(const OutputOptions&, const Context&)> question;
  /// What the user has yet to declare, besides the ledger. Asked before any data is read.
  std::function<std::vector<Missing>()> missing = {};
  /// Where its data comes from, for `simulate` to seed a cut; none where nothing is cut.
  std::shared_ptr<sources::Input> input = {};
};

/// A verb that releases. It is registered twice: for data that is secret, and for `simulate`.
struct ReleaseVerb {
  RegisteredVerb (*add)(CLI::App& parent, Secrecy secrecy);  ///< registers its options
  std::vector<Renderer> renderers;                           ///< of its mechanisms
};

#define FREEGAP_DECLARE_VERB(name) ReleaseVerb name##_verb();
FREEGAP_RELEASE_VERBS(FREEGAP_DECLARE_VERB)
#undef FREEGAP_DECLARE_VERB

/// All verbs of the table.
const std::vector<ReleaseVerb>& release_verbs();

}  // namespace freegap::cli

#pragma once

/// @file
/// The command line as data, read from the definitions that parse it. Manual pages and completions
/// are made from this, so they cannot disagree with the program.

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace freegap::cli {

/// An option, a flag or an argument by position.
struct CommandOption {
  std::vector<std::string> names = {};    ///< "-k", "--kind"; of an argument by position, its name
  bool positional = false;                ///< given by its position
  bool required = false;                  ///< must be given
  std::string value = {};                 ///< what it takes: "TEXT"; empty for a flag
  std::vector<std::string> choices = {};  ///< if it takes one of these only
  std::string description = {};           ///< one sentence or more
};

/// The program, a verb, or a verb under a verb.
struct Command {
  std::vector<std::string> path = {};       ///< {"freegap", "budget", "create"}
  std::string description = {};             ///< one line
  std::string notes = {};                   ///< examples and explanations, as in the help
  std::vector<CommandOption> options = {};  ///< in the order of the help
  std::vector<Command> verbs = {};          ///< those under it

  /// The path with something between its words.
  [[nodiscard]] std::string name(const std::string& between) const;
};

/// What the command line accepts.
Command command_of(const CLI::App& app);

/// The command itself and all under it, in the order of the help.
std::vector<const Command*> all_of(const Command& command);

}  // namespace freegap::cli

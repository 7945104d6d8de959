#include "cli/pages/command.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

namespace freegap::cli {
namespace {

/// "TEXT:{a,b}" is a TEXT that is a or b.
void take_type(CommandOption& option, const std::string& type) {
  const std::size_t open = type.find(":{");
  option.value = type.substr(0, open);
  if (open == std::string::npos) {
    return;
  }
  std::istringstream choices(type.substr(open + 2, type.rfind('}') - open - 2));
  for (std::string choice; std::getline(choices, choice, ',');) {
    option.choices.push_back(choice);
  }
}

CommandOption option_of(const CLI::Option& given) {
  CommandOption option{.positional = given.get_positional(),
                       .required = given.get_required(),
                       .description = given.get_description()};
  if (option.positional) {
    option.names.push_back(given.get_single_name());
  }
  for (const std::string& name : given.get_snames()) {
    option.names.push_back("-" + name);
  }
  for (const std::string& name : given.get_lnames()) {
    option.names.push_back("--" + name);
  }
  if (given.get_items_expected_max() > 0) {
    take_type(option, given.get_type_name());
  }
  return option;
}

Command command_under(const CLI::App& app, std::vector<std::string> path) {
  path.push_back(app.get_name());
  Command command{.path = path, .description = app.get_description(), .notes = app.get_footer()};
  for (const CLI::Option* option : app.get_options()) {
    command.options.push_back(option_of(*option));
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.verbs.push_back(command_under(*verb, path));
  }
  return command;
}

}  // namespace

std::string Command::name(const std::string& between) const {
  std::string result;
  for (const std::string& word : path) {
    result += (result.empty() ? "" : between) + word;
  }
  return result;
}

Command command_of(const CLI::App& app) { return command_under(app, {}); }

std::vector<const Command*> all_of(const Command& command) {
  std::vector<const Command*> all{&command};
  for (const Command& verb : command.verbs) {
    for (const Command* under : all_of(verb)) {
      all.push_back(under);
    }
  }
  return all;
}

}  // namespace freegap::cli

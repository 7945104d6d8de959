#include "cli/colour.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "cli/options.hpp"

namespace freegap::cli {
namespace {

// No name that is shown contains these: what is invisible in a name is spelled out.
constexpr char heading_begins = '\x02';
constexpr char heading_ends = '\x03';

constexpr std::string_view flag = "--color";

/// What the command line says, whatever else is wrong with it: "always", "never" or something else.
std::string_view asked_for(int argc, const char* const* argv) {
  std::string_view asked;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == flag && i + 1 < argc) {
      asked = argv[i + 1];
    } else if (word.starts_with(flag) && word.substr(flag.size()).starts_with('=')) {
      asked = word.substr(flag.size() + 1);
    }
  }
  return asked;
}

bool set_and_not_empty(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

void add_colour(CLI::App& app) {
  add_one_of(app, std::string(flag), "When to use colour (default auto: on terminals)",
             {"auto", "always", "never"}, [](std::size_t) {});
  for (CLI::App* verb : app.get_subcommands({})) {
    add_colour(*verb);
  }
}

bool wants_colour(int argc, const char* const* argv, bool terminal) {
  const std::string_view asked = asked_for(argc, argv);
  if (asked == "always" || asked == "never") {
    return asked == "always";
  }
  return terminal && !set_and_not_empty("NO_COLOR") && set_and_not_empty("TERM") &&
         std::string_view(std::getenv("TERM")) != "dumb";
}

std::string heading(const std::string& text) { return heading_begins + text + heading_ends; }

std::string coloured(std::string_view text, bool colour) {
  std::string result;
  for (const char c : text) {
    if (c == heading_begins || c == heading_ends) {
      result += colour ? (c == heading_begins ? "\x1b[1m" : "\x1b[0m") : "";
    } else {
      result += c;
    }
  }
  return result;
}

std::string red(const std::string& text, bool colour) {
  return colour ? "\x1b[1;31m" + text + "\x1b[0m" : text;
}

}  // namespace freegap::cli

#include "cli/asked.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <utility>

#include "cli/program.hpp"
#include "freegap/version.hpp"
#include "questions/passwords.hpp"

namespace freegap::cli {
namespace {

/// The options that were given, by their names, in alphabetical order; without passwords.
std::map<std::string, std::vector<std::string>> given(const CLI::App& verb) {
  std::map<std::string, std::vector<std::string>> options;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() > 0) {
      std::vector<std::string> values;
      for (const std::string& value : option->results()) {
        values.push_back(questions::without_passwords(value));
      }
      options.emplace(option->get_single_name().size() == 1 ? "-" + option->get_single_name()
                      : option->get_positional()            ? option->get_single_name()
                                                            : "--" + option->get_single_name(),
                      std::move(values));
    }
  }
  return options;
}

}  // namespace

Json what_was_asked(const CLI::App& verb, const Question& question, const std::string& note) {
  const auto options = given(verb);
  const auto value = [&](const char* name) -> std::string {
    const auto found = options.find(name);
    return found == options.end() ? std::string() : found->second.front();
  };
  Json asked;
  for (const char* where : {"INPUT", "--parquet", "--sqlite", "--duckdb"}) {
    if (options.contains(where)) {
      asked["input"] = value(where);
    }
  }
  if (options.contains("--query")) {
    asked["sql"] = value("--query");
  }
  if (question.candidate_list) {
    asked["candidates"] = {{"file", value("--candidates")},
                           {"length", question.candidate_list->length},
                           {"sha256", question.candidate_list->hash}};
  }
  if (options.contains("--universe")) {
    asked["universe"] = value("--universe");
  }
  asked["options"] = options;
  asked["freegap"] = version;
  asked["commit"] = commit();
  if (!note.empty()) {
    asked["note"] = questions::without_passwords(note);
  }
  return asked;
}

}  // namespace freegap::cli

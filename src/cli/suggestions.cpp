#include "cli/suggestions.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

namespace freegap::cli {
namespace {

std::string sentence(const char* what, std::string_view typed,
                     const std::vector<std::string>& names) {
  const std::string meant = nearest(typed, names);
  return meant.empty() ? ""
                       : "freegap: there is no " + std::string(what) + " " + std::string(typed) +
                             "; did you mean " + meant + "?\n";
}

/// A name in small letters, without dashes in front.
std::string plain(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::string result(name);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      names.push_back("-" + name);
    }
  }
  return names;
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

/// Whether a word stands for an option: it begins with a dash, and is neither - nor a number.
bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && word[1] != '.' &&
         std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

}  // namespace

// The usual table of distances between beginnings, of which three rows are kept.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    above[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, exchanged});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string nearest(std::string_view typed, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;  // as many typing errors
  for (const std::string& name : names) {
    if (plain(name) == plain(typed)) {
      return name;
    }
    // What was left unfinished counts as near, however much is missing.
    const bool begun = typed.size() > 3 && name.starts_with(typed);
    const std::size_t distance = begun ? 1 : edit_distance(typed, name);
    // Of a single letter nothing would be left.
    if (distance < least && distance < plain(name).size()) {
      least = distance;
      best = name;
    }
  }
  return best;
}

std::string suggestion(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* verb = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") {  // no options follow
      break;
    }
    if (is_option(word)) {
      const std::string name(word.substr(0, word.find('=')));
      const CLI::Option* option = verb->get_option_no_throw(name);
      if (option == nullptr) {
        return sentence("option", name, option_names(*verb));
      }
      const bool takes_value = option->get_items_expected_max() > 0;
      i += takes_value && name.size() == word.size() ? 1 : 0;
    } else if (const std::vector<std::string> verbs = verb_names(*verb); !verbs.empty()) {
      if (std::find(verbs.begin(), verbs.end(), word) == verbs.end()) {
        return sentence("verb", word, verbs);
      }
      verb = verb->get_subcommand(std::string(word));
    }
  }
  return {};
}

}  // namespace freegap::cli

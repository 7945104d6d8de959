#include "cli/pages/manual.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "freegap/version.hpp"

namespace freegap::cli {
namespace {

/// A text in which troff sees no requests and no escapes.
std::string troff(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    line_begins = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

constexpr std::size_t widest_choices = 50;  // more are listed below the option

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : between) + word;
  }
  return text;
}

/// "-k UINT", "--kind counts|general": how an option is written.
std::string written(const CommandOption& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += (text.empty() ? "\\fB" : ", \\fB") + troff(name) + "\\fR";
  }
  if (option.value.empty() || option.positional) {
    return text;
  }
  const std::string value = joined(option.choices, "|");
  const bool plain = value.empty() || value.size() > widest_choices;
  return text + " \\fI" + troff(plain ? option.value : value) + "\\fR";
}

std::string synopsis(const Command& command) {
  std::string text = "\\fB" + troff(command.name(" ")) + R"(\fR [\fIoptions\fR])";
  for (const CommandOption& option : command.options) {
    if (option.positional) {
      text += " [\\fI" + troff(option.names.front()) + "\\fR]";
    }
  }
  return text + (command.verbs.empty() ? "" : " \\fIverb\\fR");
}

std::string described(const CommandOption& option) {
  const bool many = joined(option.choices, "|").size() > widest_choices;
  return ".TP\n" + written(option) + "\n" + troff(option.description) + "." +
         (many ? " One or more of " + troff(joined(option.choices, ", ")) + "." : "") +
         (option.required ? " Required." : "") + "\n";
}

std::string options(const Command& command) {
  std::string text = ".SH OPTIONS\n";
  for (const bool positional : {true, false}) {
    for (const CommandOption& option : command.options) {
      text += option.positional == positional ? described(option) : "";
    }
  }
  return text;
}

/// Examples and explanations: what is indented in the help stays as it is, the rest is filled.
std::string notes(const std::string& given) {
  std::istringstream lines(given);
  std::string text = ".SH NOTES\n";
  bool as_it_is = false;
  bool paragraph = true;
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    if (indented != as_it_is) {
      text += indented ? ".RS 2\n.nf\n" : ".fi\n.RE\n";
      as_it_is = indented;
      paragraph = indented;
    }
    if (line.empty()) {
      paragraph = false;
      continue;
    }
    if (!paragraph && !indented) {
      text += ".PP\n";
      paragraph = true;
    }
    text += troff(indented ? line.substr(2) : line) + "\n";
  }
  return text + (as_it_is ? ".fi\n.RE\n" : "");
}

std::string verbs(const Command& command) {
  std::string text = ".SH VERBS\n";
  for (const Command& verb : command.verbs) {
    text += ".TP\n\\fB" + troff(verb.path.back()) + "\\fR\n" + troff(verb.description) + ".\n";
  }
  return text;
}

/// The pages of the command above and of those below; of the program, of all its verbs.
std::string see_also(const Command& command, const Command& program) {
  std::vector<std::string> pages;
  for (const Command* other : all_of(program)) {
    const bool above = other->path.size() + 1 == command.path.size() &&
                       std::equal(other->path.begin(), other->path.end(), command.path.begin());
    const bool below = command.path.size() + 1 == other->path.size() &&
                       std::equal(command.path.begin(), command.path.end(), other->path.begin());
    if (above || below) {
      pages.push_back(other->name("-"));
    }
  }
  std::string text = ".SH SEE ALSO\n";
  for (std::size_t i = 0; i < pages.size(); ++i) {
    text += ".BR " + troff(pages[i]) + " (1)" + (i + 1 < pages.size() ? "," : "") + "\n";
  }
  return text;
}

}  // namespace

std::string manual_page(const Command& command, const Command& program, const std::string& date) {
  const std::string name = command.name("-");
  std::string page = ".TH " + upper(name) + " 1 " + date + " \"freegap " + version +
                     "\" \"User Commands\"\n.SH NAME\n" + troff(name) + " \\- " +
                     troff(command.description) + "\n.SH SYNOPSIS\n" + synopsis(command) + "\n";
  if (!command.verbs.empty()) {
    page += verbs(command);
  }
  page += options(command) + notes(command.notes);
  page +=
      ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nVerification failed.\n.TP\n2\nBad input or a "
      "refused "
      "budget: nothing was spent.\n.TP\n3\nA fault of the machine.\n";
  return page + see_also(command, program);
}

}  // namespace freegap::cli

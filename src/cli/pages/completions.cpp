#include "cli/pages/completions.hpp"

#include <algorithm>

namespace freegap::cli {
namespace {

/// The words of a path but for the program: "budget/create"; empty for the program itself.
std::string key(const Command& command) {
  std::string result;
  for (std::size_t i = 1; i < command.path.size(); ++i) {
    result += (i == 1 ? "" : "/") + command.path[i];
  }
  return result;
}

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) {
    result += (result.empty() ? "" : " ") + word;
  }
  return result;
}

std::vector<std::string> verb_names(const Command& command) {
  std::vector<std::string> names;
  for (const Command& verb : command.verbs) {
    names.push_back(verb.path.back());
  }
  return names;
}

/// The names of all options, with their dashes.
std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const CommandOption& option : command.options) {
    if (!option.positional) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  return names;
}

/// All paths under a program, separated by blanks.
std::string keys(const Command& program) {
  std::vector<std::string> all;
  for (const Command* command : all_of(program)) {
    if (command->path.size() > 1) {
      all.push_back(key(*command));
    }
  }
  return joined(all);
}

/// A text in single quotes, as sh and zsh take it.
std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

/// The same for fish.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  }
  return result + "'";
}

/// The cases of bash in which the word before decides: options that take a value.
std::string bash_values(const Command& command) {
  std::string text;
  for (const CommandOption& option : command.options) {
    if (option.positional || option.value.empty()) {
      continue;
    }
    for (const std::string& name : option.names) {
      const std::string words =
          option.choices.empty() ? "-f" : "-W " + shell_quoted(joined(option.choices));
      text += "    ";
      text += shell_quoted(key(command).append(":").append(name));
      text += ")\n      COMPREPLY=($(compgen ";
      text += words;
      text += " -- \"$cur\"))\n      return ;;\n";
    }
  }
  return text;
}

/// One argument of zsh's _arguments.
std::string zsh_argument(const CommandOption& option, const std::string& name) {
  std::string description;
  for (const char c : option.description) {
    description += (c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + std::string(1, c);
  }
  std::string text = name + "[" + description + "]";
  if (!option.value.empty()) {
    text += ":" + option.value +
            (option.choices.empty() ? ":_files" : ":(" + joined(option.choices) + ")");
  }
  return shell_quoted(text);
}

std::string zsh_function(const Command& command) {
  std::string text = command.name("_");
  text = "_" + text + "() {\n  local line state\n  _arguments -C";
  for (const CommandOption& option : command.options) {
    for (const std::string& name : option.names) {
      text += option.positional ? "" : " \\\n    " + zsh_argument(option, name);
    }
  }
  if (command.verbs.empty()) {
    return text + " \\\n    '*:file:_files'\n}\n";
  }
  text += " \\\n    " + shell_quoted("1:verb:(" + joined(verb_names(command)) + ")") +
          " \\\n    '*::argument:->rest'\n  case $line[1] in\n";
  for (const Command& verb : command.verbs) {
    text += "    " + verb.path.back() + ") _" + verb.name("_") + " ;;\n";
  }
  return text + "  esac\n}\n";
}

}  // namespace

std::string bash_completion(const Command& program) {
  std::string text =
      "# Completion of freegap for bash. Generated from the program's own options.\n"
      "_freegap() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path='' i\n"
      "  local verbs=" +
      shell_quoted(" " + keys(program) + " ") +
      "\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case $verbs in\n"
      "      *\" ${path:+$path/}${COMP_WORDS[i]} \"*) path=${path:+$path/}${COMP_WORDS[i]} ;;\n"
      "    esac\n"
      "  done\n"
      "  case $path:$prev in\n";
  for (const Command* command : all_of(program)) {
    text += bash_values(*command);
  }
  text += "  esac\n  local words='' options=''\n  case $path in\n";
  for (const Command* command : all_of(program)) {
    text += "    " + shell_quoted(key(*command)) +
            ")\n      words=" + shell_quoted(joined(verb_names(*command))) +
            "\n      options=" + shell_quoted(joined(option_names(*command))) + " ;;\n";
  }
  return text +
         "  esac\n"
         "  if [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "  elif [[ -n $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _freegap freegap\n";
}

std::string zsh_completion(const Command& program) {
  std::string text =
      "#compdef freegap\n# Completion of freegap for zsh. Generated from the program's own "
      "options.\n";
  for (const Command* command : all_of(program)) {
    text += zsh_function(*command);
  }
  return text + "_freegap \"$@\"\n";
}

std::string fish_completion(const Command& program) {
  std::string text =
      "# Completion of freegap for fish. Generated from the program's own options.\n"
      "function __freegap_at\n"
      "    set -l at ''\n"
      "    for word in (commandline -opc)[2..-1]\n"
      "        set -l next (string join / (string match -v '' -- $at) $word)\n"
      "        if contains -- $next " +
      keys(program) +
      "\n"
      "            set at $next\n"
      "        end\n"
      "    end\n"
      "    test \"$at\" = \"$argv[1]\"\n"
      "end\n";
  for (const Command* command : all_of(program)) {
    const std::string here =
        "complete -c freegap -n " + fish_quoted("__freegap_at " + fish_quoted(key(*command)));
    for (const Command& verb : command->verbs) {
      text += here + " -f -a " + verb.path.back() + " -d " + fish_quoted(verb.description) + "\n";
    }
    for (const CommandOption& option : command->options) {
      if (option.positional) {
        continue;
      }
      text += here;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.choices.empty()) {
        text += " -x -a " + fish_quoted(joined(option.choices));
      } else if (!option.value.empty()) {
        text += " -r";
      }
      text += " -d " + fish_quoted(option.description) + "\n";
    }
  }
  return text;
}

}  // namespace freegap::cli

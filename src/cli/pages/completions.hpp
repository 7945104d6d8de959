#pragma once

/// @file
/// Completions for shells: verbs, options, and the values of options that take one of a few. Where
/// anything may be given, names of files are offered.

#include <string>

#include "cli/pages/command.hpp"

namespace freegap::cli {

/// For bash, as /usr/share/bash-completion/completions/freegap.
std::string bash_completion(const Command& program);
/// For zsh, as /usr/share/zsh/site-functions/_freegap.
std::string zsh_completion(const Command& program);
/// For fish, as /usr/share/fish/vendor_completions.d/freegap.fish.
std::string fish_completion(const Command& program);

}  // namespace freegap::cli

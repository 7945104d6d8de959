#pragma once

/// @file
/// What a ledger keeps of a call, so that an auditor can tell what was asked of what.

#include <string>

#include "cli/output.hpp"
#include "cli/release.hpp"

namespace freegap::cli {

/// The name of the input, the SQL text, the hash and the length of a list of candidates, all
/// options of the call, the version and the commit of the program, and the note, if there is one.
/// Nothing of it depends on the data: its size and its hash are not kept. What may be a password is
/// left out.
Json what_was_asked(const CLI::App& verb, const Question& question, const std::string& note);

}  // namespace freegap::cli

#pragma once

/// @file
/// Declarations that only the user can make and a command lacks. They are all asked for at once,
/// before any data is read.

#include <optional>
#include <string>
#include <vector>

#include "questions/options.hpp"

namespace freegap::questions {

/// One declaration that is missing.
struct Missing {
  std::string argument;  ///< what it is about
  std::string text;      ///< the question, and which options answer it
};

/// Which items can win, where that was not declared.
std::optional<Missing> missing_candidates(const CandidateOptions& options);

/// What is missing about an input: its format or its columns; else what its numbers are, and its
/// unit.
std::vector<Missing> missing_about(const sources::Input& input,
                                   const sources::Declaration& declared);

/// Throws InvalidParameter, with all that is missing, unless nothing is.
void require_all(const std::vector<Missing>& missing);

}  // namespace freegap::questions

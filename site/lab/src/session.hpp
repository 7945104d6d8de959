#pragma once

/// @file
/// A session of questions that share one budget.

#include "questions/json.hpp"

namespace freegap::lab {

/// Asks the questions of a request one after another, each as far as the budget allows: what it
/// reserves, what it spends and what comes back.
questions::Json session(const questions::Json& request);

}  // namespace freegap::lab

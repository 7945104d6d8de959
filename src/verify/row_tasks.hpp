#pragma once

/// @file
/// Rows that are computed independently of each other, on several threads.

#include <functional>
#include <vector>

#include "verify/suite.hpp"

namespace freegap::verify {

/// Computes one row.
using RowTask = std::function<Row()>;

/// Runs all tasks on as many threads as the options say and reports progress; rows come in the
/// order of the tasks. An exception of a task is rethrown once all threads have stopped.
std::vector<Row> run_tasks(const std::vector<RowTask>& tasks, const SuiteOptions& options);

}  // namespace freegap::verify

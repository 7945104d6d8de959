#pragma once

/// @file
/// Independent pieces of a check, on several threads.

#include <functional>
#include <vector>

#include "suite.hpp"

namespace freegap::verify {

/// Makes one row.
using RowTask = std::function<Row()>;

/// Runs all tasks on as many threads as the options say and tells their progress; rows come in the
/// order of the tasks. What a task throws is thrown on, once all threads have stopped.
std::vector<Row> run_tasks(const std::vector<RowTask>& tasks, const SuiteOptions& options);

}  // namespace freegap::verify

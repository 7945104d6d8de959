#pragma once

/// @file
/// Independent pieces of a check, on several threads.

#include <functional>
#include <vector>

#include "suite.hpp"

namespace freegap::verify {

/// Makes one row.
using RowTask = std::function<Row()>;

/// Runs all tasks on up to `threads` threads; rows come in the order of the tasks. What a task
/// throws is thrown on, once all threads have stopped.
std::vector<Row> run_tasks(const std::vector<RowTask>& tasks, unsigned threads);

}  // namespace freegap::verify

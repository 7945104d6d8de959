#include "verify/row_tasks.hpp"

#include "core/parallel.hpp"

namespace freegap::verify {

std::vector<Row> run_tasks(const std::vector<RowTask>& tasks, const SuiteOptions& options) {
  std::vector<Row> rows(tasks.size());
  detail::for_each_index(
      tasks.size(), options.threads, [&](std::size_t i) { rows[i] = tasks[i](); },
      options.progress);
  return rows;
}

}  // namespace freegap::verify

#include "tasks.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

namespace freegap::verify {

std::vector<Row> run_tasks(const std::vector<RowTask>& tasks, const SuiteOptions& options) {
  std::vector<Row> rows(tasks.size());
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      try {
        rows[i] = tasks[i]();
        const std::lock_guard lock(guard);
        ++done;
        if (options.progress) {
          options.progress(done, tasks.size());
        }
      } catch (...) {
        const std::lock_guard lock(guard);
        failure = std::current_exception();
        next = tasks.size();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < std::min<std::size_t>(options.threads, tasks.size()); ++i) {
      others.emplace_back(work);
    }
    work();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  return rows;
}

}  // namespace freegap::verify

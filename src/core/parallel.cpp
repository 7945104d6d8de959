#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace freegap::detail {

void for_each_index(std::size_t count, unsigned threads,
                    const std::function<void(std::size_t)>& work, const WorkProgress& progress) {
  std::atomic<std::size_t> next = 0;
  std::mutex guard;
  std::size_t done = 0;
  std::exception_ptr failure;
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
        const std::lock_guard lock(guard);
        ++done;
        if (progress) {
          progress(done, count);
        }
      } catch (...) {
        const std::lock_guard lock(guard);
        failure = failure ? failure : std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) {
      others.emplace_back(take_turns);
    }
    take_turns();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace freegap::detail

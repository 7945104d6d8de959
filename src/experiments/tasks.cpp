#include "experiments/tasks.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace freegap::experiments {

// FNV-1a over the name, then the finaliser of SplitMix64, so that seeds that differ little make
// unrelated streams. (The stream itself is AES keyed by this.)
std::uint64_t seed_for(const std::string& name, std::uint64_t seed) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  hash += seed * 0x9e3779b97f4a7c15U;
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31U);
}

std::vector<Measured> simulate_all(const std::vector<Task>& tasks, const TaskOptions& options) {
  std::vector<Measured> results(tasks.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t done = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      try {
        results[i] = tasks[i].simulate(options.runs, seed_for(tasks[i].name, options.seed));
        const std::lock_guard lock(mutex);
        ++done;
        if (options.progress) {
          options.progress(done, tasks.size());
        }
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = failure ? failure : std::current_exception();
        next = tasks.size();
      }
    }
  };
  std::vector<std::jthread> others;
  const std::size_t threads = std::clamp<std::size_t>(options.threads, 1, tasks.size() + 1);
  for (std::size_t i = 1; i < threads; ++i) {
    others.emplace_back(work);
  }
  work();
  others.clear();  // joins
  if (failure) {
    std::rethrow_exception(failure);
  }
  return results;
}

}  // namespace freegap::experiments

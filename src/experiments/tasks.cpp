#include "experiments/tasks.hpp"

#include "core/parallel.hpp"

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
  detail::for_each_index(
      tasks.size(), options.threads,
      [&](std::size_t i) {
        results[i] = tasks[i].simulate(options.runs, seed_for(tasks[i].name, options.seed));
      },
      options.progress);
  return results;
}

}  // namespace freegap::experiments

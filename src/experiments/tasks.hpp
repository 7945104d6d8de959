#pragma once

/// @file
/// Points of the figures, simulated in parallel. Each point has a seed of its own, computed from
/// its name. So the results do not depend on the number of threads or on which other points are
/// simulated.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/ratio.hpp"

namespace freegap::experiments {

/// The results of one point, in an order that each experiment defines.
using Measured = std::vector<Ratio>;

/// One point to simulate.
struct Task {
  std::string name;  ///< unique: its seed is computed from it
  /// Makes `runs` runs with noise from this seed.
  std::function<Measured(std::uint64_t runs, std::uint64_t seed)> simulate;
};

/// A task for each point: `simulate(point, runs, seed)` under `name(point)`.
template <class Point, class Name, class Simulate>
std::vector<Task> tasks_for(const std::vector<Point>& points, const Name& name,
                            const Simulate& simulate) {
  std::vector<Task> tasks;
  tasks.reserve(points.size());
  for (const Point& point : points) {
    tasks.push_back({name(point), [point, simulate](std::uint64_t runs, std::uint64_t seed) {
                       return simulate(point, runs, seed);
                     }});
  }
  return tasks;
}

/// A seed for a point of this name.
std::uint64_t seed_for(const std::string& name, std::uint64_t seed);

/// How to simulate.
struct TaskOptions {
  std::uint64_t runs = 10'000;  ///< of each point
  std::uint64_t seed = 1;       ///< the same seed gives the same results
  unsigned threads = 1;         ///< number of threads
  /// Called after each point with the number of points done, by one thread at a time.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// The results, one per task, in the same order. Rethrows the first exception of a task.
std::vector<Measured> simulate_all(const std::vector<Task>& tasks, const TaskOptions& options);

}  // namespace freegap::experiments

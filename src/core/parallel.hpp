#pragma once

/// @file
/// Independent pieces of work, on several threads.

#include <cstddef>
#include <functional>

namespace freegap::detail {

/// Told how many pieces are done, of how many; by one thread at a time.
using WorkProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Calls `work` once for each of 0 ... count - 1, on as many threads as asked for and useful. The
/// first exception ends the work and is thrown on, once all threads have stopped.
void for_each_index(std::size_t count, unsigned threads,
                    const std::function<void(std::size_t)>& work,
                    const WorkProgress& progress = {});

}  // namespace freegap::detail

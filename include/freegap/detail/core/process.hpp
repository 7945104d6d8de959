#pragma once

/// @file
/// Notices a fork. What spends a budget must not go on in two processes: each would spend all that
/// is left of it (tests/mechanisms/fork_test.cpp, tests/core/budget_test.cpp).

#include <atomic>
#include <cstdint>

namespace freegap::detail {

/// The process in which this object was made.
class Process {
 public:
  /// Throws MachineFault where the system cannot tell a child from its parent.
  Process();

  /// Whether this process made the object.
  [[nodiscard]] bool same() const { return current_->load(std::memory_order_relaxed) == number_; }
  /// Throws Forked unless this process made the object.
  void check() const {
    if (!same()) [[unlikely]] {
      refuse();
    }
  }

 private:
  [[noreturn]] static void refuse();

  const std::atomic<std::uint64_t>* current_;  // number of the process that runs
  std::uint64_t number_;                       // of the process that made the object
};

}  // namespace freegap::detail

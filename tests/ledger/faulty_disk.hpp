// Simulates a disk that fails at a chosen call. This program defines write, fsync, unlink, …
// itself; the linker prefers these to the C library's, for the ledger and for SQLite alike. While a
// plan is armed, calls are counted, and the planned one fails, kills the process, or cuts the
// power.
#pragma once

#include <cstdint>
#include <functional>

namespace freegap::testing::disk {

enum class Fault : std::uint8_t {
  none,
  error,      ///< the call fails, and the next ones succeed
  error_on,   ///< the call fails, and so do all later ones
  kill,       ///< SIGKILL instead of the call
  kill_torn,  ///< half of a write is done, then SIGKILL; like `kill` for other calls
  cut_all,    ///< power cut: all changes that were not synced are lost
  cut_some    ///< power cut: each change that was not synced is lost with probability 1/2
};

/// Which calls are counted: those that change the disk or sync it, or those that read.
enum class Calls : std::uint8_t { writing, reading };

struct Plan {
  Fault fault = Fault::none;
  int at = 0;     ///< the first call is 1
  int error = 0;  ///< errno
  Calls calls = Calls::writing;
  unsigned seed = 0;        ///< of the generator for `cut_some`
  bool lying_disk = false;  ///< synced changes are lost too
  /// Called once, the first time that the ledger looks for a journal after the fault: it holds no
  /// lock then. Ends the plan.
  std::function<void()> afterwards = {};
};

/// Starts a plan. Until `disarm`, nothing is really synced: a killed process does not need it, and
/// a power cut is simulated by undoing recorded changes.
void arm(const Plan& plan);

/// Ends the plan, and returns the number of calls.
int disarm();

/// Cuts the power now, if the plan is to cut it and has not done so.
void end_of_work();

/// Turns syncing off for a scope in which nothing cuts the power, to save time.
class WithoutSyncing {
 public:
  WithoutSyncing() { arm({}); }
  ~WithoutSyncing() { disarm(); }
  WithoutSyncing(const WithoutSyncing&) = delete;
  WithoutSyncing& operator=(const WithoutSyncing&) = delete;
};

}  // namespace freegap::testing::disk

// A disk that fails when told to. This program's own definitions of write, fsync, unlink, … stand
// before those of the C library, for the ledger and for SQLite alike; each call is counted while a
// plan is in force, and the planned one fails, kills the process, or cuts the power.
#pragma once

#include <cstdint>

namespace freegap::testing::disk {

enum class Fault : std::uint8_t {
  none,
  error,      ///< the call fails, and the next ones succeed
  error_on,   ///< the call fails, and so do all later ones
  kill,       ///< SIGKILL instead of the call
  kill_torn,  ///< half of a write is done, then SIGKILL; like `kill` for other calls
  cut_all,    ///< the power goes: all that was not synced is lost
  cut_some    ///< the power goes: some of what was not synced is lost, by a coin
};

/// Which calls count: those that change the disk or ask it to keep changes, or those that read.
enum class Calls : std::uint8_t { writing, reading };

struct Plan {
  Fault fault = Fault::none;
  int at = 0;     ///< the first call is 1
  int error = 0;  ///< errno
  Calls calls = Calls::writing;
  unsigned seed = 0;        ///< of the coin
  bool lying_disk = false;  ///< what was synced is lost too
};

/// Puts a plan in force. Until `disarm`, nothing is really synced: a process that dies does not
/// need it, and a cut of the power is played from what was recorded.
void arm(const Plan& plan);

/// Ends it. How many calls there were.
int disarm();

/// Where the plan is to cut the power and nothing has come of it: now.
void end_of_work();

/// Saves the time of syncing where nothing that follows cuts the power.
class WithoutSyncing {
 public:
  WithoutSyncing() { arm({}); }
  ~WithoutSyncing() { disarm(); }
  WithoutSyncing(const WithoutSyncing&) = delete;
  WithoutSyncing& operator=(const WithoutSyncing&) = delete;
};

}  // namespace freegap::testing::disk

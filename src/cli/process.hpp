#pragma once

/// @file
/// What the process of the program needs before anything else.

namespace freegap::cli {

/// Makes faults of the machine end in a message and exit status 3, never in a signal:
/// - memory that a library cannot get and an exception that nobody can catch, which end in `abort`;
/// - a file that reaches the limit of the process, which becomes an error of the write.
/// Also, a standard stream that is closed is replaced by one that can be neither read nor written,
/// so that no file that is opened later takes its place.
void prepare_process();

}  // namespace freegap::cli

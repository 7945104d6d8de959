#pragma once

/// @file
/// Creates a file atomically.

#include <string>
#include <string_view>

namespace freegap::ledger {

/// Creates the file `path` with these bytes. Its mode is 0600, whatever the umask. Other processes
/// see no file or the whole file. When this returns, the file is on the disk. Returns false, and
/// changes nothing, if the name is taken. Throws Refused if the folder does not exist, and
/// MachineFault if the disk fails; no temporary file is left behind.
[[nodiscard]] bool make_file(const std::string& path, std::string_view bytes);

}  // namespace freegap::ledger

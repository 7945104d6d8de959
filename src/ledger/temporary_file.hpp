#pragma once

/// @file
/// Files without a name.

#include <string>

namespace freegap::ledger {

/// A file that was just made.
struct TemporaryFile {
  int descriptor = -1;  ///< below 0 if the file could not be made; errno says why
  std::string name;     ///< empty if it has none
};

/// Opens a new file of mode 0600 beside `path`. It has no name, so that nothing is left of it
/// whatever happens. Only on a file system without such files it has a temporary name.
[[nodiscard]] TemporaryFile open_temporary(const std::string& path);

}  // namespace freegap::ledger

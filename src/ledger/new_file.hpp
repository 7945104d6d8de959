#pragma once

/// @file
/// A file that appears all at once.

#include <string>
#include <string_view>

namespace freegap::ledger {

/// Makes the file `path`, readable and writable by its owner alone whatever the umask, with these
/// bytes. Whoever looks sees no file or the whole file; when this returns it is on the disk. False,
/// and nothing is changed, where something of that name exists. Throws Refused where its folder
/// does not exist and MachineFault where the disk fails; no other file is left behind then.
[[nodiscard]] bool make_file(const std::string& path, std::string_view bytes);

}  // namespace freegap::ledger

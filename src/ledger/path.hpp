#pragma once

/// @file
/// The path of a ledger.

#include <optional>
#include <string>

namespace freegap::ledger {

/// Throws Refused if no ledger can be at this path: it is empty or too long, a link that leads
/// nowhere, or may be the address of a database, which the message does not repeat.
void check_path(const std::string& path);

/// A file that SQLite would merge into a new ledger at this path: a rollback journal, or a
/// write-ahead log. Nothing if neither exists.
[[nodiscard]] std::optional<std::string> stray_companion(const std::string& path);

/// The folder that a path is in.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace freegap::ledger

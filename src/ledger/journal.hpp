#pragma once

/// @file
/// The rollback journal of an SQLite file, as far as the ledger needs to know it: whether a journal
/// that lies beside the file can belong to it.
/// https://sqlite.org/fileformat.html#the_rollback_journal

#include <cstdint>
#include <optional>
#include <string>

namespace freegap::ledger {

/// What a journal says of the file that it would restore.
struct Journal {
  std::uint64_t inode = 0;               ///< of the journal itself
  std::uint32_t records = 0;             ///< pages that are known to be complete
  std::uint32_t pages = 0;               ///< size of the file before the change
  std::optional<std::uint32_t> counter;  ///< the file's change counter before the change
  bool operator==(const Journal&) const = default;
};

/// Reads a journal. Nothing if there is none, or if SQLite would ignore it.
[[nodiscard]] std::optional<Journal> read_journal(const std::string& path);

/// Whether a journal can be that of an interrupted change to a file with this change counter and
/// this size. A change counts the counter up by one; so an older journal shows, unless it is that
/// of the very last change.
[[nodiscard]] bool can_belong(const Journal& journal, std::uint32_t counter, std::int64_t pages);

}  // namespace freegap::ledger

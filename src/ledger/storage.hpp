#pragma once

/// @file
/// The file of a ledger: reading and checking it, and adding a row.

#include <cstdint>
#include <string>

#include "ledger/accounts.hpp"
#include "ledger/connection.hpp"
#include "ledger/row.hpp"

namespace freegap::ledger {

/// "FGap", in the header of the file: https://sqlite.org/fileformat.html#application_id
inline constexpr std::uint32_t application_id = 0x46476170;
/// The version of the format, in `user_version`.
inline constexpr std::uint32_t format_version = 1;

/// An open ledger file. The caller opens the transaction in which the file is read and written.
class Storage {
 public:
  /// Opens the file. Throws Refused, and changes nothing, if there is none or if it is not a ledger
  /// of this format.
  explicit Storage(const std::string& path);

  /// The bytes of a ledger with one row.
  static std::string new_ledger(const Row& first);

  [[nodiscard]] Connection& connection() { return connection_; }

  /// Throws Refused if the file was moved or replaced since it was opened: what is written to it
  /// would be lost.
  void check_not_moved() const;
  /// Reads and checks the whole file: header, structure, schema, and every row. Throws Refused
  /// unless everything is as this program writes it.
  [[nodiscard]] Accounts load();
  /// Adds a row, and updates the head, which holds the number of rows and the last hash.
  void append(const Row& row);
  /// A number that changes when another connection has changed the file.
  [[nodiscard]] std::int64_t version() { return connection_.integer("PRAGMA data_version"); }

 private:
  void check_header() const;
  void check_structure();
  void check_schema();
  void check_head(const Accounts& accounts);
  [[nodiscard]] Row read_row(const Statement& statement, std::int64_t position) const;

  Connection connection_;
};

}  // namespace freegap::ledger

#pragma once

/// @file
/// The books in their file: how they are read and checked, and how a row is added.

#include <cstdint>
#include <string>

#include "ledger/books.hpp"
#include "ledger/connection.hpp"
#include "ledger/row.hpp"

namespace freegap::ledger {

/// "FGap", in the header of the file: https://sqlite.org/fileformat.html#application_id
inline constexpr std::uint32_t application_id = 0x46476170;
/// The version of the format, in `user_version`.
inline constexpr std::uint32_t format_version = 1;

/// An open ledger file. Everything is read and checked within a transaction of the caller's.
class Storage {
 public:
  /// Opens the file. Throws Refused where there is none, or none that is a ledger of this format,
  /// and touches nothing then.
  explicit Storage(const std::string& path);

  /// The bytes of a ledger with one row.
  static std::string new_ledger(const Row& first);

  [[nodiscard]] Connection& connection() { return connection_; }

  /// Throws Refused where the path leads to another file by now: what is written here would be
  /// lost.
  void check_place() const;
  /// Reads and checks the whole file: header, structure, schema, and every row. Throws Refused
  /// unless all is as this program writes it.
  [[nodiscard]] Books load();
  /// Adds a row, and moves the head to it.
  void append(const Row& row);
  /// A number that changes when another connection has changed the file.
  [[nodiscard]] std::int64_t version() { return connection_.integer("PRAGMA data_version"); }

 private:
  void check_header() const;
  void check_structure();
  void check_schema();
  void check_head(const Books& books);
  [[nodiscard]] Row read_row(const Statement& statement, std::int64_t position) const;

  Connection connection_;
};

}  // namespace freegap::ledger

#pragma once

/// @file
/// The file of a ledger: reading and checking it, and adding a row.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "ledger/accounts.hpp"
#include "ledger/connection.hpp"
#include "ledger/row.hpp"

namespace freegap::ledger {

/// "FGap", in the header of the file: https://sqlite.org/fileformat.html#application_id
inline constexpr std::uint32_t application_id = 0x46476170;
/// The version of the format, in `user_version`.
inline constexpr std::uint32_t format_version = 2;

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
  /// What is read and checked of a large file.
  enum class Depth : std::uint8_t {
    recent,  ///< header, schema, and the rows from the last checkpoint on
    whole    ///< header, structure, schema, and every row
  };

  /// Reads and checks the file; a small one always as a whole. `each` is called for each row that
  /// was read. Throws Damaged unless everything is as this program writes it.
  [[nodiscard]] Accounts load(Depth depth = Depth::recent,
                              const std::function<void(const Row&)>& each = {});
  /// Changes a file of format 1, which was loaded in the same transaction, to the current format.
  /// Its rows and their hashes stay as they are.
  void upgrade();
  /// Adds a row, and updates the head, which holds the number of rows and the last hash.
  void append(const Row& row);
  /// The hash of a row, as the file has it. Nothing where there is no such row.
  [[nodiscard]] std::optional<std::string> hash_of_row(std::int64_t sequence);
  /// A number that changes when another connection has changed the file.
  [[nodiscard]] std::int64_t version() { return connection_.integer("PRAGMA data_version"); }

 private:
  void check_header() const;
  void check_size();
  void check_structure();
  void check_no_free_pages() const;
  [[nodiscard]] Accounts at_last_checkpoint();
  void check_schema();
  void check_head(const Accounts& accounts);
  [[nodiscard]] std::int64_t format();
  [[nodiscard]] Row read_row(const Statement& statement, std::int64_t position) const;

  Connection connection_;
};

}  // namespace freegap::ledger

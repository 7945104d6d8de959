#pragma once

/// @file
/// A ledger in an SQLite file.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "ledger/connection.hpp"
#include "ledger/row.hpp"
#include "ledger/store.hpp"

namespace freegap::ledger {

/// "FGap", in the header of the file: https://sqlite.org/fileformat.html#application_id
inline constexpr std::uint32_t application_id = 0x46476170;
/// The version of the format, in `user_version`.
inline constexpr std::uint32_t format_version = 3;

/// An open ledger file.
class FileStore : public Store {
 public:
  /// Opens the file. Throws Refused, and changes nothing, if there is none or if it is not a ledger
  /// of this format.
  explicit FileStore(const std::string& path, WhileWaiting while_waiting = {});

  /// The bytes of a ledger with these rows.
  static std::string bytes_of(const EachRow& rows);

  [[nodiscard]] Connection& connection() { return connection_; }

  void set_while_waiting(WhileWaiting while_waiting) override {
    connection_.set_while_waiting(std::move(while_waiting));
  }
  /// Throws Refused if the file was moved or replaced since it was opened: what is written to it
  /// would be lost. Throws Damaged if there are files beside it that are not its own.
  void begin(Access access) override;
  void commit() override;
  void roll_back() noexcept override;
  [[nodiscard]] Access after_failed_commit() const override { return Access::read; }
  void upgrade() override;
  void append(const Row& row) override;
  [[nodiscard]] std::optional<std::string> hash_of_row(std::int64_t sequence) override;
  [[nodiscard]] std::optional<std::int64_t> version() override;
  [[nodiscard]] const std::string& name() const override { return connection_.path(); }
  [[nodiscard]] bool is_file() const override { return true; }

 protected:
  void check_readable() const override { connection_.check_readable(); }
  bool check_tables(Depth depth) override;
  [[nodiscard]] std::int64_t last_checkpoint() override;
  void read_rows(std::int64_t after, const TakeRow& each) override;
  [[nodiscard]] std::optional<Row> row(std::int64_t sequence) override;
  [[nodiscard]] Head head() override;

 private:
  void check_header() const;
  void check_size();
  void check_structure();
  void check_no_free_pages() const;
  void check_schema();
  [[nodiscard]] std::int64_t format();
  [[nodiscard]] Row read_row(const Statement& statement, std::int64_t position) const;

  Connection connection_;
};

}  // namespace freegap::ledger

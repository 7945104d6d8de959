#pragma once

/// @file
/// A ledger in a PostgreSQL database, for a team: two tables in the schema `freegap`. Who may
/// create data sets, spend or only read is decided by the rights of the tables (docs/ledger.md).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "ledger/postgres_connection.hpp"
#include "ledger/store.hpp"

namespace freegap::ledger {

/// An open ledger in a database.
class PostgresStore : public Store {
 public:
  /// Connects. Whether there is a ledger is found out by reading it.
  explicit PostgresStore(const std::string& url, WhileWaiting while_waiting = {});

  /// Makes the tables and adds the rows, in one transaction. Returns false if there is a ledger.
  static bool make(const std::string& url, const EachRow& rows);

  void set_while_waiting(WhileWaiting while_waiting) override {
    connection_.set_while_waiting(std::move(while_waiting));
  }
  /// A writer locks the head's row first. So writers follow one another, and each sees what the one
  /// before it has committed.
  void begin(Access access) override;
  void commit() override { connection_.commit(); }
  void roll_back() noexcept override { connection_.roll_back(); }
  /// The transaction whose commit failed may still be at work on the server. It holds the lock
  /// until it has ended.
  [[nodiscard]] Access after_failed_commit() const override { return Access::write; }
  /// Nothing: tables are changed by their owner alone, when a data set with a δ is added to tables
  /// that have no column for it. Until then they serve as they are.
  void upgrade() override {}
  void append(const Row& row) override;
  [[nodiscard]] std::optional<std::string> hash_of_row(std::int64_t sequence) override;
  [[nodiscard]] std::optional<std::int64_t> version() override { return std::nullopt; }
  [[nodiscard]] const std::string& name() const override { return connection_.url(); }
  [[nodiscard]] bool is_file() const override { return false; }

 protected:
  void check_readable() const override {}
  bool check_tables(Depth depth) override;
  [[nodiscard]] std::int64_t last_checkpoint() override;
  void read_rows(std::int64_t after, const TakeRow& each) override;
  [[nodiscard]] std::optional<Row> row(std::int64_t sequence) override;
  [[nodiscard]] Head head() override;

 private:
  /// Gives tables of format 1 the column of format 2.
  void add_delta_column();

  PostgresConnection connection_;
  std::int64_t format_ = 0;  // of the tables, as last read
};

}  // namespace freegap::ledger

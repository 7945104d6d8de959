#pragma once

/// @file
/// The part of PostgreSQL that the ledger needs: a connection that is made again where it was lost,
/// and statements. Errors of the server become Refused (rights, a database that is no ledger) or
/// MachineFault.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ledger/ledger.hpp"

struct pg_conn;    // of libpq
struct pg_result;  // of libpq

namespace freegap::ledger {

/// Whether a ledger's name is a URL of PostgreSQL rather than the path of a file.
[[nodiscard]] bool is_url(std::string_view name);

/// A parameter of a statement; nothing for NULL.
using Parameter = std::optional<std::string>;

/// What a statement returned, as text.
class PostgresResult {
 public:
  explicit PostgresResult(pg_result* result) : result_(result) {}
  [[nodiscard]] int rows() const;
  /// A value. Nothing for NULL.
  [[nodiscard]] std::optional<std::string> value(int row, int column) const;
  /// A value that is not NULL and an integer.
  [[nodiscard]] std::int64_t integer(int row, int column) const;
  [[nodiscard]] pg_result* get() const { return result_.get(); }

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

/// A connection to a server.
class PostgresConnection {
 public:
  /// Connects. Throws Refused if the URL has a password or cannot be read, or if the server could
  /// lose what it has committed; MachineFault if it cannot be reached or refuses the user.
  explicit PostgresConnection(std::string url, WhileWaiting while_waiting = {});

  /// Runs one statement.
  PostgresResult run(const std::string& sql, const std::vector<Parameter>& parameters = {});
  /// Runs one statement that waits for a lock.
  void lock(const std::string& sql);
  /// Begins a transaction by its first statement, over a new connection where the old one was lost:
  /// nothing was sent within a transaction yet.
  void begin(const std::string& sql);
  /// Throws MachineFault unless the server has said that the transaction is committed.
  void commit();
  /// Undoes what the open transaction did. A lost connection does so by itself.
  void roll_back() noexcept;

  /// Exchanges what is called while it waits for a lock.
  void set_while_waiting(WhileWaiting while_waiting) { while_waiting_ = std::move(while_waiting); }

  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  struct Finish {
    void operator()(pg_conn* connection) const;
  };

  void connect();
  /// Refuses a server that may lose or change what it has stored.
  void check_server();
  [[nodiscard]] bool is_lost() const;
  /// Waits until the server has answered.
  void wait_for_answer();
  /// Ends the statement that the server is at, and the connection with its transaction.
  void give_up() noexcept;
  /// Throws unless the statement succeeded.
  void check(const PostgresResult& result) const;
  [[noreturn]] void fail(const PostgresResult& result) const;

  std::string url_;
  WhileWaiting while_waiting_;
  std::unique_ptr<pg_conn, Finish> connection_;
};

}  // namespace freegap::ledger

#pragma once

/// @file
/// The part of SQLite that the ledger needs: a connection and statements. Errors of
/// SQLite become MachineFault (disk, memory, permissions) or Refused (the file is not a sound
/// ledger).

#include <sqlite3.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ledger/ledger.hpp"

namespace freegap::ledger {

/// How long to wait for a lock while no other process changes the file.
inline constexpr std::chrono::milliseconds default_lock_timeout = std::chrono::seconds(60);

/// A prepared statement. An error throws as Connection::fail does.
class Statement {
 public:
  Statement(class Connection& connection, const std::string& sql);

  /// Parameters are counted from 1, columns from 0, as in SQLite. The text must outlive the
  /// statement.
  void bind(int parameter, std::int64_t number);
  void bind(int parameter, std::string_view text);
  void bind_null(int parameter);

  /// Goes to the next row. False if there is none.
  bool step();
  /// SQLITE_INTEGER, SQLITE_TEXT, SQLITE_NULL, …
  [[nodiscard]] int type(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  class Connection& connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// An open database.
class Connection {
 public:
  /// The first 100 bytes of a database file.
  using Header = std::array<unsigned char, 100>;

  /// Opens the file `path`, which must exist: for writing if the system permits it, else for
  /// reading. Nothing is read yet.
  explicit Connection(std::string path,
                      std::chrono::milliseconds lock_timeout = default_lock_timeout,
                      WhileWaiting while_waiting = {});
  ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Exchanges what is called while it waits for a lock. What that throws comes out of the
  /// statement that waited.
  void set_while_waiting(WhileWaiting while_waiting) { while_waiting_ = std::move(while_waiting); }

  /// An empty database in memory.
  static std::unique_ptr<Connection> in_memory();

  /// Runs a statement and ignores its rows.
  void run(const std::string& sql);
  /// The first column of a statement's only row.
  [[nodiscard]] std::int64_t integer(const std::string& sql);
  [[nodiscard]] std::string text(const std::string& sql);

  /// The header of the file, read without a lock. Zeros where the file is shorter.
  [[nodiscard]] Header header() const;
  /// The size of the file in bytes.
  [[nodiscard]] std::int64_t file_size() const;
  /// Whether the file was moved, replaced or removed since it was opened.
  [[nodiscard]] bool moved() const;
  /// Throws Damaged if files lie beside the database that SQLite would merge into it although they
  /// are not its own: a write-ahead log, or a rollback journal of an older change.
  void check_companions() const;
  /// The database as the bytes of a file.
  [[nodiscard]] std::string bytes() const;
  /// Undoes what the open transaction did, if there is one.
  void roll_back() const noexcept;
  /// The number of rows that the last statement changed.
  [[nodiscard]] int changes() const;

  /// Reports an error code of SQLite. Throws MachineFault for a fault of the machine (disk, memory,
  /// permissions, a lock that is never released), and Refused for a fault of the file.
  [[noreturn]] void fail(int code) const;
  /// Reads the whole file. Throws MachineFault where that fails.
  void check_readable() const;
  /// Throws Refused for a file that was changed or damaged, or MachineFault if the file cannot be
  /// read to its end. SQLite reports both as "malformed", so this reads the file to find out.
  [[noreturn]] void refuse(const std::string& what) const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  struct Memory {};
  explicit Connection(Memory /*tag*/);

  void open(const std::string& name, int flags);
  [[nodiscard]] sqlite3_file* file() const;
  void read(std::span<unsigned char> bytes, std::int64_t at) const;
  [[nodiscard]] std::uint32_t change_counter() const;
  [[nodiscard]] std::uint32_t change_counter_or_0() const noexcept;
  static int wait_for_lock(void* self, int waited_before);

  std::string path_;
  std::chrono::milliseconds lock_timeout_;
  std::chrono::steady_clock::time_point waiting_since_;
  std::uint32_t counter_while_waiting_ = 0;
  WhileWaiting while_waiting_;
  mutable std::exception_ptr gave_up_;  // what it threw, on its way through SQLite
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace freegap::ledger

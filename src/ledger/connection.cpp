#include "ledger/connection.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "freegap/errors.hpp"
#include "ledger/big_endian.hpp"
#include "ledger/journal.hpp"
#include "ledger/ledger.hpp"
#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

/// Of every ledger, in bytes.
constexpr std::int64_t page_size = 4096;

/// A name that SQLite takes for a path. Names like ":memory:" and "file:x" have a special meaning.
std::string plain_name(const std::string& path) {
  return path.starts_with('/') ? path : "./" + path;
}

bool is_fault_of_the_machine(int code) {
  switch (code & 0xff) {
    case SQLITE_AUTH:
    case SQLITE_BUSY:
    case SQLITE_CANTOPEN:
    case SQLITE_FULL:
    case SQLITE_INTERNAL:
    case SQLITE_INTERRUPT:
    case SQLITE_IOERR:
    case SQLITE_LOCKED:
    case SQLITE_MISUSE:
    case SQLITE_NOLFS:
    case SQLITE_NOMEM:
    case SQLITE_PERM:
    case SQLITE_PROTOCOL:
    case SQLITE_READONLY:
    case SQLITE_TOOBIG:
      return true;
    default:
      return false;
  }
}

}  // namespace

Statement::Statement(Connection& connection, const std::string& sql) : connection_(connection) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(connection.handle(), sql.c_str(),
                                      static_cast<int>(sql.size() + 1), &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) {
    connection.fail(code);
  }
}

void Statement::bind(int parameter, std::int64_t number) {
  if (const int code = sqlite3_bind_int64(statement_.get(), parameter, number); code != SQLITE_OK) {
    connection_.fail(code);
  }
}

void Statement::bind(int parameter, std::string_view text) {
  const int code = sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(),
                                       SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) {
    connection_.fail(code);
  }
}

void Statement::bind_null(int parameter) {
  if (const int code = sqlite3_bind_null(statement_.get(), parameter); code != SQLITE_OK) {
    connection_.fail(code);
  }
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    connection_.fail(code);
  }
  return code == SQLITE_ROW;
}

int Statement::type(int column) const { return sqlite3_column_type(statement_.get(), column); }

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const void* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr && type(column) != SQLITE_NULL) {
    connection_.fail(SQLITE_NOMEM);
  }
  const int length = sqlite3_column_bytes(statement_.get(), column);
  return text == nullptr
             ? std::string()
             : std::string(static_cast<const char*>(text), static_cast<std::size_t>(length));
}

Connection::Connection(std::string path, std::chrono::milliseconds lock_timeout,
                       WhileWaiting while_waiting)
    : path_(std::move(path)),
      lock_timeout_(lock_timeout),
      while_waiting_(std::move(while_waiting)) {
  open(plain_name(path_), SQLITE_OPEN_READWRITE);
  sqlite3_busy_handler(handle(), &Connection::wait_for_lock, this);
}

Connection::Connection(Memory /*tag*/) : path_("(memory)"), lock_timeout_(0) {
  open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY);
}

std::unique_ptr<Connection> Connection::in_memory() {
  return std::unique_ptr<Connection>(new Connection(Memory{}));
}

void Connection::open(const std::string& name, int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(
      name.c_str(), &handle,
      flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) {
    fail(code);
  }
}

/// Retries every few milliseconds, as long as the file changes from time to time: then other
/// processes are at work, and this one will have its turn. SQLite's own handler sleeps longer each
/// time, which leaves the file idle when many processes wait for it.
int Connection::wait_for_lock(void* self, int waited_before) {
  auto* connection = static_cast<Connection*>(self);
  const auto now = std::chrono::steady_clock::now();
  const std::uint32_t counter = connection->change_counter_or_0();
  if (waited_before == 0 || counter != connection->counter_while_waiting_) {
    connection->waiting_since_ = now;
    connection->counter_while_waiting_ = counter;
  }
  if (now - connection->waiting_since_ >= connection->lock_timeout_) {
    return 0;
  }
  try {
    if (connection->while_waiting_) {
      connection->while_waiting_();
    }
  } catch (...) {  // SQLite is written in C
    connection->gave_up_ = std::current_exception();
    return 0;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min(1 + waited_before / 4, 5)));
  return 1;
}

void Connection::run(const std::string& sql) {
  Statement statement(*this, sql);
  while (statement.step()) {
  }
}

std::int64_t Connection::integer(const std::string& sql) {
  Statement statement(*this, sql);
  statement.step();
  return statement.integer(0);
}

std::string Connection::text(const std::string& sql) {
  Statement statement(*this, sql);
  statement.step();
  return statement.text(0);
}

sqlite3_file* Connection::file() const {
  sqlite3_file* file = nullptr;
  if (const int code = sqlite3_file_control(handle(), "main", SQLITE_FCNTL_FILE_POINTER,
                                            static_cast<void*>(&file));
      code != SQLITE_OK) {
    fail(code);
  }
  if (file == nullptr || file->pMethods == nullptr) {
    fail(SQLITE_CANTOPEN);
  }
  return file;
}

// Reads through SQLite's own descriptor. Under POSIX, closing any other descriptor of the file
// would release all locks that this process holds on it.
void Connection::read(std::span<unsigned char> bytes, std::int64_t at) const {
  sqlite3_file* const opened = file();
  const int code =
      opened->pMethods->xRead(opened, bytes.data(), static_cast<int>(bytes.size()), at);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) {
    fail(code);
  }
}

Connection::Header Connection::header() const {
  Header header{};
  read(header, 0);
  return header;
}

std::int64_t Connection::file_size() const {
  sqlite3_int64 size = 0;
  sqlite3_file* const opened = file();
  if (const int code = opened->pMethods->xFileSize(opened, &size); code != SQLITE_OK) {
    fail(code);
  }
  return size;
}

bool Connection::moved() const {
  int moved = 0;
  if (const int code = sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
      code != SQLITE_OK) {
    fail(code);
  }
  return moved != 0;
}

std::uint32_t Connection::change_counter() const {
  constexpr std::int64_t counter_at = 24;
  std::array<unsigned char, 4> bytes{};
  read(bytes, counter_at);
  return big_endian(bytes);
}

std::uint32_t Connection::change_counter_or_0() const noexcept {
  try {
    return change_counter();
  } catch (const std::exception&) {
    return 0;
  }
}

void Connection::check_companions() const {
  const char* const name = sqlite3_db_filename(handle(), "main");
  if (name == nullptr || *name == '\0') {
    return;  // in memory
  }
  const std::string log = sqlite3_filename_wal(name);
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(log, ignored))) {
    throw Damaged(damaged(path_, "beside it lies a write-ahead log, " + quoted(log) +
                                     ", which a ledger never has; move it away"));
  }
  const std::string journal = sqlite3_filename_journal(name);
  // Another process may finish its change in between; then the journal is another one or gone.
  for (std::optional<Journal> before = read_journal(journal); before;) {
    const bool belongs = can_belong(*before, change_counter(), file_size() / page_size);
    const std::optional<Journal> after = read_journal(journal);
    if (belongs || !after) {
      return;
    }
    if (after == before) {
      throw Damaged(damaged(path_, "beside it lies the journal of an older change, " +
                                       quoted(journal) + "; move it away"));
    }
    before = after;
  }
}

std::string Connection::bytes() const {
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> copy(
      sqlite3_serialize(handle(), "main", &size, 0), &sqlite3_free);
  if (copy == nullptr) {
    fail(SQLITE_NOMEM);
  }
  return {copy.get(), copy.get() + size};
}

void Connection::roll_back() const noexcept {
  if (sqlite3_get_autocommit(handle()) == 0) {
    sqlite3_exec(handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

int Connection::changes() const { return sqlite3_changes(handle()); }

void Connection::fail(int code) const {
  if (gave_up_) {
    std::rethrow_exception(std::exchange(gave_up_, nullptr));
  }
  const bool has_message = handle_ != nullptr && sqlite3_extended_errcode(handle()) == code;
  const std::string what = has_message ? sqlite3_errmsg(handle()) : sqlite3_errstr(code);
  if (code == SQLITE_READONLY_DBMOVED) {
    throw Refused(
        "ledger " + quoted(path_) +
        " was moved or replaced while it was open; nothing more was spent. Open it again");
  }
  if (is_fault_of_the_machine(code)) {
    throw MachineFault("ledger " + quoted(path_) + ": " + what + " (SQLite code " +
                       std::to_string(code) + ")");
  }
  refuse(what);
}

void Connection::check_readable() const {
  std::vector<unsigned char> piece(std::size_t{1} << 16U);
  for (std::int64_t at = 0; at < file_size(); at += std::ssize(piece)) {
    read(piece, at);
  }
}

void Connection::refuse(const std::string& what) const {
  check_readable();
  throw Damaged(damaged(path_, what));
}

}  // namespace freegap::ledger

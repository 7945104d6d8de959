#include "ledger/file_store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "freegap/errors.hpp"
#include "ledger/big_endian.hpp"
#include "ledger/path.hpp"
#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

// The exact texts in sqlite_schema. A file with other texts is refused. A newer format has one more
// column: its text is what ALTER TABLE makes of the older one.
constexpr std::string_view event_columns =
    "CREATE TABLE event(\n"
    "  sequence INTEGER PRIMARY KEY,\n"
    "  kind TEXT NOT NULL,\n"
    "  dataset TEXT,\n"
    "  total TEXT,\n"
    "  unit TEXT,\n"
    "  neighbours TEXT,\n"
    "  entry INTEGER,\n"
    "  time INTEGER,\n"
    "  who TEXT,\n"
    "  verb TEXT,\n"
    "  parameters TEXT,\n"
    "  reserved TEXT,\n"
    "  spent TEXT,\n"
    "  release TEXT,\n"
    "  hash TEXT NOT NULL\n";
constexpr std::string_view head_table =
    "CREATE TABLE head(\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  count INTEGER NOT NULL,\n"
    "  hash TEXT NOT NULL\n"
    ") STRICT";

/// Up to this size a file is always checked as a whole.
constexpr std::int64_t small_file = std::int64_t{1} << 20U;

// Offsets in the header of an SQLite file: https://sqlite.org/fileformat.html
constexpr std::string_view magic("SQLite format 3\0", 16);
constexpr std::size_t write_format = 18;
constexpr std::size_t read_format = 19;
constexpr std::size_t free_list_at = 32;
constexpr std::size_t free_pages_at = 36;
constexpr std::size_t user_version_at = 60;
constexpr std::size_t application_id_at = 68;

/// Returns the path if a ledger may be there, and throws Refused otherwise, before SQLite opens it.
const std::string& existing(const std::string& path) {
  struct stat status {};
  check_path(path);
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      throw Refused("there is no ledger " + quoted(path) +
                    "; make one with: freegap budget create --ledger FILE --dataset NAME "
                    "--epsilon E --unit UNIT");
    }
    throw MachineFault("ledger " + quoted(path) + ": " + std::generic_category().message(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    throw Refused(quoted(path) + " is not a file; name the file of a ledger");
  }
  if (status.st_size == 0) {
    throw Damaged(damaged(path,
                          "it is empty (a new ledger is made by `freegap budget create`, "
                          "under a name that is not taken)"));
  }
  if (status.st_nlink > 1) {
    throw Refused("ledger " + quoted(path) +
                  " has several names (hard links): a program that died under one of them could "
                  "not be cleaned up after under another. Remove all names but one");
  }
  return path;
}

/// How many of the hashed columns a file of this format has.
std::size_t columns_of(std::int64_t format) {
  return hashed_columns_of_format_1 + static_cast<std::size_t>(format - 1);
}
static_assert(hashed_columns_of_format_1 + format_version - 1 == hashed_columns.size());

/// The text of the table of events in a file of this format.
std::string event_table(std::int64_t format) {
  std::string text(event_columns);
  for (std::size_t i = hashed_columns_of_format_1; i < columns_of(format); ++i) {
    text += std::string(", ") + hashed_columns.at(i) + " TEXT";
  }
  return text + ") STRICT";
}

/// The hashed columns and the hash. Those that a file of an older format lacks are NULL.
std::string columns(std::int64_t format) {
  std::string text;
  for (std::size_t i = 0; i < hashed_columns.size(); ++i) {
    text += std::string(i < columns_of(format) ? hashed_columns.at(i) : "NULL") + ", ";
  }
  return text + "hash";
}

void insert(Connection& connection, const Row& row) {
  Statement statement(connection, "INSERT INTO event(" + columns(format_version) +
                                      ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  const FieldViews values(row);
  for (std::size_t i = 0; i < hashed_columns.size(); ++i) {
    const int parameter = static_cast<int>(i) + 1;
    if (!values[i]) {
      statement.bind_null(parameter);
    } else if (is_integer_column(i)) {
      statement.bind(parameter, std::int64_t{std::stoll(std::string(*values[i]))});
    } else {
      statement.bind(parameter, *values[i]);
    }
  }
  statement.bind(static_cast<int>(hashed_columns.size()) + 1, std::string_view(row.hash));
  statement.step();
}

}  // namespace

FileStore::FileStore(const std::string& path, WhileWaiting while_waiting)
    : connection_(existing(path), default_lock_timeout, std::move(while_waiting)) {
  connection_.check_companions();
  check_header();
  for (const char* setting : {
           "PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON",
           "PRAGMA mmap_size = 0",       // an error of the disk is an error code, not a signal
           "PRAGMA synchronous = EXTRA"  // also the folder, once the journal is gone from it
       }) {
    connection_.run(setting);
  }
  if (connection_.text("PRAGMA journal_mode = DELETE") != "delete") {
    refuse("it has no rollback journal");
  }
}

std::string FileStore::bytes_of(const EachRow& rows) {
  const std::unique_ptr<Connection> connection = Connection::in_memory();
  connection->run("PRAGMA page_size = 4096");
  connection->run("PRAGMA application_id = " + std::to_string(application_id));
  connection->run("PRAGMA user_version = " + std::to_string(format_version));
  connection->run(event_table(format_version));
  connection->run(std::string(head_table));
  Head last;
  rows([&](const Row& row) {
    insert(*connection, row);
    last = {row.sequence, row.hash};
  });
  Statement head(*connection, "INSERT INTO head VALUES (1, ?, ?)");
  head.bind(1, last.rows);
  head.bind(2, std::string_view(last.hash));
  head.step();
  return connection->bytes();
}

void FileStore::begin(Access access) {
  connection_.check_companions();
  connection_.run(access == Access::write ? "BEGIN IMMEDIATE" : "BEGIN");
  try {
    if (connection_.moved()) {
      connection_.fail(SQLITE_READONLY_DBMOVED);
    }
  } catch (const std::exception&) {
    roll_back();
    throw;
  }
}

void FileStore::commit() { connection_.run("COMMIT"); }

void FileStore::roll_back() noexcept { connection_.roll_back(); }

std::optional<std::int64_t> FileStore::version() {
  return connection_.integer("PRAGMA data_version");
}

bool FileStore::check_tables(Depth depth) {
  check_header();
  check_size();
  const bool whole = depth == Depth::whole || connection_.file_size() <= small_file;
  if (whole) {
    check_structure();
  }
  check_schema();
  check_no_free_pages();
  return whole;
}

void FileStore::read_rows(std::int64_t after, const TakeRow& each) {
  Statement statement(connection_, "SELECT " + columns(format()) +
                                       " FROM event WHERE sequence > ? ORDER BY sequence");
  statement.bind(1, after == 0 ? std::numeric_limits<std::int64_t>::min() : after);
  for (std::int64_t position = after + 1; statement.step(); ++position) {
    each(read_row(statement, position));
  }
}

std::optional<Row> FileStore::row(std::int64_t sequence) {
  Statement statement(connection_,
                      "SELECT " + columns(format()) + " FROM event WHERE sequence = ?");
  statement.bind(1, sequence);
  return statement.step() ? std::optional(read_row(statement, sequence)) : std::nullopt;
}

std::int64_t FileStore::format() { return connection_.integer("PRAGMA user_version"); }

void FileStore::upgrade() {
  if (format() == format_version) {
    return;
  }
  for (std::size_t i = columns_of(format()); i < hashed_columns.size(); ++i) {
    connection_.run(std::string("ALTER TABLE event ADD COLUMN ") + hashed_columns.at(i) + " TEXT");
  }
  connection_.run("PRAGMA user_version = " + std::to_string(format_version));
  check_schema();
}

void FileStore::append(const Row& row) {
  insert(connection_, row);
  Statement head(connection_, "UPDATE head SET count = ?, hash = ? WHERE id = 1");
  head.bind(1, row.sequence);
  head.bind(2, std::string_view(row.hash));
  head.step();
  if (connection_.changes() != 1) {
    refuse("its head is missing");
  }
}

// These bytes never change in the life of a ledger, but for the upgrade to a newer format. So they
// may be checked before SQLite rolls back a transaction that was interrupted.
void FileStore::check_header() const {
  const Connection::Header header = connection_.header();
  if (std::memcmp(header.data(), magic.data(), magic.size()) != 0 ||
      big_endian(header, application_id_at) != application_id) {
    throw Damaged(quoted(connection_.path()) +
                  " is not a ledger of freegap (or one whose beginning is damaged); nothing was "
                  "spent. Name another file");
  }
  const std::uint32_t version = big_endian(header, user_version_at);
  if (version > format_version) {
    throw Refused("ledger " + quoted(connection_.path()) +
                  " was made by a newer freegap: it has format " + std::to_string(version) +
                  ", this freegap knows formats up to " + std::to_string(format_version) +
                  "; nothing was spent. Use the newer one");
  }
  if (version == 0) {
    refuse("its format is unknown");
  }
  if (header[write_format] != 1 || header[read_format] != 1) {
    refuse("its journal mode was changed");
  }
}

std::int64_t FileStore::last_checkpoint() {
  Statement found(connection_,
                  "SELECT sequence FROM event WHERE kind = 'checkpoint' ORDER BY sequence DESC");
  return found.step() ? found.integer(0) : 0;
}

std::optional<std::string> FileStore::hash_of_row(std::int64_t sequence) {
  Statement statement(connection_, "SELECT hash FROM event WHERE sequence = ?");
  statement.bind(1, sequence);
  return statement.step() ? std::optional(statement.text(0)) : std::nullopt;
}

void FileStore::check_size() {
  const std::int64_t pages = connection_.integer("PRAGMA page_count");
  if (connection_.file_size() != pages * connection_.integer("PRAGMA page_size")) {
    refuse("its size is wrong");
  }
}

// Nothing is ever removed from a ledger, so no page of it is free. A free list could make the next
// write reuse a page that holds rows.
void FileStore::check_no_free_pages() const {
  const Connection::Header header = connection_.header();
  if (big_endian(header, free_list_at) != 0 || big_endian(header, free_pages_at) != 0) {
    refuse("it has free pages");
  }
}

// Rows that can be read do not show that the file is sound.
void FileStore::check_structure() {
  if (std::string found = connection_.text("PRAGMA integrity_check(1)"); found != "ok") {
    std::replace(found.begin(), found.end(), '\n', ' ');
    refuse(found);
  }
}

void FileStore::check_schema() {
  Statement statement(connection_,
                      "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || sql "
                      "FROM sqlite_master ORDER BY rowid");
  for (const auto& [name, sql] :
       {std::pair("event", event_table(format())), std::pair("head", std::string(head_table))}) {
    const std::string expected = std::string("table ") + name + " " + name + " " + sql;
    if (!statement.step() || statement.text(0) != expected) {
      refuse("its tables are not those of a ledger");
    }
  }
  if (statement.step()) {
    refuse("it has more than the tables of a ledger");
  }
}

Head FileStore::head() {
  Statement statement(connection_, "SELECT id, count, hash FROM head");
  const bool found = statement.step() && statement.type(0) == SQLITE_INTEGER &&
                     statement.integer(0) == 1 && statement.type(1) == SQLITE_INTEGER &&
                     statement.type(2) == SQLITE_TEXT;
  if (!found) {
    refuse("its head is missing");
  }
  Head head{statement.integer(1), statement.text(2)};
  if (statement.step()) {
    refuse("it has several heads");
  }
  return head;
}

Row FileStore::read_row(const Statement& statement, std::int64_t position) const {
  const auto text = [&](std::size_t i, int expected) {
    const int column = static_cast<int>(i);
    if (statement.type(column) != expected) {
      refuse("row " + std::to_string(position) + ": a column has the wrong type");
    }
    return statement.text(column);
  };
  std::array<std::optional<std::string>, hashed_columns.size()> values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (statement.type(static_cast<int>(i)) != SQLITE_NULL) {
      values[i] = text(i, is_integer_column(i) ? SQLITE_INTEGER : SQLITE_TEXT);
    }
  }
  Row row = row_of(std::move(values));
  row.hash = text(hashed_columns.size(), SQLITE_TEXT);
  return row;
}

}  // namespace freegap::ledger

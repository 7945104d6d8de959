#include "ledger/storage.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "freegap/errors.hpp"
#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

// The exact texts in sqlite_schema. A file with other texts is refused.
constexpr std::string_view event_table =
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
    "  hash TEXT NOT NULL\n"
    ") STRICT";
constexpr std::string_view head_table =
    "CREATE TABLE head(\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  count INTEGER NOT NULL,\n"
    "  hash TEXT NOT NULL\n"
    ") STRICT";

// Offsets in the header of an SQLite file: https://sqlite.org/fileformat.html
constexpr std::string_view magic("SQLite format 3\0", 16);
constexpr std::size_t write_format = 18;
constexpr std::size_t read_format = 19;
constexpr std::size_t user_version_at = 60;
constexpr std::size_t application_id_at = 68;

std::uint32_t big_endian(std::span<const unsigned char> bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (const unsigned char byte : bytes.subspan(at, 4)) {
    number = number << 8U | byte;
  }
  return number;
}

/// Returns the path if a ledger may be there, and throws Refused otherwise, before SQLite opens it.
const std::string& existing(const std::string& path) {
  struct stat status {};
  if (path.find('\0') != std::string::npos) {
    throw Refused("the path of a ledger cannot have a NUL in it");
  }
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
    throw Refused(damaged(path,
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

void insert(Connection& connection, const Row& row) {
  Statement statement(connection, "INSERT INTO event VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  const auto values = fields(row);
  int parameter = 0;
  for (const auto& value : values) {
    ++parameter;
    if (!value) {
      statement.bind_null(parameter);
    } else if (is_integer_column(static_cast<std::size_t>(parameter - 1))) {
      statement.bind(parameter, std::int64_t{std::stoll(*value)});
    } else {
      statement.bind(parameter, *value);
    }
  }
  statement.bind(parameter + 1, row.hash);
  statement.step();
}

}  // namespace

Storage::Storage(const std::string& path) : connection_(existing(path)) {
  check_header();
  for (const char* setting : {
           "PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON",
           "PRAGMA mmap_size = 0",       // an error of the disk is an error code, not a signal
           "PRAGMA synchronous = EXTRA"  // also the folder, once the journal is gone from it
       }) {
    connection_.run(setting);
  }
  if (connection_.text("PRAGMA journal_mode = DELETE") != "delete") {
    connection_.refuse("it has no rollback journal");
  }
}

std::string Storage::new_ledger(const Row& first) {
  const std::unique_ptr<Connection> connection = Connection::in_memory();
  connection->run("PRAGMA page_size = 4096");
  connection->run("PRAGMA application_id = " + std::to_string(application_id));
  connection->run("PRAGMA user_version = " + std::to_string(format_version));
  connection->run(std::string(event_table));
  connection->run(std::string(head_table));
  insert(*connection, first);
  Statement head(*connection, "INSERT INTO head VALUES (1, ?, ?)");
  head.bind(1, first.sequence);
  head.bind(2, first.hash);
  head.step();
  return connection->bytes();
}

void Storage::check_not_moved() const {
  if (connection_.moved()) {
    connection_.fail(SQLITE_READONLY_DBMOVED);
  }
}

Accounts Storage::load() {
  check_header();
  check_structure();
  check_schema();
  Accounts accounts;
  Statement statement(connection_, "SELECT * FROM event ORDER BY sequence");
  while (statement.step()) {
    const std::int64_t position = accounts.rows() + 1;
    try {
      accounts.add(read_row(statement, position));
    } catch (const Inconsistent& problem) {
      connection_.refuse("row " + std::to_string(position) + ": " + problem.what());
    }
  }
  check_head(accounts);
  return accounts;
}

void Storage::append(const Row& row) {
  insert(connection_, row);
  Statement head(connection_, "UPDATE head SET count = ?, hash = ? WHERE id = 1");
  head.bind(1, row.sequence);
  head.bind(2, row.hash);
  head.step();
  if (connection_.changes() != 1) {
    connection_.refuse("its head is missing");
  }
}

// These bytes never change in the life of a ledger. So they may be checked before SQLite rolls back
// a transaction that was interrupted.
void Storage::check_header() const {
  const Connection::Header header = connection_.header();
  if (std::memcmp(header.data(), magic.data(), magic.size()) != 0 ||
      big_endian(header, application_id_at) != application_id) {
    throw Refused(quoted(connection_.path()) +
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
  if (version != format_version) {
    connection_.refuse("its format is unknown");
  }
  if (header[write_format] != 1 || header[read_format] != 1) {
    connection_.refuse("its journal mode was changed");
  }
}

// Rows that can be read do not show that the file is sound: a damaged free list could make the next
// write reuse a page that holds rows.
void Storage::check_structure() {
  const std::int64_t pages = connection_.integer("PRAGMA page_count");
  if (connection_.file_size() != pages * connection_.integer("PRAGMA page_size")) {
    connection_.refuse("its size is wrong");
  }
  if (std::string found = connection_.text("PRAGMA integrity_check(1)"); found != "ok") {
    std::replace(found.begin(), found.end(), '\n', ' ');
    connection_.refuse(found);
  }
}

void Storage::check_schema() {
  Statement statement(connection_,
                      "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || sql "
                      "FROM sqlite_master ORDER BY rowid");
  for (const auto& [name, sql] : {std::pair("event", event_table), std::pair("head", head_table)}) {
    const std::string expected = std::string("table ") + name + " " + name + " " + std::string(sql);
    if (!statement.step() || statement.text(0) != expected) {
      connection_.refuse("its tables are not those of a ledger");
    }
  }
  if (statement.step()) {
    connection_.refuse("it has more than the tables of a ledger");
  }
}

void Storage::check_head(const Accounts& accounts) {
  Statement statement(connection_, "SELECT id, count, hash FROM head");
  const bool found = statement.step() && statement.type(0) == SQLITE_INTEGER &&
                     statement.integer(0) == 1 && statement.type(1) == SQLITE_INTEGER &&
                     statement.type(2) == SQLITE_TEXT;
  if (!found) {
    connection_.refuse("its head is missing");
  }
  if (statement.integer(1) != accounts.rows() || statement.text(2) != accounts.last_hash()) {
    connection_.refuse("its head records " + std::to_string(statement.integer(1)) +
                       " rows and a last hash; the file has " + std::to_string(accounts.rows()) +
                       " rows, or another last hash");
  }
  if (statement.step()) {
    connection_.refuse("it has several heads");
  }
  if (accounts.rows() == 0) {
    connection_.refuse("it has no rows");
  }
}

Row Storage::read_row(const Statement& statement, std::int64_t position) const {
  const auto text = [&](std::size_t i, int expected) {
    const int column = static_cast<int>(i);
    if (statement.type(column) != expected) {
      connection_.refuse("row " + std::to_string(position) + ": a column has the wrong type");
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

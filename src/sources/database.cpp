// The result of a query of an SQLite database, which is opened read-only and asked nothing but to
// read: one statement, with a result, that neither changes, attaches nor configures anything.

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "freegap/errors.hpp"
#include "sources/readers.hpp"
#include "sources/tally.hpp"
#include "sources/text.hpp"

namespace freegap::sources {
namespace {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

constexpr int patience_ms = 5000;

/// Throws what SQLite has just reported: a fault of the machine, or a bad request.
[[noreturn]] void fail(const std::string& argument, sqlite3* database, int status) {
  const std::string message =
      database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(status);
  switch (status & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_NOMEM:
    case SQLITE_IOERR:
    case SQLITE_FULL:
      throw MachineFault("SQLite failed: " + message);
    default:
      throw InvalidParameter(argument, "SQLite says: " + message);
  }
}

[[noreturn]] void refuse_more_than_reading() {
  throw InvalidParameter("query", "it must do nothing but read: a single SELECT");
}

/// A database that can be asked, and not changed.
class Database {
 public:
  explicit Database(const std::string& path) {
    sqlite3* handle = nullptr;
    const int status = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr);
    handle_.reset(handle);
    if (status != SQLITE_OK) {
      fail(path, handle, status);
    }
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, patience_ms);
    const int found = sqlite3_exec(handle, "SELECT 1 FROM sqlite_master LIMIT 1", nullptr, nullptr,
                                   nullptr);  // opening a file does not look into it
    if (found != SQLITE_OK) {
      fail(path, handle, found);
    }
    sqlite3_set_authorizer(handle, allow_reading, this);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() = default;

  /// Takes one statement off the front of `text`; null if there is none.
  Statement take_statement(std::string_view& text) {
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    const int status = sqlite3_prepare_v2(handle_.get(), text.data(), static_cast<int>(text.size()),
                                          &statement, &rest);
    Statement owned(statement);
    if (denied_) {
      refuse_more_than_reading();
    }
    if (status != SQLITE_OK) {
      fail("query", handle_.get(), status);
    }
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return owned;
  }
  /// Goes to the given row, which is the next. Whether there is one. What SQLite says of an error
  /// here may repeat what stands in the data, so its kind alone is reported.
  static bool step(sqlite3_stmt* statement, std::uint64_t row) {
    const int status = sqlite3_step(statement);
    if (status != SQLITE_ROW && status != SQLITE_DONE) {
      fail("query, row " + std::to_string(row), nullptr, status);
    }
    return status == SQLITE_ROW;
  }

 private:
  /// Lets a query read, and do nothing else. Tables made by a function (json_each), full-text and
  /// R-tree tables declare themselves and prepare statements for changes when they are first named,
  /// so changes are not refused here: a statement that makes some is refused by
  /// sqlite3_stmt_readonly, and the database is open for reading only.
  static int allow_reading(void* self, int action, const char* first, const char* second,
                           const char* /*schema*/, const char* /*trigger*/) {
    switch (action) {
      case SQLITE_SELECT:
      case SQLITE_READ:
      case SQLITE_FUNCTION:
      case SQLITE_RECURSIVE:
      case SQLITE_INSERT:
      case SQLITE_UPDATE:
      case SQLITE_DELETE:
        return SQLITE_OK;
      case SQLITE_PRAGMA:
        if (second == nullptr &&
            (first == std::string_view("data_version") || first == std::string_view("page_size"))) {
          return SQLITE_OK;  // full-text tables ask for them themselves
        }
        break;
      default:
        break;
    }
    static_cast<Database*>(self)->denied_ = true;
    return SQLITE_DENY;
  }

  std::unique_ptr<sqlite3, Close> handle_;
  bool denied_ = false;
};

/// The one statement of a query.
Statement prepare(Database& database, std::string_view query) {
  constexpr std::size_t longest_query = 1'000'000;
  if (query.size() > longest_query || query.find('\0') != std::string_view::npos) {
    throw InvalidParameter("query", "it is too long, or not text");
  }
  std::string_view rest = query;
  Statement statement = database.take_statement(rest);
  if (!statement) {
    throw InvalidParameter("query", "it is empty");
  }
  if (sqlite3_stmt_readonly(statement.get()) == 0 || sqlite3_column_count(statement.get()) == 0) {
    refuse_more_than_reading();
  }
  while (!rest.empty()) {
    if (database.take_statement(rest)) {
      throw InvalidParameter("query", "it must be a single statement");
    }
  }
  return statement;
}

std::vector<std::string> columns_of(sqlite3_stmt* statement) {
  std::vector<std::string> columns;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char* name = sqlite3_column_name(statement, i);
    columns.emplace_back(trimmed(name != nullptr ? name : ""));
  }
  return columns;
}

Cell cell_of(sqlite3_stmt* statement, std::size_t place) {
  const int column = static_cast<int>(place);
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return {.type = Cell::Type::whole, .whole = sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return {.type = Cell::Type::real, .real = sqlite3_column_double(statement, column)};
    case SQLITE_TEXT: {
      const unsigned char* text = sqlite3_column_text(statement, column);
      if (text == nullptr) {
        throw MachineFault("SQLite failed: out of memory");
      }
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
      return {.type = Cell::Type::text, .text = {reinterpret_cast<const char*>(text), size}};
    }
    case SQLITE_NULL:
      return {.type = Cell::Type::null};
    default:
      return {.type = Cell::Type::other};
  }
}

/// Takes in the row that the statement stands on. What is wrong with it, in words, or nothing.
std::optional<std::string> take_row(sqlite3_stmt* statement, const Schema& schema,
                                    std::uint64_t row, Tally& tally) {
  const auto other_place = schema.number ? schema.number : schema.unit;
  const Cell item = cell_of(statement, schema.item);
  const Cell other = other_place ? cell_of(statement, *other_place) : Cell{};
  for (const Cell& cell : {item, other}) {
    if (const char* problem = text_problem(cell.text)) {
      return problem;
    }
  }
  return tally.add(item, other, row);
}

}  // namespace

Values read_database(const Input& input, Problems& problems, Cut* cut) {
  Database database(*input.sqlite);
  const Statement statement = prepare(database, input.query);
  const Schema schema = Schema::of(columns_of(statement.get()), input, "query");
  Tally tally(schema, input, "row");
  for (std::uint64_t row = 1; Database::step(statement.get(), row); ++row) {
    if (const auto problem = take_row(statement.get(), schema, row, tally)) {
      problems.add(row, *problem);
    }
  }
  return tally.finish(cut);
}

}  // namespace freegap::sources

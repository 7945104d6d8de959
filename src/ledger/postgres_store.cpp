#include "ledger/postgres_store.hpp"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "freegap/errors.hpp"
#include "ledger/row.hpp"
#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

/// The version of the tables, in the head. Those of format 1 have no column `delta`.
constexpr std::int64_t format_of_tables = 2;
/// How many rows are asked for at a time: each may have a release.
constexpr int rows_at_a_time = 50;

// Statements that make a ledger. The owner of the tables, and members of the owner's role, are not
// bound by the policies: they alone create, close and rename data sets. Nobody else can change or
// remove a row, since nobody is granted that.
constexpr std::array<const char*, 7> making{
    "CREATE SCHEMA IF NOT EXISTS freegap",
    "CREATE TABLE freegap.event("
    "sequence bigint PRIMARY KEY, kind text NOT NULL, dataset text, total text, unit text, "
    "neighbours text, entry bigint, time bigint, who text, verb text, parameters text, "
    "reserved text, spent text, release text, details text, hash text NOT NULL, delta text)",
    "CREATE INDEX checkpoints ON freegap.event(sequence) WHERE kind = 'checkpoint'",
    "CREATE TABLE freegap.head("
    "id integer PRIMARY KEY, format bigint NOT NULL, count bigint NOT NULL, hash text NOT NULL)",
    "ALTER TABLE freegap.event ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY reading ON freegap.event FOR SELECT USING (true)",
    "CREATE POLICY spending ON freegap.event FOR INSERT WITH CHECK "
    "(kind IN ('reserve', 'settle', 'checkpoint'))"};

/// The columns of the two tables with their types, as `columns_of_tables` returns them.
std::string expected_columns(std::int64_t format) {
  return std::string(
             "event.sequence bigint, event.kind text, event.dataset text, event.total text, "
             "event.unit text, event.neighbours text, event.entry bigint, event.time bigint, "
             "event.who text, event.verb text, event.parameters text, event.reserved text, "
             "event.spent text, event.release text, event.details text, event.hash text, ") +
         (format == 1 ? "" : "event.delta text, ") +
         "head.id integer, head.format bigint, head.count bigint, head.hash text";
}
constexpr const char* columns_of_tables =
    "SELECT string_agg(c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, "
    "a.atttypmod), ', ' ORDER BY c.relname, a.attnum) FROM pg_attribute a JOIN pg_class c "
    "ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = "
    "'freegap' AND c.relname IN ('event', 'head') AND a.attnum > 0 AND NOT a.attisdropped";

/// The hashed columns and the hash. The one that tables of format 1 lack is NULL.
std::string columns(std::int64_t format) {
  std::string text;
  for (const std::string_view column : hashed_columns) {
    text += (format == 1 && column == "delta" ? "NULL" : std::string(column)) + ", ";
  }
  return text + "hash";
}

Row row_at(const PostgresResult& result, int position) {
  std::array<std::optional<std::string>, hashed_columns.size()> values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values.at(i) = result.value(position, static_cast<int>(i));
  }
  Row row = row_of(std::move(values));
  row.hash = result.value(position, static_cast<int>(hashed_columns.size())).value();
  return row;
}

/// Adds a row. A column that it does not fill is not named: tables of format 1 lack one.
void insert(PostgresConnection& connection, const Row& row) {
  std::string names = "hash";
  std::string places = "$1";
  std::vector<Parameter> parameters{row.hash};
  const FieldViews values(row);
  for (std::size_t i = 0; i < hashed_columns.size(); ++i) {
    if (values[i]) {
      parameters.emplace_back(std::string(*values[i]));
      names += std::string(", ") + hashed_columns.at(i);
      places += ", $" + std::to_string(parameters.size());
    }
  }
  connection.run("INSERT INTO freegap.event(" + names + ") VALUES (" + places + ")", parameters);
}

/// Asks the catalogue by a query: functions such as to_regclass may answer from a cache, and not
/// know yet what another process has just committed.
bool has_ledger(PostgresConnection& connection) {
  return connection
             .run(
                 "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                 "WHERE n.nspname = 'freegap' AND c.relname = 'event'")
             .rows() > 0;
}

}  // namespace

PostgresStore::PostgresStore(const std::string& url, WhileWaiting while_waiting)
    : connection_(url, std::move(while_waiting)) {}

bool PostgresStore::make(const std::string& url, const EachRow& rows) {
  PostgresConnection connection(url);
  if (has_ledger(connection)) {
    return false;
  }
  connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    // Of two processes at once, one makes the ledger; the other one finds it.
    connection.run("SELECT pg_advisory_xact_lock(1179083120)");
    if (has_ledger(connection)) {
      connection.roll_back();
      return false;
    }
    for (const char* statement : making) {
      connection.run(statement);
    }
    Head last;
    rows([&](const Row& row) {
      insert(connection, row);
      last = {row.sequence, row.hash};
    });
    connection.run("INSERT INTO freegap.head VALUES (1, $1, $2, $3)",
                   {std::to_string(format_of_tables), std::to_string(last.rows), last.hash});
  } catch (const std::exception&) {
    connection.roll_back();
    throw;
  }
  try {
    connection.commit();
  } catch (const MachineFault& fault) {
    throw CommitFault(fault.what(), CommitFault::Fate::unknown);
  }
  return true;
}

void PostgresStore::begin(Access access) {
  if (access == Access::read) {
    connection_.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return;
  }
  connection_.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
  try {
    connection_.lock("SELECT count FROM freegap.head FOR UPDATE");
  } catch (const std::exception&) {
    connection_.roll_back();
    throw;
  }
}

void PostgresStore::add_delta_column() {
  connection_.run("ALTER TABLE freegap.event ADD COLUMN delta text");
  connection_.run("UPDATE freegap.head SET format = $1 WHERE id = 1",
                  {std::to_string(format_of_tables)});
  format_ = format_of_tables;
}

void PostgresStore::append(const Row& row) {
  if (row.delta && format_ == 1) {
    add_delta_column();
  }
  insert(connection_, row);
  const PostgresResult changed =
      connection_.run("UPDATE freegap.head SET count = $1, hash = $2 WHERE id = 1 RETURNING id",
                      {std::to_string(row.sequence), row.hash});
  if (changed.rows() != 1) {
    refuse("its head is missing");
  }
}

std::optional<std::string> PostgresStore::hash_of_row(std::int64_t sequence) {
  const PostgresResult found = connection_.run("SELECT hash FROM freegap.event WHERE sequence = $1",
                                               {std::to_string(sequence)});
  return found.rows() == 0 ? std::nullopt : found.value(0, 0);
}

bool PostgresStore::check_tables(Depth depth) {
  const PostgresResult head = connection_.run("SELECT format FROM freegap.head");
  format_ = head.rows() > 0 ? head.integer(0, 0) : format_of_tables;
  if (format_ > format_of_tables) {
    throw Refused("ledger " + quoted(name()) + " was made by a newer freegap: it has format " +
                  std::to_string(format_) + ", this freegap knows formats up to " +
                  std::to_string(format_of_tables) + "; nothing was spent. Use the newer one");
  }
  if (connection_.run(columns_of_tables).value(0, 0) != expected_columns(format_)) {
    refuse("its tables are not those of a ledger");
  }
  constexpr std::int64_t small = std::int64_t{1}
                                 << 20U;  // bytes: read as a whole, as a small file is
  return depth == Depth::whole ||
         connection_.run("SELECT pg_table_size('freegap.event')").integer(0, 0) <= small;
}

std::int64_t PostgresStore::last_checkpoint() {
  return connection_
      .run("SELECT coalesce(max(sequence), 0) FROM freegap.event WHERE kind = 'checkpoint'")
      .integer(0, 0);
}

void PostgresStore::read_rows(std::int64_t after, const TakeRow& each) {
  const std::string sql = "SELECT " + columns(format_) +
                          " FROM freegap.event WHERE sequence > $1 ORDER BY sequence LIMIT " +
                          std::to_string(rows_at_a_time);
  std::string last = after == 0 ? std::to_string(INT64_MIN) : std::to_string(after);
  for (int count = rows_at_a_time; count == rows_at_a_time;) {
    const PostgresResult found = connection_.run(sql, {last});
    count = found.rows();
    for (int i = 0; i < count; ++i) {
      const Row row = row_at(found, i);
      last = std::to_string(row.sequence);
      each(row);
    }
  }
}

std::optional<Row> PostgresStore::row(std::int64_t sequence) {
  const PostgresResult found =
      connection_.run("SELECT " + columns(format_) + " FROM freegap.event WHERE sequence = $1",
                      {std::to_string(sequence)});
  return found.rows() == 0 ? std::nullopt : std::optional(row_at(found, 0));
}

Head PostgresStore::head() {
  const PostgresResult found =
      connection_.run("SELECT id, count, hash FROM freegap.head ORDER BY id");
  if (found.rows() == 0 || found.integer(0, 0) != 1) {
    refuse("its head is missing");
  }
  if (found.rows() > 1) {
    refuse("it has several heads");
  }
  return {found.integer(0, 1), found.value(0, 2).value()};
}

}  // namespace freegap::ledger

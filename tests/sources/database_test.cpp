// Databases are read and never changed.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "sources/reading.hpp"
#include "support/temporary_folder.hpp"

namespace freegap::sources {
namespace {

using Texts = std::vector<std::string>;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class DatabaseTest : public ::testing::Test {
 protected:
  void fill(const std::string& statements) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    char* message = nullptr;
    ASSERT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << message;
    ASSERT_EQ(sqlite3_close(database), SQLITE_OK);
  }
  [[nodiscard]] Input asking(const std::string& query) const {
    Input input;
    input.sqlite = path;
    input.query = query;
    return input;
  }
  /// Counts the users of each page.
  [[nodiscard]] Input counting_users(const std::string& query) const {
    Input input = asking(query);
    input.item = "page";
    input.unit = "user";
    return input;
  }
  [[nodiscard]] std::string why(const std::string& query) const {
    return refusal([&] { read(asking(query)); });
  }

  testing::TemporaryFolder folder;
  std::string path = folder.file("data.db");
};

TEST_F(DatabaseTest, GivesReadyMadeValues) {
  fill(
      "CREATE TABLE t (item, n); INSERT INTO t VALUES ('b', 3), (17, 4), (' c ', '5'), ('d', 6.0)");
  EXPECT_EQ(shown(read(asking("SELECT item, n AS count FROM t"))), "b=3 17=4 c=5 d=6 (4 of )");
  EXPECT_EQ(
      shown(read(asking("SELECT item, sum(n) AS count FROM t WHERE n > 3 GROUP BY item;  -- all"))),
      "17=4 c=5 d=6 (3 of )");
  EXPECT_EQ(shown(read(asking("WITH u AS (SELECT 1 AS item, 2 AS value) SELECT * FROM u"))),
            "1=2 (1 of )");
}

TEST_F(DatabaseTest, CountsRowsAndUnits) {
  fill(
      "CREATE TABLE t (user, page);"
      "INSERT INTO t VALUES (1, 'a'), (1, 'a'), ('1', 'a'), (2, 'a'), (2, 'b'), (NULL, 'a')");
  Input input = asking("SELECT * FROM t");
  input.item = "page";
  EXPECT_EQ(shown(read(input)), "a=5 b=1 (6 of row)");
  input.unit = "user";
  input.skip_bad_records = true;
  EXPECT_EQ(shown(read(input)), "a=2 b=1 (5 of user)");
  EXPECT_EQ(shown(check(input)), "a=2 b=1 (5 of user)\n6: the unit is null");
}

TEST_F(DatabaseTest, NamesWhatIsWrongWithAUnit) {
  fill(
      "CREATE TABLE t (user, page);"
      "INSERT INTO t VALUES ('u', 'a'), (char(7), 'b'), (CAST(x'ff' AS TEXT), 'c'), (1.5, 'd'),"
      " (x'75', 'e'), (' ', 'f'), (printf('%.*c', 1025, 'u'), 'g'), (printf('%.*c', 1024, 'u'), "
      "'a'),"
      " (-9223372036854775807 - 1, 'a'), ('-9223372036854775808', 'a'), (' u ', 'a')");
  const Values values = check(counting_users("SELECT user, page FROM t"));
  EXPECT_EQ(values.items, Texts{"a"});  // a malformed row lists no item
  EXPECT_EQ(shown(values),
            "a=3 (5 of user)\n"
            "2: it has a control character\n"
            "3: it is not valid UTF-8\n"
            "4: the unit is neither text nor a whole number\n"
            "5: the unit is neither text nor a whole number\n"
            "6: the unit is empty\n"
            "7: the unit is longer than 1024 bytes");
}

TEST_F(DatabaseTest, CountsLateRows) {
  // Also the last of many rows, and names that first come late.
  fill(
      "CREATE TABLE t (user, page);"
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)"
      " INSERT INTO t SELECT i, 'page ' || (i % 2500) FROM n; INSERT INTO t VALUES (0, 'last')");
  const Values values = read(counting_users("SELECT page, user FROM t"));
  EXPECT_EQ(values.items.size(), 2501U);
  EXPECT_EQ(values.items.back(), "last");
  EXPECT_EQ(values.whole.back(), 1);
  EXPECT_EQ(std::count(values.whole.begin(), values.whole.end(), 2), 2500);
  EXPECT_EQ(values.records, 5001U);
}

TEST_F(DatabaseTest, NamesWhatIsWrongWithARow) {
  fill(
      "CREATE TABLE t (item, count);"
      "INSERT INTO t VALUES ('a', 1), (NULL, 1), (1.5, 1), (x'61', 1), ('', 1), ('b', NULL),"
      " ('c', 1.5), ('d', 'x'), ('e', x'31'), ('f', -1), ('a', 2), (CAST(x'ff' AS TEXT), 1),"
      " ('g' || char(0) || 'h', 1), (char(7), 1), ('i', 9e999)");
  const Values values = check(asking("SELECT item, count FROM t"));
  EXPECT_EQ(shown(values),
            "a=1 (1 of )\n"
            "2: the item is null\n"
            "3: the item is neither text nor a whole number\n"
            "4: the item is neither text nor a whole number\n"
            "5: the item is empty\n"
            "6: the number is null\n"
            "7: the number is not whole\n"
            "8: the number is not whole\n"
            "9: the number is not whole\n"
            "10: the count is negative\n"
            "11: it repeats the item of row 1\n"
            "12: it is not valid UTF-8\n"
            "13: it has a control character\n"
            "14: it has a control character\n"
            "15: the number is not whole");
  EXPECT_EQ(why("SELECT item, count FROM t"),
            "query, row 2: the item is null; mend it, or drop all such records with "
            "--skip-bad-records (freegap count --check lists them)");
}

TEST_F(DatabaseTest, ReadsRealsDownwards) {
  fill(
      "CREATE TABLE t (item, value);"
      "INSERT INTO t VALUES ('a', 0.1), ('b', '0.4'), ('c', 9007199254740993), ('d', 9e999),"
      " ('e', -9007199254740993)");
  Input input = asking("SELECT item, value FROM t");
  input.numbers = Numbers::real;
  const Values values = check(input);
  EXPECT_EQ(values.real, (std::vector<double>{0.1, 0.39999999999999997, 0x1p53, -0x1p53 - 2}));
  ASSERT_EQ(values.bad.size(), 1U);
  EXPECT_EQ(values.bad.front().problem, "the number is not a finite decimal number");
  input.numbers = Numbers::whole;
  EXPECT_EQ(check(input).whole, (std::vector<std::int64_t>{9007199254740993, -9007199254740993}));
}

TEST_F(DatabaseTest, IsNeverChanged) {
  fill("CREATE TABLE t (item, count); INSERT INTO t VALUES ('a', 1)");
  const std::string before = contents(path);
  const std::string only_reading = "query: it must do nothing but read: a single SELECT";
  for (const char* query :
       {"DELETE FROM t", "INSERT INTO t VALUES ('b', 2) RETURNING item, count", "DROP TABLE t",
        "UPDATE t SET count = 2 RETURNING *", "CREATE TEMP TABLE u (item)", "VACUUM", "BEGIN",
        "ATTACH 'other.db' AS other", "PRAGMA user_version = 3", "PRAGMA journal_mode = WAL",
        "PRAGMA page_size = 4096", "PRAGMA table_info(t)", "ANALYZE", "REINDEX", "DETACH main",
        "SAVEPOINT s", "CREATE VIRTUAL TABLE v USING fts5(item)"}) {
    EXPECT_EQ(why(query), only_reading) << query;
  }
  EXPECT_EQ(why("SELECT * FROM t; DELETE FROM t"), "query: it must be a single statement");
  EXPECT_EQ(why("SELECT * FROM t; SELECT * FROM t"), "query: it must be a single statement");
  EXPECT_EQ(why("SELECT * FROM t;; ; SELECT * FROM t"), "query: it must be a single statement");
  EXPECT_NE(why("SELECT load_extension('x')"), "nothing is refused");
  EXPECT_EQ(shown(read(asking("SELECT * FROM t;;"))), "a=1 (1 of )");
  EXPECT_EQ(contents(path), before);
}

TEST_F(DatabaseTest, LeavesAChangeThatWasInterruptedAsItIs) {
  fill("CREATE TABLE t (item, count); INSERT INTO t VALUES ('a', 1)");
  // The files as a program leaves them that dies while it writes: SQLite would roll the change
  // back.
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database,
                         "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN;"
                         "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 99)"
                         " INSERT INTO t SELECT printf('%.*c', 999, 'x') || i, i FROM n",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  const std::string other = folder.file("other.db");
  std::filesystem::copy_file(path, other);
  std::filesystem::copy_file(path + "-journal", other + "-journal");
  sqlite3_close(database);
  const std::string before = contents(other);
  const std::string journal = contents(other + "-journal");
  ASSERT_GT(before.size(), contents(path).size()) << "nothing was written";
  Input input = asking("SELECT * FROM t");
  input.sqlite = other;
  EXPECT_NE(refusal([&] { read(input); }), "nothing is refused");
  EXPECT_EQ(contents(other), before);
  EXPECT_EQ(contents(other + "-journal"), journal);
}

TEST_F(DatabaseTest, LockThatIsNotGivenBackIsAFaultOfTheMachine) {
  fill("CREATE TABLE t (item, count); INSERT INTO t VALUES ('a', 1)");
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_THROW(read(asking("SELECT * FROM t")), MachineFault);  // after some seconds
  sqlite3_close(other);
  EXPECT_EQ(shown(read(asking("SELECT * FROM t"))), "a=1 (1 of )");
}

TEST_F(DatabaseTest, ReadsTablesThatFunctionsAndModulesMake) {
  fill(
      "CREATE TABLE t (who, bought);"
      "INSERT INTO t VALUES ('ann', '[\"tea\",\"milk\"]'), ('bob', '[\"tea\"]');"
      "CREATE VIRTUAL TABLE notes USING fts5(item, body);"
      "INSERT INTO notes VALUES ('a', 'green tea'), ('b', 'milk'), ('c', 'black tea');"
      "CREATE VIRTUAL TABLE old_notes USING fts4(item, body);"
      "INSERT INTO old_notes VALUES ('a', 'green tea'), ('b', 'milk');"
      "CREATE VIRTUAL TABLE places USING rtree(id, west, east);"
      "INSERT INTO places VALUES (1, 0, 1), (2, 5, 6)");
  const std::string before = contents(path);
  const auto given = [&](const std::string& query) { return shown(read(asking(query))); };
  EXPECT_EQ(given("SELECT value AS item, count(*) AS count FROM t, json_each(t.bought) GROUP BY 1 "
                  "ORDER BY 1"),
            "milk=1 tea=2 (2 of )");
  EXPECT_EQ(given("SELECT value AS item, count(*) AS count FROM t, json_tree(t.bought) WHERE "
                  "type = 'text' GROUP BY 1 ORDER BY 1"),
            "milk=1 tea=2 (2 of )");
  EXPECT_EQ(given("SELECT item, 1 AS count FROM notes WHERE notes MATCH 'tea' ORDER BY item"),
            "a=1 c=1 (2 of )");
  EXPECT_EQ(given("SELECT item, 1 AS count FROM old_notes WHERE old_notes MATCH 'tea'"),
            "a=1 (1 of )");
  EXPECT_EQ(given("SELECT id AS item, 1 AS count FROM places WHERE east > 3"), "2=1 (1 of )");
  for (const char* query :
       {"INSERT INTO notes VALUES ('d', 'x') RETURNING item, 1 AS count", "DELETE FROM notes",
        "DROP TABLE notes", "INSERT INTO notes(notes) VALUES ('rebuild')"}) {
    EXPECT_EQ(why(query), "query: it must do nothing but read: a single SELECT") << query;
  }
  EXPECT_EQ(contents(path), before);
}

TEST_F(DatabaseTest, NeverShowsWhatStandsInARecord) {
  fill(
      "CREATE TABLE t (item, path); INSERT INTO t VALUES ('a', '$.x'), ('b', 'Ann Miller');"
      "CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('x')");
  for (const char* query : {"SELECT item, json_extract('{\"x\":1}', path) AS count FROM t",
                            "SELECT item, (SELECT count(*) FROM notes WHERE notes MATCH '\"' || "
                            "path) AS count FROM t"}) {
    const std::string message = why(query);
    EXPECT_EQ(message.find("Ann"), std::string::npos) << message;
    EXPECT_EQ(message.find("Miller"), std::string::npos) << message;
    EXPECT_EQ(message.rfind("query, row ", 0), 0U) << message;
  }
}

TEST_F(DatabaseTest, RefusesWhatMakesNoSense) {
  EXPECT_EQ(why("SELECT 1"), path + ": SQLite says: unable to open database file");
  fill("CREATE TABLE t (item, count)");
  EXPECT_EQ(shown(read(asking("SELECT * FROM t"))), "(0 of )");
  EXPECT_EQ(why("SELECT * FROM u"), "query: SQLite says: no such table: u");
  EXPECT_EQ(why("SELEC"), "query: SQLite says: near \"SELEC\": syntax error");
  EXPECT_EQ(why(""), "query: say what to ask the database: give --query SQL");
  EXPECT_EQ(why(" -- nothing"), "query: it is empty");
  EXPECT_EQ(why(std::string("SELECT 1\0", 9)), "query: it is too long, or not text");
  EXPECT_EQ(why("SELECT item FROM t"),
            "query: there is no column \"count\", \"value\" or \"utility\"; name the column of "
            "numbers with --value COLUMN and what they count with --unit NAME, or count rows with "
            "--item COLUMN --unit COLUMN");
  EXPECT_EQ(why("SELECT 1 AS item, abs(-9223372036854775808) AS count"),
            "query, row 1: SQLite says: SQL logic error");
  Input input = asking("SELECT * FROM t");
  input.path = "data.csv";
  EXPECT_EQ(refusal([&] { read(input); }), "input: give either a file or a database, not both");
  const std::string text = folder.write("text.db", "this is no database, but it is long enough");
  input = asking("SELECT 1");
  input.sqlite = text;
  EXPECT_EQ(refusal([&] { read(input); }), text + ": SQLite says: file is not a database");
}

}  // namespace
}  // namespace freegap::sources

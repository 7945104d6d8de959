// Databases are read and never changed.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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
        "PRAGMA table_info(t)", "SELECT * FROM t; DELETE FROM t", "ANALYZE", "REINDEX"}) {
    EXPECT_EQ(why(query), only_reading) << query;
  }
  EXPECT_EQ(why("SELECT * FROM t; SELECT * FROM t"), "query: it must be a single statement");
  EXPECT_NE(why("SELECT load_extension('x')"), "nothing is refused");
  EXPECT_EQ(shown(read(asking("SELECT * FROM t;;"))), "a=1 (1 of )");
  EXPECT_EQ(contents(path), before);
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
            "query: there is no column \"count\", \"value\" or \"utility\"; the columns are "
            "\"item\"; name the column of items with --item to count rows");
  EXPECT_EQ(why("SELECT 1 AS item, abs(-9223372036854775808) AS count"),
            "query: SQLite says: integer overflow");
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

// The file: created atomically and for its owner alone; refused if it is anything but a ledger that
// this program wrote; never created or repaired as a side effect.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "freegap/errors.hpp"
#include "ledger/connection.hpp"
#include "ledger/file_store.hpp"
#include "ledger/fixture.hpp"
#include "ledger/ledger.hpp"
#include "ledger/new_file.hpp"
#include "ledger/row.hpp"

namespace freegap::testing {
namespace {

using ledger::Ledger;
using ledger::Refused;
namespace fs = std::filesystem;

/// Runs SQL on the file directly, without the ledger.
void tamper(const std::string& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  char* problem = nullptr;
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &problem), SQLITE_OK)
      << sql << ": " << problem;
  sqlite3_free(problem);
  sqlite3_close(handle);
}

class LedgerFile : public ::testing::Test {
 protected:
  void SetUp() override {
    Ledger::create(path_, clicks());
    Ledger ledger(path_);
    ledger.settle(ledger.reserve(request("0.5"_rational)), "0.4"_rational, "{}");
    ledger.reserve(request("0.1"_rational));
  }
  /// The message when the file is opened.
  [[nodiscard]] std::string refused() const {
    return refusal<Refused>([&] { const Ledger ledger(path_); });
  }
  void expect_refused(const std::string& part) const {
    EXPECT_NE(refused().find(part), std::string::npos) << refused();
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("budget.db");
};

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777U;
}

TEST_F(LedgerFile, BelongsToItsOwnerWhateverTheUmask) {
  for (const mode_t mask : {0U, 022U, 0777U}) {
    const std::string path = folder_.file("umask" + std::to_string(mask));
    const mode_t before = ::umask(mask);
    Ledger::create(path, clicks());
    ::umask(before);
    EXPECT_EQ(mode_of(path), 0600U);
  }
}

TEST_F(LedgerFile, NoOtherFileStays) {
  EXPECT_EQ(folder_.files(), std::vector<std::string>{"budget.db"});
  EXPECT_THROW(Ledger::create(path_, clicks()), Refused);
  EXPECT_EQ(folder_.files(), std::vector<std::string>{"budget.db"});
}

TEST_F(LedgerFile, MakingAFileNeverReplacesOne) {
  EXPECT_FALSE(ledger::make_file(path_, "something else"));
  EXPECT_EQ(Ledger(path_).history().size(), 2U);
  EXPECT_EQ(folder_.files().size(), 1U);
}

TEST_F(LedgerFile, MissingOneIsNotMade) {
  path_ = folder_.file("other.db");
  expect_refused("there is no ledger");
  expect_refused("freegap budget create");
  EXPECT_EQ(folder_.files().size(), 1U);
  path_ = folder_.file("budget.db/inside");
  expect_refused("there is no ledger");
  path_ = "";
  expect_refused("the name of the ledger is empty");
  path_ = std::string("a\0b", 3);
  expect_refused("NUL");
}

TEST_F(LedgerFile, NamesThatMeanSomethingToSqliteAreFiles) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  for (const std::string name : {":memory:", "file:x?mode=memory", "-x"}) {
    EXPECT_THROW(const Ledger ledger(name), Refused);
    Ledger::create(name, clicks());
    EXPECT_TRUE(fs::exists(name)) << name;
    EXPECT_EQ(Ledger(name).datasets().size(), 1U);
  }
  fs::current_path(before);
}

TEST_F(LedgerFile, AddressesOfDatabasesAreNoFiles) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  for (const std::string name :
       {"Postgresql://ada:hunter2@h/b", " postgresql://ada:hunter2@h/b", "mysql://ada:hunter2@h/b",
        "postgresql+psycopg://ada:hunter2@h/b", "host=db password=hunter2",
        "host=db password = hunter2", "host=db PassWord\t=\n'hunter2'", "server=db;pwd=hunter2",
        "postgres:ada:hunter2@h", "\t PostgreSQL:ada:hunter2@h", "postgresql:/ada:hunter2@h/b",
        "postgresql+psycopg:/ada:hunter2@h/b", "/srv/mysql:/ada:hunter2@h/b"}) {
    for (const std::string& message : {refusal<Refused>([&] { const Ledger ledger(name); }),
                                       refusal<Refused>([&] { Ledger::create(name, clicks()); })}) {
      EXPECT_NE(message.find("neither a file nor a URL"), std::string::npos) << message;
      EXPECT_EQ(message.find("hunter2"), std::string::npos) << message;
    }
  }
  EXPECT_EQ(folder_.files().size(), 1U);
  for (const std::string name : {"postgres.db", "password.db", "12:30 ada@home", "x:/"}) {
    EXPECT_EQ(refusal<Refused>([&] { const Ledger ledger(name); }).find("neither a file"),
              std::string::npos)
        << name;
  }
  const std::string longest = std::string(100'000, ':') + "@";
  EXPECT_NE(refusal<Refused>([&] { const Ledger ledger(longest); }).find("too long"),
            std::string::npos);
  fs::current_path(before);
}

TEST_F(LedgerFile, NeedsAFolder) {
  for (const std::string& place : {folder_.file("none/x.db"), path_ + "/x.db"}) {
    EXPECT_NE(refusal<Refused>([&] { Ledger::create(place, clicks()); }).find("no folder"),
              std::string::npos);
  }
  EXPECT_THROW(Ledger::create(folder_.path().string(), clicks()), Refused);
  fs::create_symlink(folder_.file("nowhere"), folder_.file("dangling"));
  path_ = folder_.file("dangling");
  const std::string nowhere = "is a link to \"" + folder_.file("nowhere") + "\", where there is no";
  expect_refused(nowhere);
  EXPECT_NE(refusal<Refused>([&] { Ledger::create(path_, clicks()); }).find(nowhere),
            std::string::npos);
  EXPECT_EQ(folder_.files().size(), 2U);
}

TEST_F(LedgerFile, WorksThroughASymbolicLink) {
  fs::create_symlink(path_, folder_.file("link"));
  Ledger(folder_.file("link")).reserve(request("0.1"_rational));
  EXPECT_EQ(Ledger(path_).history().size(), 3U);
}

TEST_F(LedgerFile, EmptyOrForeignOnesAreRefusedAndLeftAlone) {
  for (const std::string& bytes :
       {std::string(), std::string("x"), std::string("item,count\na,3\n"), std::string(4096, '\0'),
        std::string(100'000, 'x'), contents("/proc/self/exe").substr(0, 50'000)}) {
    overwrite(path_, bytes);
    EXPECT_THROW(const Ledger ledger(path_), Refused);
    EXPECT_THROW(Ledger::create(path_, clicks()), Refused);
    EXPECT_EQ(contents(path_), bytes);
    EXPECT_EQ(folder_.files().size(), 1U);
  }
  overwrite(path_, "");
  expect_refused("it is empty");
  overwrite(path_, "x");
  expect_refused("is not a ledger");
  path_ = folder_.path().string();
  expect_refused("is not a file");
}

TEST_F(LedgerFile, OtherDatabasesAreRefused) {
  path_ = folder_.file("other.db");
  tamper(path_, "CREATE TABLE t(x)");
  expect_refused("is not a ledger");
  path_ = folder_.file("other2.db");
  tamper(path_, "PRAGMA application_id=" + std::to_string(ledger::application_id) +
                    "; PRAGMA user_version=1; CREATE TABLE t(x)");
  expect_refused("its tables are not those of a ledger");
}

TEST_F(LedgerFile, NewerFormatSaysSo) {
  tamper(path_, "PRAGMA user_version=4");
  expect_refused("made by a newer freegap: it has format 4");
  tamper(path_, "PRAGMA user_version=0");
  expect_refused("its format is unknown");
}

TEST_F(LedgerFile, ChangedJournalModeIsRefused) {
  tamper(path_, "PRAGMA journal_mode=WAL");
  expect_refused("its journal mode was changed");
  EXPECT_EQ(folder_.files().size(), 1U);
  tamper(path_, "PRAGMA journal_mode=DELETE");
  EXPECT_EQ(Ledger(path_).history().size(), 2U);
  const std::string before = contents(path_);
  for (const std::size_t at : {18U, 19U}) {  // for writing, for reading: either is a change
    std::string bytes = before;
    bytes.at(at) = 2;
    overwrite(path_, bytes);
    expect_refused("its journal mode was changed");
  }
}

TEST_F(LedgerFile, AnythingMoreInItIsRefused) {
  for (const char* sql :
       {"CREATE INDEX i ON event(kind)", "CREATE TABLE t(x)", "CREATE VIEW v AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM event; END"}) {
    const std::string before = contents(path_);
    tamper(path_, sql);
    expect_refused("it has more than the tables of a ledger");
    overwrite(path_, before);
  }
}

TEST_F(LedgerFile, ChangedTablesAreRefused) {
  for (const char* sql :
       {"ALTER TABLE event ADD COLUMN note TEXT", "ALTER TABLE event RENAME TO events",
        "ALTER TABLE event RENAME COLUMN who TO whom", "DROP TABLE head",
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=replace(sql,'STRICT','')"}) {
    const std::string before = contents(path_);
    tamper(path_, sql);
    expect_refused("its tables are not those of a ledger");
    overwrite(path_, before);
  }
}

TEST_F(LedgerFile, ChangedRowsAreRefused) {
  for (const char* sql :
       {"UPDATE event SET total='2' WHERE sequence=1",
        "UPDATE event SET spent='1/10' WHERE entry=1",
        "UPDATE event SET reserved='1/100' WHERE sequence=4",
        "UPDATE event SET release='[]' WHERE sequence=3", "UPDATE event SET time=time+1",
        "UPDATE event SET who='bob'", "UPDATE event SET unit='row' WHERE sequence=1",
        "UPDATE event SET hash=upper(hash)", "DELETE FROM event WHERE sequence=1",
        "DELETE FROM event WHERE sequence=2", "UPDATE event SET sequence=10 WHERE sequence=4",
        "INSERT INTO event(sequence,kind,hash) SELECT 0,kind,hash FROM event WHERE sequence=4",
        "UPDATE event SET entry=NULL WHERE sequence=4"}) {
    const std::string before = contents(path_);
    tamper(path_, sql);
    expect_refused(": row ");
    overwrite(path_, before);
  }
}

TEST_F(LedgerFile, LossOfTheLastRowsIsNoticed) {
  for (const char* sql :
       {"DELETE FROM event WHERE sequence=4", "DELETE FROM event WHERE sequence>1",
        "DELETE FROM event", "UPDATE head SET count=3", "DELETE FROM head",
        "UPDATE head SET hash=upper(hash)", "UPDATE head SET id=2",
        "INSERT INTO head SELECT 2,count,hash FROM head"}) {
    const std::string before = contents(path_);
    tamper(path_, sql);
    expect_refused(" head");
    overwrite(path_, before);
  }
}

TEST_F(LedgerFile, RightHashesDoNotHelpBooksThatDoNotAddUp) {
  ledger::FileStore storage(path_);
  {
    ledger::Transaction transaction(storage, ledger::Access::write);
    ledger::Row row = storage.load().next(ledger::settle_row(2, "0.1"_rational, "{}"));
    row.spent = "1/5";  // of 1/10
    row.hash = ledger::hash_of(storage.load().last_hash(), row);
    storage.append(row);
    transaction.commit();
  }
  expect_refused("row 5: more was spent than was reserved");
}

TEST_F(LedgerFile, ColumnsOfWrongTypeAreRefused) {
  // STRICT tables enforce the types, so the word is removed from the schema for a moment.
  tamper(path_,
         "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=replace(sql,'STRICT','      ')");
  tamper(path_, "UPDATE event SET spent=CAST(spent AS BLOB) WHERE sequence=3");
  tamper(path_,
         "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=replace(sql,'      ','STRICT')");
  expect_refused("damaged");
}

TEST_F(LedgerFile, DamageIsNoticedByAnOpenLedgerBeforeItWrites) {
  Ledger ledger(path_);
  tamper(path_, "UPDATE event SET spent='0' WHERE sequence=3");
  EXPECT_THROW(ledger.reserve(request("0.5"_rational)), Refused);
  EXPECT_THROW(ledger.settle(2, 0, "{}"), Refused);
  EXPECT_THROW(static_cast<void>(ledger.balance("clicks")), Refused);
  tamper(path_, "UPDATE event SET spent='2/5' WHERE sequence=3");
  EXPECT_EQ(ledger.balance("clicks").remaining, Rational(1, 2));
}

TEST_F(LedgerFile, MovedOrReplacedWhileOpenIsRefused) {
  Ledger ledger(path_);
  fs::rename(path_, folder_.file("moved.db"));
  EXPECT_THROW(static_cast<void>(ledger.balance("clicks")), Refused);
  EXPECT_THROW(ledger.reserve(request("0.1"_rational)), Refused);
  Ledger::create(path_, clicks());
  EXPECT_NE(
      refusal<Refused>([&] { ledger.reserve(request("0.1"_rational)); }).find("moved or replaced"),
      std::string::npos);
  EXPECT_THROW(static_cast<void>(ledger.balance("clicks")), Refused);
  EXPECT_THROW(static_cast<void>(ledger.history()), Refused);
  EXPECT_THROW(static_cast<void>(ledger.entry(1)), Refused);
  EXPECT_THROW(ledger.check(), Refused);
  EXPECT_EQ(Ledger(folder_.file("moved.db")).history().size(), 2U);
  EXPECT_TRUE(Ledger(path_).history().empty());
}

TEST_F(LedgerFile, SecondNameIsRefused) {
  fs::create_hard_link(path_, folder_.file("second.db"));
  expect_refused("several names");
  fs::remove(folder_.file("second.db"));
  EXPECT_EQ(Ledger(path_).history().size(), 2U);
}

/// Acts as a user who is neither root nor the owner of the files.
template <typename Action>
void as_somebody_else(Action action) {
  constexpr uid_t nobody = 65534;
  if (::geteuid() != 0) {
    action();
  } else if (::seteuid(nobody) == 0) {
    action();
    ASSERT_EQ(::seteuid(0), 0);
  } else {
    GTEST_SKIP() << "cannot become another user";
  }
}

TEST_F(LedgerFile, ReadOnlyFileCanBeReadAndNothingIsCharged) {
  ::chmod(path_.c_str(), 0444);
  ::chmod(folder_.path().c_str(), 0555);
  as_somebody_else([&] {
    Ledger ledger(path_);
    EXPECT_EQ(ledger.balance("clicks").remaining, Rational(1, 2));
    EXPECT_EQ(ledger.history().size(), 2U);
    EXPECT_THROW(ledger.reserve(request("0.1"_rational)), MachineFault);
    EXPECT_THROW(ledger.settle(2, 0, "{}"), MachineFault);
    EXPECT_THROW(Ledger::create(path_, {.name = "x", .total = 1, .unit = "u"}), MachineFault);
    EXPECT_THROW(Ledger::create(folder_.file("x.db"), clicks()), MachineFault);
    EXPECT_EQ(ledger.history().size(), 2U);
  });
  ::chmod(folder_.path().c_str(), 0755);
  EXPECT_EQ(Ledger(path_).balance("clicks").remaining, Rational(1, 2));
  EXPECT_EQ(folder_.files().size(), 1U);
}

TEST_F(LedgerFile, ReadOnlyFolderTakesNoCharge) {
  ::chmod(path_.c_str(), 0666);
  ::chmod(folder_.path().c_str(), 0555);
  as_somebody_else([&] {
    Ledger ledger(path_);
    EXPECT_THROW(ledger.reserve(request("0.1"_rational)), MachineFault);
    EXPECT_EQ(ledger.history().size(), 2U);
  });
  ::chmod(folder_.path().c_str(), 0755);
  EXPECT_EQ(Ledger(path_).history().size(), 2U);
}

TEST_F(LedgerFile, UnreadableFileOrFolderIsAFault) {
  ::chmod(path_.c_str(), 0);
  ::chmod(folder_.path().c_str(), 0755);
  as_somebody_else([&] { EXPECT_THROW(const Ledger ledger(path_), MachineFault); });
  ::chmod(path_.c_str(), 0600);
  ::chmod(folder_.path().c_str(), 0);
  as_somebody_else([&] {
    EXPECT_THROW(const Ledger ledger(path_), MachineFault);
    EXPECT_THROW(Ledger::create(folder_.file("x.db"), clicks()), MachineFault);
  });
  ::chmod(folder_.path().c_str(), 0755);
}

TEST_F(LedgerFile, LockThatIsNeverGivenBackIsAFault) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  {
    // The ledger waits for a lock for a minute. Here the same connection with a shorter timeout:
    ledger::Connection impatient(path_, std::chrono::milliseconds(30));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW(impatient.run("BEGIN IMMEDIATE"), MachineFault);
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(30));
  }
  EXPECT_EQ(Ledger(path_).history().size(), 2U);  // reading works while another process writes
  sqlite3_close(other);
}

TEST_F(LedgerFile, WaitsForALockThatIsGivenBack) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    sqlite3_close(other);
  });
  EXPECT_EQ(Ledger(path_).reserve(request("0.1"_rational)), 3);
  later.join();
}

/// What is thrown while somebody waits need not be an exception of the standard library.
struct GaveUp {};

TEST_F(LedgerFile, WhoWaitsForALockMayGiveUp) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  const auto run = [&](const char* sql) {
    EXPECT_EQ(sqlite3_exec(other, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
  };
  int calls = 0;
  const auto give_up = [&] {
    if (++calls == 3) {
      throw GaveUp();
    }
  };
  Ledger ledger(path_, give_up);
  EXPECT_EQ(calls, 0);
  // A writer, for which a reservation waits at its beginning; a reader, for which it waits at its
  // end.
  for (const char* held : {"BEGIN IMMEDIATE", "BEGIN; SELECT * FROM head"}) {
    const std::string before = contents(path_);
    run(held);
    calls = 0;
    EXPECT_THROW(ledger.reserve(request("0.1"_rational)), GaveUp) << held;
    EXPECT_EQ(calls, 3);
    run("ROLLBACK");
    EXPECT_EQ(contents(path_), before);
    EXPECT_EQ(ledger.balance("clicks").reserved, Rational(1, 10));  // of the fixture
  }
  run("BEGIN EXCLUSIVE");  // readers wait, too
  calls = 0;
  EXPECT_THROW(const Ledger opened(path_, give_up), GaveUp);
  calls = 0;
  EXPECT_THROW(static_cast<void>(ledger.balance("clicks")), GaveUp);
  ledger.set_while_waiting({});
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    sqlite3_close(other);
  });
  EXPECT_EQ(ledger.reserve(request("0.1"_rational)), 3);  // as if nothing had been
  later.join();
  EXPECT_EQ(calls, 3);
}

TEST_F(LedgerFile, ThreadsMayEachOpenTheirOwn) {
  // Under POSIX, locks belong to the process: opening and closing the file in one thread must not
  // release the locks of another.
  const auto work = [&] {
    for (int i = 0; i < 10; ++i) {
      Ledger(path_).reserve(request("0.01"_rational));
    }
  };
  std::array threads = {std::thread(work), std::thread(work), std::thread(work), std::thread(work)};
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(Ledger(path_).history().size(), 42U);
  EXPECT_EQ(Ledger(path_).balance("clicks").remaining, Rational(1, 10));
}

}  // namespace
}  // namespace freegap::testing

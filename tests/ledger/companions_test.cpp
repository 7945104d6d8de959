// Files beside the ledger that SQLite would merge into it, the room for a release, and waiting for
// other processes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "freegap/errors.hpp"
#include "ledger/connection.hpp"
#include "ledger/faulty_disk.hpp"
#include "ledger/fixture.hpp"
#include "ledger/journal.hpp"
#include "ledger/ledger.hpp"

namespace freegap::testing {
namespace {

using ledger::Damaged;
using ledger::Ledger;
using ledger::Refused;
namespace fs = std::filesystem;

class LedgerCompanions : public ::testing::Test {
 protected:
  void SetUp() override {
    Ledger::create(path_, clicks(10));
    Ledger ledger(path_);
    ledger.reserve(request(1));
  }
  /// The journal that a process leaves behind which is killed while it commits a reservation. The
  /// ledger is put back as it was.
  std::string journal_of_a_change() const {
    const std::string before = contents(path_);
    for (disk::Plan plan{.fault = disk::Fault::kill, .at = 1}; plan.at < 100; ++plan.at) {
      if (const pid_t child = ::fork(); child == 0) {
        disk::arm(plan);
        Ledger(path_).reserve(request(1));
        ::_exit(0);
      } else {
        ::waitpid(child, nullptr, 0);
      }
      std::string journal;
      if (const auto read = ledger::read_journal(path_ + "-journal"); read && read->counter) {
        journal = contents(path_ + "-journal");
      }
      fs::remove(path_ + "-journal");
      overwrite(path_, before);
      if (!journal.empty()) {
        return journal;
      }
    }
    return {};
  }
  [[nodiscard]] std::string refused() const {
    return refusal<Damaged>([&] { const Ledger ledger(path_); });
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("budget.db");
};

/// A write-ahead log that holds an older state of the ledger.
std::string old_log(const std::string& path, const std::string& folder) {
  const std::string copy = folder + "/copy.db";
  fs::copy_file(path, copy);
  sqlite3* handle = nullptr;
  EXPECT_EQ(sqlite3_open(copy.c_str(), &handle), SQLITE_OK);
  sqlite3_exec(handle,
               "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; UPDATE head SET count=7",
               nullptr, nullptr, nullptr);
  std::string log = contents(copy + "-wal");
  sqlite3_close(handle);
  fs::remove(copy);
  return log;
}

TEST_F(LedgerCompanions, WriteAheadLogIsRefusedNotMerged) {
  const std::string log = old_log(path_, folder_.path().string());
  ASSERT_GT(log.size(), 4096U);
  Ledger open(path_);
  open.reserve(request(2));
  const std::string before = contents(path_);
  overwrite(path_ + "-wal", log);
  EXPECT_NE(refused().find("a write-ahead log"), std::string::npos) << refused();
  EXPECT_THROW(open.reserve(request(1)), Damaged);
  EXPECT_THROW(static_cast<void>(open.balance("clicks")), Damaged);
  EXPECT_TRUE(contents(path_) == before);
  EXPECT_TRUE(contents(path_ + "-wal") == log);
  fs::remove(path_ + "-wal");
  EXPECT_EQ(Ledger(path_).balance("clicks").reserved, Rational(3));
  overwrite(path_ + "-wal", "");
  EXPECT_NE(refused().find("a write-ahead log"), std::string::npos);
  fs::remove(path_ + "-wal");
  fs::create_symlink(path_, folder_.file("link"));  // SQLite looks beside the file itself
  overwrite(path_ + "-wal", log);
  EXPECT_THROW(Ledger ledger(folder_.file("link")), Damaged);
  fs::remove(path_ + "-wal");
  overwrite(path_ + "-shm", log);  // means nothing without a log
  EXPECT_EQ(Ledger(path_).balance("clicks").reserved, Rational(3));
}

TEST_F(LedgerCompanions, JournalOfAnOlderChangeIsRefused) {
  const std::string journal = journal_of_a_change();
  ASSERT_GT(journal.size(), 512U + 4096U);
  EXPECT_FALSE(fs::exists(path_ + "-journal"));
  Ledger(path_).reserve(request(2));
  Ledger(path_).reserve(request(1));
  const std::string before = contents(path_);
  overwrite(path_ + "-journal", journal);
  EXPECT_NE(refused().find("the journal of an older change"), std::string::npos) << refused();
  EXPECT_TRUE(contents(path_) == before);
  fs::remove(path_ + "-journal");
  EXPECT_EQ(Ledger(path_).balance("clicks").reserved, Rational(4));
}

TEST_F(LedgerCompanions, NewLedgerIsNotMadeBesideAStrayJournalOrLog) {
  const std::string journal = journal_of_a_change();
  fs::remove(path_);
  for (const std::string suffix : {"-journal", "-wal"}) {
    overwrite(path_ + suffix, journal);
    const std::string message =
        refusal<Refused>([&] { Ledger::create(path_, clicks("0.5"_rational)); });
    EXPECT_NE(message.find("budget.db" + suffix), std::string::npos) << message;
    EXPECT_NE(message.find("Move it away"), std::string::npos) << message;
    EXPECT_FALSE(fs::exists(path_));
    EXPECT_TRUE(contents(path_ + suffix) == journal);
    fs::remove(path_ + suffix);
    fs::create_symlink("nowhere", path_ + suffix);
    EXPECT_THROW(Ledger::create(path_, clicks()), Refused);
    fs::remove(path_ + suffix);
  }
  overwrite(path_ + "-shm", journal);  // means nothing without a log
  Ledger::create(path_, clicks("0.5"_rational));
  EXPECT_EQ(Ledger(path_).balance("clicks").total, "0.5"_rational);
}

TEST_F(LedgerCompanions, JournalOfAnInterruptedChangeIsRolledBack) {
  const std::string journal = journal_of_a_change();
  overwrite(path_ + "-journal", journal);
  EXPECT_EQ(Ledger(path_).balance("clicks").reserved, Rational(1));
  EXPECT_FALSE(fs::exists(path_ + "-journal"));
}

TEST_F(LedgerCompanions, JournalSaysToWhichChangeItBelongs) {
  const std::string path = folder_.write("journal", journal_of_a_change());
  const ledger::Journal journal = ledger::read_journal(path).value();
  ASSERT_TRUE(journal.counter.has_value());
  EXPECT_GT(journal.records, 0U);
  EXPECT_EQ(journal.pages, contents(path_).size() / 4096);
  const std::uint32_t counter = *journal.counter;
  EXPECT_TRUE(can_belong(journal, counter, journal.pages));
  EXPECT_TRUE(can_belong(journal, counter + 1, journal.pages));
  EXPECT_FALSE(can_belong(journal, counter + 2, journal.pages));
  EXPECT_FALSE(can_belong(journal, counter - 1, journal.pages));
  const ledger::Journal begun{.inode = 1, .records = 0, .pages = 5, .counter = std::nullopt};
  EXPECT_TRUE(can_belong(begun, counter, 5));
  EXPECT_FALSE(can_belong(begun, counter, 6));
  EXPECT_FALSE(ledger::read_journal(folder_.file("none")).has_value());
  EXPECT_FALSE(ledger::read_journal(folder_.write("other", "something else")).has_value());
}

TEST_F(LedgerCompanions, ReleaseTooLargeToStoreIsRefusedBeforeItIsCharged) {
  Ledger ledger(path_);
  ledger::Request large = request(1);
  large.largest_release = ledger::longest_release + 1;
  EXPECT_NE(refusal<Refused>([&] { ledger.reserve(large); }).find("a ledger stores up to"),
            std::string::npos);
  EXPECT_EQ(ledger.history().size(), 1U);
  // A release that grows, as that of a stream does, cannot grow beyond it either.
  EXPECT_NE(refusal<MachineFault>([&] {
              ledger.hold(1, ledger::longest_release + 1);
            }).find("cannot be stored"),
            std::string::npos);
}

TEST_F(LedgerCompanions, FullDiskIsNoticedBeforeTheCharge) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit tight{1U << 20U, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  Ledger ledger(path_);
  ledger::Request large = request(1);
  large.largest_release = 2U << 20U;
  EXPECT_THROW(ledger.reserve(large), MachineFault);
  large.largest_release = 1U << 18U;
  const std::int64_t number = ledger.reserve(large);
  EXPECT_THROW(ledger.hold(number, 2U << 20U), MachineFault);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ledger.hold(number, 2U << 20U);
  ledger.settle(number, 1, std::string(2U << 20U, 'x'));
  EXPECT_EQ(ledger.history().size(), 2U);
  EXPECT_EQ(folder_.files().size(), 1U);  // what holds the room has no name
}

TEST_F(LedgerCompanions, LimitOfFileSizesCountsTheLedgerToo) {
  std::signal(SIGXFSZ, SIG_IGN);
  Ledger ledger(path_);
  const std::string release(600U << 10U, 'x');
  ledger.settle(1, 1, release);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit tight{1U << 20U, before.rlim_max};  // holds either of two releases, not both
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  ledger::Request large = request(1);
  large.largest_release = release.size();
  EXPECT_THROW(ledger.reserve(large), MachineFault);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(ledger.history().size(), 1U);  // nothing was charged
}

TEST_F(LedgerCompanions, SignalDoesNotEndTheSearchForRoom) {
  Ledger ledger(path_);
  ledger::Request large = request(1);
  large.largest_release = 1U << 18U;
  disk::arm({.fault = disk::Fault::error, .at = 2, .error = EINTR});  // 1 opens the file
  EXPECT_EQ(ledger.reserve(large), 2);
  disk::arm({.fault = disk::Fault::error, .at = 2, .error = ENOSPC});
  EXPECT_THROW(ledger.reserve(large), MachineFault);
  disk::disarm();
  EXPECT_EQ(ledger.history().size(), 2U);
}

TEST_F(LedgerCompanions, FileSystemWithoutNamelessFilesWillDo) {
  Ledger ledger(path_);
  ledger::Request large = request(1);
  large.largest_release = 1U << 18U;
  disk::arm({.fault = disk::Fault::error, .at = 1, .error = EOPNOTSUPP});
  EXPECT_EQ(ledger.reserve(large), 2);
  EXPECT_EQ(folder_.files().size(), 1U);
  disk::arm({.fault = disk::Fault::error, .at = 1, .error = EOPNOTSUPP});
  Ledger::create(folder_.file("second.db"), clicks());
  disk::disarm();
  EXPECT_EQ(folder_.files().size(), 2U);
  EXPECT_EQ(Ledger(folder_.file("second.db")).balance("clicks").remaining, Rational(1));
}

TEST_F(LedgerCompanions, WaitsAsLongAsOthersAreAtWork) {
  // Others hold the lock for twice as long as anyone waits for those who do nothing, but go on
  // writing: every few milliseconds, so that on a busy machine, too, they never pause for long.
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds patience(1);
  std::atomic<bool> held = false;
  std::atomic<Clock::time_point> until = Clock::time_point::max();
  std::thread others([&] {
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    held = true;
    const int file = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    for (unsigned char i = 1; Clock::now() < until.load(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ASSERT_EQ(::pwrite(file, &i, 1, 24), 1);  // the change counter, as a commit would
    }
    sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
    sqlite3_close(other);
    ::close(file);
  });
  while (!held) {
    std::this_thread::yield();
  }
  ledger::Connection connection(path_, patience);
  until = Clock::now() + 2 * patience;
  EXPECT_NO_THROW(connection.run("BEGIN IMMEDIATE"));
  EXPECT_GE(Clock::now(), until.load());
  others.join();
}

TEST_F(LedgerCompanions, NamesTooLongForAJournalAreRefused) {
  const std::string fits = folder_.file(std::string(247, 'n'));
  Ledger::create(fits, clicks());
  EXPECT_EQ(Ledger(fits).reserve(request("0.1"_rational)), 1);
  for (const std::size_t length : {248U, 255U, 300U}) {
    const std::string name = folder_.file(std::string(length, 'n'));
    EXPECT_NE(refusal<Refused>([&] { Ledger::create(name, clicks()); }).find("too long"),
              std::string::npos);
    EXPECT_THROW(const Ledger ledger(name), Refused);
  }
  const std::string deep = folder_.file(std::string(200, 'a') + "/" + std::string(200, 'b'));
  fs::create_directories(deep);
  const std::size_t rest = 511 - 8 - deep.size() - 1;
  Ledger::create(deep + "/" + std::string(rest, 'n'), clicks());
  EXPECT_EQ(Ledger(deep + "/" + std::string(rest, 'n')).reserve(request("0.1"_rational)), 1);
  EXPECT_THROW(Ledger::create(deep + "/" + std::string(rest + 1, 'n'), clicks()), Refused);
}

}  // namespace
}  // namespace freegap::testing

// The rules for closing, renaming and checkpoints, tested on rows with valid hashes; and how often
// a checkpoint is written.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "ledger/accounts.hpp"
#include "ledger/faulty_disk.hpp"
#include "ledger/file_store.hpp"
#include "ledger/fixture.hpp"
#include "ledger/ledger.hpp"
#include "ledger/row.hpp"

namespace freegap::testing {
namespace {

using ledger::Accounts;
using ledger::Ledger;
using ledger::Row;

Row changed(Row row, const std::function<void(Row&)>& change) {
  change(row);
  return row;
}

/// Accounts with a closed data set, a renamed one with an unfinished entry, and a settled entry.
Accounts some_accounts() {
  Accounts accounts;
  for (const Row& row : {ledger::dataset_row(clicks()),
                         ledger::dataset_row({.name = "sales",
                         .total = 3,
                         .unit = "row",
                         .neighbours = Neighbours::replace,
                         .column = "id"}),
                         ledger::reserve_row(1, 1000, request(Rational(1, 2))),
                         ledger::settle_row(1, Rational(1, 8), "{}"),
                         ledger::reserve_row(2, 1000, request(Rational(1, 4))),
                         ledger::rename_row(1000, "clicks", "visits", "ada"),
                         ledger::close_row(1000, "sales", "ada")}) {
    accounts.add(accounts.next(row));
  }
  return accounts;
}

/// The problem with adding a row, whose number and hash are valid. It must leave no trace.
std::string problem_with(const Row& row) {
  Accounts accounts = some_accounts();
  const std::string before = accounts.text();
  std::string problem = refusal<ledger::Inconsistent>([&] { accounts.add(accounts.next(row)); });
  EXPECT_EQ(accounts.text(), before);
  EXPECT_EQ(accounts.rows(), 7);
  return problem;
}

TEST(LedgerLife, ClosingFollowsRules) {
  const Row good = ledger::close_row(1000, "visits", "ada");
  Accounts accounts = some_accounts();
  accounts.add(accounts.next(good));
  EXPECT_TRUE(accounts.datasets().at(0).closed);
  EXPECT_EQ(problem_with(ledger::close_row(1000, "sales", "ada")),
            "the data set was closed before");
  EXPECT_EQ(problem_with(ledger::close_row(1000, "clicks", "ada")), "there is no such data set");
  EXPECT_EQ(problem_with(ledger::close_row(-1, "visits", "ada")), "the time is before 1970");
  EXPECT_EQ(problem_with(ledger::close_row(1000, "visits", "a\tb")), "a label is not well-formed");
}

TEST(LedgerLife, ClosedDataSetTakesNoReservation) {
  Row row = ledger::reserve_row(3, 1000, request(Rational(1, 8)));
  row.dataset = "sales";
  EXPECT_EQ(problem_with(row), "the data set is closed");
  row.dataset = "clicks";
  EXPECT_EQ(problem_with(row), "there is no such data set");
  row.dataset = "visits";
  Accounts accounts = some_accounts();
  accounts.add(accounts.next(row));
  EXPECT_EQ(accounts.balance("visits").reserved, Rational(3, 8));
}

TEST(LedgerLife, RenamingFollowsRules) {
  const auto rename = [](const std::string& from, const std::string& to) {
    return ledger::rename_row(1000, from, to, "ada");
  };
  Accounts accounts = some_accounts();
  accounts.add(accounts.next(rename("sales", "old sales")));
  EXPECT_EQ(accounts.renamed_to("sales"), "old sales");
  EXPECT_EQ(accounts.renamed_to("clicks"), "visits");
  EXPECT_TRUE(accounts.datasets().at(1).closed);
  for (const char* used : {"visits", "sales", "clicks"}) {
    EXPECT_EQ(problem_with(rename("visits", used)), "the new name was used before");
  }
  EXPECT_EQ(problem_with(rename("clicks", "new")), "there is no such data set");
  EXPECT_EQ(problem_with(rename("visits", "")), "a label is not well-formed");
  EXPECT_EQ(problem_with(changed(rename("visits", "new"), [](Row& row) { row.time = -1; })),
            "the time is before 1970");
  EXPECT_EQ(problem_with(changed(rename("visits", "new"), [](Row& row) { row.who = ""; })),
            "a label is not well-formed");
  Row again = ledger::dataset_row(clicks());
  EXPECT_EQ(problem_with(again), "the data set exists already");
}

TEST(LedgerLife, CopyWaitsUntilItIsOpened) {
  const Row copy = ledger::copy_row(1000, "copy.db", "ada");
  const Row open = ledger::open_row(1000, "ada");
  EXPECT_EQ(problem_with(open), "the ledger is no copy that is to be opened");
  EXPECT_EQ(problem_with(ledger::copy_row(-1, "copy.db", "ada")), "the time is before 1970");
  EXPECT_EQ(problem_with(ledger::copy_row(1000, "copy.db", "")), "a label is not well-formed");
  EXPECT_EQ(problem_with(ledger::copy_row(1000, "\xff", "ada")),
            "the name of the copy is not well-formed");
  Accounts accounts = some_accounts();
  const auto problem = [&](const Row& row) {
    return refusal<ledger::Inconsistent>([&] { accounts.add(accounts.next(row)); });
  };
  EXPECT_FALSE(accounts.waiting());
  accounts.add(accounts.next(copy));
  EXPECT_TRUE(accounts.waiting());
  Row more = ledger::reserve_row(3, 1000, request(Rational(1, 8)));
  more.dataset = "visits";
  EXPECT_EQ(problem(more), "the data set is closed");
  EXPECT_EQ(problem(copy), "the ledger is a copy that is not open yet");
  EXPECT_EQ(problem(ledger::open_row(-1, "ada")), "the time is before 1970");
  EXPECT_EQ(problem(ledger::open_row(1000, "")), "a label is not well-formed");
  // A checkpoint keeps what waits.
  const std::string previous = accounts.last_hash();
  const Row checkpoint = accounts.next(ledger::checkpoint_row(accounts.text()));
  accounts = Accounts(checkpoint, previous);
  EXPECT_TRUE(accounts.waiting());
  EXPECT_TRUE(accounts.datasets().at(0).closed);
  accounts.add(accounts.next(open));
  EXPECT_FALSE(accounts.datasets().at(0).closed);
  EXPECT_TRUE(accounts.datasets().at(1).closed);  // for good, before the copy
  EXPECT_EQ(problem(open), "the ledger is no copy that is to be opened");
  accounts.add(accounts.next(more));
}

TEST(LedgerLife, CopyThatWaitsCanBeClosedForGood) {
  Accounts accounts = some_accounts();
  accounts.add(accounts.next(ledger::copy_row(1000, "copy.db", "ada")));
  accounts.add(accounts.next(ledger::close_row(1000, "visits", "ada")));
  EXPECT_FALSE(accounts.waiting());
  EXPECT_TRUE(accounts.datasets().at(0).closed);
  EXPECT_THROW(accounts.add(accounts.next(ledger::open_row(1000, "ada"))), ledger::Inconsistent);
}

TEST(LedgerLife, ColumnsAreThoseOfTheKind) {
  EXPECT_EQ(problem_with(changed(ledger::close_row(1000, "visits", "ada"),
                                 [](Row& row) { row.details = "\xff"; })),
            "the name of the copy is not well-formed");
  for (const Row& good :
       {ledger::close_row(1000, "visits", "ada"), ledger::rename_row(1000, "visits", "new", "ada"),
        ledger::copy_row(1000, "copy.db", "ada"), ledger::checkpoint_row(some_accounts().text())}) {
    Accounts accounts = some_accounts();
    accounts.add(accounts.next(good));
    for (std::size_t i = 2; i < ledger::hashed_columns.size(); ++i) {
      if (good.kind == ledger::kind_close &&
          ledger::hashed_columns.at(i) == std::string("details")) {
        continue;  // it may say where the ledger was copied to
      }
      auto values = ledger::fields(good);
      values.at(i) = values.at(i) ? std::nullopt : std::optional<std::string>("1");
      EXPECT_EQ(problem_with(ledger::row_of(values)), "its columns are not those of its kind")
          << good.kind << ": " << ledger::hashed_columns.at(i);
    }
  }
}

TEST(LedgerLife, AccountsGoOnFromACheckpoint) {
  Accounts whole = some_accounts();
  const std::string previous = whole.last_hash();
  const Row checkpoint = whole.next(ledger::checkpoint_row(whole.text()));
  whole.add(checkpoint);
  Accounts recent(checkpoint, previous);
  for (const Row& row : {ledger::reserve_row(3, 1000,
                                             [] {
                                               ledger::Request more = request(Rational(5, 8));
                                               more.dataset = "visits";
                                               return more;
                                             }()),
                         ledger::settle_row(2, Rational(1, 16), "{}"),
                         ledger::dataset_row({.name = "new", .total = 2, .unit = "row"})}) {
    whole.add(whole.next(row));
    recent.add(recent.next(row));
    EXPECT_EQ(recent.text(), whole.text());
    EXPECT_EQ(recent.last_hash(), whole.last_hash());
    EXPECT_EQ(recent.rows(), whole.rows());
  }
  EXPECT_EQ(recent.balance("visits").spent, Rational(3, 16));
  EXPECT_EQ(recent.balance("visits").remaining, Rational(3, 16));
  EXPECT_EQ(recent.datasets().at(1).column, "id");
  EXPECT_EQ(recent.datasets().at(1).neighbours, Neighbours::replace);
  EXPECT_TRUE(recent.datasets().at(1).closed);
  EXPECT_FALSE(recent.datasets().at(0).closed);
  EXPECT_EQ(recent.entries(), 3);
  EXPECT_EQ(recent.renamed_to("clicks"), "visits");
}

TEST(LedgerLife, CheckpointThatMakesNoSenseIsRefused) {
  const Accounts accounts = some_accounts();
  const auto problem = [&](const std::string& from, const std::string& to) {
    std::string text = accounts.text();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const Row row = accounts.next(ledger::checkpoint_row(text));
    return refusal<ledger::Inconsistent>([&] { Accounts(row, accounts.last_hash()); });
  };
  const std::string malformed = "the checkpoint is not well-formed";
  EXPECT_EQ(problem("entries\t2", "entries\t02"), malformed);
  EXPECT_EQ(problem("entries\t2", "entries\t2x"), malformed);
  EXPECT_EQ(problem("entries\t2", "entries"), malformed);
  EXPECT_EQ(problem("entries\t2\n", "entries\t2\nentries\t2\n"), malformed);
  EXPECT_EQ(problem("entries\t2\n", ""), malformed);
  EXPECT_EQ(problem("\tclosed", "\tshut"), malformed);
  EXPECT_EQ(problem("\tclosed", ""), malformed);
  EXPECT_EQ(problem("unfinished\t2\tvisits", "unfinished\t2\tclicks"), malformed);
  EXPECT_EQ(problem("former\tclicks", "latter\tclicks"), malformed);
  EXPECT_EQ(problem("\t1/8\t", "\t4/4\t"), "a number is not written exactly");
  EXPECT_EQ(problem("\t1/8\t", "\t7/8\t"), "it exceeds the total");
  EXPECT_EQ(problem("sales\t3\t", "sales\t0\t"), "the total is out of range");
  EXPECT_EQ(problem("\treplace\t", "\tswap\t"), "its neighbours are unknown");
  const Row good = accounts.next(ledger::checkpoint_row(accounts.text()));
  EXPECT_EQ(refusal<ledger::Inconsistent>([&] { Accounts(good, ledger::initial_hash()); }),
            "its hash is wrong");
  const Row other = accounts.next(ledger::close_row(1000, "visits", "ada"));
  EXPECT_EQ(refusal<ledger::Inconsistent>([&] { Accounts(other, accounts.last_hash()); }),
            "it is not a checkpoint");
}

class LedgerCheckpoints : public ::testing::Test {
 protected:
  [[nodiscard]] std::int64_t checkpoints() const {
    ledger::FileStore storage(path_);
    return storage.connection().integer("SELECT count(*) FROM event WHERE kind='checkpoint'");
  }
  void reserve(int times, const std::string& parameters, const std::string& asked = {}) const {
    Ledger ledger(path_);
    ledger::Request small = request(Rational(1, 100));
    small.parameters = parameters;
    small.asked = asked;
    for (int i = 0; i < times; ++i) {
      ledger.reserve(small);
    }
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("budget.db");
  disk::WithoutSyncing quickly_;
};

TEST_F(LedgerCheckpoints, StandAfterEvery256Rows) {
  Ledger::create(path_, clicks(1000));  // the first row
  reserve(254, "{}");
  EXPECT_EQ(checkpoints(), 0);
  reserve(1, "{}");
  EXPECT_EQ(checkpoints(), 1);
  reserve(255, "{}");
  EXPECT_EQ(checkpoints(), 1);
  reserve(1, "{}");
  EXPECT_EQ(checkpoints(), 2);
  EXPECT_EQ(Ledger(path_).check().rows, 514);
}

TEST_F(LedgerCheckpoints, StandAfterEvery256KilobytesOfText) {
  Ledger::create(path_, clicks(1000));
  const std::string quarter = "\"" + std::string((1U << 16U) - 2, 'x') + "\"";
  reserve(3, quarter);
  EXPECT_EQ(checkpoints(), 0);
  reserve(1, quarter);
  EXPECT_EQ(checkpoints(), 1);
  reserve(3, quarter);
  EXPECT_EQ(checkpoints(), 1);
  Ledger(path_).settle(1, 0, quarter);
  EXPECT_EQ(checkpoints(), 2);
  reserve(3, "{}", quarter);  // what was asked is text, too
  EXPECT_EQ(checkpoints(), 2);
  reserve(1, "{}", quarter);
  EXPECT_EQ(checkpoints(), 3);
}

TEST_F(LedgerCheckpoints, UnsoundPagesAreRefusedThoughTheirRowsCanBeRead) {
  Ledger::create(path_, clicks());
  Ledger(path_).reserve(request(Rational(1, 2)));
  std::string bytes = contents(path_);
  ASSERT_EQ(bytes.at(4096), 13);  // a leaf of the table of rows
  bytes.at(4096 + 1) = 0x0f;      // its first free block is where rows are
  bytes.at(4096 + 2) = 0x00;
  overwrite(path_, bytes);
  EXPECT_THROW(const Ledger ledger(path_), ledger::Damaged);
}

/// The largest file without a name that this process has open: the room that is held.
std::uintmax_t largest_nameless_file() {
  std::uintmax_t largest = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    struct stat status {};
    if (::stat(entry.path().c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_nlink == 0) {
      largest = std::max(largest, static_cast<std::uintmax_t>(status.st_size));
    }
  }
  return largest;
}

TEST_F(LedgerCheckpoints, RoomIsHeldUntilTheReleaseIsStored) {
  constexpr std::uint64_t size = 3U << 20U;
  Ledger::create(path_, clicks());
  Ledger ledger(path_);
  ledger::Request large = request(Rational(1, 2));
  large.largest_release = size;
  const std::int64_t number = ledger.reserve(large);
  EXPECT_GE(largest_nameless_file(), size);
  ledger.hold(number, 2 * size);
  EXPECT_GE(largest_nameless_file(), 2 * size);
  ledger.settle(number, Rational(1, 4), "{}");
  EXPECT_LT(largest_nameless_file(), size);
}

TEST_F(LedgerCheckpoints, NamesAreChecked) {
  Ledger::create(path_, clicks());
  Ledger ledger(path_);
  for (const std::string& bad : {std::string(), std::string("a\nb"), std::string(201, 'x')}) {
    EXPECT_THROW(ledger.rename("clicks", bad, "ada"), InvalidParameter);
    EXPECT_THROW(ledger.rename("clicks", "visits", bad), InvalidParameter);
    EXPECT_THROW(ledger.close("clicks", bad), InvalidParameter);
  }
  EXPECT_THROW(ledger.rename("sales", "visits", "ada"), ledger::Refused);
  EXPECT_THROW(ledger.close("sales", "ada"), ledger::Refused);
  EXPECT_EQ(ledger.head().rows, 1);
}

}  // namespace
}  // namespace freegap::testing

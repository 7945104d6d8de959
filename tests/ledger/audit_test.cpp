// What an auditor relies on: the whole ledger can be checked, also against a head that was kept
// elsewhere; data sets are closed and renamed, never deleted; ledgers of older formats stay valid;
// a large ledger is read from its last checkpoint, and the checkpoints agree with its rows.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "freegap/errors.hpp"
#include "ledger/accounts.hpp"
#include "ledger/faulty_disk.hpp"
#include "ledger/file_store.hpp"
#include "ledger/fixture.hpp"
#include "ledger/ledger.hpp"

namespace freegap::testing {
namespace {

using ledger::Damaged;
using ledger::Head;
using ledger::Ledger;
using ledger::Refused;

/// Runs SQL on a file without the ledger.
void tamper(const std::string& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  char* problem = nullptr;
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &problem), SQLITE_OK)
      << sql << ": " << problem;
  sqlite3_free(problem);
  sqlite3_close(handle);
}

class LedgerAudit : public ::testing::Test {
 protected:
  /// A ledger of more than a megabyte, with several checkpoints: 320 entries, of which every tenth
  /// is unfinished and has a δ, and the one after it has a δ, too.
  void make_large() const {
    static const std::string bytes = large_ledger();
    overwrite(path_, bytes);
  }
  /// A ledger that an older freegap made, from its rows as SQL.
  void make_old(int format) const {
    const std::string number = std::to_string(format);
    tamper(path_, "PRAGMA application_id=" + std::to_string(ledger::application_id) +
                      "; PRAGMA user_version=" + number + ";" +
                      contents(FREEGAP_SOURCE_DIR "/tests/ledger/format_" + number + ".sql"));
  }
  static std::string large_ledger() {
    const TemporaryFolder folder;
    const std::string path = folder.file("large.db");
    const disk::WithoutSyncing quickly;
    Ledger::create(path,
                   {.name = "clicks", .total = 1000, .unit = "user", .delta = "0.5"_rational});
    Ledger::create(path, {.name = "sales", .total = 1, .unit = "row", .column = "id"});
    Ledger ledger(path);
    ledger.close("sales", "ada");
    ledger.rename("sales", "old sales", "ada");
    for (int i = 1; i <= 320; ++i) {
      const bool has_delta = i % 10 < 2;
      const std::int64_t number =
          ledger.reserve(request("0.1"_rational, has_delta ? "0.001"_rational : 0));
      if (i % 10 != 0) {
        ledger.settle(number, has_delta ? "0.1"_rational : Rational(1, i + 10),
                      std::string(4000, 'w'));
      }
    }
    return contents(path);
  }
  [[nodiscard]] std::string refused(const std::string& earlier = {}) const {
    return refusal<Damaged>([&] {
      Ledger(path_).check(earlier.empty() ? std::nullopt : std::optional(Head{0, earlier}));
    });
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("budget.db");
};

TEST_F(LedgerAudit, HeadStandsForAllRows) {
  Ledger::create(path_, clicks());
  Ledger ledger(path_);
  const Head first = ledger.head();
  EXPECT_EQ(first.rows, 1);
  ledger.settle(ledger.reserve(request("0.5"_rational)), "0.5"_rational, "{}");
  const Head last = ledger.check();
  EXPECT_EQ(last.rows, 3);
  EXPECT_EQ(last.hash, ledger.head().hash);
  EXPECT_EQ(ledger.check(first).rows, 3);
  EXPECT_EQ(ledger.check(Head{0, first.hash}).rows, 3);
  EXPECT_THROW(ledger.check(Head{2, first.hash}), Damaged);
  EXPECT_THROW(ledger.check(Head{4, last.hash}), Damaged);
}

TEST_F(LedgerAudit, OlderCopyDoesNotContinueFromTheHead) {
  Ledger::create(path_, clicks());
  const std::string copy = contents(path_);
  Ledger(path_).reserve(request("0.5"_rational));
  const Head kept = Ledger(path_).head();
  overwrite(path_, copy);
  EXPECT_EQ(Ledger(path_).check().rows, 1);  // nothing else shows it
  EXPECT_NE(refusal<Damaged>([&] { Ledger(path_).check(kept); }).find("does not continue"),
            std::string::npos);
}

TEST_F(LedgerAudit, ClosedDataSetTakesNoReservationButSettles) {
  Ledger::create(path_, clicks());
  Ledger ledger(path_);
  const std::int64_t open = ledger.reserve(request("0.5"_rational));
  EXPECT_FALSE(ledger.dataset("clicks").closed);
  ledger.close("clicks", "ada");
  EXPECT_TRUE(ledger.dataset("clicks").closed);
  EXPECT_EQ(refusal<Refused>([&] { ledger.reserve(request("0.1"_rational)); }),
            "data set \"clicks\": it is closed; nothing was spent");
  EXPECT_THROW(ledger.close("clicks", "ada"), Refused);
  EXPECT_THROW(Ledger::create(path_, clicks()), Refused);
  ledger.settle(open, "0.2"_rational, "{}");
  EXPECT_EQ(ledger.balance("clicks").spent, Rational(1, 5));
  EXPECT_EQ(ledger.check().rows, 4);
}

TEST_F(LedgerAudit, RenamedDataSetKeepsItsBudgetAndNoNameComesBack) {
  Ledger::create(path_, clicks());
  Ledger ledger(path_);
  const std::int64_t open = ledger.reserve(request("0.5"_rational));
  ledger.rename("clicks", "visits", "ada");
  ledger.rename("visits", "calls", "ada");
  EXPECT_EQ(ledger.balance("calls").remaining, Rational(1, 2));
  EXPECT_EQ(ledger.history("calls").size(), 1U);
  ledger.settle(open, "0.25"_rational, "{}");
  EXPECT_EQ(ledger.balance("calls").spent, Rational(1, 4));
  for (const char* former : {"clicks", "visits"}) {
    EXPECT_NE(refusal<Refused>([&] {
                static_cast<void>(ledger.balance(former));
              }).find("was renamed to \"calls\""),
              std::string::npos);
    EXPECT_THROW(Ledger::create(path_, {.name = former, .total = 1, .unit = "user"}), Refused);
    EXPECT_THROW(ledger.rename("calls", former, "ada"), Refused);
  }
  EXPECT_THROW(ledger.reserve(request("0.1"_rational)), Refused);
  EXPECT_EQ(ledger.check().rows, 5);
  Ledger::create(path_, {.name = "sales", .total = 1, .unit = "user"});
  for (const char* taken : {"calls", "sales"}) {
    EXPECT_NE(
        refusal<Refused>([&] { ledger.rename("sales", taken, "ada"); }).find("choose another one"),
        std::string::npos);
  }
  EXPECT_EQ(ledger.check().rows, 6);
}

TEST_F(LedgerAudit, LedgerOfFormat1IsReadAsItIsAndUpgradedByTheFirstChange) {
  make_old(1);  // three settled entries and an unfinished one
  const std::string before = contents(path_);
  const Head head = Ledger(path_).check();
  EXPECT_EQ(head.rows, 8);
  EXPECT_EQ(head.hash, "74e4707c3af41ed7665ffce82c14541afc0c320d0df36ed0896aadb0200d49fb");
  EXPECT_EQ(Ledger(path_).balance("shop").remaining, Rational(11, 5));
  EXPECT_EQ(Ledger(path_).balance("shop").delta.total, Rational(0));
  const std::string read = everything(Ledger(path_));
  EXPECT_TRUE(contents(path_) == before);  // reading changes nothing

  Ledger::create(path_, {.name = "clicks", .total = 1, .unit = "user", .column = "user_id"});
  Ledger ledger(path_);
  EXPECT_EQ(ledger.check(head).rows, 9);  // its head still holds
  EXPECT_EQ(ledger.dataset("clicks").column, "user_id");
  EXPECT_EQ(ledger.balance("shop").remaining, Rational(11, 5));
  ledger.settle(4, 0, "{}");
  ledger.reserve(request("0.5"_rational));
  EXPECT_EQ(ledger.check(head).rows, 11);
  EXPECT_NE(everything(ledger).find(read.substr(read.find("1|shop"), 200)), std::string::npos);
}

TEST_F(LedgerAudit, LedgerOfFormat2IsReadAsItIsAndUpgradedByTheFirstChange) {
  make_old(2);  // a settled entry and an unfinished one; a data set that was renamed and closed
  const std::string before = contents(path_);
  const Head head = Ledger(path_).check();
  EXPECT_EQ(head.rows, 7);
  EXPECT_EQ(head.hash, "04b72e3eeaec33bfec6c219c3b53bc6c40ede0a1dd6adac8639cc66502ed41b9");
  EXPECT_EQ(Ledger(path_).balance("shop").remaining, Rational(5, 2));
  EXPECT_EQ(Ledger(path_).dataset("phones").column, "customer_id");
  for (const char* name : {"shop", "phones"}) {
    EXPECT_EQ(Ledger(path_).dataset(name).delta, Rational(0));
    EXPECT_EQ(Ledger(path_).balance(name).delta.remaining, Rational(0));
  }
  EXPECT_EQ(Ledger(path_).entry(2).delta, Rational(0));
  const std::string read = everything(Ledger(path_));
  EXPECT_TRUE(contents(path_) == before);  // reading changes nothing

  ledger::Request asked = request("0.5"_rational, "1e-9"_rational);
  asked.dataset = "shop";
  asked.unit = "transaction";
  EXPECT_THROW(Ledger(path_).reserve(asked), ledger::Exceeded);
  EXPECT_TRUE(contents(path_) == before);  // nor does a refusal

  Ledger::create(path_, clicks_with_delta("1e-6"_rational));
  Ledger ledger(path_);
  EXPECT_EQ(ledger.check(head).rows, 8);  // its head still holds
  ledger.settle(2, 0, "{}");
  ledger.settle(ledger.reserve(request("0.5"_rational, "4e-7"_rational)), "0.5"_rational, "{}");
  EXPECT_EQ(ledger.balance("clicks").delta.remaining, "6e-7"_rational);
  EXPECT_THROW(ledger.reserve(asked), ledger::Exceeded);  // the older data set has none
  EXPECT_EQ(ledger.check(head).rows, 11);
  EXPECT_NE(everything(ledger).find(read.substr(read.find("1|shop"), 200)), std::string::npos);
}

TEST_F(LedgerAudit, UpgradeMakesTheTablesOfANewLedger) {
  Ledger::create(path_, clicks());
  const auto schema = [](const std::string& path) {
    ledger::FileStore storage(path);
    return storage.connection().text("SELECT group_concat(sql) FROM sqlite_master") +
           std::to_string(storage.connection().integer("PRAGMA user_version"));
  };
  const std::string expected = schema(path_);
  for (const int format : {1, 2}) {
    path_ = folder_.file("format_" + std::to_string(format) + ".db");
    make_old(format);
    EXPECT_NE(schema(path_), expected);
    Ledger::create(path_, clicks());
    EXPECT_EQ(schema(path_), expected) << format;
  }
}

TEST_F(LedgerAudit, UpgradeIsPartOfTheChange) {
  for (const int format : {1, 2}) {
    path_ = folder_.file("format_" + std::to_string(format) + ".db");
    make_old(format);
    const std::string before = contents(path_);
    Ledger ledger(path_);
    EXPECT_THROW(ledger.settle(format == 1 ? 4 : 2, 1000, "{}"), InvalidParameter);  // refused
    EXPECT_THROW(ledger.settle(9, 0, "{}"), Refused);
    EXPECT_TRUE(contents(path_) == before);  // nothing is written
  }
}

TEST_F(LedgerAudit, DeltaOfAnEntryIsHashed) {
  Ledger::create(path_, clicks_with_delta("1e-6"_rational));
  Ledger(path_).reserve(request("0.1"_rational, "4e-7"_rational));
  const std::string whole = contents(path_);
  for (const char* sql : {"UPDATE event SET delta = '1/5000000' WHERE sequence = 2",
                          "UPDATE event SET delta = NULL WHERE sequence = 2"}) {
    tamper(path_, sql);
    EXPECT_NE(refusal<Damaged>([&] { const Ledger again(path_); }).find("row 2: its hash is wrong"),
              std::string::npos);
    overwrite(path_, whole);
  }
  tamper(path_, "UPDATE event SET delta = '1/2' WHERE sequence = 1");
  EXPECT_NE(refusal<Damaged>([&] { const Ledger again(path_); }).find("row 1: its hash is wrong"),
            std::string::npos);
}

TEST_F(LedgerAudit, LargeLedgerHasCheckpointsThatAgree) {
  make_large();
  Ledger ledger(path_);
  ledger::FileStore storage(path_);
  EXPECT_GT(storage.connection().integer("SELECT count(*) FROM event WHERE kind='checkpoint'"), 1);
  EXPECT_GT(contents(path_).size(), 1U << 20U);
  EXPECT_EQ(ledger.check().rows, ledger.head().rows);
  const ledger::Accounts whole = storage.load(ledger::Depth::whole);
  const ledger::Accounts recent = storage.load(ledger::Depth::recent);
  EXPECT_EQ(recent.text(), whole.text());
  EXPECT_EQ(recent.last_hash(), whole.last_hash());
  EXPECT_EQ(recent.renamed_to("sales"), "old sales");
  EXPECT_TRUE(ledger.dataset("old sales").closed);
  EXPECT_EQ(ledger.dataset("old sales").column, "id");
  // An entry from before the checkpoint can still be settled, once.
  EXPECT_THROW(ledger.settle(10, "0.05"_rational, "{}"), InvalidParameter);  // it has a δ
  ledger.settle(10, "0.1"_rational, "{}");
  EXPECT_THROW(ledger.settle(10, "0.1"_rational, "{}"), Refused);
  EXPECT_EQ(ledger.balance("clicks").delta.spent, "0.033"_rational);
  EXPECT_EQ(ledger.balance("clicks").delta.reserved, "0.031"_rational);
  EXPECT_EQ(ledger.check().rows, ledger.head().rows);
  EXPECT_THROW(ledger.settle(9, 0, "{}"), Refused);
}

TEST_F(LedgerAudit, OpeningALargeLedgerReadsItsLastRowsOnly) {
  make_large();
  std::size_t read = 0;
  ledger::FileStore storage(path_);
  static_cast<void>(storage.load(ledger::Depth::recent, [&](const auto&) { ++read; }));
  EXPECT_LE(read, 256U);
}

TEST_F(LedgerAudit, OpeningDoesNotReadALargeReleaseAgain) {
  Ledger::create(path_, clicks());
  {
    const disk::WithoutSyncing quickly;
    Ledger ledger(path_);
    ledger.settle(ledger.reserve(request("0.5"_rational)), "0.5"_rational,
                  std::string(16U << 20U, 'w'));
  }
  disk::arm({.calls = disk::Calls::reading});
  EXPECT_EQ(Ledger(path_).balance("clicks").remaining, "0.5"_rational);
  const int pages = disk::disarm();
  EXPECT_LT(pages, 256);  // a megabyte
  Ledger ledger(path_);
  ledger.reserve(request("0.5"_rational));
  EXPECT_EQ(ledger.check().rows, ledger.head().rows);
}

TEST_F(LedgerAudit, ChangesToALargeLedgerAreFound) {
  make_large();
  const std::string whole = contents(path_);
  const auto rows = Ledger(path_).head().rows;
  // By opening it: the last rows, the last checkpoint, the head.
  for (const std::string& sql :
       {std::string("DELETE FROM event WHERE sequence = (SELECT max(sequence) FROM event)"),
        std::string("UPDATE event SET reserved = '1/1000' WHERE sequence = (SELECT max(sequence) "
                    "FROM event WHERE kind = 'reserve')"),
        std::string("UPDATE event SET details = replace(details, 'closed', 'open') WHERE sequence "
                    "= (SELECT max(sequence) FROM event WHERE kind = 'checkpoint')"),
        std::string("UPDATE head SET count = count - 1")}) {
    tamper(path_, sql);
    EXPECT_THROW(const Ledger ledger(path_), Damaged) << sql;
    overwrite(path_, whole);
  }
  // By checking it, with the row: older ones.
  for (const char* sql : {"UPDATE event SET spent = '1/12' WHERE sequence = 6",
                          "UPDATE event SET release = 'x' || substr(release, 2) WHERE sequence = 6",
                          "UPDATE event SET who = 'bob' WHERE sequence = 5"}) {
    tamper(path_, sql);
    EXPECT_NE(refused().find(std::string(": row ") + sql[std::string(sql).size() - 1]),
              std::string::npos);
    EXPECT_THROW(static_cast<void>(Ledger(path_).history()), Damaged);
    overwrite(path_, whole);
  }
  EXPECT_EQ(Ledger(path_).check().rows, rows);
}

TEST_F(LedgerAudit, CheckpointThatDoesNotAddUpIsFoundThoughItsHashIsRight) {
  make_large();
  {
    ledger::FileStore storage(path_);
    ledger::Transaction transaction(storage, ledger::Access::write);
    const ledger::Accounts accounts = storage.load();
    std::string text = accounts.text();
    const std::size_t entries = text.find("320");
    text.replace(entries, 3, "319");
    storage.append(accounts.next(ledger::checkpoint_row(text)));
    transaction.commit();
  }
  EXPECT_NE(refused().find("the checkpoint does not agree"), std::string::npos);
}

TEST_F(LedgerAudit, FreePagesAreRefused) {
  make_large();
  tamper(path_, "CREATE TABLE t(x); INSERT INTO t VALUES (zeroblob(20000)); DROP TABLE t");
  EXPECT_NE(refused().find("it has free pages"), std::string::npos);
}

TEST_F(LedgerAudit, WhatWasAskedIsKeptAndHashed) {
  Ledger::create(path_, clicks());
  ledger::Request asked = request("0.1"_rational);
  asked.asked = R"({"input":"shop.dat","note":"for the board"})";
  Ledger ledger(path_);
  ledger.reserve(asked);
  EXPECT_EQ(ledger.entry(1).asked, asked.asked);
  asked.asked = "\xff";
  EXPECT_THROW(ledger.reserve(asked), InvalidParameter);
  tamper(path_, "UPDATE event SET details = replace(details, 'board', 'press')");
  EXPECT_NE(refusal<Damaged>([&] { const Ledger again(path_); }).find("row 2"), std::string::npos);
}

}  // namespace
}  // namespace freegap::testing

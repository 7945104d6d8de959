// The rules of the accounts, tested on rows with valid hashes: an attacker who can recompute hashes
// still cannot write accounts that do not add up. Also the encoding that is hashed: different rows
// have different encodings.
#include "ledger/accounts.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "ledger/fixture.hpp"
#include "ledger/row.hpp"

namespace freegap::testing {
namespace {

using ledger::Accounts;
using ledger::Row;

Row reserve(std::int64_t entry, const Rational& reserved) {
  return ledger::reserve_row(entry, 1000, request(reserved));
}

/// Accounts with one data set of total 1, entry 1 settled at 1/4 of 1/2, and entry 2 open with 1/4.
Accounts some_accounts() {
  Accounts accounts;
  accounts.add(accounts.next(ledger::dataset_row(clicks())));
  accounts.add(accounts.next(reserve(1, Rational(1, 2))));
  accounts.add(accounts.next(ledger::settle_row(1, Rational(1, 4), "{}")));
  accounts.add(accounts.next(reserve(2, Rational(1, 4))));
  return accounts;
}

/// The problem with adding a row, whose number and hash are valid.
std::string problem_with(const Row& row) {
  return refusal<ledger::Inconsistent>([&] {
    Accounts accounts = some_accounts();
    accounts.add(accounts.next(row));
  });
}

Row changed(Row row, const std::function<void(Row&)>& change) {
  change(row);
  return row;
}

TEST(LedgerAccounts, AddUp) {
  const Accounts accounts = some_accounts();
  EXPECT_EQ(accounts.rows(), 4);
  const ledger::Balance balance = accounts.balance("clicks");
  EXPECT_EQ(balance.total, Rational(1));
  EXPECT_EQ(balance.spent, Rational(1, 4));
  EXPECT_EQ(balance.reserved, Rational(1, 4));
  EXPECT_EQ(balance.remaining, Rational(1, 2));
}

TEST(LedgerAccounts, RefuseRowsThatDoNotFollow) {
  Accounts accounts = some_accounts();
  const Row good = accounts.next(reserve(3, Rational(1, 4)));
  const Row later = changed(good, [](Row& row) { row.sequence = 6; });
  EXPECT_EQ(refusal<ledger::Inconsistent>([&] { accounts.add(later); }),
            "its number does not follow");
  const Row other = changed(good, [](Row& row) { row.reserved = "1/5"; });
  EXPECT_EQ(refusal<ledger::Inconsistent>([&] { accounts.add(other); }), "its hash is wrong");
  accounts.add(good);
  EXPECT_EQ(refusal<ledger::Inconsistent>([&] { accounts.add(good); }),
            "its number does not follow");
}

TEST(LedgerAccounts, RefuseDataSetsThatMakeNoSense) {
  const Row good = ledger::dataset_row({.name = "sales", .total = 1, .unit = "row"});
  Accounts accounts = some_accounts();
  accounts.add(accounts.next(good));
  EXPECT_EQ(problem_with(ledger::dataset_row(clicks(2))), "the data set exists already");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.total = "0"; })),
            "the total is out of range");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.total = "1001"; })),
            "the total is out of range");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.total = "2/2"; })),
            "a number is not written exactly");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.unit = ""; })),
            "a label is not well-formed");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.dataset = "a\nb"; })),
            "a label is not well-formed");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.neighbours = "swap"; })),
            "its neighbours are unknown");
}

TEST(LedgerAccounts, RefuseReservationsBeyondTheTotal) {
  Accounts accounts = some_accounts();
  accounts.add(accounts.next(reserve(3, Rational(1, 2))));
  EXPECT_EQ(accounts.balance("clicks").remaining, Rational(0));
  EXPECT_EQ(problem_with(reserve(3, Rational(1, 2) + Rational::power_of_two(-300))),
            "it exceeds the total");
  EXPECT_EQ(problem_with(reserve(3, 0)), "nothing is reserved");
  EXPECT_EQ(problem_with(reserve(3, Rational(-1, 2))), "a number is not written exactly");
}

TEST(LedgerAccounts, RefuseReservationsThatMakeNoSense) {
  const Row good = reserve(3, Rational(1, 4));
  for (const std::int64_t entry : {0, 2, 4}) {
    EXPECT_EQ(problem_with(changed(good, [&](Row& row) { row.entry = entry; })),
              "the number of its entry does not follow");
  }
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.time = -1; })),
            "the time is before 1970");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.dataset = "sales"; })),
            "there is no such data set");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.who = "\xff"; })),
            "a label is not well-formed");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.verb = ""; })),
            "a label is not well-formed");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.parameters = "\xff"; })),
            "the parameters are not well-formed");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.details = "\xff"; })),
            "the parameters are not well-formed");
}

TEST(LedgerAccounts, RefuseSettlementsThatMakeNoSense) {
  const Row good = ledger::settle_row(2, Rational(1, 4), "{}");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.entry = 1; })),
            "the entry was settled before");
  for (const std::int64_t entry : {0, -1, 3}) {
    EXPECT_EQ(problem_with(changed(good, [&](Row& row) { row.entry = entry; })),
              "there is no such entry");
  }
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.spent = "1/3"; })),
            "more was spent than was reserved");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.spent = "-1/3"; })),
            "a number is not written exactly");
  EXPECT_EQ(problem_with(changed(good, [](Row& row) { row.release = "\xff"; })),
            "the release is not well-formed");
}

/// Accounts with a data set of total 1 and δ 1/1000, entry 1 settled with δ 1/4000, and entry 2
/// open with δ 1/2000.
Accounts accounts_with_delta() {
  Accounts accounts;
  const auto add = [&](const Row& row) { accounts.add(accounts.next(row)); };
  add(ledger::dataset_row(clicks_with_delta(Rational(1, 1000))));
  add(ledger::reserve_row(1, 1000, request(Rational(1, 4), Rational(1, 4000))));
  add(ledger::settle_row(1, Rational(1, 4), "{}"));
  add(ledger::reserve_row(2, 1000, request(Rational(1, 2), Rational(1, 2000))));
  return accounts;
}

/// The problem with adding a row to these.
std::string problem_with_delta(const Row& row) {
  return refusal<ledger::Inconsistent>([&] {
    Accounts accounts = accounts_with_delta();
    accounts.add(accounts.next(row));
  });
}

TEST(LedgerAccounts, AddUpDelta) {
  Accounts accounts = accounts_with_delta();
  EXPECT_EQ(accounts.datasets().front().delta, Rational(1, 1000));
  const DeltaBalance open = accounts.balance("clicks").delta;
  EXPECT_EQ(open.total, Rational(1, 1000));
  EXPECT_EQ(open.spent, Rational(1, 4000));
  EXPECT_EQ(open.reserved, Rational(1, 2000));
  EXPECT_EQ(open.remaining, Rational(1, 4000));
  accounts.add(accounts.next(ledger::settle_row(2, Rational(1, 2), "{}")));
  accounts.add(accounts.next(
      ledger::reserve_row(3, 1000, request(Rational(1, 8), Rational(1, 4000)))));  // the rest
  accounts.add(accounts.next(reserve(4, Rational(1, 8))));                         // pure ε
  accounts.add(accounts.next(ledger::settle_row(4, 0, "{}")));  // which may come back
  const ledger::Balance balance = accounts.balance("clicks");
  EXPECT_EQ(balance.spent, Rational(3, 4));
  EXPECT_EQ(balance.delta.spent, Rational(3, 4000));
  EXPECT_EQ(balance.delta.remaining, Rational(0));
}

TEST(LedgerAccounts, RefuseDeltasThatMakeNoSense) {
  const Row dataset = ledger::dataset_row({.name = "sales", .total = 1, .unit = "row"});
  const Row good = ledger::reserve_row(3, 1000, request(Rational(1, 8), Rational(1, 4000)));
  Accounts accounts = accounts_with_delta();
  accounts.add(accounts.next(good));
  for (const char* delta : {"0", "1", "2", "1001/1000"}) {
    EXPECT_EQ(problem_with_delta(changed(dataset, [&](Row& row) { row.delta = delta; })),
              "its delta is out of range");
    EXPECT_EQ(problem_with_delta(changed(good, [&](Row& row) { row.delta = delta; })),
              "its delta is out of range");
  }
  for (const char* delta : {"", "1e-9", "0.5", "2/4", "-1/4"}) {
    EXPECT_EQ(problem_with_delta(changed(dataset, [&](Row& row) { row.delta = delta; })),
              "a number is not written exactly");
    EXPECT_EQ(problem_with_delta(changed(good, [&](Row& row) { row.delta = delta; })),
              "a number is not written exactly");
  }
}

TEST(LedgerAccounts, RefuseDeltaBeyondTheTotal) {
  const Rational least = Rational::power_of_two(-300);
  EXPECT_EQ(problem_with_delta(
                ledger::reserve_row(3, 1000, request(Rational(1, 8), Rational(1, 4000) + least))),
            "its delta exceeds the total");
  EXPECT_EQ(problem_with(ledger::reserve_row(3, 1000, request(Rational(1, 8), least))),
            "its delta exceeds the total");  // a data set without δ takes none
}

TEST(LedgerAccounts, RefuseSettlementsThatGiveBackBesideADelta) {
  for (const Rational& spent : {Rational(0), Rational(1, 2) - Rational::power_of_two(-300)}) {
    EXPECT_EQ(problem_with_delta(ledger::settle_row(2, spent, "{}")),
              "less was spent than was reserved, and it has a delta");
  }
  EXPECT_EQ(problem_with_delta(changed(ledger::settle_row(2, Rational(1, 2), "{}"),
                                       [](Row& row) { row.delta = "1/2000"; })),
            "its columns are not those of its kind");
}

TEST(LedgerAccounts, CheckpointsCarryDelta) {
  const Accounts accounts = accounts_with_delta();
  EXPECT_EQ(accounts.text(),
            "entries\t2\n"
            "dataset\tclicks\t1\t1/4\t1/2\tuser\tadd-remove\t\topen\t1/1000\t1/4000\t1/2000\n"
            "unfinished\t2\tclicks\t1/2\t1/2000\n");
  const Row checkpoint = accounts.next(ledger::checkpoint_row(accounts.text()));
  Accounts again(checkpoint, accounts.last_hash());
  EXPECT_EQ(again.text(), accounts.text());
  EXPECT_EQ(again.balance("clicks").delta.remaining, Rational(1, 4000));
  EXPECT_EQ(refusal<ledger::Inconsistent>(
                [&] { again.add(again.next(ledger::settle_row(2, Rational(1, 4), "{}"))); }),
            "less was spent than was reserved, and it has a delta");
  again.add(again.next(ledger::settle_row(2, Rational(1, 2), "{}")));
  EXPECT_EQ(again.balance("clicks").delta.spent, Rational(3, 4000));
}

TEST(LedgerAccounts, RefuseCheckpointsWithWrongDeltas) {
  const auto problem = [](const std::string& old_text, const std::string& new_text) {
    const Accounts accounts = accounts_with_delta();
    std::string text = accounts.text();
    text.replace(text.find(old_text), old_text.size(), new_text);
    return refusal<ledger::Inconsistent>([&] {
      const Accounts again(accounts.next(ledger::checkpoint_row(text)), accounts.last_hash());
    });
  };
  EXPECT_EQ(problem("1/4000\t1/2000", "1/4000\t4/5000"), "a number is not written exactly");
  EXPECT_EQ(problem("1/4000\t1/2000", "1/4000\t1/1000"), "its delta exceeds the total");
  EXPECT_EQ(problem("open\t1/1000\t1/4000\t1/2000", "open\t0\t0\t0"), "its delta is out of range");
  EXPECT_EQ(problem("1/4\t1/2\tuser", "0\t1/2\tuser"), "the checkpoint is not well-formed");
  EXPECT_EQ(problem("1/4\t1/2\tuser", "1/4\t0\tuser"), "the checkpoint is not well-formed");
  EXPECT_EQ(problem("\t1/4000\t1/2000\n", "\t1/4000\n"), "the checkpoint is not well-formed");
  EXPECT_EQ(problem("1/2\t1/2000\n", "1/2\t0\n"), "its delta is out of range");
}

TEST(LedgerAccounts, CheckpointsWithoutDeltaAreThoseOfFormat2) {
  EXPECT_EQ(some_accounts().text(),
            "entries\t2\n"
            "dataset\tclicks\t1\t1/4\t1/4\tuser\tadd-remove\t\topen\n"
            "unfinished\t2\tclicks\t1/4\n");
}

TEST(LedgerAccounts, RefuseColumnsOfAnotherKind) {
  for (const Row& good :
       {ledger::dataset_row({.name = "sales", .total = 1, .unit = "row"}),
        reserve(3, Rational(1, 4)), ledger::settle_row(2, Rational(1, 4), "{}")}) {
    for (std::size_t i = 2; i < ledger::hashed_columns.size(); ++i) {
      auto values = ledger::fields(good);
      const std::string column = ledger::hashed_columns[i];
      if (good.kind != ledger::kind_settle && (column == "details" || column == "delta")) {
        continue;  // a data set and a reservation may have them
      }
      values[i] = values[i] ? std::nullopt : std::optional<std::string>("1");
      EXPECT_EQ(problem_with(ledger::row_of(values)), "its columns are not those of its kind")
          << good.kind << ": " << ledger::hashed_columns[i];
    }
  }
  Row unknown = ledger::settle_row(2, Rational(1, 4), "{}");
  unknown.kind = "refund";
  EXPECT_EQ(problem_with(unknown), "its kind is unknown");
}

TEST(LedgerAccounts, EveryColumnIsHashed) {
  const Row row = some_accounts().next(reserve(3, Rational(1, 4)));
  std::set<std::string> hashes = {row.hash};
  const auto original = ledger::fields(row);
  for (std::size_t i = 0; i < ledger::hashed_columns.size(); ++i) {
    auto values = original;
    values[i] = values[i] ? *values[i] + "1" : "1";
    hashes.insert(ledger::hash_of(some_accounts().last_hash(), ledger::row_of(values)));
    if (i >= 2) {  // the first two cannot be empty
      values[i] = original[i] ? std::nullopt : std::optional<std::string>("0");
      hashes.insert(ledger::hash_of(some_accounts().last_hash(), ledger::row_of(values)));
    }
  }
  hashes.insert(ledger::hash_of(ledger::initial_hash(), row));
  EXPECT_EQ(hashes.size(), 2 * ledger::hashed_columns.size());
}

TEST(LedgerAccounts, EncodingTellsFieldsApart) {
  // If fields were simply joined, or NULL were written like an empty text, some of these would have
  // the same hash.
  std::set<std::string> hashes;
  for (const auto& [who, verb] :
       {std::pair<std::optional<std::string>, std::optional<std::string>>{"ab", "c"},
        {"a", "bc"},
        {"abc", ""},
        {"abc", std::nullopt},
        {std::nullopt, "abc"},
        {"", "abc"},
        {"2:ab,1:c,", ""},
        {"-,", ""},
        {"", "-,"},
        {"", std::nullopt},
        {std::nullopt, ""},
        {std::nullopt, std::nullopt},
        {"", ""}}) {
    Row row;
    row.who = who;
    row.verb = verb;
    hashes.insert(ledger::hash_of(ledger::initial_hash(), row));
  }
  EXPECT_EQ(hashes.size(), 13U);
}

TEST(LedgerAccounts, EncodingTellsTheLastTwoFieldsApart) {
  std::set<std::string> hashes;
  for (const auto& [details, delta] :
       {std::pair<std::optional<std::string>, std::optional<std::string>>{std::nullopt,
                                                                          std::nullopt},
        {std::nullopt, "1"},
        {"1", std::nullopt},
        {"1", "1"},
        {"", std::nullopt},
        {"", "1"},
        {"-,1:1,", std::nullopt}}) {
    Row row;
    row.details = details;
    row.delta = delta;
    hashes.insert(ledger::hash_of(ledger::initial_hash(), row));
  }
  EXPECT_EQ(hashes.size(), 7U);
}

TEST(LedgerAccounts, HashIsThatOfTheDocumentation) {
  // printf '%064d%s' 0 '1:1,7:dataset,6:clicks,1:1,4:user,10:add-remove,-,-,-,-,-,-,-,-,' |
  //   sha256sum
  EXPECT_EQ(Accounts().next(ledger::dataset_row(clicks())).hash,
            "82e1114c0fdd845e28097be127aa1af5fce082aea7e3b49e9976812c07a311fd");
  // The same with a δ: '…,-,-,12:1/1000000000,' at the end, for details and delta.
  EXPECT_EQ(Accounts().next(ledger::dataset_row(clicks_with_delta("1e-9"_rational))).hash,
            "e4aa30c56dfb0fb284d2b700483a8f1a8a861a7a87f9ec09e1f1114c778c4437");
}

}  // namespace
}  // namespace freegap::testing

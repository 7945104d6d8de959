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

TEST(LedgerAccounts, RefuseColumnsOfAnotherKind) {
  for (const Row& good :
       {ledger::dataset_row({.name = "sales", .total = 1, .unit = "row"}),
        reserve(3, Rational(1, 4)), ledger::settle_row(2, Rational(1, 4), "{}")}) {
    for (std::size_t i = 2; i < ledger::hashed_columns.size(); ++i) {
      auto values = ledger::fields(good);
      if (good.kind != ledger::kind_settle && ledger::hashed_columns[i] == std::string("details")) {
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

TEST(LedgerAccounts, HashIsThatOfTheDocumentation) {
  // printf '%064d%s' 0 '1:1,7:dataset,6:clicks,1:1,4:user,10:add-remove,-,-,-,-,-,-,-,-,' |
  //   sha256sum
  EXPECT_EQ(Accounts().next(ledger::dataset_row(clicks())).hash,
            "82e1114c0fdd845e28097be127aa1af5fce082aea7e3b49e9976812c07a311fd");
}

}  // namespace
}  // namespace freegap::testing

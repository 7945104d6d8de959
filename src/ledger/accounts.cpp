#include "ledger/accounts.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

/// Throws Inconsistent with this message unless the rule holds.
void expect(bool holds, const char* otherwise) {
  if (!holds) {
    throw Inconsistent(otherwise);
  }
}

/// Checks that a row fills the columns of its kind and no others, besides sequence, kind and hash.
void expect_columns(const Row& row, std::initializer_list<std::string_view> names) {
  const auto values = fields(row);
  for (std::size_t i = 2; i < values.size(); ++i) {
    const bool belongs = std::find(names.begin(), names.end(), hashed_columns[i]) != names.end();
    expect(values[i].has_value() == belongs, "its columns are not those of its kind");
  }
}

Rational number_in(const std::optional<std::string>& text) {
  std::optional<Rational> number = exact_number(*text);
  expect(number.has_value(), "a number is not written exactly");
  return *std::move(number);
}

}  // namespace

Row Accounts::next(Row row) const {
  row.sequence = rows_ + 1;
  row.hash = hash_of(last_hash_, row);
  return row;
}

void Accounts::add(const Row& row) {
  expect(row.sequence == rows_ + 1, "its number does not follow");
  expect(row.hash == hash_of(last_hash_, row), "its hash is wrong");
  if (row.kind == kind_dataset) {
    add_dataset(row);
  } else if (row.kind == kind_reserve) {
    add_reserve(row);
  } else if (row.kind == kind_settle) {
    add_settle(row);
  } else {
    throw Inconsistent("its kind is unknown");
  }
  rows_ = row.sequence;
  last_hash_ = row.hash;
}

void Accounts::add_dataset(const Row& row) {
  expect_columns(row, {"dataset", "total", "unit", "neighbours"});
  expect(is_label(*row.dataset) && is_label(*row.unit), "a label is not well-formed");
  const Rational total = number_in(row.total);
  expect(total.sign() > 0 && total <= Rational(Epsilon::largest), "the total is out of range");
  const bool replace = *row.neighbours == name(Neighbours::replace);
  expect(replace || *row.neighbours == name(Neighbours::add_remove), "its neighbours are unknown");
  expect(!has(*row.dataset), "the data set exists already");
  const Neighbours neighbours = replace ? Neighbours::replace : Neighbours::add_remove;
  accounts_.emplace(*row.dataset, Account{total, 0, 0});
  datasets_.push_back({*row.dataset, total, *row.unit, neighbours});
}

void Accounts::add_reserve(const Row& row) {
  expect_columns(row, {"dataset", "entry", "time", "who", "verb", "parameters", "reserved"});
  expect(is_label(*row.who) && is_label(*row.verb), "a label is not well-formed");
  expect(is_document(*row.parameters), "the parameters are not well-formed");
  expect(*row.time >= 0, "the time is before 1970");
  expect(*row.entry == std::ssize(entries_) + 1, "the number of its entry does not follow");
  const auto account = accounts_.find(*row.dataset);
  expect(account != accounts_.end(), "there is no such data set");
  const Rational reserved = number_in(row.reserved);
  expect(reserved.sign() > 0, "nothing is reserved");
  const Rational sum = account->second.reserved + reserved;
  expect(account->second.spent + sum <= account->second.total, "it exceeds the total");
  account->second.reserved = sum;
  entries_.push_back({.number = *row.entry,
                      .dataset = *row.dataset,
                      .time = *row.time,
                      .who = *row.who,
                      .verb = *row.verb,
                      .parameters = *row.parameters,
                      .reserved = reserved,
                      .spent = std::nullopt,
                      .release = std::nullopt});
}

void Accounts::add_settle(const Row& row) {
  expect_columns(row, {"entry", "spent", "release"});
  expect(is_document(*row.release), "the release is not well-formed");
  expect(*row.entry >= 1 && *row.entry <= std::ssize(entries_), "there is no such entry");
  Entry& entry = entries_[static_cast<std::size_t>(*row.entry - 1)];
  expect(!entry.spent, "the entry was settled before");
  const Rational spent = number_in(row.spent);
  expect(spent <= entry.reserved, "more was spent than was reserved");
  Account& account = accounts_.at(entry.dataset);
  account.reserved = account.reserved - entry.reserved;
  account.spent = account.spent + spent;
  entry.spent = spent;
  entry.release = row.release;
}

Balance Accounts::balance(const std::string& name) const {
  const Account& account = accounts_.at(name);
  return {.total = account.total,
          .spent = account.spent,
          .reserved = account.reserved,
          .remaining = account.total - account.spent - account.reserved};
}

}  // namespace freegap::ledger

#pragma once

/// @file
/// What the rows add up to. Data sets, entries and balances are computed from the events, in order,
/// each time; nothing that could disagree with them is stored.

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "ledger/ledger.hpp"
#include "ledger/row.hpp"

namespace freegap::ledger {

/// A row that cannot follow the rows before it: the file is not what this program wrote.
class Inconsistent : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The state after a number of rows.
class Books {
 public:
  /// Adds the next row. Throws Inconsistent unless its number and its hash follow, it has the
  /// columns of its kind and no others, and the rules hold: a data set is made once; a reservation
  /// is positive and, with all that was charged before, at most the total; an entry is settled
  /// once, at no more than was reserved.
  void add(const Row& row);

  /// Gives a row its number and its hash, as the next one.
  [[nodiscard]] Row next(Row row) const;

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] const std::string& last_hash() const { return last_hash_; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<Dataset>& datasets() const { return datasets_; }
  /// Whether there is a data set of that name.
  [[nodiscard]] bool has(const std::string& name) const { return accounts_.contains(name); }
  /// Where its budget stands. The data set must exist.
  [[nodiscard]] Balance balance(const std::string& name) const;

 private:
  struct Account {
    Rational total;
    Rational spent;
    Rational reserved;
  };

  void add_dataset(const Row& row);
  void add_reserve(const Row& row);
  void add_settle(const Row& row);

  std::int64_t rows_ = 0;
  std::string last_hash_ = first_link();
  std::vector<Dataset> datasets_;
  std::vector<Entry> entries_;
  std::map<std::string, Account> accounts_;
};

}  // namespace freegap::ledger

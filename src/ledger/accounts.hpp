#pragma once

/// @file
/// The accounts: data sets, entries and balances, computed from the rows of the file in order. They
/// are computed anew each time the file is read. The file stores no balance that could disagree
/// with its rows.

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "ledger/ledger.hpp"
#include "ledger/row.hpp"

namespace freegap::ledger {

/// A row that cannot follow the rows before it. So this program did not write the file as it is.
class Inconsistent : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The accounts after a number of rows.
class Accounts {
 public:
  /// Adds the next row. Throws Inconsistent, and changes nothing, unless
  /// - its number and its hash follow from the row before,
  /// - it has the columns of its kind and no others,
  /// - a data set is created once,
  /// - a reservation is positive and, with all that was charged before, at most the total,
  /// - an entry is settled once, at no more than was reserved.
  void add(const Row& row);

  /// The row with the number and the hash that make it the next one.
  [[nodiscard]] Row next(Row row) const;

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] const std::string& last_hash() const { return last_hash_; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<Dataset>& datasets() const { return datasets_; }
  /// Whether there is a data set of that name.
  [[nodiscard]] bool has(const std::string& name) const { return accounts_.contains(name); }
  /// The balance of a data set, which must exist.
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
  std::string last_hash_ = initial_hash();
  std::vector<Dataset> datasets_;
  std::vector<Entry> entries_;
  std::map<std::string, Account> accounts_;
};

}  // namespace freegap::ledger

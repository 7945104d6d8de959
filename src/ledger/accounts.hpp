#pragma once

/// @file
/// The accounts: data sets, their balances and the unfinished entries, computed from the rows of
/// the file in order. A checkpoint is a row that repeats them, so that a long ledger can be read
/// from its last checkpoint on. It is part of the chain of hashes like any row, and must agree with
/// the rows before it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "freegap/budget.hpp"
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
  /// An entry that was reserved and not settled.
  struct Unfinished {
    std::string dataset;  ///< by its current name
    Rational reserved;    ///< the worst case
    Rational delta = 0;   ///< 0 where pure ε holds
  };

  Accounts() = default;
  /// The accounts at a checkpoint, given the hash of the row before it. Throws Inconsistent unless
  /// it is a checkpoint with the right hash, written as `text` writes it.
  Accounts(const Row& checkpoint, const std::string& previous_hash);

  /// Adds the next row. Throws Inconsistent, and changes nothing, unless
  /// - its number and its hash follow from the row before,
  /// - it has the columns of its kind and no others,
  /// - a data set is created once, under a name that was never used,
  /// - a δ is absent, or above 0 and below 1,
  /// - a reservation is positive and, with all that was charged before, at most the total; so is
  ///   its δ, if it has one,
  /// - the data set of a reservation is not closed,
  /// - an entry is settled once, at no more than was reserved, and at no less if it has a δ,
  /// - a data set is closed once, and renamed to a name that was never used,
  /// - data sets wait for a copy to be finished only after a row that says so, and are opened once,
  /// - a checkpoint agrees with the accounts.
  void add(const Row& row);

  /// The row with the number and the hash that make it the next one.
  [[nodiscard]] Row next(Row row) const;

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] const std::string& last_hash() const { return last_hash_; }
  /// How many entries there are.
  [[nodiscard]] std::int64_t entries() const { return entries_; }
  /// The entries that are not settled, by their numbers.
  [[nodiscard]] const std::map<std::int64_t, Unfinished>& unfinished() const { return unfinished_; }
  [[nodiscard]] const std::vector<Dataset>& datasets() const { return datasets_; }
  /// Whether this is a copy that is not open yet.
  [[nodiscard]] bool waiting() const;
  /// Whether a data set has or had this name.
  [[nodiscard]] bool has(const std::string& name) const;
  /// The current name of a data set that had this name before; empty if there is none.
  [[nodiscard]] std::string renamed_to(const std::string& name) const;
  /// The balance of a data set, which must exist.
  [[nodiscard]] Balance balance(const std::string& name) const;

  /// Everything above as text, for a checkpoint.
  [[nodiscard]] std::string text() const;
  /// Whether so much was added since the last checkpoint that there should be another one.
  [[nodiscard]] bool checkpoint_due() const;
  /// Whether a row alone has so much text that there should be a checkpoint after it.
  [[nodiscard]] static bool needs_a_checkpoint(const Row& row);

 private:
  void add_dataset(const Row& row);
  void add_reserve(const Row& row);
  void add_settle(const Row& row);
  void add_close(const Row& row);
  void add_rename(const Row& row);
  void add_copy(const Row& row);
  void add_open(const Row& row);
  void add_checkpoint(const Row& row);
  void take_line(const std::vector<std::string>& fields);
  void take_dataset(const std::vector<std::string>& fields);
  Dataset& find(const std::string& name);

  std::int64_t rows_ = 0;
  std::string last_hash_ = initial_hash();
  std::int64_t entries_ = 0;
  std::vector<Dataset> datasets_;
  std::map<std::string, Account> accounts_;
  std::map<std::string, std::string> former_names_;  // and the current ones
  std::map<std::int64_t, Unfinished> unfinished_;
  std::int64_t rows_since_checkpoint_ = 0;
  std::size_t bytes_since_checkpoint_ = 0;
};

}  // namespace freegap::ledger

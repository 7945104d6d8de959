#pragma once

/// @file
/// The entries of a ledger with all that is known of them, gathered from its rows.

#include <utility>
#include <vector>

#include "ledger/ledger.hpp"
#include "ledger/row.hpp"

namespace freegap::ledger {

/// The entries after a number of rows, which must be those that Accounts has taken.
class History {
 public:
  /// Adds the next row.
  void add(const Row& row);
  /// Hands over all entries, oldest first. Data sets have their current names.
  [[nodiscard]] std::vector<Entry> take() { return std::move(entries_); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace freegap::ledger

#pragma once

/// @file
/// The entry of one release in the ledger: reserved before anything is drawn, settled before
/// anything is shown.

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "freegap/noise.hpp"
#include "ledger/ledger.hpp"
#include "questions/question.hpp"

namespace freegap::questions {

/// Whether a column can name the units of a data set: not of one that protects rows or
/// transactions, which are counted without one.
bool named_by_column(const std::string& unit);
/// Refuses a column that cannot name the unit of a data set.
void check_unit_column(const std::string& unit, const std::optional<std::string>& column);

/// A balance as documents have it: exact fractions of ε, and those of δ as the member `delta`.
Json balance_document(const ledger::Balance& balance);

/// The ledger entry of one release: charged when it is made. None where the caller declined a
/// ledger.
class LedgerEntry {
 public:
  /// Charges the worst case of a question, or in a rehearsal only looks whether it could be charged
  /// now. Throws where the ledger refuses. Up to the charge `while_waiting` may end a wait for
  /// other processes.
  LedgerEntry(const LedgerOptions& options, const Question& question,
              const ledger::WhileWaiting& while_waiting = {});

  /// Adds the unit to the parameters of the release; nothing where nobody declared one.
  void state_unit(Json& parameters) const;
  /// Stores the release and what it cost.
  void settle(const Outcome& outcome);
  /// Adds to a document where it is stored; nothing where there is no ledger.
  void stamp(Json& document) const;
  /// What the data set had and has left, after the settlement; null where that is not known.
  [[nodiscard]] const Json& balance() const { return balance_; }
  /// Where to find a release that could not be shown; empty where there is no ledger.
  [[nodiscard]] std::string whereabouts() const;
  /// Reports what failed between the charge and the settlement: a fault of the machine, never bad
  /// input, that says what stays charged.
  [[noreturn]] void fail(const std::exception& error) const;

 private:
  /// What a release may take besides its rows: parameters, noise, branches.
  static constexpr std::uint64_t besides_the_answers = std::uint64_t{1} << 16U;

  void reserve(const ledger::Request& request);
  /// What is charged after a settlement that failed at its end.
  [[nodiscard]] std::string after_settling(ledger::CommitFault::Fate fate) const;

  LedgerOptions options_;
  std::optional<std::string> unit_;
  std::unique_ptr<ledger::Ledger> ledger_;  // kept open: another file may get its name
  std::int64_t number_ = 0;
  bool has_delta_ = false;
  Json balance_;
};

/// Draws and settles what was charged. The document has no stamp yet.
Outcome settled(const Question& question, LedgerEntry& entry, ExactNoise& noise);

}  // namespace freegap::questions

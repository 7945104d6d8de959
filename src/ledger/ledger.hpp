#pragma once

/// @file
/// The privacy accountant of the program: an SQLite file that records, for each data set, its total
/// ε, the privacy unit, and what each release cost. A release takes three steps: reserve the worst
/// case, draw the noise, settle at the cost that the output shows. The file is an append-only list
/// of events. Each has a hash chained to the one before it, and all are checked whenever the file
/// is opened (docs/ledger.md; docs/decisions/0011-append-only-ledger.md).

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "freegap/queries.hpp"
#include "freegap/rational.hpp"

namespace freegap::ledger {

/// A request that the ledger refuses: the budget does not suffice, or the data set does not exist
/// or does not match. Nothing was spent.
class Refused : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A data set: its total ε, and what that ε protects. The strings `name`, `unit`, `who` and `verb`,
/// here and below, have 1 to 200 bytes of UTF-8 without control characters.
struct Dataset {
  std::string name;                                ///< unique in its ledger
  Rational total;                                  ///< ε for all releases together
  std::string unit;                                ///< the privacy unit
  Neighbours neighbours = Neighbours::add_remove;  ///< which data sets count as neighbours
};

/// The state of a data set's budget. remaining = total - spent - reserved.
struct Balance {
  Rational total;      ///< as created
  Rational spent;      ///< by settled entries
  Rational reserved;   ///< by unfinished entries
  Rational remaining;  ///< the most that can still be reserved
};

/// A request for budget, made before any noise is drawn.
struct Request {
  std::string dataset;                             ///< name of the data set
  std::string unit;                                ///< must be the data set's
  Neighbours neighbours = Neighbours::add_remove;  ///< must be the data set's
  std::string who;                                 ///< the user
  std::string verb;                                ///< the command
  std::string parameters;                          ///< all public options, as JSON
  Rational reserved;                               ///< the worst case; above 0
};

/// One entry: a reservation, and its settlement once there is one.
struct Entry {
  std::int64_t number = 0;             ///< counted from 1, across all data sets
  std::string dataset;                 ///< name of the data set
  std::int64_t time = 0;               ///< of the reservation, in whole seconds since 1970
  std::string who;                     ///< the user
  std::string verb;                    ///< the command
  std::string parameters;              ///< as given in the request
  Rational reserved;                   ///< the worst case
  std::optional<Rational> spent;       ///< nothing while unfinished
  std::optional<std::string> release;  ///< the release as JSON; nothing while unfinished
};

/// An open ledger. Not for use by several threads at once. Any number of processes may have the
/// same file open.
class Ledger {
 public:
  /// Adds a data set to a ledger. Creates the file, with mode 0600, if there is none. Throws
  /// Refused if the data set exists, InvalidParameter if it is not valid, MachineFault if the disk
  /// fails.
  static void create(const std::string& path, const Dataset& dataset);

  /// Opens a ledger and checks every row. A missing, foreign, empty, damaged or newer file throws
  /// Refused; a fault of the machine throws MachineFault.
  explicit Ledger(const std::string& path);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// All data sets, in the order they were created.
  [[nodiscard]] std::vector<Dataset> datasets() const;
  /// One data set. Throws Refused if there is none of that name.
  [[nodiscard]] Dataset dataset(const std::string& name) const;
  /// The balance of a data set.
  [[nodiscard]] Balance balance(const std::string& name) const;
  /// All entries of a data set, oldest first. With an empty name, those of all data sets.
  [[nodiscard]] std::vector<Entry> history(const std::string& name = {}) const;
  /// One entry. Throws Refused if there is none of that number.
  [[nodiscard]] Entry entry(std::int64_t number) const;

  /// Charges the worst case. Returns the entry's number once the entry is safely on the disk.
  /// Throws
  /// - Refused if the budget does not suffice (the message has the request, what is left and the
  ///   total), or if unit or neighbours are not the data set's;
  /// - InvalidParameter if the request is not valid;
  /// - MachineFault if the disk fails. The entry may exist then, but no less is charged than
  /// before.
  std::int64_t reserve(const Request& request);
  /// Closes an unfinished entry with what was spent, at most what was reserved, and the release
  /// itself (UTF-8 without NUL). The release may be shown only after this has returned. Throws
  /// - Refused if there is no such entry, or if it is settled already;
  /// - InvalidParameter if it would spend more than was reserved;
  /// - MachineFault if the disk fails. The whole reservation then stays charged.
  void settle(std::int64_t number, const Rational& spent, const std::string& release);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace freegap::ledger

#pragma once

/// @file
/// The budget's keeper: an SQLite file that says, for each data set, how much ε there is, what it
/// protects and where it went. Reserve the worst case, draw and release, settle at the cost that
/// the output shows. The file is an append-only list of events, each with a hash chained to the one
/// before it, checked whenever it is opened.

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "freegap/queries.hpp"
#include "freegap/rational.hpp"

namespace freegap::ledger {

/// A budget that does not suffice, a data set that does not exist or does not match: nothing was
/// spent.
class Refused : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// What ε means for a data set, and how much of it there is. Names and units, and those who ask and
/// their verbs below, are 1 to 200 bytes of UTF-8 without control characters.
struct Dataset {
  std::string name;                                ///< unique in its ledger
  Rational total;                                  ///< ε for everything ever released
  std::string unit;                                ///< whose presence is protected
  Neighbours neighbours = Neighbours::add_remove;  ///< what a change of one unit is
};

/// Where a data set's budget stands. remaining = total - spent - reserved.
struct Balance {
  Rational total;      ///< all there ever was
  Rational spent;      ///< by settled entries
  Rational reserved;   ///< by unfinished ones
  Rational remaining;  ///< what may still be asked for
};

/// What a verb asks for before it draws any noise.
struct Request {
  std::string dataset;                             ///< by name
  std::string unit;                                ///< must be the data set's
  Neighbours neighbours = Neighbours::add_remove;  ///< must be the data set's
  std::string who;                                 ///< who asks
  std::string verb;                                ///< for what
  std::string parameters;                          ///< all public options, as JSON
  Rational reserved;                               ///< the worst case; above 0
};

/// One line of the books.
struct Entry {
  std::int64_t number = 0;             ///< counted from 1, across all data sets
  std::string dataset;                 ///< by name
  std::int64_t time = 0;               ///< of the reservation, in whole seconds since 1970
  std::string who;                     ///< who asked
  std::string verb;                    ///< for what
  std::string parameters;              ///< as given in the request
  Rational reserved;                   ///< the worst case
  std::optional<Rational> spent;       ///< nothing while unfinished
  std::optional<std::string> release;  ///< what was paid for, as JSON; nothing while unfinished
};

/// An open ledger. Not for use by several threads at once; any number of processes may have the
/// same file open.
class Ledger {
 public:
  /// Adds a data set to a ledger, and makes the file, with mode 0600, where there is none. Throws
  /// Refused where the data set exists, InvalidParameter where it makes no sense, MachineFault
  /// where the disk fails.
  static void create(const std::string& path, const Dataset& dataset);

  /// Opens a ledger and checks every row. A missing, foreign, empty, damaged or newer file throws
  /// Refused; a fault of the machine throws MachineFault.
  explicit Ledger(const std::string& path);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// All data sets, in the order they were made.
  [[nodiscard]] std::vector<Dataset> datasets() const;
  /// One data set; throws Refused where there is none of that name.
  [[nodiscard]] Dataset dataset(const std::string& name) const;
  /// Where its budget stands.
  [[nodiscard]] Balance balance(const std::string& name) const;
  /// All entries of a data set, oldest first; of all data sets where the name is empty.
  [[nodiscard]] std::vector<Entry> history(const std::string& name = {}) const;
  /// One entry; throws Refused where there is none of that number.
  [[nodiscard]] Entry entry(std::int64_t number) const;

  /// Charges the worst case and returns the entry's number, once that is safely on the disk. Throws
  /// Refused, with what was asked for, what is left and the total, where the budget does not
  /// suffice, or where unit or neighbours are not the data set's; InvalidParameter where the
  /// request makes no sense; MachineFault where the disk fails, and then the entry may be there,
  /// but no less is charged than before.
  std::int64_t reserve(const Request& request);
  /// Closes an unfinished entry: what was spent, at most what was reserved, and the release itself
  /// (UTF-8 without NUL). Only when this has returned may the release be shown. Throws Refused
  /// where there is no such entry or it is settled already, InvalidParameter where it would spend
  /// more than was reserved, MachineFault where the disk fails; the entry then stays charged.
  void settle(std::int64_t number, const Rational& spent, const std::string& release);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace freegap::ledger

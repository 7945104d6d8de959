#pragma once

/// @file
/// The privacy accountant of the program: it records, for each data set, its total ε and δ, the
/// privacy unit, and what each release cost. A release takes three steps: reserve the worst case,
/// draw the noise, settle at the cost that the output shows. A ledger is an append-only list of
/// events, in an SQLite file or in a PostgreSQL database. Each has a hash chained to the one before
/// it. Opening checks all of them in a small file, and those since the last checkpoint in a large
/// one (docs/ledger.md; docs/decisions/0011-append-only-ledger.md).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "freegap/budget.hpp"
#include "freegap/errors.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"

namespace freegap::ledger {

/// A request that the ledger refuses: the budget does not suffice, or the data set does not exist
/// or does not match. Nothing was spent.
class Refused : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A request for more than what is left. Nothing was spent.
class Exceeded : public Refused {
 public:
  /// What was asked for, what is left, and the total; of ε or of δ.
  Exceeded(const std::string& message, Rational asked, Rational left, Rational total,
           PrivacyParameter of)
      : Refused(message),
        asked_(std::move(asked)),
        left_(std::move(left)),
        total_(std::move(total)),
        of_(of) {}
  /// Whether ε or δ is missing; ε where both are.
  [[nodiscard]] PrivacyParameter of() const { return of_; }
  /// What was asked for.
  [[nodiscard]] const Rational& asked() const { return asked_; }
  /// What is left of the data set's budget.
  [[nodiscard]] const Rational& left() const { return left_; }
  /// Its total.
  [[nodiscard]] const Rational& total() const { return total_; }

 private:
  Rational asked_;
  Rational left_;
  Rational total_;
  PrivacyParameter of_;
};

/// A ledger that is damaged, or that another program has changed; or a file that is no ledger, or
/// none any more.
class Damaged : public Refused {
 public:
  using Refused::Refused;
};

/// A change whose last step failed.
class CommitFault : public MachineFault {
 public:
  /// Whether the change is in the file nevertheless.
  enum class Fate : std::uint8_t { written, not_written, unknown };
  /// A failure with this message and this result.
  CommitFault(const std::string& message, Fate fate) : MachineFault(message), fate_(fate) {}
  /// Whether the change is in the file.
  [[nodiscard]] Fate fate() const { return fate_; }

 private:
  Fate fate_;
};

/// The longest release that a ledger stores, in bytes. (SQLite takes rows of up to 10^9.)
inline constexpr std::uint64_t longest_release = 900'000'000;

/// A data set: its total ε and δ, and what they protect. The strings `name`, `unit`, `column`,
/// `who` and `verb`, here and below, have 1 to 200 bytes of UTF-8 without control characters.
struct Dataset {
  std::string name;                                ///< unique in its ledger
  Rational total;                                  ///< ε for all releases together
  std::string unit;                                ///< the privacy unit
  Neighbours neighbours = Neighbours::add_remove;  ///< which data sets count as neighbours
  std::optional<std::string> column = {};          ///< the column that names the unit
  Rational delta = 0;                              ///< δ for all releases together; 0: pure ε
  bool closed = false;                             ///< takes no reservation
  bool waiting = false;                            ///< closed until the copy is finished
};

/// The state of a data set's budget, which follows the rules of every budget.
using freegap::Balance;

/// A request for budget, made before any noise is drawn.
struct Request {
  std::string dataset;                             ///< name of the data set
  std::string unit;                                ///< must be the data set's
  Neighbours neighbours = Neighbours::add_remove;  ///< must be the data set's
  std::string who;                                 ///< the user
  std::string verb;                                ///< the command
  std::string parameters;                          ///< all public parameters, as JSON
  std::string asked = {};             ///< what was asked of what, as JSON; may be empty
  Rational reserved;                  ///< the worst case; above 0
  Rational delta = 0;                 ///< charged at once; 0 where pure ε holds
  std::uint64_t largest_release = 0;  ///< bytes of disk space to hold until `settle` writes
};

/// One entry: a reservation, and its settlement once there is one.
struct Entry {
  std::int64_t number = 0;             ///< counted from 1, across all data sets
  std::string dataset;                 ///< name of the data set
  std::int64_t time = 0;               ///< of the reservation, in whole seconds since 1970
  std::string who;                     ///< the user
  std::string verb;                    ///< the command
  std::string parameters;              ///< as given in the request
  std::string asked = {};              ///< as given in the request; empty in entries of format 1
  Rational reserved;                   ///< the worst case
  Rational delta = 0;                  ///< charged at once; 0 where pure ε holds
  std::optional<Rational> spent;       ///< nothing while unfinished
  std::optional<std::string> release;  ///< the release as JSON; nothing while unfinished
};

/// The number of rows and the hash of the last one: it stands for the whole history.
struct Head {
  std::int64_t rows = 0;  ///< how many
  std::string hash;       ///< of the last one
};

/// What is open after a copy: the budget stays in one place.
enum class Copy : std::uint8_t {
  moved,  ///< the copy; the data sets of the original are closed
  closed  ///< the original; the data sets of the copy are closed
};

/// Called again and again while another process holds the lock of a ledger. What it throws ends the
/// wait, and the call that waited; the ledger stays as it was.
using WhileWaiting = std::function<void()>;

/// An open ledger: the path of a file, or the URL of a PostgreSQL database
/// (postgresql://USER@HOST/DATABASE, without a password). Not for use by several threads at once.
/// Any number of processes may have the same ledger open.
class Ledger {
 public:
  /// Adds a data set to a ledger. Creates the file, with mode 0600, or the tables if there are
  /// none. Throws Refused if the data set exists, InvalidParameter if it is not valid, MachineFault
  /// if the disk fails.
  static void create(const std::string& path, const Dataset& dataset,
                     WhileWaiting while_waiting = {});

  /// Opens a ledger and checks it: a file of up to a megabyte from its beginning, a larger one from
  /// its last checkpoint. A missing, foreign, empty, damaged or newer file throws Refused; a fault
  /// of the machine throws MachineFault. `while_waiting` is for this and for all later calls.
  explicit Ledger(const std::string& path, WhileWaiting while_waiting = {});
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Exchanges what is called while it waits: nothing, if that is empty.
  void set_while_waiting(WhileWaiting while_waiting);

  /// All data sets, in the order they were created.
  [[nodiscard]] std::vector<Dataset> datasets() const;
  /// One data set. Throws Refused if there is none of that name.
  [[nodiscard]] Dataset dataset(const std::string& name) const;
  /// The balance of a data set.
  [[nodiscard]] Balance balance(const std::string& name) const;
  /// The head of the ledger.
  [[nodiscard]] Head head() const;
  /// Reads and checks the whole ledger: the structure of the file, every hash, and every rule. With
  /// `earlier`, also that the ledger continues from that head, whose number of rows may be 0 where
  /// it is not known. Throws Damaged, with the row, where something does not hold. Returns the
  /// head.
  Head check(const std::optional<Head>& earlier = std::nullopt) const;

  /// All entries of a data set, oldest first. With an empty name, those of all data sets. This and
  /// `entry` read and check the whole ledger.
  [[nodiscard]] std::vector<Entry> history(const std::string& name = {}) const;
  /// One entry. Throws Refused if there is none of that number.
  [[nodiscard]] Entry entry(std::int64_t number) const;

  /// Closes a data set: nothing can be reserved from it any more; unfinished entries can still be
  /// settled. Throws Refused if there is none of that name, or if it is closed already.
  void close(const std::string& name, const std::string& who);
  /// Gives a data set another name, one that no data set of this ledger has or had. Throws Refused
  /// otherwise.
  void rename(const std::string& name, const std::string& new_name, const std::string& who);

  /// Charges the worst case. Returns the entry's number once the entry is safely on the disk.
  /// Throws
  /// - Exceeded if ε or δ do not suffice (the message has the request, what is left and the
  ///   total), Refused if unit or neighbours are not the data set's;
  /// - Refused if the release could be too large to store, or the data set is closed;
  /// - InvalidParameter if the request is not valid;
  /// - MachineFault if the disk fails or has no room for the release. Nothing is charged then,
  ///   unless it is a CommitFault that says otherwise.
  std::int64_t reserve(const Request& request);
  /// Throws what `reserve` would throw now for the request itself, its data set and what is left,
  /// and charges nothing. A later `reserve` decides anew.
  void check_reservable(const Request& request) const;
  /// Holds disk space for the release of an unfinished entry that has grown, until `settle` writes
  /// it. Throws MachineFault if there is none, or if the release is too large to store.
  void hold(std::int64_t number, std::uint64_t release_bytes);
  /// Closes an unfinished entry with what was spent, at most what was reserved, and the release
  /// itself (UTF-8 without NUL). An entry with a δ gives nothing back: it spends what was reserved.
  /// The release may be shown only after this has returned. Throws
  /// - Refused if there is no such entry, or if it is settled already;
  /// - InvalidParameter if it would spend more than was reserved, or, of an entry with a δ, less;
  /// - MachineFault if the disk fails. The whole reservation then stays charged, unless it is a
  ///   CommitFault that says otherwise.
  void settle(std::int64_t number, const Rational& spent, std::string release);

  /// Copies all rows, after a check of the whole ledger, to a new ledger at this path or URL.
  /// Returns the head of the copy. Throws Refused, and changes nothing, if something else is there;
  /// or MachineFault. A copy that moves the budget takes three commits: the copy is made, and
  /// waits; the original is closed; the copy is opened. So at no moment are both open. Where that
  /// was interrupted, the same call goes on with it.
  Head copy(const std::string& to, const std::string& who, Copy kind);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace freegap::ledger

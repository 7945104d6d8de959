#pragma once

/// @file
/// Where the rows of a ledger are kept: a file, or a database that a team shares. A store reads and
/// adds rows within transactions. What the rows may say is checked here, in the same way for every
/// store.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ledger/accounts.hpp"
#include "ledger/ledger.hpp"
#include "ledger/row.hpp"

namespace freegap::ledger {

/// What a transaction is for.
enum class Access : std::uint8_t {
  read,  ///< it sees one state of the ledger
  write  ///< it excludes other writers from its start
};

/// What is read and checked of a large ledger.
enum class Depth : std::uint8_t {
  recent,  ///< the tables, and the rows from the last checkpoint on
  whole    ///< the tables, their structure, and every row
};

/// Takes rows one after the other.
using TakeRow = std::function<void(const Row&)>;

/// The open store of a ledger. The caller opens the transaction (see Transaction) in which it reads
/// and writes.
class Store {
 public:
  Store() = default;
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Reads and checks the ledger; a small one may always be read as a whole. `each` is called for
  /// each row that was read. Throws Damaged unless everything is as this program writes it.
  [[nodiscard]] Accounts load(Depth depth = Depth::recent, const TakeRow& each = {});

  /// Exchanges what is called while it waits for a lock.
  virtual void set_while_waiting(WhileWaiting while_waiting) = 0;

  virtual void begin(Access access) = 0;
  /// When this returns, the changes are safe. Throws MachineFault where that is not certain.
  virtual void commit() = 0;
  /// Undoes the changes, unless they are committed.
  virtual void roll_back() noexcept = 0;
  /// How to begin a transaction that sees whether a commit that failed was made after all.
  [[nodiscard]] virtual Access after_failed_commit() const = 0;

  /// Changes a ledger of an older format, which was loaded in the same transaction, to the current
  /// one. Its rows and their hashes stay as they are.
  virtual void upgrade() = 0;
  /// Adds a row, and updates the head, which holds the number of rows and the last hash.
  virtual void append(const Row& row) = 0;
  /// The hash of a row. Nothing where there is no such row.
  [[nodiscard]] virtual std::optional<std::string> hash_of_row(std::int64_t sequence) = 0;
  /// A number that changes when another process has changed the ledger. Nothing where that cannot
  /// be told.
  [[nodiscard]] virtual std::optional<std::int64_t> version() = 0;

  /// The path or the URL that the store was opened by.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Whether it is a file, on a disk where space can be held for a release.
  [[nodiscard]] virtual bool is_file() const = 0;
  /// Throws Damaged, with what does not hold; or MachineFault where the store cannot be read.
  [[noreturn]] void refuse(const std::string& what) const;

 protected:
  /// Throws MachineFault where the store cannot be read to its end: then nobody knows whether it is
  /// damaged.
  virtual void check_readable() const = 0;
  /// Checks the tables. Returns whether all rows are to be read.
  virtual bool check_tables(Depth depth) = 0;
  /// The number of the last checkpoint's row; 0 if there is none.
  [[nodiscard]] virtual std::int64_t last_checkpoint() = 0;
  /// Reads the rows after a number in order; all rows after 0.
  virtual void read_rows(std::int64_t after, const TakeRow& each) = 0;
  /// One row. Nothing where there is no such row.
  [[nodiscard]] virtual std::optional<Row> row(std::int64_t sequence) = 0;
  /// The head. Throws Damaged unless there is exactly one.
  [[nodiscard]] virtual Head head() = 0;

 private:
  [[nodiscard]] Accounts at_last_checkpoint();
  void check_head(const Accounts& accounts);
};

/// A transaction that is rolled back unless it is committed.
class Transaction {
 public:
  Transaction(Store& store, Access access) : store_(store) { store_.begin(access); }
  ~Transaction() { store_.roll_back(); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// When this returns, the changes are safe.
  void commit() { store_.commit(); }
  /// Undoes the changes, unless they are committed.
  void roll_back() { store_.roll_back(); }

 private:
  Store& store_;
};

/// Calls a function for each row of a new ledger.
using EachRow = std::function<void(const TakeRow& take)>;

/// Opens the ledger of this path or URL. Throws Refused, and changes nothing, if there is none, or
/// if it is not a ledger of a known format.
[[nodiscard]] std::unique_ptr<Store> open_store(const std::string& name,
                                                WhileWaiting while_waiting = {});

/// Makes a ledger with these rows, of which there is at least one. Returns false, and changes
/// nothing, if there is a ledger or a file of that name.
[[nodiscard]] bool make_store(const std::string& name, const EachRow& rows);

}  // namespace freegap::ledger

#pragma once

/// @file
/// One row of the file: an event, and its hash, which depends on all rows before it. docs/ledger.md
/// describes the format and the hash for auditors.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ledger/ledger.hpp"

namespace freegap::ledger {

inline constexpr std::string_view kind_dataset = "dataset";  ///< a data set was created
inline constexpr std::string_view kind_reserve = "reserve";  ///< a worst case was charged
inline constexpr std::string_view kind_settle = "settle";    ///< an entry was settled
inline constexpr std::string_view kind_close = "close";      ///< a data set was closed
inline constexpr std::string_view kind_rename = "rename";    ///< a data set got another name
inline constexpr std::string_view kind_copy = "copy";        ///< this is a copy, not open yet
inline constexpr std::string_view kind_open = "open";        ///< the copy was opened
/// The accounts at this row, so that a long ledger need not be read from its beginning.
inline constexpr std::string_view kind_checkpoint = "checkpoint";

/// The columns of a row. A column that does not belong to the row's kind is empty (NULL).
struct Row {
  std::int64_t sequence = 0;              ///< 1, 2, 3, … without gaps
  std::string kind;                       ///< one of the above
  std::optional<std::string> dataset;     ///< dataset, reserve, close, rename: its name
  std::optional<std::string> total;       ///< dataset: exact text
  std::optional<std::string> unit;        ///< dataset
  std::optional<std::string> neighbours;  ///< dataset: "add-remove" or "replace"
  std::optional<std::int64_t> entry;      ///< reserve, settle: number of the entry
  std::optional<std::int64_t> time;       ///< reserve, close, rename, copy, open: since 1970
  std::optional<std::string> who;         ///< reserve, close, rename, copy, open
  std::optional<std::string> verb;        ///< reserve
  std::optional<std::string> parameters;  ///< reserve
  std::optional<std::string> reserved;    ///< reserve: exact text
  std::optional<std::string> spent;       ///< settle: exact text
  std::optional<std::string> release;     ///< settle
  /// dataset: the column that names the unit, if any; reserve: what was asked of what;
  /// close: where the ledger was copied to, if that is why; rename: the new name; copy: the name of
  /// the copy; checkpoint: the accounts.
  std::optional<std::string> details;
  std::optional<std::string> delta;  ///< dataset, reserve: exact text, where it is above 0
  std::string hash;                  ///< of everything above and of the row before
};

/// The columns but `hash`, in the order in which they are hashed. Files of format 2 lack the last
/// one, and files of format 1 the last two.
inline constexpr std::array<const char*, 16> hashed_columns = {
    "sequence", "kind", "dataset",    "total",    "unit",  "neighbours", "entry",   "time",
    "who",      "verb", "parameters", "reserved", "spent", "release",    "details", "delta"};
/// How many of them a file of format 1 has.
inline constexpr std::size_t hashed_columns_of_format_1 = 14;
/// How many of them a file of format 2 has.
inline constexpr std::size_t hashed_columns_of_format_2 = 15;

/// Whether a column holds integers. The others hold text.
[[nodiscard]] bool is_integer_column(std::size_t column);

/// The values of these columns, with integers in decimal.
[[nodiscard]] std::array<std::optional<std::string>, hashed_columns.size()> fields(const Row& row);

/// The same without copies: views of a row, which must outlive them.
class FieldViews {
 public:
  explicit FieldViews(const Row& row);
  FieldViews(const FieldViews&) = delete;
  FieldViews& operator=(const FieldViews&) = delete;
  ~FieldViews() = default;
  /// The value of a column, by its index; nothing for NULL.
  [[nodiscard]] const std::optional<std::string_view>& operator[](std::size_t column) const {
    return values_.at(column);
  }

 private:
  std::string sequence_;
  std::optional<std::string> entry_;
  std::optional<std::string> time_;
  std::array<std::optional<std::string_view>, hashed_columns.size()> values_;
};

/// The inverse of `fields`, for values of the right types. Throws std::out_of_range for an integer
/// that does not fit.
[[nodiscard]] Row row_of(std::array<std::optional<std::string>, hashed_columns.size()> values);

/// The previous hash of the first row: 64 zeros.
[[nodiscard]] const std::string& initial_hash();

/// SHA-256, in lower-case hexadecimal, of `previous` followed by the fields in order. A field is
/// encoded as its length in bytes, a colon, its bytes and a comma; NULL is encoded as `-,`. Where
/// the last one, `delta`, is NULL, it is left out, and so is `details` if it is NULL, too: so the
/// rows of formats 1 and 2 keep their hashes. Different rows have different encodings.
[[nodiscard]] std::string hash_of(const std::string& previous, const Row& row);

/// The row of an event of each kind. Sequence and hash are not set: see Accounts::next.
[[nodiscard]] Row dataset_row(const Dataset& dataset);
[[nodiscard]] Row reserve_row(std::int64_t entry, std::int64_t time, const Request& request);
[[nodiscard]] Row settle_row(std::int64_t entry, const Rational& spent, std::string release);
[[nodiscard]] Row close_row(std::int64_t time, const std::string& dataset, const std::string& who);
[[nodiscard]] Row rename_row(std::int64_t time, const std::string& dataset, const std::string& name,
                             const std::string& who);
[[nodiscard]] Row copy_row(std::int64_t time, const std::string& name, const std::string& who);
[[nodiscard]] Row open_row(std::int64_t time, const std::string& who);
[[nodiscard]] Row checkpoint_row(const std::string& accounts);

}  // namespace freegap::ledger

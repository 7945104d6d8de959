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
inline constexpr std::string_view kind_settle = "settle";    ///< an entry was closed

/// The columns of a row. A column that does not belong to the row's kind is empty (NULL).
struct Row {
  std::int64_t sequence = 0;              ///< 1, 2, 3, … without gaps
  std::string kind;                       ///< one of the three above
  std::optional<std::string> dataset;     ///< dataset, reserve: its name
  std::optional<std::string> total;       ///< dataset: exact text
  std::optional<std::string> unit;        ///< dataset
  std::optional<std::string> neighbours;  ///< dataset: "add-remove" or "replace"
  std::optional<std::int64_t> entry;      ///< reserve, settle: number of the entry
  std::optional<std::int64_t> time;       ///< reserve: whole seconds since 1970
  std::optional<std::string> who;         ///< reserve
  std::optional<std::string> verb;        ///< reserve
  std::optional<std::string> parameters;  ///< reserve
  std::optional<std::string> reserved;    ///< reserve: exact text
  std::optional<std::string> spent;       ///< settle: exact text
  std::optional<std::string> release;     ///< settle
  std::string hash;                       ///< of everything above and of the row before
};

/// The columns before `hash`, in the order of the table.
inline constexpr std::array<const char*, 14> hashed_columns = {
    "sequence", "kind", "dataset", "total",      "unit",     "neighbours", "entry",
    "time",     "who",  "verb",    "parameters", "reserved", "spent",      "release"};

/// Whether a column holds integers. The others hold text.
[[nodiscard]] bool is_integer_column(std::size_t column);

/// The values of the columns before `hash`, with integers in decimal.
[[nodiscard]] std::array<std::optional<std::string>, hashed_columns.size()> fields(const Row& row);

/// The inverse of `fields`, for values of the right types. Throws std::out_of_range for an integer
/// that does not fit.
[[nodiscard]] Row row_of(std::array<std::optional<std::string>, hashed_columns.size()> values);

/// The previous hash of the first row: 64 zeros.
[[nodiscard]] const std::string& initial_hash();

/// SHA-256, in lower-case hexadecimal, of `previous` followed by the fields in order. A field is
/// encoded as its length in bytes, a colon, its bytes and a comma; NULL is encoded as `-,`.
/// Different rows have different encodings.
[[nodiscard]] std::string hash_of(const std::string& previous, const Row& row);

/// The row of an event of each kind. Sequence and hash are not set: see Accounts::next.
[[nodiscard]] Row dataset_row(const Dataset& dataset);
[[nodiscard]] Row reserve_row(std::int64_t entry, std::int64_t time, const Request& request);
[[nodiscard]] Row settle_row(std::int64_t entry, const Rational& spent, const std::string& release);

}  // namespace freegap::ledger

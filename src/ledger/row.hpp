#pragma once

/// @file
/// One row of the file: an event and its place in the chain of hashes. docs/ledger.md describes the
/// rule for auditors; what stands here is that rule.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ledger/ledger.hpp"

namespace freegap::ledger {

inline constexpr std::string_view kind_dataset = "dataset";  ///< a data set was made
inline constexpr std::string_view kind_reserve = "reserve";  ///< a worst case was charged
inline constexpr std::string_view kind_settle = "settle";    ///< an entry was closed

/// The row, column by column. A column that does not belong to the kind is empty (NULL).
struct Row {
  std::int64_t sequence = 0;              ///< 1, 2, 3, … without a gap
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

/// Which of them hold integers; the others hold text.
[[nodiscard]] bool is_integer_column(std::size_t column);

/// The values of the columns before `hash`, integers in decimal.
[[nodiscard]] std::array<std::optional<std::string>, hashed_columns.size()> fields(const Row& row);

/// The reverse of `fields`, for values of the right types. Throws std::out_of_range for an integer
/// that does not fit.
[[nodiscard]] Row row_of(std::array<std::optional<std::string>, hashed_columns.size()> values);

/// What the first row takes for the hash of the row before it: 64 zeros.
[[nodiscard]] const std::string& first_link();

/// SHA-256, in lower-case hexadecimal, of `previous` followed by the fields in order, each written
/// as its length in bytes, a colon, its bytes and a comma, and `-,` where it is NULL. No two
/// different rows have the same encoding.
[[nodiscard]] std::string hash_of(const std::string& previous, const Row& row);

/// The rows that the three kinds of events make; sequence and hash are left open.
[[nodiscard]] Row dataset_row(const Dataset& dataset);
[[nodiscard]] Row reserve_row(std::int64_t entry, std::int64_t time, const Request& request);
[[nodiscard]] Row settle_row(std::int64_t entry, const Rational& spent, const std::string& release);

/// "add-remove" or "replace".
[[nodiscard]] std::string text_of(Neighbours neighbours);

}  // namespace freegap::ledger

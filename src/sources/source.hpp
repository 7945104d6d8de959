#pragma once

/// @file
/// From data to items with numbers: files of transactions, tables, queries of a database.
/// Everything read here is secret; what becomes of it is for the caller to decide.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "freegap/rational.hpp"

namespace freegap::sources {

/// How a file is written.
enum class Format : std::uint8_t {
  transactions,  ///< one per line, items separated by blanks or as declared (.dat)
  csv,           ///< a header, then one record per line, fields separated by commas
  tsv            ///< the same, separated by tabs
};

/// What the records of an input are.
enum class Records : std::uint8_t {
  transactions,  ///< lists of items: an item counts once per transaction
  rows,          ///< rows with a column of items, to be counted
  numbers,       ///< ready-made numbers, one per item
  stream         ///< `name,value` lines, answered as they arrive
};

/// Which numbers a table may hold.
enum class Numbers : std::uint8_t {
  counts,  ///< whole numbers, not negative
  whole,   ///< whole numbers
  real     ///< finite numbers
};

/// A public range of numbers, into which all are clamped. Clamping moves no two numbers apart, so
/// the sensitivity holds (docs/proofs/setting.md, "Clamping").
struct Range {
  Rational low;   ///< smaller numbers become this
  Rational high;  ///< larger numbers become this; not below `low`
};

/// Where data comes from, and what it means.
struct Input {
  std::string path;  ///< a file, or "-" for standard input; empty where a database is asked
  /// For transactions whose name does not say so: whether they are compressed. Tables and lists
  /// show that by their first bytes, which belong to no record.
  bool packed = false;
  std::optional<Format> format;        ///< by default from the name's ending
  std::optional<std::string> sqlite;   ///< a database of SQLite, opened read-only
  std::optional<std::string> duckdb;   ///< a database of DuckDB, opened read-only
  std::optional<std::string> parquet;  ///< files of Parquet, which DuckDB reads
  std::string query;                   ///< what to ask the database
  std::optional<std::string> item;     ///< column of items: rows are records, to be counted
  /// Column of ready-made numbers; `item` then names the column of their items. By default one of
  /// "count", "value" and "utility".
  std::optional<std::string> value;
  /// With `item`: column of units, each counted once per item, or "row". Of ready-made numbers:
  /// what they count. Of transactions: nothing but "transaction".
  std::optional<std::string> unit;
  /// What separates the items of a transaction. None: spaces and tabs, and a file whose items look
  /// as if something else did is refused. A space: spaces and tabs, without that check.
  std::optional<char> separator;
  /// Contribution bound: a unit that brings more items keeps so many of them, chosen at random.
  std::optional<std::uint64_t> max_items;
  /// Of ready-made counts: the contribution bound that was applied when they were counted.
  std::optional<std::uint64_t> bounded_by;
  /// Of simulations alone: what units keep follows from it. None: from the system's randomness.
  std::optional<std::uint64_t> insecure_seed;
  /// Refuse numbers that nobody declared to be counts: whatever is not in a column "count".
  bool counts_only = false;
  Numbers numbers = Numbers::counts;  ///< of ready-made values (no `item`)
  bool skip_bad_records = false;      ///< drop malformed records one by one, without a word
  std::optional<int> step;            ///< reals are floored to multiples of 2^step: see RealGrid
  std::optional<Range> range;         ///< ready-made numbers are clamped into it
};

/// Whether a database or DuckDB is asked, and no text is read.
bool asks_engine(const Input& input);

/// A public grid for real numbers as they are written: multiples of 2^step, up to ±2^(step+53),
/// which are doubles. Numbers that differ by at most the declared sensitivity differ by at most
/// `sensitivity` once they are floored to it.
///
/// Without it a number becomes the largest double that is not above it. That is as good if the
/// sensitivity is a power of two and all numbers are below 2^53 times the sensitivity; otherwise
/// numbers can be moved apart: with a sensitivity of 0.1, the doubles below 0.4 and 0.5 are further
/// apart than 0.1.
struct RealGrid {
  int step = 0;          ///< from -512 to 512
  Rational sensitivity;  ///< the declared one, rounded up to the grid

  /// A grid of at least 2^16 steps to the sensitivity, which grows by less than 1/2^16 of itself,
  /// and not at all if it is on the grid. The ends, where numbers are clamped, are between 2^35 and
  /// 2^37 times the declared sensitivity.
  static RealGrid of(const Rational& declared);
  /// The same, coarser where a range does not fit otherwise. Throws InvalidParameter where a step
  /// would be larger than the sensitivity: beyond 2^52 times as much.
  static RealGrid of(const Rational& declared, const Range& range);
};

/// A malformed record. For the eyes of the data's owner.
struct BadRecord {
  std::uint64_t line = 0;  ///< counted from 1; for a query, the row
  std::string problem;     ///< what is wrong with it
};

/// Items with their numbers, in the order in which they first appear. Secret, order included.
struct Values {
  std::vector<std::string> items;   ///< names, each once
  std::vector<std::int64_t> whole;  ///< their numbers, for counts and whole numbers; whatever is
                                    ///< counted here is whole
  std::vector<double> real;         ///< their numbers, for reals
  std::string unit;            ///< what was counted: "transaction", the unit's column or "row";
                               ///< for ready-made values empty
  std::string number_column;   ///< of ready-made values: its name
  std::vector<BadRecord> bad;  ///< filled by `check` alone
  std::uint64_t records = 0;   ///< how many were read; of what DuckDB has counted, its items
};

/// Transactions, rows or numbers. Follows from how the input is named and what was said about it,
/// never from what it holds. Throws InvalidParameter where that makes no sense, or where the ending
/// of the name is unknown.
Records records_of(const Input& input);

/// Refuses a contribution bound that does not go with such records, or is 0. Throws
/// InvalidParameter.
void check_bound(const Input& input, Records records);

/// The most items that one unit contributes to; none without a bound. A row is one item.
std::optional<std::uint64_t> bound_of(const Input& input, Records records);

/// Reads and counts. A schema that makes no sense (no such column, no header, an unknown ending)
/// throws InvalidParameter; so does the first malformed record, with its line, unless they are
/// skipped. A file that cannot be read throws MachineFault if the machine is at fault and
/// InvalidParameter if it is not there.
Values read(const Input& input);

/// The same, but collects malformed records instead of stopping at one (at most `most` of them).
Values check(const Input& input, std::size_t most = 1000);

/// Refuses a file whose header lacks a column, as `read` would. Not for transactions; does nothing
/// with what is not a regular file, which may not be read twice, and with databases.
void check_header(const Input& input);

/// A public list of items: one per line; blank lines are ignored, a repeated item is refused.
std::vector<std::string> read_list(const std::string& path);

}  // namespace freegap::sources

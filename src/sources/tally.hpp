#pragma once

/// @file
/// From the rows of a table to items with numbers, whether the table is a file or the result of a
/// query.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/item_table.hpp"
#include "sources/pair_set.hpp"
#include "sources/source.hpp"

namespace freegap::sources {

/// Which columns matter, by their place.
struct Schema {
  std::size_t item = 0;
  std::optional<std::size_t> number;  ///< of ready-made values
  std::optional<std::size_t> unit;    ///< of rows to be counted

  /// Finds the columns that the input asks for. Throws InvalidParameter if they are not there, or
  /// not once; `where` begins the message.
  static Schema of(const std::vector<std::string>& columns, const Input& input,
                   const std::string& where);
};

/// A field with its type. Fields of files are text.
struct Cell {
  /// What the field holds.
  enum class Type : std::uint8_t { text, whole, real, null, other };
  Type type = Type::text;
  std::string_view text = {};
  std::int64_t whole = 0;
  double real = 0;
};

/// Adds up rows.
class Tally {
 public:
  /// `record` is what a row is called in messages.
  Tally(const Schema& schema, const Input& input, std::string record);

  /// Takes in a record: its item and, if the schema has one, its number or unit. What is wrong with
  /// the record, in words, or nothing; if anything is, nothing has changed.
  std::optional<std::string> add(const Cell& item, const Cell& other, std::uint64_t line);
  /// What it all came to. Once.
  Values finish();

 private:
  std::optional<std::string> add_number(std::string_view item, const Cell& number,
                                        std::uint64_t line);
  std::optional<std::string> add_unit(std::string_view item, const Cell& unit);

  Input input_;
  Schema schema_;
  std::string record_;
  Values values_;
  ItemTable items_;
  ItemTable units_;
  PairSet pairs_;
};

}  // namespace freegap::sources

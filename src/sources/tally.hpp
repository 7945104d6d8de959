#pragma once

/// @file
/// Turns the rows of a table into items with numbers, for tables in files and results of queries.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/clamp.hpp"
#include "sources/contribution.hpp"
#include "sources/item_table.hpp"
#include "sources/pair_set.hpp"
#include "sources/source.hpp"

namespace freegap::sources {

/// The indices of the columns that are used.
struct Schema {
  std::size_t item = 0;
  std::optional<std::size_t> number;  ///< of ready-made values
  std::string number_column;          ///< its name
  std::optional<std::size_t> unit;    ///< of rows to be counted

  /// Finds the columns that the input names. Throws InvalidParameter unless each occurs exactly
  /// once. `where` begins the message.
  static Schema of(const std::vector<std::string>& columns, const Input& input,
                   const std::string& where);
};

/// A field with its type. Fields of files are text.
struct Cell {
  /// The type of the field.
  enum class Type : std::uint8_t { text, whole, real, null, other };
  Type type = Type::text;
  std::string_view text = {};
  std::int64_t whole = 0;
  double real = 0;
};

/// Counts or collects rows.
class Tally {
 public:
  /// `record` is the word for a row in messages.
  Tally(const Schema& schema, const Input& input, std::string record);

  /// Adds a record: its item and, if the schema has one, its number or unit. Returns the problem
  /// with the record, in words, or nothing. A record with a problem changes nothing.
  std::optional<std::string> add(const Cell& item, const Cell& other, std::uint64_t line);
  /// The result. May be called once. Where there is a cut, units are cut down first.
  Values finish(Cut* cut = nullptr);

 private:
  std::optional<std::string> add_number(std::string_view item, const Cell& number,
                                        std::uint64_t line);
  std::optional<std::string> add_unit(std::string_view item, const Cell& unit);
  void cut_down(Cut& cut);

  Input input_;
  Schema schema_;
  std::string record_;
  Clamp clamp_;
  Values values_;
  ItemTable items_;
  ItemTable units_;
  PairSet pairs_;
};

}  // namespace freegap::sources

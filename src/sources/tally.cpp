#include "sources/tally.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "freegap/errors.hpp"
#include "sources/number.hpp"
#include "sources/text.hpp"

namespace freegap::sources {
namespace {

/// What to do where a column is missing. The columns are not listed: without a header, the first
/// record would be shown as such.
std::string remedy(const Input& input) {
  if (input.sqlite || input.duckdb) {
    return "; name it in the query: SELECT ... AS ...";
  }
  if (input.parquet) {
    return "; name the columns of items and numbers with --item COLUMN --value COLUMN";
  }
  // No separator is offered: which one it is shows when all items are read (separation.hpp).
  return "; the first line must name the columns. Name the column of items with --item COLUMN and, "
         "to count rows, that of the people with --unit COLUMN. Or add --input-format dat if there "
         "is no such line, and each line is a list of items";
}

/// Whether the header names the column if it is cut at this character.
bool names_between(char separator, std::string_view header, const std::string& name) {
  for (;;) {
    const std::size_t end = header.find(separator);
    if (end == std::string_view::npos || trimmed(header.substr(0, end)) == name) {
      return trimmed(header.substr(0, end)) == name;
    }
    header.remove_prefix(end + 1);
  }
}

/// Refuses a table whose columns are separated by something else than its format says. Taken for a
/// list of items, it would show its units as items.
void check_cut(const std::string& name, const std::vector<std::string>& columns,
               const std::string& where) {
  if (columns.size() != 1) {
    return;
  }
  constexpr std::array<std::pair<char, const char*>, 4> separators{
      {{',', "commas separate its columns: add --input-format csv"},
       {'\t', "tabs separate its columns: add --input-format tsv"},
       {';', "semicolons separate its columns: write it with commas"},
       {'|', "bars separate its columns: write it with commas"}}};
  for (const auto& [separator, what] : separators) {
    if (names_between(separator, columns.front(), name)) {
      throw InvalidParameter(where, what);
    }
  }
}

/// The index of a column that must occur exactly once.
std::size_t place_of(const std::string& name, const std::vector<std::string>& columns,
                     const Input& input, const std::string& where) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) {
    if (!asks_engine(input)) {
      check_cut(name, columns, where);
    }
    throw InvalidParameter(where, "there is no column \"" + name + "\"" + remedy(input));
  }
  if (std::find(found + 1, columns.end(), name) != columns.end()) {
    throw InvalidParameter(where, "there is more than one column \"" + name + "\"");
  }
  return static_cast<std::size_t>(found - columns.begin());
}

/// The name of the one column that holds ready-made numbers.
std::string name_of_numbers(const std::vector<std::string>& columns, const Input& input,
                            const std::string& where) {
  if (input.value) {
    return *input.value;
  }
  std::vector<std::string> found;
  for (const char* name : {"count", "value", "utility"}) {
    if (std::find(columns.begin(), columns.end(), name) != columns.end()) {
      found.emplace_back(name);
    }
  }
  if (found.empty()) {
    throw InvalidParameter(
        where, R"(there is no column "count", "value" or "utility"; name the column )"
               "of numbers with --value COLUMN and what they count with --unit NAME, or count "
               "rows with --item COLUMN --unit COLUMN");
  }
  if (found.size() > 1) {
    throw InvalidParameter(where,
                           R"(there is more than one of "count", "value" and "utility"; say which )"
                           "with --value " +
                               found.front());
  }
  return found.front();
}

/// Refuses numbers that are not declared to be counts, unless it was said what they are.
void check_counts(const std::string& column, const Input& input, const std::string& where) {
  if (input.counts_only && column != "count") {
    throw InvalidParameter(
        where, "the numbers stand in the column \"" + column +
                   "\", and values are not counts: say how much one unit can change one of them, "
                   "for example --kind general --sensitivity 100 (or --kind counts, if one unit "
                   "more never lowers a number). A column named \"count\" holds counts");
  }
}

/// "row" stands for the rows themselves, so it cannot name a column.
bool counts_rows(const std::vector<std::string>& columns, const Input& input,
                 const std::string& where) {
  const bool rows = input.unit.value_or("row") == "row";
  if (rows && input.unit && std::find(columns.begin(), columns.end(), "row") != columns.end()) {
    throw InvalidParameter(where,
                           "--unit row counts rows, but there is a column \"row\" as well; rename "
                           "it");
  }
  return rows;
}

/// A name as text; whole numbers become their digits. Reports the problem with it.
class Name {
 public:
  std::optional<std::string> read(const Cell& cell, const char* what) {
    switch (cell.type) {
      case Cell::Type::text:
        text_ = trimmed(cell.text);
        break;
      case Cell::Type::whole: {
        const auto result = std::to_chars(digits_.begin(), digits_.end(), cell.whole);
        text_ = {digits_.data(), static_cast<std::size_t>(result.ptr - digits_.data())};
        break;
      }
      case Cell::Type::null:
        return std::string("the ") + what + " is null";
      case Cell::Type::real:
      case Cell::Type::other:
        return std::string("the ") + what + " is neither text nor a whole number";
    }
    if (text_.empty()) {
      return std::string("the ") + what + " is empty";
    }
    if (text_.size() > longest_text) {
      return std::string("the ") + what + " is longer than " + std::to_string(longest_text) +
             " bytes";
    }
    return std::nullopt;
  }
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::array<char, 24> digits_{};
  std::string_view text_;
};

std::optional<std::int64_t> whole_of(const Cell& cell) {
  switch (cell.type) {
    case Cell::Type::whole:
      return cell.whole;
    case Cell::Type::real:
      return std::isfinite(cell.real) ? exactly_whole(cell.real) : std::nullopt;
    case Cell::Type::text:
      return parse_whole(trimmed(cell.text));
    default:
      return std::nullopt;
  }
}

std::optional<double> real_of(const Cell& cell) {
  switch (cell.type) {
    case Cell::Type::whole:
      return floor_to_double(cell.whole);
    case Cell::Type::real:
      return std::isfinite(cell.real) ? std::optional(cell.real + 0.0) : std::nullopt;
    case Cell::Type::text:
      return parse_real(trimmed(cell.text));
    default:
      return std::nullopt;
  }
}

/// Reads a number, not yet clamped. Returns the problem with it, in words; null if there is none.
const char* read_whole(const Cell& cell, Numbers numbers, std::int64_t& number) {
  const std::optional<std::int64_t> whole = whole_of(cell);
  if (!whole) {
    return "the number is not whole";
  }
  if (numbers == Numbers::counts && *whole < 0) {
    return "the count is negative";
  }
  number = *whole;
  return nullptr;
}

/// The same for reals, floored to multiples of 2^step.
const char* read_real(const Cell& cell, std::optional<int> step, double& number) {
  const std::optional<double> real = real_of(cell);
  if (!real) {
    return "the number is not a finite decimal number";
  }
  number = step ? floor_to_step(*real, *step) : *real;
  return nullptr;
}

}  // namespace

Schema Schema::of(const std::vector<std::string>& columns, const Input& input,
                  const std::string& where) {
  Schema schema;
  schema.item = place_of(input.item.value_or("item"), columns, input, where);
  if (!input.item || input.value) {
    schema.number_column = name_of_numbers(columns, input, where);
    schema.number = place_of(schema.number_column, columns, input, where);
    check_counts(schema.number_column, input, where);
    if (*schema.number == schema.item) {
      throw InvalidParameter(where, "the numbers must stand in another column than the items");
    }
  } else if (!counts_rows(columns, input, where)) {
    schema.unit = place_of(*input.unit, columns, input, where);
    if (*schema.unit == schema.item) {
      throw InvalidParameter(where, "the units must stand in another column than the items");
    }
  }
  return schema;
}

Tally::Tally(const Schema& schema, const Input& input, std::string record)
    : input_(input), schema_(schema), record_(std::move(record)), clamp_(input) {
  if (schema.number) {
    values_.number_column = schema.number_column;
  } else {
    values_.unit = input.unit.value_or("row");
  }
}

std::optional<std::string> Tally::add(const Cell& item, const Cell& other, std::uint64_t line) {
  Name name;
  if (auto problem = name.read(item, "item")) {
    return problem;
  }
  std::optional<std::string> problem;
  if (schema_.number) {
    problem = add_number(name.text(), other, line);
  } else if (schema_.unit) {
    problem = add_unit(name.text(), other);
  } else {
    items_.count(name.text(), line);
  }
  if (!problem) {
    ++values_.records;
  }
  return problem;
}

std::optional<std::string> Tally::add_number(std::string_view item, const Cell& number,
                                             std::uint64_t line) {
  if (number.type == Cell::Type::null) {
    return "the number is null";
  }
  if (number.type == Cell::Type::text && number.text.size() > longest_text) {
    return "the number is longer than " + std::to_string(longest_text) + " characters";
  }
  double real = 0;
  std::int64_t whole = 0;
  if (const char* problem = input_.numbers == Numbers::real
                                ? read_real(number, input_.step, real)
                                : read_whole(number, input_.numbers, whole)) {
    return problem;
  }
  if (const std::uint64_t first = items_.first_line(item, line); first != 0) {
    return "it repeats the item of " + record_ + " " + std::to_string(first);
  }
  if (input_.numbers == Numbers::real) {
    values_.real.push_back(clamp_.real(real));
  } else {
    values_.whole.push_back(clamp_.whole(whole));
  }
  return std::nullopt;
}

std::optional<std::string> Tally::add_unit(std::string_view item, const Cell& unit) {
  Name name;
  if (auto problem = name.read(unit, "unit")) {
    return problem;
  }
  const std::uint32_t item_id = items_.id(item);
  if (pairs_.insert(units_.id(name.text()), item_id)) {
    values_.whole.resize(items_.size());
    ++values_.whole[item_id];
  }
  return std::nullopt;
}

void Tally::cut_down(Cut& cut) {
  auto pairs = pairs_.take_sorted();
  cut.units(pairs, units_, items_);
  std::fill(values_.whole.begin(), values_.whole.end(), 0);
  for (const std::uint64_t pair : pairs) {
    ++values_.whole[static_cast<std::uint32_t>(pair)];
  }
}

Values Tally::finish(Cut* cut) {
  if (!schema_.number && !schema_.unit) {  // a row is one item, so that there is nothing to cut
    values_.whole = items_.counts();
  }
  if (cut != nullptr && schema_.unit) {
    cut_down(*cut);
  }
  values_.items = items_.take_names();
  return std::move(values_);
}

}  // namespace freegap::sources

// Tables with a header, and lists.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "freegap/errors.hpp"
#include "sources/fields.hpp"
#include "sources/item_table.hpp"
#include "sources/readers.hpp"
#include "sources/tally.hpp"
#include "sources/text.hpp"

namespace freegap::sources {
namespace {

/// The problem with a line before it is split; null if there is none.
const char* line_problem(const Line& line) {
  return line.too_long ? "the line is too long" : text_problem(line.text);
}

/// The names of the columns: the first line that is not blank.
std::vector<std::string> read_header(Lines& lines, Fields& fields, const std::string& where) {
  while (const std::optional<Line> line = lines.next()) {
    if (!line->too_long && fields.blank(line->text)) {
      continue;
    }
    const char* problem = line_problem(*line);
    if (problem == nullptr) {
      problem = fields.cut(line->text);
    }
    if (problem != nullptr) {
      throw InvalidParameter(where, std::string("the header is malformed: ") + problem);
    }
    std::vector<std::string> columns;
    for (const std::string_view field : fields.get()) {
      columns.emplace_back(trimmed(field));
    }
    return columns;
  }
  throw InvalidParameter(where, "it is empty; the first line must name the columns");
}

/// Adds one line. Returns the problem with it, in words, or nothing.
std::optional<std::string> take_line(const Line& line, std::uint64_t number, std::size_t columns,
                                     const Schema& schema, Fields& fields, Tally& tally) {
  const char* problem = line_problem(line);
  if (problem == nullptr) {
    problem = fields.cut(line.text);
  }
  if (problem != nullptr) {
    return problem;
  }
  const std::vector<std::string_view>& cells = fields.get();
  if (cells.size() != columns) {
    return "it has " + std::to_string(cells.size()) + " fields where the header has " +
           std::to_string(columns);
  }
  const auto other = schema.number ? schema.number : schema.unit;
  return tally.add({.text = cells[schema.item]}, {.text = cells[other.value_or(schema.item)]},
                   number);
}

}  // namespace

Values read_table(Bytes& bytes, char separator, const Input& input, Problems& problems,
                  const std::string& where, const Reading& reading, Cut* cut) {
  Lines lines(bytes, reading);
  Fields fields(separator);
  const std::vector<std::string> columns = read_header(lines, fields, where);
  const Schema schema = Schema::of(columns, input, where);
  Tally tally(schema, input, reading.rows ? "row" : "line");
  while (const std::optional<Line> line = lines.next()) {
    if (!line->too_long && fields.blank(line->text)) {
      continue;
    }
    const std::uint64_t number = reading.rows ? line->number - 1 : line->number;
    if (const auto problem = take_line(*line, number, columns.size(), schema, fields, tally)) {
      problems.add(number, *problem);
    }
  }
  return tally.finish(cut);
}

void read_schema(Bytes& bytes, char separator, const Input& input, const std::string& where) {
  Lines lines(bytes, {});
  Fields fields(separator);
  static_cast<void>(Schema::of(read_header(lines, fields, where), input, where));
}

std::vector<std::string> read_items(Bytes& bytes, const std::string& where,
                                    const Reading& reading) {
  Lines lines(bytes, reading);
  ItemTable items;
  while (const std::optional<Line> line = lines.next()) {
    const auto refuse = [&](const std::string& problem) {
      throw InvalidParameter(where + ", line " + std::to_string(line->number), problem);
    };
    if (const char* problem = line_problem(*line)) {
      refuse(problem);
    }
    const std::string_view item = trimmed(line->text);
    if (item.empty()) {
      continue;
    }
    if (item.size() > longest_text) {
      refuse("the item is longer than " + std::to_string(longest_text) + " bytes");
    }
    if (const std::uint64_t first = items.first_line(item, line->number); first != 0) {
      refuse("it repeats the item of line " + std::to_string(first));
    }
  }
  return items.take_names();
}

}  // namespace freegap::sources

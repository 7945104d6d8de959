#include "sources/separation.hpp"

#include <array>
#include <cstdint>
#include <optional>

#include "freegap/errors.hpp"
#include "sources/fields.hpp"
#include "sources/item_table.hpp"
#include "sources/readers.hpp"
#include "sources/text.hpp"

namespace freegap::sources {
namespace {

/// How a character occurs in items.
struct Occurrence {
  /// Half or more of the items hold it, counted once or as often as they occur; or an eighth end in
  /// it, as words do in a list with a blank after each comma.
  bool in_most = false;
  /// How many hold it. Those that hold it before their end count twice: a comma at the end of a
  /// word may belong to a name.
  std::uint64_t weight = 0;
};

Occurrence occurrence(char separator, const Values& values) {
  std::uint64_t items = 0;
  std::uint64_t all = 0;
  std::uint64_t some = 0;
  std::uint64_t ends = 0;
  std::uint64_t inside = 0;
  for (std::size_t i = 0; i < values.items.size(); ++i) {
    const auto count = static_cast<std::uint64_t>(values.whole[i]);
    const std::size_t place = values.items[i].find(separator);
    const bool holds = place != std::string::npos;
    items += holds ? 1U : 0U;
    some += holds ? count : 0U;
    inside += holds && place + 1 < values.items[i].size() ? 1U : 0U;
    ends += values.items[i].ends_with(separator) ? 1U : 0U;
    all += count;
  }
  const bool in_most = items > 0 && (2 * items >= values.items.size() || 2 * some >= all ||
                                     8 * ends >= values.items.size());
  return {in_most, items + inside};
}

/// The items of a line, one after the other, with room for the table to read beyond the last.
struct Joined {
  std::string text;
  std::vector<Token> tokens;
};

/// Puts the items of a line into `joined`. Returns the problem with it, in words, or nothing.
std::optional<std::string> take_items(const Line& line, Fields& fields, Joined& joined) {
  joined.text.clear();
  joined.tokens.clear();
  if (line.too_long) {
    return "the line is too long";
  }
  const char* problem = text_problem(line.text);
  if (problem == nullptr) {
    problem = fields.cut(line.text);
  }
  if (problem != nullptr) {
    return problem;
  }
  for (const std::string_view field : fields.get()) {
    if (trimmed(field).size() > longest_text) {
      return "it has an item longer than " + std::to_string(longest_text) + " bytes";
    }
  }
  for (const std::string_view field : fields.get()) {
    if (const std::string_view item = trimmed(field); !item.empty()) {
      joined.tokens.push_back({.offset = static_cast<std::uint32_t>(joined.text.size()),
                               .length = static_cast<std::uint16_t>(item.size())});
      joined.text += item;
    }
  }
  joined.text.append(ItemTable::padding, '\0');
  return std::nullopt;
}

}  // namespace

bool mixes_blanks(std::string_view lines) {
  std::uint64_t mixed = 0;
  std::uint64_t all = 0;
  while (!lines.empty()) {
    const std::string_view line = trimmed(without_marks(take_line(lines)));
    const bool both =
        line.find(' ') != std::string_view::npos && line.find('\t') != std::string_view::npos;
    mixed += both ? 1U : 0U;
    all += line.empty() ? 0U : 1U;
  }
  return 2 * mixed > all;
}

void check_separation(const Values& values, bool mixed, const std::string& where) {
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    throw InvalidParameter(
        where, what + ": add --separator " + remedy +
                   " (or --separator blank if spaces and tabs do separate its items). Nothing was "
                   "spent.");
  };
  if (mixed) {  // asked first: names have commas in them more often than tabs
    refuse(
        "most of its lines have both spaces and tabs, so tabs may separate items that have "
        "spaces in them",
        "tab");
  }
  constexpr std::array<std::pair<char, const char*>, 3> separators{
      {{',', "commas"}, {';', "semicolons"}, {'|', "bars"}}};
  bool in_most = false;
  std::uint64_t most = 0;
  std::pair<char, const char*> likely;
  for (const auto& each : separators) {
    const Occurrence found = occurrence(each.first, values);
    in_most = in_most || found.in_most;
    if (found.weight > most) {
      most = found.weight;
      likely = each;
    }
  }
  if (in_most) {
    refuse(std::string("cut at blanks, many of its items have ") + likely.second + " in them",
           std::string("'") + likely.first + "'");
  }
}

Values read_separated(Bytes& bytes, char separator, Problems& problems, const Reading& reading,
                      Cut* cut) {
  Lines lines(bytes, reading);
  Fields fields(separator);
  ItemTable items;
  Joined joined;
  Values values;
  while (const std::optional<Line> line = lines.next()) {
    if (const auto problem = take_items(*line, fields, joined)) {
      problems.add(line->number, *problem);
      continue;
    }
    values.records += joined.tokens.empty() ? 0U : 1U;
    if (cut != nullptr) {
      const std::array<std::size_t, 1> end{joined.tokens.size()};
      items.count(joined.text.data(), joined.tokens, end, line->number, *cut);
    } else {
      items.count(joined.text.data(), joined.tokens, line->number);
    }
  }
  values.unit = "transaction";
  values.whole = items.counts();
  values.items = items.take_names();
  return values;
}

}  // namespace freegap::sources

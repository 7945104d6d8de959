#include "cli/output.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "cli/colour.hpp"
#include "cli/program.hpp"
#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

std::string padded(const std::string& text, std::size_t columns, bool left) {
  const std::string blanks(columns - std::min(columns, characters(text)), ' ');
  return left ? text + blanks : blanks + text;
}

/// Makes room in a table that is too wide: its texts are cut, down to a few characters.
void narrow(std::vector<std::size_t>& widths, const std::vector<Column>& columns) {
  constexpr std::size_t widest = 80;
  constexpr std::size_t least = 8;
  std::size_t all = 2 * (widths.size() - 1);
  for (const std::size_t each : widths) {
    all += each;
  }
  for (std::size_t c = 0; c < columns.size() && all > widest; ++c) {
    if (columns[c].left && widths[c] > least) {
      const std::size_t less = std::min(all - widest, widths[c] - least);
      widths[c] -= less;
      all -= less;
    }
  }
}

std::string csv_field(const Json& value, OutputFormat format) {
  if (value.is_null()) {
    return "";
  }
  return value.is_string() ? csv_text(value.get<std::string>(), format) : csv_text(line_of(value));
}

/// The text without what spreadsheets pass over at the beginning of a cell: all kinds of blanks,
/// and characters that take no room.
std::string_view without_blanks(std::string_view text) {
  constexpr std::array<std::string_view, 24> blanks{
      " ",      "\u00A0", "\u1680", "\u180E", "\u2000", "\u2001", "\u2002", "\u2003",
      "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A", "\u200B",
      "\u200C", "\u200D", "\u2060", "\u202F", "\u205F", "\u3000", "\uFEFF", "\u00AD"};
  for (;;) {
    const auto* const found =
        std::find_if(blanks.begin(), blanks.end(),
                     [&](std::string_view each) { return text.starts_with(each); });
    if (found == blanks.end()) {
      return text;
    }
    text.remove_prefix(found->size());
  }
}

/// Whether a spreadsheet would take the text for a formula, or for a part of one. Some read signs
/// of full width as the usual ones.
bool begins_formula(std::string_view text) {
  constexpr std::array<std::string_view, 10> signs{"=",  "+",      "-",      "@",      "\t",
                                                   "\r", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
  text = without_blanks(text);
  return std::any_of(signs.begin(), signs.end(),
                     [&](std::string_view each) { return text.starts_with(each); });
}

/// The text with an apostrophe in front of whatever a spreadsheet would take for a formula. Where
/// fields are separated by semicolons or tabs, a cell also begins behind one of these, and the
/// quotes of a field are no quotes.
std::string without_formulas(std::string_view text) {
  std::string result = begins_formula(text) ? "'" : "";
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (std::string_view(";\t\r\n").find(text[i]) == std::string_view::npos) {
      continue;
    }
    const std::size_t next = text.find_first_not_of(" \"", i + 1);
    if (next != std::string_view::npos && begins_formula(text.substr(next))) {
      result += '\'';
    }
  }
  return result;
}

}  // namespace

const char* name(OutputFormat format) {
  constexpr std::array names{"table", "json", "csv", "csv-safe"};
  return names.at(static_cast<std::size_t>(format));
}

OutputFormat format_or_default(const std::optional<OutputFormat>& format, const Context& context) {
  return format.value_or(context.out_terminal ? OutputFormat::table : OutputFormat::json);
}

void show(const Context& context, const std::string& text, const std::string& whereabouts) {
  context.out << coloured(text, context.out_colour) << std::flush;
  if (!context.out) {
    throw MachineFault("cannot write to standard output" +
                       (whereabouts.empty() ? std::string() : "; " + whereabouts));
  }
}

std::string utc(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

void check_output(const std::string& flag, const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path file = path;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code absent;  // what cannot be looked at counts as not there
  if (path.empty() || !file.has_filename() || fs::is_directory(file, absent)) {
    throw InvalidParameter(flag, "name a file to write, not a folder");
  }
  if (!fs::is_directory(folder, absent)) {
    throw InvalidParameter(flag, "there is no folder " + folder.string() + "; make it first");
  }
  const bool exists = fs::exists(file, absent);
  if (!exists && fs::is_symlink(file, absent)) {
    throw InvalidParameter(flag, path + " is a link to a file that does not exist");
  }
  if (access((exists ? file : folder).c_str(), W_OK) != 0) {
    throw InvalidParameter(flag, "you may not write " + path);
  }
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    throw MachineFault("cannot write " + path);
  }
}

std::string csv_text(const std::string& text, OutputFormat format) {
  std::string field = format == OutputFormat::csv_safe ? without_formulas(text) : text;
  if (field.find_first_of(",\"\r\n") == std::string::npos) {
    return field;
  }
  std::string quoted = "\"";
  for (const char c : field) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

std::string csv_line(const Json& row, const std::vector<std::string>& columns,
                     OutputFormat format) {
  std::vector<std::string> fields;
  for (const std::string& column : columns) {
    const auto found = row.find(column);
    fields.push_back(found == row.end() ? "" : csv_field(*found, format));
  }
  return fmt::format("{}\n", fmt::join(fields, ","));
}

std::string csv(const Json& rows, const std::vector<std::string>& columns, OutputFormat format) {
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (const Json& row : rows) {
    text += csv_line(row, columns, format);
  }
  return text;
}

std::string table(const Json& rows, const std::vector<Column>& columns) {
  std::vector<std::size_t> widths;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const Column& column : columns) {
    std::size_t widest = characters(column.head);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto found = rows[i].find(column.member);
      const bool absent = found == rows[i].end() || found->is_null();
      cells[i].push_back(absent ? "-" : cut(shown(*found), column.widest));
      widest = std::max(widest, characters(cells[i].back()));
    }
    widths.push_back(widest);
  }
  narrow(widths, columns);
  const auto line = [&](const auto& text_of) {
    std::string text;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      text += (c == 0 ? "" : "  ") + padded(cut(text_of(c), widths[c]), widths[c], columns[c].left);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = line([&](std::size_t c) { return columns[c].head; });
  text = heading(text.substr(0, text.size() - 1)) + "\n";
  for (const std::vector<std::string>& row : cells) {
    text += line([&](std::size_t c) { return row[c]; });
  }
  return text;
}

}  // namespace freegap::cli

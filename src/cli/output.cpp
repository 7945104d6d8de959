#include "cli/output.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <ostream>

#include "cli/program.hpp"
#include "freegap/errors.hpp"
#include "freegap/rational.hpp"

namespace freegap::cli {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// How many characters, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string padded(const std::string& text, std::size_t columns, bool left) {
  const std::string blanks(columns - std::min(columns, width(text)), ' ');
  return left ? text + blanks : blanks + text;
}

std::string csv_field(const Json& value) {
  if (value.is_null()) {
    return "";
  }
  return value.is_string() ? csv_text(value.get<std::string>()) : line_of(value);
}

}  // namespace

const char* name(OutputFormat format) {
  constexpr std::array names{"table", "json", "csv"};
  return names.at(static_cast<std::size_t>(format));
}

OutputFormat format_or_default(const std::optional<OutputFormat>& format, const Context& context) {
  return format.value_or(context.out_terminal ? OutputFormat::table : OutputFormat::json);
}

std::string line_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void show(const Context& context, const std::string& text, const std::string& whereabouts) {
  context.out << text << std::flush;
  if (!context.out) {
    throw MachineFault("cannot write to standard output" +
                       (whereabouts.empty() ? std::string() : "; " + whereabouts));
  }
}

std::string utc(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    throw MachineFault("cannot write " + path);
  }
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

std::string csv_line(const Json& row, const std::vector<std::string>& columns) {
  std::vector<std::string> fields;
  for (const std::string& column : columns) {
    const auto found = row.find(column);
    fields.push_back(found == row.end() ? "" : csv_field(*found));
  }
  return fmt::format("{}\n", fmt::join(fields, ","));
}

std::string csv(const Json& rows, const std::vector<std::string>& columns) {
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (const Json& row : rows) {
    text += csv_line(row, columns);
  }
  return text;
}

std::string table(const Json& rows, const std::vector<Column>& columns) {
  std::vector<std::size_t> widths;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const Column& column : columns) {
    std::size_t widest = width(column.head);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto found = rows[i].find(column.member);
      const bool absent = found == rows[i].end() || found->is_null();
      cells[i].push_back(absent ? "-" : cut(shown(*found), column.widest));
      widest = std::max(widest, width(cells[i].back()));
    }
    widths.push_back(widest);
  }
  const auto line = [&](const auto& text_of) {
    std::string text;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      text += (c == 0 ? "" : "  ") + padded(text_of(c), widths[c], columns[c].left);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = line([&](std::size_t c) { return columns[c].head; });
  for (const std::vector<std::string>& row : cells) {
    text += line([&](std::size_t c) { return row[c]; });
  }
  return text;
}

std::string shown(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (!value.is_number_float()) {
    return line_of(value);
  }
  const double number = value.get<double>();
  const double size = std::abs(number);
  if (size != 0 && (size < 0.001 || size >= 1e12)) {
    return fmt::format("{:.3g}", number);
  }
  if (size >= 10) {
    return fmt::format("{:.1f}", number);
  }
  return size >= 1 ? fmt::format("{:.2f}", number) : fmt::format("{:.3f}", number);
}

std::string shown_epsilon(const Json& value) {
  constexpr std::size_t short_enough = 9;
  const auto text = value.get<std::string>();
  return text.size() <= short_enough ? text
                                     : fmt::format("≈{:.4g}", Rational(mpq_class(text)).shown());
}

std::string cut(const std::string& text, std::size_t widest) {
  if (width(text) <= widest) {
    return text;
  }
  std::size_t end = 0;  // just behind the first byte of the character to be replaced
  for (std::size_t begun = 0; begun < widest; ++end) {
    begun += begins_character(text[end]) ? 1U : 0U;
  }
  return text.substr(0, end - 1) + "…";
}

}  // namespace freegap::cli

#pragma once

/// @file
/// How results are written: as JSON, CSV or tables, with the check that they reached their place.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/numbers.hpp"

namespace freegap::cli {

// The program asks and reports in their words.
using namespace questions;  // NOLINT(google-build-using-namespace)
using namespace report;     // NOLINT(google-build-using-namespace)

struct Context;

/// How a result is written.
enum class OutputFormat : std::uint8_t { table, json, csv, csv_safe };

/// "table", "json", "csv" or "csv-safe": its name in options.
const char* name(OutputFormat format);
/// Whether it is one of the two kinds of CSV.
inline bool is_csv(OutputFormat format) {
  return format == OutputFormat::csv || format == OutputFormat::csv_safe;
}

/// What was asked for; otherwise a table on a terminal and JSON elsewhere.
OutputFormat format_or_default(const std::optional<OutputFormat>& format, const Context& context);

/// Writes to standard output and makes sure that it got there; otherwise throws MachineFault, with
/// `whereabouts`: where else the text can be found.
void show(const Context& context, const std::string& text, const std::string& whereabouts = {});

/// Seconds since 1970 as 2026-01-31T12:00:00Z.
std::string utc(std::int64_t seconds);

/// Makes sure, before any work is done or charged, that a file can be written there: its folder
/// exists, it is not a folder itself, and both permit it. Throws InvalidParameter under the name of
/// the flag.
void check_output(const std::string& flag, const std::string& path);
/// Writes a whole file. Throws MachineFault.
void write_file(const std::string& path, const std::string& text);

/// Rows of a CSV file with the given columns, header first. In `csv_safe` no text is a formula to a
/// spreadsheet: = + - @, a tab or a carriage return gets an apostrophe in front where a text
/// begins, and behind a semicolon, a tab or the end of a line in it.
std::string csv(const Json& rows, const std::vector<std::string>& columns,
                OutputFormat format = OutputFormat::csv);
/// A text as a field of it.
std::string csv_text(const std::string& text, OutputFormat format = OutputFormat::csv);
/// One line of it.
std::string csv_line(const Json& row, const std::vector<std::string>& columns,
                     OutputFormat format = OutputFormat::csv);

/// A column of a table.
struct Column {
  std::string head;         ///< shown above
  std::string member;       ///< of each row: what is shown
  std::size_t widest = 24;  ///< longer texts are cut
  bool left = false;        ///< texts to the left, numbers to the right
};

/// Rows under their heads, columns as wide as need be. What is invisible in a text is spelled out.
std::string table(const Json& rows, const std::vector<Column>& columns);

}  // namespace freegap::cli

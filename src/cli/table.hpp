#pragma once

/// @file
/// How documents are shown: as JSON, as CSV, or as a table that fits 80 columns.

#include <string>
#include <vector>

#include "job.hpp"

namespace freegap::cli {

/// A release, in the given format (table, json or csv), with a line feed at the end.
std::string present(const Json& document, const std::string& format);

/// Rows of a CSV file with the given columns, header first.
std::string csv(const Json& rows, const std::vector<std::string>& columns);
/// A text as a field of it.
std::string csv_text(const std::string& text);
/// One line of it.
std::string csv_line(const Json& row, const std::vector<std::string>& columns);

/// A column of a table: what its head says, which member it shows, and how wide it is at most.
struct Column {
  std::string head;         ///< shown above
  std::string member;       ///< of each row
  std::size_t widest = 24;  ///< longer texts are cut
  bool left = false;        ///< texts to the left, numbers to the right
};

/// Rows under their heads, columns as wide as need be.
std::string table(const Json& rows, const std::vector<Column>& columns);

/// A number for people: as many digits as its size makes sensible.
std::string shown(const Json& value);
/// An exact ε for people: the fraction, or a decimal close by where the fraction is long.
std::string shown_epsilon(const Json& value);
/// A text cut to a number of characters (not bytes).
std::string cut(const std::string& text, std::size_t widest);

}  // namespace freegap::cli

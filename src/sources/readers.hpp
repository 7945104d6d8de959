#pragma once

/// @file
/// One function per kind of source.

#include "sources/blocks.hpp"
#include "sources/bytes.hpp"
#include "sources/contribution.hpp"
#include "sources/problems.hpp"
#include "sources/source.hpp"

namespace freegap::sources {

/// Counts transactions, with items separated by blanks: an item counts once for each that it is
/// in. If `checked` names the input, one whose items look as if something else separates them is
/// refused under that name: half or more of the items, each counted once or as often as it occurs,
/// hold a comma, a semicolon or a bar, or an eighth end in one; or most of the first lines hold
/// both spaces and tabs. Where there is a cut, each transaction is cut down before it is counted.
Values read_transactions(Bytes& bytes, Problems& problems, const Reading& reading = {},
                         const std::optional<std::string>& checked = std::nullopt,
                         Cut* cut = nullptr);

/// The same with items separated by a character, and quoted as fields of a table are. Blanks around
/// items and empty items are ignored.
Values read_separated(Bytes& bytes, char separator, Problems& problems, const Reading& reading = {},
                      Cut* cut = nullptr);

/// Reads a table with a header. `where` names it in messages. Where there is a cut, each unit of
/// rows is cut down when all were read.
Values read_table(Bytes& bytes, char separator, const Input& input, Problems& problems,
                  const std::string& where, const Reading& reading = {}, Cut* cut = nullptr);

/// Reads the header alone, and refuses it as `read_table` would.
void read_schema(Bytes& bytes, char separator, const Input& input, const std::string& where);

/// Asks a database.
Values read_database(const Input& input, Problems& problems, Cut* cut = nullptr);

/// Asks DuckDB, which also cuts. `where` names what it reads in messages.
Values read_duckdb(const Input& input, Problems& problems, const std::string& where);

/// A public list of items.
std::vector<std::string> read_items(Bytes& bytes, const std::string& where,
                                    const Reading& reading = {});

}  // namespace freegap::sources

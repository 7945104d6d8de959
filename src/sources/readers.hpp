#pragma once

/// @file
/// One function per kind of source.

#include "sources/blocks.hpp"
#include "sources/bytes.hpp"
#include "sources/problems.hpp"
#include "sources/source.hpp"

namespace freegap::sources {

/// Counts transactions: an item counts once for each that it is in.
Values read_transactions(Bytes& bytes, Problems& problems, const Reading& reading = {});

/// Reads a table with a header. `where` names it in messages.
Values read_table(Bytes& bytes, char separator, const Input& input, Problems& problems,
                  const std::string& where, const Reading& reading = {});

/// Asks a database.
Values read_database(const Input& input, Problems& problems);

/// A public list of items.
std::vector<std::string> read_items(Bytes& bytes, const std::string& where,
                                    const Reading& reading = {});

}  // namespace freegap::sources

#pragma once

/// @file
/// Transactions whose items are not separated by blanks. Read as if they were, whole transactions
/// would be taken for items, and their contents would be released as such.

#include <string>
#include <string_view>

#include "sources/source.hpp"

namespace freegap::sources {

/// Whether most of these lines hold both spaces and tabs between their items: then tabs probably
/// separate items that have spaces in them.
bool mixes_blanks(std::string_view lines);

/// Throws InvalidParameter, with the option that mends it, if items that were cut at blanks look as
/// if something else separates them: half or more of them hold a comma, a semicolon or a bar, each
/// item counted once or as often as it occurs, or an eighth of them end in one; or if the first
/// lines mix blanks. Of several such signs it names the one that most items hold. The message is
/// for the owner of the data; it names no item.
void check_separation(const Values& values, bool mixed, const std::string& where);

}  // namespace freegap::sources

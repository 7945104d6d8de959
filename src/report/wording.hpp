#pragma once

/// @file
/// What a table and a page say of a release in the same words.

#include <cstddef>
#include <string>

#include "report/numbers.hpp"

namespace freegap::report {

/// Whether a row has a member that is not null.
bool has(const Json& row, const std::string& member);
/// The low (0) or high (1) end of an interval of a row; null where it has none.
Json end_of(const Json& row, const std::string& name, std::size_t end);

/// The heading of a release of which so many answers are above, of so many that were asked.
std::string answers_title(const Json& document, std::size_t passed, std::size_t asked);

/// The first line: what is protected, and by which noise. `range_option` is how the option is
/// called that says where numbers are clamped.
std::string setting(const Json& document, const std::string& range_option = "--range");
/// The last line: what was spent, and where that is written down.
std::string cost(const Json& document);
/// The confidence of intervals and claims: "95 %".
std::string percent(const Json& document);
/// Rows as a table shows them: estimate with its error and a mark where the gap did
/// not count, interval in brackets, whether it surely is on top, ε made short.
Json for_people(const Json& rows);

}  // namespace freegap::report

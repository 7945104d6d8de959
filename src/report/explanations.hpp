#pragma once

/// @file
/// What a reader of a release must know to read it right, said below its table and on its page, and
/// only where it applies.

#include <string>
#include <vector>

#include "report/numbers.hpp"

namespace freegap::report {

/// Whether a row has a gap that its estimate does not use, since candidates were too close for it.
bool gap_hardly_counts(const Json& row);

/// Whether the release says with its confidence that the row's item truly is among the top k. Only
/// releases with claims about leads say so.
bool surely_on_top(const Json& row);

/// Whether the release could say so: not without gaps, and not of Laplace noise.
bool says_who_is_on_top(const Json& document);

/// Sentences about these rows of a release.
std::vector<std::string> explanations(const Json& document, const Json& rows);

/// The same as footnotes of a table, in lines of 80 columns; empty where there are none.
std::string footnotes(const Json& document, const Json& rows);

}  // namespace freegap::report

#pragma once

/// @file
/// The files of the page: texts in memory, under the names that requests use.

#include <string>

namespace freegap::lab {

/// Keeps a text under a name, in place of what it had.
void keep_file(const std::string& name, std::string text);

}  // namespace freegap::lab

#pragma once

/// @file
/// A report of the verification suite, for people and for programs.

#include <string>

#include "verify/suite.hpp"

namespace freegap::verify {

/// A table for a terminal, 80 columns wide. Figures that were not looked for are shown as "-".
std::string as_table(const Report& report);
/// One JSON object. Figures that were not looked for are null.
std::string as_json(const Report& report);
/// A page that stands alone: no scripts, nothing to load, readable on a phone.
std::string as_html(const Report& report);

}  // namespace freegap::verify

#pragma once

/// @file
/// Manual pages, in the macros of man(7).

#include <string>

#include "cli/pages/command.hpp"

namespace freegap::cli {

/// The page of one command. `program` is the whole command line, for the pages that it refers to;
/// `date` is that of the build, 2026-01-31.
std::string manual_page(const Command& command, const Command& program, const std::string& date);

}  // namespace freegap::cli

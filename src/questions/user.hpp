#pragma once

/// @file
/// Who runs the program.

#include <string>

namespace freegap::questions {

/// The login name of the user who runs the program; without one, the number of the user.
std::string user();

}  // namespace freegap::questions

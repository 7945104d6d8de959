#pragma once

/// @file
/// Names for mistyped verbs and options.

#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace freegap::cli {

/// How many letters must be inserted, left out, exchanged or swapped with their neighbour to turn
/// one text into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name that was probably meant: the one with the same letters, large or small, whatever dashes
/// are in front; else the nearest one, if it is near. Empty if none is.
std::string nearest(std::string_view typed, const std::vector<std::string>& names);

/// A line about the first verb or option of a command that does not exist, with the one that was
/// probably meant. Empty if all exist, or if nothing is near.
std::string suggestion(const CLI::App& app, int argc, const char* const* argv);

}  // namespace freegap::cli

#pragma once

/// @file
/// Colour on terminals that want it: bold headings, red errors. Texts mark their headings; the
/// marks become bold where the output wants colour, and vanish everywhere else.

#include <string>
#include <string_view>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace freegap::cli {

/// Adds --color to a verb and to all verbs under it.
void add_colour(CLI::App& app);

/// Whether to colour what goes to a place: what --color says; without it, whether that is a
/// terminal, unless NO_COLOR is set (https://no-color.org) or TERM is missing or `dumb`.
bool wants_colour(int argc, const char* const* argv, bool terminal);

/// Marks a line of a text as a heading.
std::string heading(const std::string& text);

/// The text with its marks replaced: bold headings, or none.
std::string coloured(std::string_view text, bool colour);

/// The text in red where colour is wanted.
std::string red(const std::string& text, bool colour);

}  // namespace freegap::cli

#pragma once

/// @file
/// Text for terminals and pages: nothing in it moves the cursor, changes colours or reorders what
/// stands around it. Names come from data, and a terminal obeys what it is sent.

#include <string>
#include <string_view>

namespace freegap::report {

/// The text with everything invisible spelled out: control characters (C0, DEL, C1), characters
/// that set the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069),
/// separators of lines and paragraphs, and characters that take no room (U+00AD, U+200B, U+2060,
/// U+FEFF, fillers, tags) as \u{202E}; bytes that are not UTF-8 as \xFF. Joiners that belong to the
/// spelling of words and emoji (U+200C, U+200D) stay.
std::string visible(std::string_view text);

/// The same, but line feeds stay: for messages of several lines.
std::string visible_lines(std::string_view text);

}  // namespace freegap::report

#pragma once

/// @file
/// Rules for text: UTF-8 without control characters.

#include <cstdint>
#include <string_view>

namespace freegap::sources {

/// Items and units are at most this long, and so is the text of a number.
inline constexpr std::size_t longest_text = 1024;

/// The problem with a line as text, in words; null if there is none. Invalid UTF-8 and control
/// characters are problems; a tab counts as a blank.
const char* text_problem(std::string_view text);

/// Whether a character separates items in a transaction.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
/// The text without leading and trailing blanks.
std::string_view trimmed(std::string_view text);

/// Classes of 64 bytes: bit i is set if byte i belongs to the class.
struct Strip {
  std::uint64_t separators = 0;  ///< spaces, tabs, line feeds, carriage returns
  std::uint64_t odd = 0;         ///< neither these nor printable ASCII
};

/// Classifies 64 bytes, with SSE2 if the machine has it.
Strip sort_strip(const char* bytes);
/// The same, byte by byte.
Strip sort_strip_plainly(const char* bytes);

}  // namespace freegap::sources

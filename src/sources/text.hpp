#pragma once

/// @file
/// What text may hold: UTF-8 without control characters.

#include <cstdint>
#include <string_view>

namespace freegap::sources {

/// Items and units are at most this long, and so is the text of a number.
inline constexpr std::size_t longest_text = 1024;

/// What is wrong with a line as text, in words; null if nothing is. Refuses invalid UTF-8 and
/// control characters; a tab is a blank and no control character.
const char* text_problem(std::string_view text);

/// Whether a character separates items in a transaction.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
/// Without the blanks around it.
std::string_view trimmed(std::string_view text);

/// The bytes that matter among 64: bit i stands for byte i.
struct Strip {
  std::uint64_t separators = 0;  ///< spaces, tabs, line feeds, carriage returns
  std::uint64_t odd = 0;         ///< neither these nor printable ASCII
};

/// Sorts 64 bytes, by SSE2 where the machine has it.
Strip sort_strip(const char* bytes);
/// The same, byte by byte.
Strip sort_strip_plainly(const char* bytes);

}  // namespace freegap::sources

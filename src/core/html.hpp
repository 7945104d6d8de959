#pragma once

/// @file
/// Text in pages.

#include <string>

namespace freegap::detail {

/// A text as it must be written where it is not to be taken for markup.
inline std::string html(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace freegap::detail

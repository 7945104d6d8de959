#pragma once

/// @file
/// Text in HTML pages: used by the reports of the verification suite and of the experiments.

#include <string>

namespace freegap::detail {

/// The text with &, <, > and " escaped, so that nothing in it is markup.
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

#pragma once

/// @file
/// How things are called in tables, keys and files.

#include <cctype>
#include <string>

#include "freegap/distribution.hpp"

namespace freegap::experiments {

/// As in a table.
inline std::string distribution_name(Distribution distribution) {
  switch (distribution) {
    case Distribution::exponential:
      return "exponential";
    case Distribution::laplace:
      return "Laplace";
    case Distribution::geometric:
      return "geometric";
  }
  return {};
}

/// Lower case, anything but letters and digits a dash.
inline std::string file_name(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    result.push_back(std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '-');
  }
  return result;
}

}  // namespace freegap::experiments

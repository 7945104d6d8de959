#pragma once

/// @file
/// Names in tables, in the keys of figures and in files.

#include <cctype>
#include <string>

#include "freegap/distribution.hpp"

namespace freegap::experiments {

/// The name of a distribution in a table: that of the library, with a capital letter for Laplace.
inline std::string distribution_name(Distribution distribution) {
  std::string result = name(distribution);
  if (distribution == Distribution::laplace) {
    result.front() = 'L';
  }
  return result;
}

/// A name of a file: lower case, with a dash for anything but letters and digits.
inline std::string file_name(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result.push_back(std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '-');
  }
  return result;
}

}  // namespace freegap::experiments

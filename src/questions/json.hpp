#pragma once

/// @file
/// JSON as the documents of releases are written in.

#include <nlohmann/json.hpp>
#include <string>

namespace freegap::questions {

/// Keeps its members in the order in which they were set.
using Json = nlohmann::ordered_json;

/// A document on one line, without a line feed.
inline std::string line_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace freegap::questions

#pragma once

/// @file
/// How the document of a release is shown. The ledger stores JSON documents and shows them again,
/// so tables and CSV are made from the document; its mechanism says how.

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "report/wording.hpp"

namespace freegap::cli {

/// How the documents of one mechanism become tables and CSV. Registered with the mechanism's verb.
struct Renderer {
  std::string mechanism;                       ///< member "mechanism" of the document
  std::string (*table)(const Json& document);  ///< for people; fits 80 columns
  std::string rows;  ///< member with the rows of the CSV; empty: the document is one
  std::vector<std::string> columns;  ///< of the CSV; interval_low and interval_high for "interval"
};

/// A release in a format, with a line feed at the end. Throws InvalidParameter for a table or CSV
/// of a mechanism that this version does not know.
std::string rendered(const Json& document, OutputFormat format);

}  // namespace freegap::cli

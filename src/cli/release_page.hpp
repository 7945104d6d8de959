#pragma once

/// @file
/// The page of one release, and the page of a ledger's spending: for `--report`. Both are made from
/// public documents alone.

#include <optional>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "questions/question.hpp"

namespace freegap::cli {

/// A file that a call reads or writes besides its report, with the option that names it.
struct NamedFile {
  std::string option;  ///< "--ledger", for example
  std::string path;    ///< as given
};

/// Refuses a name that does not end in .html (so that no data is overwritten by mistake), a place
/// where no file can be written, a file that the call itself uses, and a file that exists and is
/// neither empty nor a page that freegap wrote. Throws InvalidParameter.
void check_report(const std::string& path, const std::vector<NamedFile>& used);

/// The page of a release: bars with intervals, gaps, the threshold, what was spent and what is
/// left, and how to read it. `balance` is that of its data set, or null: total, spent, reserved and
/// remaining, as `budget show` gives them. `stream` has the answers where the document has not.
std::string release_page(const Json& document, const Json& balance,
                         const std::optional<DrawnAnswers>& stream = std::nullopt);

/// The page of a data set: its spending over time. `entries` are its entries, oldest first, with
/// the members that `budget history` gives them and `seconds`, their time as a number.
std::string spending_page(const Json& balance, const Json& entries);

}  // namespace freegap::cli

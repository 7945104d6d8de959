#pragma once

/// @file
/// The page of one release, and the page of a ledger's spending: for `--report`; and a release as
/// notebooks show it. All are made from public documents alone.

#include <optional>
#include <string>

#include "questions/question.hpp"
#include "report/numbers.hpp"

namespace freegap::report {

/// The page of a release: bars with intervals, gaps, the threshold, what was spent and what is
/// left, and how to read it. `balance` is that of its data set, or null: total, spent, reserved and
/// remaining, as `budget show` gives them. `stream` has the answers where the document has not.
std::string release_page(const Json& document, const Json& balance,
                         const std::optional<DrawnAnswers>& stream = std::nullopt);

/// The same, made small, for a place in somebody else's page: the output of a cell in a notebook.
/// What it spent is said in one line; of many rows only a few are drawn.
std::string release_fragment(const Json& document);

/// The page of a data set: its spending over time. `entries` are its entries, oldest first, with
/// the members that `budget history` gives them and `seconds`, their time as a number.
std::string spending_page(const Json& balance, const Json& entries);

}  // namespace freegap::report

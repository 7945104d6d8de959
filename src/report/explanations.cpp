#include "report/explanations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "freegap/distribution.hpp"
#include "report/wording.hpp"

namespace freegap::report {
namespace {

/// The first row that is estimated above the one before it, if winners are ranked; otherwise 0.
std::size_t out_of_order(const Json& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const bool both =
        has(rows[i], "rank") && has(rows[i], "estimate") && has(rows[i - 1], "estimate");
    if (both && rows[i].at("estimate").get<double>() > rows[i - 1].at("estimate").get<double>()) {
      return i;
    }
  }
  return 0;
}

/// A footnote: words in lines of at most 80 columns.
std::string wrapped(const std::string& text) {
  constexpr std::size_t widest = 80;
  std::istringstream words(text);
  std::string result;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    const std::size_t width = characters(word);
    const bool fits = column + 1 + width <= widest;
    result += column == 0 ? "" : fits ? " " : "\n";
    column = fits && column > 0 ? column + 1 + width : width;
    result += word;
  }
  return result + "\n";
}

}  // namespace

bool surely_on_top(const Json& row) {
  return has(row, "lead_at_least") && row.at("lead_at_least").get<double>() >= 0;
}

bool gap_hardly_counts(const Json& row) {
  return has(row, "estimate") && has(row, "gap") && has(row, "used_gap") &&
         !row.at("used_gap").get<bool>() && !surely_on_top(row);
}

bool says_who_is_on_top(const Json& document) {
  if (document.value("mechanism", "") != "top_k") {
    return false;
  }
  const Json& rows = document.at("winners");
  return !rows.empty() && has(rows[0], "gap") &&
         document.at("noise").at("law") != name(Distribution::laplace);
}

std::vector<std::string> explanations(const Json& document, const Json& rows) {
  std::vector<std::string> notes;
  const auto any = [&](const auto& holds) { return std::any_of(rows.begin(), rows.end(), holds); };
  if (any([](const Json& row) { return has(row, "estimate"); })) {
    notes.emplace_back("± is one standard error.");
  }
  if (any(gap_hardly_counts)) {
    notes.emplace_back(
        "* The gap hardly counts: the item was probably selected by luck, or there is nothing to "
        "compare it with.");
  }
  if (says_who_is_on_top(document)) {
    notes.push_back(fmt::format(
        "sure? yes: it truly is among the top {}, ahead of every item that was not selected; with "
        "confidence {} for all of these together. -: this release cannot tell.",
        shown(document.at("parameters").at("k")), percent(document)));
  }
  if (const std::size_t i = out_of_order(rows); i > 0) {
    notes.push_back(fmt::format(
        "Rank {} is estimated above rank {}: ranks come from the selection, estimates also from "
        "measurements, each with noise of its own. Their true order is uncertain.",
        shown(rows[i].at("rank")), shown(rows[i - 1].at("rank"))));
  }
  return notes;
}

std::string footnotes(const Json& document, const Json& rows) {
  std::string text;
  for (const std::string& note : explanations(document, rows)) {
    text += wrapped(note);
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace freegap::report

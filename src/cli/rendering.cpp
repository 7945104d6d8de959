#include "cli/rendering.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/release_verb_table.hpp"
#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

/// The member of a row that holds the low (0) or high (1) end of an interval.
Json end_of(const Json& row, std::size_t end) {
  const auto found = row.find("interval");
  return found == row.end() || found->is_null() ? Json() : found->at(end);
}

/// Ends of intervals become columns of their own.
Json for_spreadsheets(const Json& rows) {
  Json result = Json::array();
  for (const Json& row : rows) {
    Json flat = row;
    flat["interval_low"] = end_of(row, 0);
    flat["interval_high"] = end_of(row, 1);
    result.push_back(std::move(flat));
  }
  return result;
}

/// The renderer of a mechanism, among those of all verbs.
Renderer renderer_of(const std::string& mechanism) {
  for (const ReleaseVerb& verb : release_verbs()) {
    for (const Renderer& renderer : verb.renderers) {
      if (renderer.mechanism == mechanism) {
        return renderer;
      }
    }
  }
  throw InvalidParameter(
      "--format", "this version does not know the mechanism \"" + mechanism + "\"; ask for json");
}

}  // namespace

std::string rendered(const Json& document, OutputFormat format) {
  if (format == OutputFormat::json) {
    return line_of(document) + "\n";
  }
  const Renderer renderer = renderer_of(document.value("mechanism", ""));
  if (format == OutputFormat::table) {
    return renderer.table(document);
  }
  const Json rows =
      renderer.rows.empty() ? Json::array({document}) : for_spreadsheets(document[renderer.rows]);
  return csv(rows, renderer.columns);
}

Json for_people(const Json& rows) {
  Json result = Json::array();
  for (const Json& row : rows) {
    Json shown_row = row;
    if (row.contains("estimate") && !row["estimate"].is_null()) {
      shown_row["estimate"] =
          fmt::format("{} ± {}", shown(row["estimate"]), shown(row["standard_error"]));
    }
    if (!end_of(row, 0).is_null()) {
      shown_row["interval"] = fmt::format("[{}, {}]", shown(end_of(row, 0)), shown(end_of(row, 1)));
    }
    for (const char* epsilon : {"total", "spent", "reserved", "remaining"}) {
      if (row.contains(epsilon) && !row[epsilon].is_null()) {
        shown_row[epsilon] = shown_epsilon(row[epsilon]);
      }
    }
    result.push_back(std::move(shown_row));
  }
  return result;
}

std::string percent(const Json& document) {
  return fmt::format("{:g} %", 100 * document["parameters"]["confidence"].get<double>());
}

std::string setting(const Json& document) {
  const Json& parameters = document["parameters"];
  const bool replaced = parameters["neighbours"] == name(Neighbours::replace);
  return fmt::format("{} of one {} protected; {} noise, sensitivity {}",
                     replaced ? "Exchange" : "Presence", parameters["unit"].get<std::string>(),
                     document["noise"]["law"].get<std::string>(), shown(parameters["sensitivity"]));
}

std::string cost(const Json& document) {
  const Json& epsilon = document["epsilon"];
  std::string text = fmt::format("Spent ε {} of {} reserved", shown_epsilon(epsilon["spent"]),
                                 shown_epsilon(epsilon["reserved"]));
  if (document.contains("ledger")) {
    const Json& ledger = document["ledger"];
    text += fmt::format("; ledger entry {}", ledger["entry"].get<std::int64_t>());
    if (ledger.contains("remaining")) {
      text += fmt::format(", {} left", shown_epsilon(ledger["remaining"]));
    }
  }
  return text + ".\n";
}

}  // namespace freegap::cli

#include "cli/rendering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/explanations.hpp"
#include "cli/release_verb_table.hpp"
#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

/// The low (0) or high (1) end of an interval of a row.
Json end_of(const Json& row, const std::string& name, std::size_t end) {
  const auto found = row.find(name);
  return found == row.end() || found->is_null() ? Json() : found->at(end);
}

/// Rows whose intervals have their ends as members, too: releases of earlier versions had not.
Json for_spreadsheets(const Json& rows) {
  Json result = Json::array();
  for (const Json& row : rows) {
    Json flat = row;
    for (const std::string name : {"interval", "simultaneous"}) {
      flat[name + "_low"] = end_of(row, name, 0);
      flat[name + "_high"] = end_of(row, name, 1);
    }
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
  return csv(rows, renderer.columns, format);
}

Json for_people(const Json& rows) {
  Json result = Json::array();
  const bool marked = std::any_of(rows.begin(), rows.end(), gap_hardly_counts);
  for (const Json& row : rows) {
    Json shown_row = row;
    if (row.contains("estimate") && !row["estimate"].is_null()) {
      shown_row["estimate"] =
          fmt::format("{} ± {}{}", shown(row["estimate"]), shown(row["standard_error"]),
                      gap_hardly_counts(row) ? " *"
                      : marked               ? "  "
                                             : "");
    }
    if (!end_of(row, "interval", 0).is_null()) {
      shown_row["interval"] = fmt::format("[{}, {}]", shown(end_of(row, "interval", 0)),
                                          shown(end_of(row, "interval", 1)));
    }
    if (row.contains("lead_at_least")) {
      shown_row["sure"] = surely_on_top(row) ? Json("yes") : Json();
    }
    for (const char* epsilon : {"total", "spent", "reserved", "remaining"}) {
      if (row.contains(epsilon) && !row[epsilon].is_null()) {
        shown_row[epsilon] = shown_epsilon(row[epsilon]);
      }
    }
    for (const auto& [member, value] : row.items()) {
      if (member.starts_with("delta") && value.is_string()) {
        shown_row[member] = shown_delta(value);
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
  const std::string unit = shown(parameters.value("unit", Json("unit")));
  std::string text = fmt::format("{} of one {} protected; {} noise, sensitivity {}",
                                 replaced ? "Exchange" : "Presence", unit,
                                 shown(document["noise"]["law"]), shown(parameters["sensitivity"]));
  if (document.contains("delta") && parameters.contains("max_items")) {
    text += fmt::format(
        "\nNobody listed the items. One {} brings in {} at most; an item that one {} alone holds "
        "appears\nwith probability {} at most.",
        unit, shown(parameters["max_items"]), unit, shown_delta(document["delta"]));
  }
  if (parameters.contains("range")) {
    text += fmt::format("\nNumbers are clamped into {} to {}, as declared.",
                        shown(parameters["range"][0]), shown(parameters["range"][1]));
  } else if (parameters.contains("limit")) {
    text += fmt::format("\nNumbers beyond {}{} would be clamped (see --range).",
                        parameters.value("kind", "") == name(Kind::counts) ? "" : "±",
                        shown(parameters["limit"]));
  }
  return text;
}

std::string cost(const Json& document) {
  const Json& epsilon = document["epsilon"];
  std::string text = fmt::format("Spent ε {} of {} reserved", shown_epsilon(epsilon["spent"]),
                                 shown_epsilon(epsilon["reserved"]));
  if (document.contains("delta")) {
    text += fmt::format(", and δ {}", shown_delta(document["delta"]));
  }
  if (document.contains("ledger")) {
    const Json& ledger = document["ledger"];
    text += fmt::format("; ledger entry {}", ledger["entry"].get<std::int64_t>());
    if (ledger.contains("remaining")) {
      text += fmt::format(", {} left", shown_epsilon(ledger["remaining"]));
    }
    if (ledger.contains("delta_remaining")) {
      text += fmt::format(" and δ {}", shown_delta(ledger["delta_remaining"]));
    }
  }
  return text + ".\n";
}

}  // namespace freegap::cli

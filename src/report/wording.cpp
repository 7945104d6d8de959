#include "report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "freegap/queries.hpp"
#include "report/explanations.hpp"

namespace freegap::report {

bool has(const Json& row, const std::string& member) {
  const auto found = row.find(member);
  return found != row.end() && !found->is_null();
}

Json end_of(const Json& row, const std::string& name, std::size_t end) {
  return has(row, name) ? row[name].at(end) : Json();
}

std::string answers_title(const Json& document, std::size_t passed, std::size_t asked) {
  const std::string threshold = shown(document.at("threshold").at("used"));
  // Of a universe the answers above alone are listed, and how many were asked is not told.
  if (document.at("parameters").contains("answers")) {
    return fmt::format("{} {} found above {}", passed, passed == 1 ? "id" : "ids", threshold);
  }
  return fmt::format("{} of {} queries asked are above {}", passed, asked, threshold);
}

Json for_people(const Json& rows) {
  Json result = Json::array();
  const bool marked = std::any_of(rows.begin(), rows.end(), gap_hardly_counts);
  for (const Json& row : rows) {
    Json shown_row = row;
    if (row.contains("estimate") && !row.at("estimate").is_null()) {
      shown_row["estimate"] =
          fmt::format("{} ± {}{}", shown(row.at("estimate")), shown(row.at("standard_error")),
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
  return fmt::format("{:g} %", 100 * document.at("parameters").at("confidence").get<double>());
}

std::string setting(const Json& document, const std::string& range_option) {
  const Json& parameters = document.at("parameters");
  const bool replaced = parameters.at("neighbours") == name(Neighbours::replace);
  const std::string unit = shown(parameters.value("unit", Json("unit")));
  std::string text = fmt::format(
      "{} of one {} protected; {} noise, sensitivity {}", replaced ? "Exchange" : "Presence", unit,
      shown(document.at("noise").at("law")), shown(parameters.at("sensitivity")));
  if (document.contains("delta") && parameters.contains("max_items")) {
    text += fmt::format(
        "\nNobody listed the items. One {} brings in {} at most; an item that one {} alone holds "
        "appears\nwith probability {} at most.",
        unit, shown(parameters.at("max_items")), unit, shown_delta(document.at("delta")));
  }
  if (parameters.contains("range")) {
    text += fmt::format("\nNumbers are clamped into {} to {}, as declared.",
                        shown(parameters.at("range").at(0)), shown(parameters.at("range").at(1)));
  } else if (parameters.contains("limit")) {
    text += fmt::format("\nNumbers beyond {}{} would be clamped (see {}).",
                        parameters.value("kind", "") == name(Kind::counts) ? "" : "±",
                        shown(parameters.at("limit")), range_option);
  }
  return text;
}

std::string cost(const Json& document) {
  const Json& epsilon = document.at("epsilon");
  std::string text = fmt::format("Spent ε {} of {} reserved", shown_epsilon(epsilon.at("spent")),
                                 shown_epsilon(epsilon.at("reserved")));
  if (document.contains("delta")) {
    text += fmt::format(", and δ {}", shown_delta(document.at("delta")));
  }
  if (document.contains("ledger")) {
    const Json& ledger = document.at("ledger");
    text += fmt::format("; ledger entry {}", ledger.at("entry").get<std::int64_t>());
    if (ledger.contains("remaining")) {
      text += fmt::format(", {} left", shown_epsilon(ledger.at("remaining")));
    }
    if (ledger.contains("delta_remaining")) {
      text += fmt::format(" and δ {}", shown_delta(ledger.at("delta_remaining")));
    }
  }
  return text + ".\n";
}

}  // namespace freegap::report

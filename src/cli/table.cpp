#include "present.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freegap::cli {
namespace {

/// How many characters, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string padded(const std::string& text, std::size_t columns, bool left) {
  const std::string blanks(columns - std::min(columns, width(text)), ' ');
  return left ? text + blanks : blanks + text;
}

std::string csv_field(const Json& value) {
  if (value.is_null()) {
    return "";
  }
  return value.is_string() ? csv_text(value.get<std::string>()) : line_of(value);
}

/// The member of a row that holds the low (0) or high (1) end of an interval.
Json end_of(const Json& row, std::size_t end) {
  const auto found = row.find("interval");
  return found == row.end() || found->is_null() ? Json() : found->at(end);
}

/// Rows as a table shows them: estimate with its error, interval in brackets.
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
    if (row.contains("spent") && !row["spent"].is_null()) {
      shown_row["spent"] = shown_epsilon(row["spent"]);
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
  const bool replaced = parameters["neighbours"] == "replace";
  return fmt::format(
      "{} of one {} protected; {} noise, sensitivity {}", replaced ? "Exchange" : "Presence",
      parameters["unit"].get<std::string>(),
      document.contains("noise") ? document["noise"]["law"].get<std::string>() : "Gumbel",
      shown(parameters["sensitivity"]));
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

std::string winners_table(const Json& document) {
  const Json& parameters = document["parameters"];
  const Json& rows = document["winners"];
  const bool hybrid = document["mechanism"] == "top_k_above";
  std::string text = hybrid ? fmt::format("Up to {} items above {}", shown(parameters["k"]),
                                          shown(document["threshold"]["used"]))
                            : fmt::format("Top {}", shown(parameters["k"]));
  text += fmt::format(" of {}\n{}\n\n", shown(parameters["candidate_count"]), setting(document));
  if (rows.empty()) {
    text += "Nothing is above the threshold.\n";
  } else {
    std::vector<Column> columns{{"rank", "rank"}, {"item", "item", 18, true}, {"gap", "gap"}};
    if (hybrid) {
      columns.push_back({"to", "gap_to", 9, true});
    }
    columns.push_back({"estimate ± error", "estimate", 26});
    columns.push_back({percent(document) + " interval", "interval", 28});
    text += table(for_people(rows), columns);
  }
  return text + "\n" + cost(document);
}

std::string answers_table(const Json& document) {
  Json passed = Json::array();
  for (const Json& row : document["answers"]) {
    if (row["above"].get<bool>()) {
      passed.push_back(row);
    }
  }
  std::string text = fmt::format("{} of {} queries asked are above {}\n{}\n\n", passed.size(),
                                 document["answers"].size(), shown(document["threshold"]["used"]),
                                 setting(document));
  if (!passed.empty()) {
    text += table(for_people(passed), {{"query", "query", 18, true},
                                       {"branch", "branch"},
                                       {"gap", "gap"},
                                       {"estimate ± error", "estimate", 26},
                                       {"at least", "lower"},
                                       {"spent", "spent", 16}});
    text +=
        fmt::format("\n\"at least\" holds with confidence {} each, given that the query passed.\n",
                    percent(document));
  }
  const std::string why = document["stopped"];
  text += why == "budget"
              ? "Stopped: the budget is used up. "
              : (why == "input" ? "Stopped: no more queries. " : "Stopped: enough answers above. ");
  return text + cost(document);
}

std::string choice_table(const Json& document) {
  std::string text =
      fmt::format("Chosen of {}: {}\n", shown(document["parameters"]["candidate_count"]),
                  cut(document["item"].get<std::string>(), 60));
  if (!document["gap"].is_null()) {
    text += fmt::format("It won by a noisy lead of {} in utility.\n",
                        shown(document["gap_in_utility"]));
    text += document["lead_at_least"].is_null()
                ? fmt::format("That shows no true lead with confidence {}", percent(document))
                : fmt::format("With confidence {} it truly leads by at least {}", percent(document),
                              shown(document["lead_at_least"]));
    text += fmt::format(".\nChance of such a lead if it were not best: {}.\n",
                        shown(document["p_not_best"]));
  }
  return text + cost(document);
}

std::string measurements_table(const Json& document) {
  return setting(document) + "\n\n" +
         table(for_people(document["measurements"]),
               {{"item", "item", 24, true},
                {"estimate ± error", "estimate", 26},
                {percent(document) + " interval", "interval", 28}}) +
         "\n" + cost(document);
}

std::string release_table(const Json& document) {
  if (document.contains("winners")) {
    return winners_table(document);
  }
  if (document.contains("answers")) {
    return answers_table(document);
  }
  return document.contains("measurements") ? measurements_table(document) : choice_table(document);
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

std::string release_csv(const Json& document) {
  if (document.contains("winners")) {
    std::vector<std::string> columns{"rank",           "item",         "gap",
                                     "gap_ticks",      "measured",     "estimate",
                                     "standard_error", "interval_low", "interval_high"};
    const bool hybrid = document["mechanism"] == "top_k_above";
    for (const char* more : hybrid ? std::vector{"gap_to", "lower", "p_not_above"}
                                   : std::vector{"lead_at_least", "p_not_ahead"}) {
      columns.emplace_back(more);
    }
    return csv(for_spreadsheets(document["winners"]), columns);
  }
  if (document.contains("answers")) {
    return csv(
        for_spreadsheets(document["answers"]),
        {"query", "above", "branch", "gap", "gap_ticks", "measured", "estimate", "standard_error",
         "interval_low", "interval_high", "lower", "p_not_above", "spent"});
  }
  if (document.contains("measurements")) {
    return csv(
        for_spreadsheets(document["measurements"]),
        {"item", "measured", "measured_ticks", "standard_error", "interval_low", "interval_high"});
  }
  return csv(Json::array({document}),
             {"item", "gap", "gap_ticks", "gap_in_utility", "lead_at_least", "p_not_best"});
}

}  // namespace

std::string present(const Json& document, const std::string& format) {
  if (format == "table") {
    return release_table(document);
  }
  return format == "csv" ? release_csv(document) : line_of(document) + "\n";
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

std::string csv_line(const Json& row, const std::vector<std::string>& columns) {
  std::string line;
  for (const std::string& column : columns) {
    const auto found = row.find(column);
    line += (line.empty() && &column == &columns.front()) ? "" : ",";
    line += found == row.end() ? "" : csv_field(*found);
  }
  return line + "\n";
}

std::string csv(const Json& rows, const std::vector<std::string>& columns) {
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (const Json& row : rows) {
    text += csv_line(row, columns);
  }
  return text;
}

std::string table(const Json& rows, const std::vector<Column>& columns) {
  std::vector<std::size_t> widths;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const Column& column : columns) {
    std::size_t widest = width(column.head);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto found = rows[i].find(column.member);
      const bool absent = found == rows[i].end() || found->is_null();
      cells[i].push_back(absent ? "-" : cut(shown(*found), column.widest));
      widest = std::max(widest, width(cells[i].back()));
    }
    widths.push_back(widest);
  }
  const auto line = [&](const auto& text_of) {
    std::string text;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      text += (c == 0 ? "" : "  ") + padded(text_of(c), widths[c], columns[c].left);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = line([&](std::size_t c) { return columns[c].head; });
  for (const std::vector<std::string>& row : cells) {
    text += line([&](std::size_t c) { return row[c]; });
  }
  return text;
}

std::string shown(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (!value.is_number_float()) {
    return line_of(value);
  }
  const double number = value.get<double>();
  const double size = std::abs(number);
  if (size != 0 && (size < 0.001 || size >= 1e12)) {
    return fmt::format("{:.3g}", number);
  }
  if (size >= 10) {
    return fmt::format("{:.1f}", number);
  }
  return size >= 1 ? fmt::format("{:.2f}", number) : fmt::format("{:.3f}", number);
}

std::string shown_epsilon(const Json& value) {
  constexpr std::size_t short_enough = 9;
  const auto text = value.get<std::string>();
  return text.size() <= short_enough ? text
                                     : fmt::format("≈{:.4g}", Rational(mpq_class(text)).shown());
}

std::string cut(const std::string& text, std::size_t widest) {
  if (width(text) <= widest) {
    return text;
  }
  std::size_t end = 0;
  for (std::size_t characters = 0; characters < widest; ++end) {
    const bool continues =
        end + 1 < text.size() && (static_cast<unsigned char>(text[end + 1]) & 0xC0U) == 0x80U;
    characters += continues ? 0U : 1U;
    if (characters == widest) {
      break;
    }
  }
  std::size_t start = end;  // of the character to be replaced
  while ((static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) {
    --start;
  }
  return text.substr(0, start) + "…";
}

}  // namespace freegap::cli

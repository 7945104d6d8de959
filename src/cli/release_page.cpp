#include "cli/release_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "cli/answers_table.hpp"
#include "cli/explanations.hpp"
#include "cli/page.hpp"
#include "cli/rendering.hpp"
#include "freegap/errors.hpp"
#include "freegap/rational.hpp"

namespace freegap::cli {
namespace {

constexpr std::size_t most_rows = DrawnAnswers::most_rows;

bool has(const Json& row, const std::string& member) {
  const auto found = row.find(member);
  return found != row.end() && !found->is_null();
}

std::optional<double> number_in(const Json& row, const std::string& member) {
  return has(row, member) && row[member].is_number() ? std::optional(row[member].get<double>())
                                                     : std::nullopt;
}

/// An exact ε as a double, for drawing.
double drawn(const Json& epsilon) {
  return Rational(mpq_class(epsilon.get<std::string>())).shown();
}

std::string label_of(const Json& row) {
  for (const char* member : {"item", "query"}) {
    if (has(row, member)) {
      return row[member].get<std::string>();
    }
  }
  return "";
}

std::string rank_of(const Json& row) { return has(row, "rank") ? shown(row["rank"]) : ""; }

std::string paragraph(const std::string& text) { return "<p>" + page_text(text) + "</p>\n"; }

std::string section(const std::string& title, const std::string& html) {
  return html.empty() ? ""
                      : "<section>\n<h2>" + page_text(title) + "</h2>\n" + html + "</section>\n";
}

std::string list(const std::vector<std::string>& texts) {
  std::string html = "<ul>\n";
  for (const std::string& text : texts) {
    html += "<li>" + page_text(text) + "</li>\n";
  }
  return html + "</ul>\n";
}

// What was selected ------------------------------------------------------------------------------

/// The rows that are drawn: winners, measurements, or the answers above the threshold.
struct Rows {
  Json drawn;             // of many answers, the first ones
  std::size_t count = 0;  // all that could be drawn
  std::size_t asked = 0;  // answers, above or not
};

Rows rows_of(const Json& document, const std::optional<DrawnAnswers>& stream) {
  for (const char* member : {"winners", "measurements"}) {
    if (has(document, member)) {
      return {document[member], document[member].size(), 0};
    }
  }
  if (stream) {
    return {stream->rows, stream->above, stream->asked};
  }
  DrawnAnswers answers;
  for (const Json& row : document.value("answers", Json::array())) {
    answers.add(row);
  }
  return {std::move(answers.rows), answers.above, answers.asked};
}

std::string title_of(const Json& document, const Rows& rows) {
  const Json& parameters = document["parameters"];
  const auto mechanism = document.value("mechanism", std::string());
  const std::string of = has(parameters, "candidate_count")
                             ? " of " + shown(parameters["candidate_count"])
                             : std::string();
  if (mechanism == "top_k") {
    return "Top " + shown(parameters["k"]) + of;
  }
  if (mechanism == "top_k_above") {
    return fmt::format("Up to {} items above {}{}", shown(parameters["k"]),
                       shown(document["threshold"]["used"]), of);
  }
  if (has(document, "answers")) {
    return answers_title(document, rows.count, rows.asked);
  }
  if (mechanism == "exponential") {
    return "Chosen" + of + ": " + document["item"].get<std::string>();
  }
  return mechanism == "measure" ? fmt::format("{} noisy numbers", rows.count) : mechanism;
}

std::optional<Mark> threshold_of(const Json& document) {
  if (!has(document, "threshold")) {
    return std::nullopt;
  }
  const Json& used = document["threshold"]["used"];
  return Mark{used.get<double>(), "threshold " + shown(used)};
}

/// One paragraph per line of a text.
std::string soft_paragraphs(const std::string& text) {
  std::istringstream lines(text);
  std::string html;
  for (std::string line; std::getline(lines, line);) {
    html += "<p class=\"soft\">" + page_text(line) + "</p>\n";
  }
  return html;
}

std::string estimates(const Json& document, const Json& rows) {
  std::vector<Bar> bars;
  for (const Json& row : rows) {
    const std::optional<double> value = number_in(row, "estimate");
    if (!value || bars.size() == most_rows) {
      continue;
    }
    Bar bar{label_of(row), value, std::nullopt,
            shown(row["estimate"]) + " ± " + shown(row["standard_error"]) +
                (gap_hardly_counts(row) ? " *" : ""),
            rank_of(row)};
    if (has(row, "interval")) {
      bar.interval = {row["interval"][0].get<double>(), row["interval"][1].get<double>()};
    }
    bars.push_back(bar);
  }
  return bars.empty() ? ""
                      : bar_chart(bars, threshold_of(document), "Estimates with their intervals");
}

std::string gaps(const Json& rows) {
  std::vector<Bar> bars;
  for (const Json& row : rows) {
    const std::optional<double> gap = number_in(row, "gap");
    if (gap && bars.size() < most_rows) {
      bars.push_back({label_of(row), gap, std::nullopt, shown(row["gap"]), rank_of(row)});
    }
  }
  return bars.empty() ? "" : bar_chart(bars, std::nullopt, "Gaps");
}

/// The lead of the exponential mechanism's choice.
std::string lead(const Json& document) {
  std::vector<Bar> bars;
  for (const auto& [member, name] : {std::pair("gap_in_utility", "noisy lead"),
                                     std::pair("lead_estimate", "estimate of the true lead"),
                                     std::pair("lead_at_least", "true lead at least")}) {
    if (const std::optional<double> value = number_in(document, member)) {
      bars.push_back({name, value, std::nullopt, shown(document[member])});
    }
  }
  return bars.empty() ? "" : bar_chart(bars, std::nullopt, "Lead of the choice");
}

/// The names alone, where there is nothing to draw.
std::string names(const Json& rows) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    labels.push_back(label_of(rows[i]));
  }
  return labels.empty() ? "" : list(labels);
}

// What it cost, and how to read it ---------------------------------------------------------------

std::string budget(const Json& document, const Json& balance) {
  const Json& epsilon = document["epsilon"];
  std::vector<std::pair<std::string, std::string>> facts{
      {"ε spent", shown_epsilon(epsilon["spent"])},
      {"ε reserved before", shown_epsilon(epsilon["reserved"])}};
  if (has(document, "delta")) {
    facts.emplace_back("δ spent", shown_delta(document["delta"]));
  }
  if (has(document, "ledger")) {
    facts.emplace_back("ledger entry", shown(document["ledger"]["entry"]));
  }
  if (balance.is_null()) {
    return cards(facts);
  }
  facts.emplace_back("ε left", shown_epsilon(balance["remaining"]));
  facts.emplace_back("ε in all", shown_epsilon(balance["total"]));
  if (has(document, "delta")) {
    facts.emplace_back("δ left", shown_delta(balance["delta"]["remaining"]));
    facts.emplace_back("δ in all", shown_delta(balance["delta"]["total"]));
  }
  const double own = drawn(epsilon["spent"]);
  const double before = std::max(0.0, drawn(balance["spent"]) - own);
  return cards(facts) +
         parts_chart(
             {{"spent by other releases " + shown(Json(before)), before},
              {"spent here " + shown_epsilon(epsilon["spent"]), own},
              {"reserved " + shown_epsilon(balance["reserved"]), drawn(balance["reserved"])},
              {"left " + shown_epsilon(balance["remaining"]), drawn(balance["remaining"])}},
             "The budget of the data set");
}

std::string how_to_read(const Json& document, const Json& rows, std::size_t count) {
  std::vector<std::string> notes = explanations(document, rows);
  const auto any = [&](const char* member) {
    return std::any_of(rows.begin(), rows.end(), [&](const Json& row) { return has(row, member); });
  };
  if (any("interval")) {
    notes.push_back(
        fmt::format("The line across the end of a bar is an interval that contains the "
                    "true number with confidence {}, for each bar by itself.",
                    percent(document)));
  }
  if (std::any_of(rows.begin(), rows.end(),
                  [](const Json& row) { return has(row, "estimate") && !has(row, "interval"); })) {
    notes.emplace_back("A bar without such a line: the gap is too small for an interval.");
  }
  if (has(document, "p_not_best")) {
    notes.push_back(fmt::format(
        "The choice is random: better items are more likely. Chance of such a lead if it were not "
        "the best: {}.",
        shown(document["p_not_best"])));
  }
  if (any("gap")) {
    notes.emplace_back(
        has(document, "answers")
            ? "A gap is the noisy distance over the noisy threshold. It costs no budget of its own."
            : "A gap is the noisy distance to the next in the ranking; of the last, to the best "
              "that was not selected. Where a threshold decided, it is the distance over it. It "
              "costs no budget of its own.");
  }
  if (count > most_rows) {
    notes.push_back(fmt::format("The first {} of {} are drawn.", most_rows, count));
  }
  notes.push_back(fmt::format(
      "All numbers are noisy on purpose: whoever sees this page learns little about any one {}. ε "
      "bounds how little; smaller is more private.",
      document["parameters"].value("unit", "unit")));
  return list(notes);
}

/// All parameters, as they stand in the release.
std::string parameters(const Json& document) {
  std::string html = "<div class=\"scroll\"><table>\n";
  for (const auto& [name, value] : document["parameters"].items()) {
    html += R"(<tr><th class="text" scope="row">)" + page_text(name) + "</th><td class=\"text\">" +
            page_text(cut(shown(value), 400)) + "</td></tr>\n";
  }
  return html + "</table></div>\n";
}

/// Rows of figures.
std::string figures(const Json& document, const Json& rows) {
  struct Figure {
    const char* member;
    std::string head;
  };
  const Json people = for_people(rows);
  const std::vector<Figure> all{{"rank", "rank"},
                                {"item", "item"},
                                {"query", "query"},
                                {"gap", "gap"},
                                {"measured", "measured"},
                                {"estimate", "estimate"},
                                {"standard_error", "standard error"},
                                {"interval", percent(document) + " interval"},
                                {"lead_at_least", "ahead by at least"},
                                {"sure", "sure?"},
                                {"lower", "at least"},
                                {"spent", "ε spent"}};
  std::vector<Figure> used;
  std::copy_if(all.begin(), all.end(), std::back_inserter(used), [&](const Figure& figure) {
    return std::any_of(people.begin(), people.end(),
                       [&](const Json& row) { return has(row, figure.member); });
  });
  if (used.empty()) {
    return "";
  }
  const auto is_text = [](const Figure& figure) {
    return figure.head == "item" || figure.head == "query";
  };
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const Figure& figure : used) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>", is_text(figure) ? " class=\"text\"" : "",
                        page_text(figure.head));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    html += "<tr>";
    for (const Figure& figure : used) {
      const std::string member = figure.member;
      const Json& from = member == "estimate" ? rows[i] : people[i];
      html += fmt::format("<td{}>{}</td>", is_text(figure) ? " class=\"text\"" : "",
                          has(from, member) ? page_text(shown(from[member])) : "–");
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

/// The entries of a data set.
std::string entries_table(const Json& entries) {
  const bool deltas = std::any_of(entries.begin(), entries.end(),
                                  [](const Json& entry) { return has(entry, "delta"); });
  std::string html =
      "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">entry</th><th scope=\"col\" "
      "class=\"text\">time</th><th scope=\"col\" class=\"text\">who</th><th scope=\"col\" "
      "class=\"text\">verb</th><th scope=\"col\">ε reserved</th><th scope=\"col\">ε "
      "spent</th>";
  html += deltas ? "<th scope=\"col\">δ</th>" : "";
  html += "</tr></thead>\n<tbody>\n";
  for (const Json& entry : entries) {
    html += fmt::format(
        "<tr><td>{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td><td "
        "class=\"text\">{}</td><td>{}</td><td>{}</td>",
        page_text(shown(entry["entry"])), page_text(shown(entry["time"])),
        page_text(shown(entry["who"])), page_text(shown(entry["verb"])),
        page_text(shown(entry["reserved"])),
        entry["spent"].is_null() ? "–" : page_text(shown(entry["spent"])));
    if (deltas) {
      html += "<td>" + (has(entry, "delta") ? page_text(shown(entry["delta"])) : "–") + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

/// Refuses to replace what somebody else wrote: a file that is neither empty nor a page of freegap.
void check_replaced(const std::string& path) {
  std::error_code absent;  // what is not there is not replaced; what is no file cannot be
  if (!std::filesystem::is_regular_file(path, absent)) {
    return;
  }
  constexpr std::size_t enough = 1024;
  std::string beginning(enough, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  const bool empty = std::filesystem::file_size(path, absent) == 0;
  if (!empty && !begins_as_page(beginning)) {
    throw InvalidParameter("--report", path +
                                           " exists and is no report of freegap; name another "
                                           "file, or move that one away");
  }
}

}  // namespace

void check_report(const std::string& path, const std::vector<NamedFile>& used) {
  if (!path.ends_with(".html")) {
    throw InvalidParameter("--report", "the name must end in .html, for example report.html");
  }
  check_output("--report", path);
  for (const NamedFile& file : used) {
    std::error_code absent;  // a file that is not there is not overwritten
    if (std::filesystem::equivalent(path, file.path == "-" ? "/dev/stdin" : file.path, absent)) {
      throw InvalidParameter(
          "--report", fmt::format("{} is also the file of {}, which it would overwrite; name "
                                  "another file",
                                  path, file.option));
    }
  }
  check_replaced(path);
}

std::string release_page(const Json& document, const Json& balance,
                         const std::optional<DrawnAnswers>& stream) {
  const Rows all = rows_of(document, stream);
  const Json& rows = all.drawn;
  const bool has_noise = has(document, "noise");
  const std::string bars = estimates(document, rows);
  const std::string distances = gaps(rows);
  std::string body = has_noise ? soft_paragraphs(setting(document)) : "";
  body += section("Estimates, with " + percent(document) + " intervals", bars);
  body += section("Gaps", distances);
  body += section("Lead", lead(document));
  if (bars.empty() && distances.empty()) {
    body += section("Selected", names(rows));
  }
  if (rows.empty() && !has(document, "item")) {
    body += paragraph("Nothing is above the threshold.");
  }
  body += section("Budget", budget(document, balance));
  body += section("How to read this", how_to_read(document, rows, all.count));
  body += section("Numbers", figures(document, rows));
  body += section("Parameters", parameters(document));
  return page(title_of(document, all), body);
}

std::string spending_page(const Json& balance, const Json& entries) {
  Steps steps;
  steps.limit = drawn(balance["total"]);
  steps.limit_name = "in all " + shown_epsilon(balance["total"]);
  double sum = 0;
  for (const Json& entry : entries) {
    sum += drawn(entry["spent"].is_null() ? entry["reserved"] : entry["spent"]);
    steps.steps.emplace_back(entry["seconds"].get<double>(), sum);
  }
  if (!entries.empty()) {
    steps.first = steps.steps.front().first;
    steps.last = steps.steps.back().first;
    steps.first_name = entries.front()["time"].get<std::string>();
    steps.last_name = entries.back()["time"].get<std::string>();
    const double margin = std::max(1.0, 0.02 * (steps.last - steps.first));
    steps.first -= margin;
    steps.last += margin;
  }
  std::string body =
      "<p class=\"soft\">" +
      page_text(fmt::format("Protected: one {}, neighbours {}", balance["unit"].get<std::string>(),
                            balance["neighbours"].get<std::string>())) +
      "</p>\n";
  body += cards({{"ε in all", shown_epsilon(balance["total"])},
                 {"ε spent", shown_epsilon(balance["spent"])},
                 {"ε reserved", shown_epsilon(balance["reserved"])},
                 {"ε left", shown_epsilon(balance["remaining"])}});
  const Json& delta = balance["delta"];
  if (delta["total"] != "0") {
    body += cards({{"δ in all", shown_delta(delta["total"])},
                   {"δ spent", shown_delta(delta["spent"])},
                   {"δ reserved", shown_delta(delta["reserved"])},
                   {"δ left", shown_delta(delta["remaining"])}});
  }
  body += section("Spending over time", steps_chart(steps, "Epsilon spent over time"));
  Json latest = Json::array();
  for (std::size_t i = entries.size(); i > 0 && latest.size() < most_rows; --i) {
    latest.push_back(entries[i - 1]);
  }
  body += section("Entries, latest first", entries.empty() ? paragraph("No entries yet.")
                                                           : entries_table(for_people(latest)));
  body += section("How to read this",
                  list({"Each step is one release: what it spent of ε. The dashed line is all that "
                        "may ever be spent on this data set.",
                        "An entry that is not settled counts with all that was reserved for it."}));
  return page("Budget of " + balance["dataset"].get<std::string>(), body);
}

}  // namespace freegap::cli

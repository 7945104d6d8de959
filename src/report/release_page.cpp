#include "report/release_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "report/explanations.hpp"
#include "report/page.hpp"
#include "report/wording.hpp"

namespace freegap::report {
namespace {

constexpr std::size_t most_rows = DrawnAnswers::most_rows;
constexpr std::size_t most_rows_of_fragment = 25;
constexpr std::size_t widest_text = 400;  // of a value or a parameter, in characters

std::optional<double> number_in(const Json& row, const std::string& member) {
  return has(row, member) && row[member].is_number() ? std::optional(row[member].get<double>())
                                                     : std::nullopt;
}

/// An exact ε as a double, for drawing.
double drawn(const Json& epsilon) { return written_fraction(epsilon.get<std::string>()).shown(); }

std::string label_of(const Json& row) {
  for (const char* member : {"item", "query"}) {
    if (has(row, member)) {
      return row[member].get<std::string>();
    }
  }
  return "";
}

std::string rank_of(const Json& row) { return has(row, "rank") ? shown(row.at("rank")) : ""; }

std::string paragraph(const std::string& text) { return "<p>" + page_text(text) + "</p>\n"; }

std::string section(const std::string& title, const std::string& html) {
  return html.empty() ? ""
                      : "<section>\n<h2>" + page_text(title) + "</h2>\n" + html + "</section>\n";
}

/// The same in a fragment. Without a heading: notebooks list all headings that they contain.
std::string block(const std::string& title, const std::string& html) {
  return html.empty() ? "" : "<p class=\"head\">" + page_text(title) + "</p>\n" + html;
}

/// What is shown only to those who ask for it.
std::string folded(const std::string& title, const std::string& html) {
  return html.empty()
             ? ""
             : "<details>\n<summary>" + page_text(title) + "</summary>\n" + html + "</details>\n";
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
  const Json& parameters = document.at("parameters");
  const auto mechanism = document.value("mechanism", std::string());
  const std::string of = has(parameters, "candidate_count")
                             ? " of " + shown(parameters.at("candidate_count"))
                             : std::string();
  if (mechanism == "top_k") {
    return "Top " + shown(parameters.at("k")) + of;
  }
  if (mechanism == "top_k_above") {
    return fmt::format("Up to {} items above {}{}", shown(parameters.at("k")),
                       shown(document.at("threshold").at("used")), of);
  }
  if (has(document, "answers")) {
    return answers_title(document, rows.count, rows.asked);
  }
  if (mechanism == "exponential") {
    return "Chosen" + of + ": " + document.at("item").get<std::string>();
  }
  return mechanism == "measure" ? fmt::format("{} noisy numbers", rows.count) : mechanism;
}

std::optional<Mark> threshold_of(const Json& document) {
  if (!has(document, "threshold")) {
    return std::nullopt;
  }
  const Json& used = document.at("threshold").at("used");
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
            shown(row.at("estimate")) + " ± " + shown(row.at("standard_error")) +
                (gap_hardly_counts(row) ? " *" : ""),
            rank_of(row)};
    if (has(row, "interval")) {
      bar.interval = {row.at("interval").at(0).get<double>(),
                      row.at("interval").at(1).get<double>()};
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
      bars.push_back({label_of(row), gap, std::nullopt, shown(row.at("gap")), rank_of(row)});
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

/// What another library returned, as it stands in the release.
std::string value(const Json& document) {
  return has(document, "value") ? paragraph(cut(shown(document.at("value")), widest_text)) : "";
}

/// The names alone, where there is nothing to draw.
std::string names(const Json& rows) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    labels.push_back(label_of(rows[i]));
  }
  return labels.empty() ? "" : list(labels);
}

/// What was released, drawn: titles with their drawings, of which some are empty.
std::vector<std::pair<std::string, std::string>> drawings(const Json& document, const Json& rows) {
  const std::string bars = estimates(document, rows);
  const std::string distances = gaps(rows);
  return {{bars.empty() ? "" : "Estimates, with " + percent(document) + " intervals", bars},
          {"Gaps", distances},
          {"Lead", lead(document)},
          {"Selected", bars.empty() && distances.empty() ? names(rows) : ""},
          {"Value", value(document)}};
}

/// Says so where a threshold was given and nothing is above it.
std::string nothing_above(const Json& document, const Json& rows) {
  return rows.empty() && has(document, "threshold") ? paragraph("Nothing is above the threshold.")
                                                    : "";
}

// What it cost, and how to read it ---------------------------------------------------------------

std::string budget(const Json& document, const Json& balance) {
  const Json& epsilon = document.at("epsilon");
  std::vector<std::pair<std::string, std::string>> facts{
      {"ε spent", shown_epsilon(epsilon.at("spent"))},
      {"ε reserved before", shown_epsilon(epsilon.at("reserved"))}};
  if (has(document, "delta")) {
    facts.emplace_back("δ spent", shown_delta(document.at("delta")));
  }
  if (has(document, "ledger")) {
    facts.emplace_back("ledger entry", shown(document.at("ledger").at("entry")));
  }
  if (balance.is_null()) {
    return cards(facts);
  }
  facts.emplace_back("ε left", shown_epsilon(balance.at("remaining")));
  facts.emplace_back("ε in all", shown_epsilon(balance.at("total")));
  if (has(document, "delta")) {
    facts.emplace_back("δ left", shown_delta(balance.at("delta").at("remaining")));
    facts.emplace_back("δ in all", shown_delta(balance.at("delta").at("total")));
  }
  const double own = drawn(epsilon.at("spent"));
  const double before = std::max(0.0, drawn(balance.at("spent")) - own);
  return cards(facts) +
         parts_chart(
             {{"spent by other releases " + shown(Json(before)), before},
              {"spent here " + shown_epsilon(epsilon.at("spent")), own},
              {"reserved " + shown_epsilon(balance.at("reserved")), drawn(balance.at("reserved"))},
              {"left " + shown_epsilon(balance.at("remaining")), drawn(balance.at("remaining"))}},
             "The budget of the data set");
}

/// Says so where not all rows are drawn.
std::string left_out(const Json& rows, std::size_t count) {
  const std::size_t shown_rows = std::min(rows.size(), most_rows);
  return count > shown_rows ? fmt::format("The first {} of {} are drawn.", shown_rows, count) : "";
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
        shown(document.at("p_not_best"))));
  }
  if (any("gap")) {
    notes.emplace_back(
        has(document, "answers")
            ? "A gap is the noisy distance over the noisy threshold. It costs no budget of its own."
            : "A gap is the noisy distance to the next in the ranking; of the last, to the best "
              "that was not selected. Where a threshold decided, it is the distance over it. It "
              "costs no budget of its own.");
  }
  if (const std::string note = left_out(rows, count); !note.empty()) {
    notes.push_back(note);
  }
  notes.push_back(fmt::format(
      "All numbers are noisy on purpose: whoever sees this page learns little about any one {}. ε "
      "bounds how little; smaller is more private.",
      document.at("parameters").value("unit", "unit")));
  return list(notes);
}

/// All parameters, as they stand in the release.
std::string parameters(const Json& document) {
  std::string html = "<div class=\"scroll\"><table>\n";
  for (const auto& [name, value] : document.at("parameters").items()) {
    html += R"(<tr><th class="text" scope="row">)" + page_text(name) + "</th><td class=\"text\">" +
            page_text(cut(shown(value), widest_text)) + "</td></tr>\n";
  }
  return html + "</table></div>\n";
}

/// Rows of figures.
std::string figures(const Json& document, const Json& rows) {
  if (rows.empty()) {
    return "";
  }
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
        page_text(shown(entry.at("entry"))), page_text(shown(entry.at("time"))),
        page_text(shown(entry.at("who"))), page_text(shown(entry.at("verb"))),
        page_text(shown(entry.at("reserved"))),
        entry.at("spent").is_null() ? "–" : page_text(shown(entry.at("spent"))));
    if (deltas) {
      html += "<td>" + (has(entry, "delta") ? page_text(shown(entry.at("delta"))) : "–") + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

}  // namespace

std::string release_page(const Json& document, const Json& balance,
                         const std::optional<DrawnAnswers>& stream) {
  const Rows all = rows_of(document, stream);
  const Json& rows = all.drawn;
  std::string body = has(document, "noise") ? soft_paragraphs(setting(document)) : "";
  for (const auto& [title, drawing] : drawings(document, rows)) {
    body += section(title, drawing);
  }
  body += nothing_above(document, rows);
  body += section("Budget", budget(document, balance));
  body += section("How to read this", how_to_read(document, rows, all.count));
  body += section("Numbers", figures(document, rows));
  body += section("Parameters", parameters(document));
  return page(title_of(document, all), body);
}

std::string release_fragment(const Json& document) {
  Rows all = rows_of(document, std::nullopt);
  Json& rows = all.drawn;
  if (rows.size() > most_rows_of_fragment) {
    rows.erase(rows.begin() + most_rows_of_fragment, rows.end());
  }
  std::string body = has(document, "noise") ? soft_paragraphs(setting(document, "range")) : "";
  body += soft_paragraphs(cost(document));
  for (const auto& [title, drawing] : drawings(document, rows)) {
    body += block(title, drawing);
  }
  body += nothing_above(document, rows) + soft_paragraphs(left_out(rows, all.count));
  body += folded("How to read this", how_to_read(document, rows, rows.size()));
  body += folded("Numbers", figures(document, rows));
  body += folded("Parameters", parameters(document));
  return fragment(title_of(document, all), body);
}

std::string spending_page(const Json& balance, const Json& entries) {
  Steps steps;
  steps.limit = drawn(balance.at("total"));
  steps.limit_name = "in all " + shown_epsilon(balance.at("total"));
  double sum = 0;
  for (const Json& entry : entries) {
    sum += drawn(entry.at("spent").is_null() ? entry.at("reserved") : entry.at("spent"));
    steps.steps.emplace_back(entry.at("seconds").get<double>(), sum);
  }
  if (!entries.empty()) {
    steps.first = steps.steps.front().first;
    steps.last = steps.steps.back().first;
    steps.first_name = entries.front().at("time").get<std::string>();
    steps.last_name = entries.back().at("time").get<std::string>();
    const double margin = std::max(1.0, 0.02 * (steps.last - steps.first));
    steps.first -= margin;
    steps.last += margin;
  }
  std::string body = "<p class=\"soft\">" +
                     page_text(fmt::format("Protected: one {}, neighbours {}",
                                           balance.at("unit").get<std::string>(),
                                           balance.at("neighbours").get<std::string>())) +
                     "</p>\n";
  body += cards({{"ε in all", shown_epsilon(balance.at("total"))},
                 {"ε spent", shown_epsilon(balance.at("spent"))},
                 {"ε reserved", shown_epsilon(balance.at("reserved"))},
                 {"ε left", shown_epsilon(balance.at("remaining"))}});
  const Json& delta = balance.at("delta");
  if (delta.at("total") != "0") {
    body += cards({{"δ in all", shown_delta(delta.at("total"))},
                   {"δ spent", shown_delta(delta.at("spent"))},
                   {"δ reserved", shown_delta(delta.at("reserved"))},
                   {"δ left", shown_delta(delta.at("remaining"))}});
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
  return page("Budget of " + balance.at("dataset").get<std::string>(), body);
}

}  // namespace freegap::report

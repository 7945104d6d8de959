#include "verify/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "freegap/version.hpp"
#include "html/escape.hpp"

namespace freegap::verify {
namespace {

constexpr std::size_t width = 80;

/// What the figures mean, for people.
constexpr const char* legend =
    "Figures are shares of the cost that a release states. alignment: the worst cost of the "
    "proof's "
    "alignment over all tapes replayed. exact: the worst loss of any outcome, by enumeration; "
    "`equal` where a distribution was found equal to that of the reference; for unknown items the "
    "worst divergence at ε, as a share of what their δ allows. black box: a lower "
    "bound on the loss from runs of the shipped code, on inputs where it must reach 0.9. None may "
    "be above 1.";

std::string figure(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) {
    return "-";
  }
  std::ostringstream text;
  text << std::fixed << std::setprecision(4) << *value;
  return text.str();
}

std::string exact(const Row& row) { return row.same_distribution ? "equal" : figure(row.exact); }

std::string replays(const Row& row) { return row.replays == 0 ? "-" : std::to_string(row.replays); }

std::string caught_by(const BadRow& row) {
  if (row.by_alignment && row.by_enumeration) {
    return "alignment, enumeration";
  }
  return row.by_alignment ? "alignment" : row.by_enumeration ? "enumeration" : "NOT CAUGHT";
}

/// One sentence on everything.
std::string summary(const Report& report) {
  const auto failed = std::count_if(report.rows.begin(), report.rows.end(),
                                    [](const Row& row) { return !row.problem.empty(); });
  const auto caught = std::count_if(report.bad_rows.begin(), report.bad_rows.end(),
                                    [](const BadRow& row) { return row.caught(); });
  std::ostringstream text;
  text << (report.passed() ? "PASSED: " : "FAILED: ")
       << static_cast<std::ptrdiff_t>(report.rows.size()) - failed << " of " << report.rows.size()
       << " rows hold, " << caught << " of " << report.bad_rows.size()
       << " bad variants were caught; " << std::fixed << std::setprecision(0) << report.seconds
       << " s.";
  return text.str();
}

/// Words in lines of `width`, all but the first indented.
std::string wrapped(const std::string& text, const std::string& first, const std::string& indent) {
  std::istringstream words(text);
  std::string result;
  std::string line = first;
  bool empty = true;
  for (std::string word; words >> word; empty = false) {
    if (!empty && line.size() + 1 + word.size() > width) {
      result += line + "\n";
      line = indent + word;
    } else {
      line += (empty ? "" : " ");
      line += word;
    }
  }
  return result + line + "\n";
}

/// A cell with its heading, which a narrow screen shows beside it.
std::string cell(const std::string& heading, const std::string& content) {
  return "<td data-label=\"" + heading + "\">" + detail::html(content) + "</td>";
}

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>freegap: verification report</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; color: #222; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
td.problem, .failed { color: #a00; } .passed { color: #060; }
.verdict { font-weight: 600; }
.numbers td:nth-child(n+3), .numbers th:nth-child(n+3) { text-align: right; font-variant-numeric: tabular-nums; }
.numbers td.problem { text-align: left; }
@media (max-width: 40rem) {
  thead { display: none; }
  tr { display: block; border-bottom: 1px solid #999; padding: .5rem 0; }
  td, .numbers td:nth-child(n+3) { display: flex; justify-content: space-between; gap: 1rem; border: 0; padding: .1rem 0; }
  td::before { content: attr(data-label); color: #666; }
}
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818; } th, td { border-color: #444; }
  td.problem, .failed { color: #f88; } .passed { color: #8d8; }
}
</style>
</head>
<body>
)";

nlohmann::json json_figure(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

std::string as_table(const Report& report) {
  std::ostringstream out;
  out << wrapped(legend, "", "") << "\n";
  const auto line = [&](const std::string& name, const std::string& tapes,
                        const std::string& alignment, const std::string& loss,
                        const std::string& black_box) {
    out << std::left << std::setw(42) << name << std::right << std::setw(9) << tapes
        << std::setw(11) << alignment << std::setw(8) << loss << std::setw(10) << black_box << "\n";
  };
  std::string mechanism;
  for (const Row& row : report.rows) {
    if (row.mechanism != mechanism) {
      out << (mechanism.empty() ? "" : "\n");
      mechanism = row.mechanism;
      line(mechanism, "replays", "alignment", "exact", "black box");
    }
    line("  " + row.variant, replays(row), figure(row.alignment), exact(row),
         figure(row.black_box));
    if (!row.problem.empty()) {
      out << wrapped(row.problem, "    FAILED: ", "    ");
    }
  }
  if (!report.bad_rows.empty()) {
    out << "\n" << wrapped("Known to be wrong, and what caught it", "", "");
    for (const BadRow& row : report.bad_rows) {
      out << wrapped(row.name, "  ", "    ");
      out << wrapped(caught_by(row) + (row.evidence.empty() ? "" : ": ") + row.evidence, "      ",
                     "      ");
    }
  }
  out << "\n" << summary(report) << "\n";
  return out.str();
}

std::string as_json(const Report& report) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Row& row : report.rows) {
    rows.push_back({{"mechanism", row.mechanism},
                    {"variant", row.variant},
                    {"replays", row.replays},
                    {"alignment", json_figure(row.alignment)},
                    {"exact", json_figure(row.exact)},
                    {"black_box", json_figure(row.black_box)},
                    {"same_law", row.same_distribution},
                    {"holds", row.problem.empty()},
                    {"problem", row.problem}});
  }
  nlohmann::ordered_json bad = nlohmann::ordered_json::array();
  for (const BadRow& row : report.bad_rows) {
    bad.push_back({{"name", row.name},
                   {"caught", row.caught()},
                   {"by_alignment", row.by_alignment},
                   {"by_enumeration", row.by_enumeration},
                   {"evidence", row.evidence}});
  }
  const nlohmann::ordered_json all = {{"freegap", version},
                                      {"passed", report.passed()},
                                      {"seconds", json_figure(report.seconds)},
                                      {"rows", rows},
                                      {"bad_variants", bad}};
  return all.dump(2) + "\n";
}

std::string as_html(const Report& report) {
  std::ostringstream out;
  out << head << "<h1>freegap " << version << ": verification report</h1>\n<p class=\"verdict "
      << (report.passed() ? "passed" : "failed") << "\">" << detail::html(summary(report))
      << "</p>\n"
      << "<p>" << detail::html(legend) << "</p>\n<h2>Mechanisms that must hold</h2>\n"
      << "<table class=\"numbers\">\n<thead><tr><th>mechanism</th><th>variant</th>"
      << "<th>replays</th><th>alignment</th><th>exact</th><th>black box</th></tr></thead>\n"
      << "<tbody>\n";
  for (const Row& row : report.rows) {
    out << "<tr>" << cell("mechanism", row.mechanism) << cell("variant", row.variant)
        << cell("replays", replays(row)) << cell("alignment", figure(row.alignment))
        << cell("exact", exact(row)) << cell("black box", figure(row.black_box)) << "</tr>\n";
    if (!row.problem.empty()) {
      out << R"(<tr><td class="problem" colspan="6">)" << detail::html(row.problem)
          << "</td></tr>\n";
    }
  }
  out << "</tbody>\n</table>\n<h2>Known to be wrong, and what caught it</h2>\n<table>\n"
      << "<thead><tr><th>variant</th><th>caught by</th><th>evidence</th></tr></thead>\n<tbody>\n";
  for (const BadRow& row : report.bad_rows) {
    out << "<tr>" << cell("variant", row.name) << cell("caught by", caught_by(row))
        << cell("evidence", row.evidence) << "</tr>\n";
  }
  out << "</tbody>\n</table>\n</body>\n</html>\n";
  return out.str();
}

}  // namespace freegap::verify

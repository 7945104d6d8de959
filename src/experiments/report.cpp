// The report: one self-contained HTML page, for screens of any width and for printing.
#include <algorithm>
#include <cstdint>

#include "experiments/reproduce.hpp"
#include "html/escape.hpp"

namespace freegap::experiments {
namespace {

constexpr const char* style = R"(
:root { --ink: #1b1b1b; --soft: #5b5b5b; --rule: #d8d8d8; --back: #ffffff; --band: #f5f6f7; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; color: var(--ink); background: var(--back);
       font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0.5rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; border-top: 1px solid var(--rule); padding-top: 1.25rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
p { max-width: 44rem; margin: 0.5rem 0; }
nav ol { columns: 2 14rem; padding-left: 1.4rem; margin: 0.5rem 0; }
nav a, p a { color: #005a8c; }
figure { margin: 1rem 0 1.5rem; }
figcaption { max-width: 44rem; color: var(--soft); font-size: 0.9rem; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0.5rem; }
.panels.one { max-width: 36rem; }
.panels img { width: 100%; height: auto; display: block; background: white; }
.missing { border: 1px dashed var(--rule); padding: 1rem; color: var(--soft); }
.scroll { overflow-x: auto; margin: 0.5rem 0 1rem; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th { vertical-align: bottom; }
th, td { padding: 0.2rem 0.6rem; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
tbody tr:nth-child(odd) { background: var(--band); }
td.long { min-width: 13rem; }
td.number { text-align: right; white-space: nowrap; }
ul.facts { color: var(--soft); font-size: 0.9rem; padding-left: 1.2rem; overflow-wrap: anywhere; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  h2 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  .panels { grid-template-columns: repeat(2, 1fr); }
  .panels.three { grid-template-columns: repeat(3, 1fr); }
  .scroll { overflow: visible; }
  table { font-size: 7.5pt; }
}
)";

std::string base64(const std::string& bytes) {
  static constexpr const char* digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      word = (word << 8U) | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      const bool padding = i + j > bytes.size();
      result.push_back(padding ? '=' : digits[(word >> (18U - 6U * j)) & 63U]);
    }
  }
  return result;
}

std::string paragraphs(const std::string& text) {
  std::string result;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find("\n\n", start), text.size());
    result += "<p>" + detail::html(text.substr(start, end - start)) + "</p>\n";
    start = end + 2;
  }
  return result;
}

bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,-–±e+() ") == std::string::npos;
}

std::string html_table(const Table& table) {
  std::string html = "<div class=\"scroll\"><table><caption>" + detail::html(table.title) +
                     " (<a href=\"tables/" + table.name + ".csv\">CSV</a>)</caption>\n<thead><tr>";
  for (const std::string& column : table.columns) {
    std::string words = column;
    for (char& c : words) {
      c = c == '_' ? ' ' : c;
    }
    html += "<th scope=\"col\">" + detail::html(words) + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (const std::string& cell : row) {
      const char* const start = is_number(cell)    ? R"(<td class="number">)"
                                : cell.size() > 20 ? R"(<td class="long">)"
                                                   : "<td>";
      html += start + detail::html(cell) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string html_figure(const Figure& figure, const std::map<std::string, std::string>& drawings) {
  std::string html = "<figure id=\"" + figure.name + "\">\n<h3>" + detail::html(figure.title) +
                     "</h3>\n<div class=\"panels" +
                     (figure.panels.size() > 2    ? " three"
                      : figure.panels.size() == 1 ? " one"
                                                  : "") +
                     "\">\n";
  for (const Panel& panel : figure.panels) {
    const auto drawing = drawings.find(panel.name);
    if (drawing == drawings.end()) {
      html += "<div class=\"missing\">" + detail::html(panel.title) +
              ": not drawn; the numbers are in the table.</div>\n";
      continue;
    }
    html += "<img alt=\"" +
            detail::html(panel.title + ": " + panel.y_label + " against " + panel.x_label) +
            R"(" width="480" height="400" src="data:image/svg+xml;base64,)" +
            base64(drawing->second) + "\">\n";
  }
  html += "</div>\n<figcaption>" + detail::html(figure.caption);
  for (const std::string& table : figure.tables) {
    html += " <a href=\"tables/" + table + ".csv\">" + detail::html(table) + ".csv</a>";
  }
  return html + "</figcaption>\n</figure>\n";
}

}  // namespace

Table table_of_datasets(const std::vector<Dataset>& datasets) {
  Table table{"datasets",
              "Data",
              {"data", "records", "items", "largest", "10th", "100th", "origin", "paper's table"},
              {}};
  for (const Dataset& data : datasets) {
    table.rows.push_back({data.name, data.records ? std::to_string(*data.records) : "",
                          std::to_string(data.counts.size()), std::to_string(data.counts[0]),
                          std::to_string(data.counts[9]), std::to_string(data.counts[99]),
                          data.origin, compared_with_paper(data)});
  }
  return table;
}

std::string as_html(const Reproduction& reproduction,
                    const std::map<std::string, std::string>& drawings,
                    const std::vector<std::string>& facts) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Free gaps: the experiments</title>\n<style>";
  html += style;
  html +=
      "</style>\n</head>\n<body>\n<h1>Free gaps: the paper's experiments, reproduced and "
      "extended</h1>\n";
  html += paragraphs(
      "“Free Gap Estimates from the Exponential Mechanism, Sparse Vector, Noisy Max and Related "
      "Algorithms” (Ding, Wang, Xiao, Wang, Zhang, Kifer), run on freegap's own mechanisms. Every "
      "point "
      "is the "
      "mean of " +
      std::to_string(reproduction.options.runs) +
      " runs; error bars span two standard errors either way.");
  html += "<nav><ol>\n";
  for (std::size_t i = 0; i < reproduction.chapters.size(); ++i) {
    html += "<li><a href=\"#chapter-" + std::to_string(i) + "\">" +
            detail::html(reproduction.chapters[i].title) + "</a></li>\n";
  }
  html += "</ol></nav>\n" + html_table(table_of_datasets(reproduction.datasets));
  html += "<ul class=\"facts\">\n";
  for (const std::string& fact : facts) {
    html += "<li>" + detail::html(fact) + "</li>\n";
  }
  html += "</ul>\n";
  for (std::size_t i = 0; i < reproduction.chapters.size(); ++i) {
    const Chapter& chapter = reproduction.chapters[i];
    html += "<section>\n<h2 id=\"chapter-" + std::to_string(i) + "\">" +
            detail::html(chapter.title) + "</h2>\n" + paragraphs(chapter.text);
    for (const Figure& figure : chapter.figures) {
      html += html_figure(figure, drawings);
    }
    for (const Table& table : chapter.shown) {
      html += html_table(table);
    }
    html += "</section>\n";
  }
  return html + "</body>\n</html>\n";
}

}  // namespace freegap::experiments

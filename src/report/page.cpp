#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "freegap/version.hpp"
#include "html/escape.hpp"
#include "report/visible_text.hpp"

namespace freegap::report {
namespace {

/// How each page begins. By it a page is known that may be replaced.
constexpr std::string_view page_beginning =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"generator\" content=\"freegap\">\n";

/// Colours and type of a page of its own.
constexpr const char* page_style = R"(
:root { color-scheme: light dark; --ink: #1c1f23; --soft: #5d6670; --rule: #d9dde2; --back: #ffffff;
        --card: #f4f6f8; --bar: #4b86b4; --line: #16324a; --mark: #b3402a; --rest: #cfd6dd; --past: #8fa9bd; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7ea; --soft: #a2abb4; --rule: #39414a; --back: #15181c; --card: #1f242a; --bar: #4f8fc0;
          --line: #e3edf5; --mark: #f08a70; --rest: #39414a; --past: #6b8296; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1rem; color: var(--ink); background: var(--back);
       font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; overflow-wrap: anywhere; }
)";

/// Drawings and texts, wherever they are.
constexpr const char* style =
    R"(h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0 0.25rem; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 0.5rem; }
p, li { max-width: 46rem; } p { margin: 0.4rem 0; } ul { padding-left: 1.2rem; margin: 0.4rem 0; } li { margin: 0.35rem 0; }
.soft, footer { color: var(--soft); } footer { margin-top: 2.5rem; border-top: 1px solid var(--rule); padding-top: 0.75rem; font-size: 0.875rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.6rem; margin: 1rem 0; padding: 0; }
.cards div { background: var(--card); border-radius: 0.5rem; padding: 0.6rem 0.8rem; }
.cards dt { color: var(--soft); font-size: 0.85rem; } .cards dd { margin: 0; font-size: 1.15rem; font-weight: 600; }
.chart { margin: 0.5rem 0 1rem; }
.row { display: grid; grid-template-columns: minmax(4rem, 11rem) minmax(0, 1fr) 10rem; column-gap: 0.8rem; align-items: center; }
.row + .row { border-top: 1px solid var(--rule); }
.row svg { display: block; width: 100%; height: 28px; overflow: visible; }
.name { font-weight: 500; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; } .rank { color: var(--soft); font-weight: 400; font-size: 0.85rem; margin-right: 0.5rem; } .figure { text-align: right; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
.axis svg { height: 22px; } .axis text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
.bar { fill: var(--bar); } .grid { stroke: var(--rule); stroke-width: 1; } .zero { stroke: var(--soft); stroke-width: 1; }
.range { stroke: var(--line); stroke-width: 2; } .mark { stroke: var(--mark); stroke-width: 2; stroke-dasharray: 5 3; }
.parts > svg { display: block; width: 100%; height: 26px; border-radius: 0.3rem; }
.keys { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; padding: 0; margin: 0.5rem 0; list-style: none; font-size: 0.9rem; }
.keys li { margin: 0; } .keys svg { width: 14px; height: 14px; vertical-align: -2px; margin-right: 0.4rem; }
.part0 { fill: var(--past); } .part1 { fill: var(--bar); } .part2 { fill: var(--mark); } .part3 { fill: var(--rest); }
.steps { position: relative; margin-top: 1.8rem; }
.steps svg { display: block; width: 100%; height: 220px; overflow: visible; }
.steps path { fill: var(--bar); fill-opacity: 0.25; stroke: none; } .steps .edge { fill: none; stroke: var(--bar); stroke-width: 2; vector-effect: non-scaling-stroke; }
.steps line { vector-effect: non-scaling-stroke; }
.steps .limit { position: absolute; right: 0; transform: translateY(-1.5rem); color: var(--mark); font-size: 0.85rem; }
.ends { display: flex; justify-content: space-between; gap: 1rem; color: var(--soft); font-size: 0.85rem; border-top: 1px solid var(--soft); padding-top: 0.2rem; }
.ends span:last-child { text-align: right; }
.scroll { overflow-x: auto; /* a shadow at the side where there is more */
          background: linear-gradient(to right, var(--back) 50%, transparent) left / 2rem 100% no-repeat local,
                      linear-gradient(to left, var(--back) 50%, transparent) right / 2rem 100% no-repeat local,
                      linear-gradient(to right, var(--rest), transparent) left / 0.8rem 100% no-repeat scroll,
                      linear-gradient(to left, var(--rest), transparent) right / 0.8rem 100% no-repeat scroll; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; } thead th { white-space: normal; }
td.text, th.text { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
@media (max-width: 40rem) {
  .row { grid-template-columns: minmax(0, 1fr) auto; padding: 0.3rem 0; }
  .row .plot { grid-column: 1 / -1; grid-row: 2; } .axis .name, .axis .figure { display: none; }
}
@media print { body { max-width: none; } .row, .cards div { break-inside: avoid; } }
)";

/// The same in somebody else's page: its font, and colours that go with its ink, whichever theme it
/// has. Smaller than on a page of its own, and without what a style of that page may say about the
/// same classes.
constexpr const char* fragment_style = R"(
--soft: color-mix(in srgb, currentcolor 70%, transparent); --rule: color-mix(in srgb, currentcolor 18%, transparent); --rest: var(--rule);
--bar: #4b86b4; --line: currentcolor; --mark: #d4553a;
max-width: 60rem; padding: 0.2rem 0; font-size: 0.85rem; line-height: 1.4; overflow-wrap: anywhere;
* { box-sizing: border-box; }
p { margin: 0.2rem 0; } .title { font-size: 1rem; font-weight: 600; } .head { margin-top: 0.7rem; font-weight: 600; }
ul { margin: 0.2rem 0; } li { margin: 0.15rem 0; } .chart { margin: 0.2rem 0 0.4rem; } .keys { padding: 0; }
.row { margin: 0; grid-template-columns: minmax(3rem, 9rem) minmax(0, 1fr) 9rem; line-height: 1.2; }
.row::before, .row::after { content: none; } .name, .figure { color: inherit; font-weight: inherit; font-size: inherit; }
.row svg { margin: -3px 0; } .axis svg { margin: 0; }
details { margin: 0.3rem 0; } summary { cursor: pointer; color: var(--soft); }
.scroll { background: none; } table { margin: 0.2rem 0; font-size: inherit; } tr, th, td { background: none; }
)";

/// The range of an axis, from round number to round number, and the distance of its marks.
struct Axis {
  double low = 0;
  double high = 1;
  double step = 1;

  /// Contains zero and all of these.
  explicit Axis(const std::vector<double>& values) {
    constexpr double marks = 4;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    low = values.empty() ? 0 : std::min(0.0, *least);
    high = values.empty() ? 0 : std::max(0.0, *most);
    if (!(high > low)) {
      high = low + 1;
    }
    const double rough = (high - low) / marks;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double lead = rough / power;
    step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
    low = step * std::floor(low / step);
    high = step * std::ceil(high / step);
  }
  /// Where a value is, in per cent of the width.
  [[nodiscard]] double place(double value) const { return 100 * (value - low) / (high - low); }
  [[nodiscard]] std::vector<double> marks() const {
    std::vector<double> result;
    const auto count = static_cast<int>(std::lround((high - low) / step));
    for (int i = 0; i <= count; ++i) {
      result.push_back(low + step * i);
    }
    return result;
  }
};

std::string upright(const char* kind, double place) {
  return fmt::format(R"(<line class="{}" x1="{:.3f}%" x2="{:.3f}%" y1="0" y2="28"/>)", kind, place,
                     place);
}

std::string interval_line(const Axis& axis, const std::pair<double, double>& interval) {
  const double low = axis.place(interval.first);
  const double high = axis.place(interval.second);
  const auto line = [](double x1, double x2, int y1, int y2) {
    return fmt::format(R"(<line class="range" x1="{:.3f}%" x2="{:.3f}%" y1="{}" y2="{}"/>)", x1, x2,
                       y1, y2);
  };
  return line(low, high, 14, 14) + line(low, low, 9, 19) + line(high, high, 9, 19);
}

std::string row(const Bar& bar, const Axis& axis, const std::optional<Mark>& mark) {
  std::string drawing;
  for (const double at : axis.marks()) {
    drawing += upright(at == 0 ? "zero" : "grid", axis.place(at));
  }
  if (bar.value) {
    const double from = axis.place(std::min(0.0, *bar.value));
    const double to = axis.place(std::max(0.0, *bar.value));
    drawing +=
        fmt::format(R"(<rect class="bar" x="{:.3f}%" width="{:.3f}%" y="5" height="18" rx="2"/>)",
                    from, to - from);
  }
  if (bar.interval) {
    drawing += interval_line(axis, *bar.interval);
  }
  if (mark) {
    drawing += upright("mark", axis.place(mark->value));
  }
  return fmt::format(
      "<div class=\"row\"><div class=\"name\">{}{}</div><div class=\"plot\"><svg "
      "aria-hidden=\"true\">{}</svg></div><div class=\"figure\">{}</div></div>\n",
      bar.rank.empty() ? "" : "<span class=\"rank\">" + page_text(bar.rank) + "</span>",
      page_text(bar.label), drawing, page_text(bar.figure));
}

/// The numbers below the bars.
std::string axis_row(const Axis& axis) {
  std::string drawing;
  for (const double at : axis.marks()) {
    const double place = axis.place(at);
    const char* anchor = place < 1 ? "start" : place > 99 ? "end" : "middle";
    drawing += fmt::format(R"(<text x="{:.3f}%" y="15" text-anchor="{}">{:g}</text>)", place,
                           anchor, at == 0 ? 0.0 : at);
  }
  return "<div class=\"row axis\" aria-hidden=\"true\"><div class=\"name\"></div><div "
         "class=\"plot\"><svg>" +
         drawing + "</svg></div><div class=\"figure\"></div></div>\n";
}

}  // namespace

bool begins_as_page(std::string_view text) { return text.starts_with(page_beginning); }

std::string page_text(const std::string& text) { return detail::html(visible(text)); }

std::string page(const std::string& title, const std::string& body) {
  return std::string(page_beginning) +
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\">\n<title>" +
         page_text(title) + "</title>\n<style>" + page_style + style +
         "</style>\n</head>\n<body>\n<main>\n<h1>" + page_text(title) + "</h1>\n" + body +
         "</main>\n<footer>Written by freegap " + page_text(version) +
         ". This page contains only what was released.</footer>\n" + "</body>\n</html>\n";
}

std::string fragment(const std::string& title, const std::string& body) {
  // The class twice: rules of the page around it, which know no more than elements and one class,
  // do not win. The other classes keep MathJax, which notebooks run, from taking names for TeX.
  return "<div class=\"freegap tex2jax_ignore mathjax_ignore\">\n" +
         std::string("<style>\n.freegap.freegap {\n") + style + fragment_style + "}\n</style>\n" +
         "<p class=\"title\">" + page_text(title) + "</p>\n" + body + "</div>\n";
}

std::string cards(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string html = "<dl class=\"cards\">\n";
  for (const auto& [name, value] : facts) {
    html += "<div><dt>" + page_text(name) + "</dt><dd>" + page_text(value) + "</dd></div>\n";
  }
  return html + "</dl>\n";
}

std::string bar_chart(const std::vector<Bar>& bars, const std::optional<Mark>& mark,
                      const std::string& what) {
  std::vector<double> values;
  for (const Bar& bar : bars) {
    if (bar.value) {
      values.push_back(*bar.value);
    }
    if (bar.interval) {
      values.insert(values.end(), {bar.interval->first, bar.interval->second});
    }
  }
  if (mark) {
    values.push_back(mark->value);
  }
  const Axis axis(values);
  std::string html;
  if (mark) {
    html +=
        "<ul class=\"keys\"><li><svg aria-hidden=\"true\"><line class=\"mark\" x1=\"7\" "
        "x2=\"7\" y1=\"0\" y2=\"14\"/></svg>" +
        page_text(mark->name) + "</li></ul>\n";
  }
  html += R"(<div class="chart" role="group" aria-label=")" + page_text(what) + "\">\n";
  for (const Bar& bar : bars) {
    html += row(bar, axis, mark);
  }
  return html + axis_row(axis) + "</div>\n";
}

std::string parts_chart(const std::vector<std::pair<std::string, double>>& parts,
                        const std::string& what) {
  double whole = 0;
  for (const auto& [name, part] : parts) {
    whole += part;
  }
  std::string drawing;
  std::string keys;
  double before = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!(parts[i].second > 0)) {
      continue;
    }
    const double width = 100 * parts[i].second / whole;
    drawing +=
        fmt::format(R"(<rect class="part{}" x="{:.3f}%" width="{:.3f}%" y="0" height="26"/>)", i,
                    before, width);
    before += width;
    keys += fmt::format(
        "<li><svg aria-hidden=\"true\"><rect class=\"part{}\" width=\"14\" height=\"14\" "
        "rx=\"3\"/></svg>{}</li>",
        i, page_text(parts[i].first));
  }
  return R"(<div class="parts" role="group" aria-label=")" + page_text(what) +
         R"("><svg aria-hidden="true">)" + drawing + "</svg><ul class=\"keys\">" + keys +
         "</ul></div>\n";
}

std::string steps_chart(const Steps& steps, const std::string& what) {
  constexpr double wide = 1000;
  constexpr double tall = 220;
  double most = steps.limit;
  for (const auto& [at, value] : steps.steps) {
    most = std::max(most, value);
  }
  const double span = steps.last > steps.first ? steps.last - steps.first : 1;
  const auto x = [&](double at) { return wide * (at - steps.first) / span; };
  const auto y = [&](double value) { return tall * (1 - (most > 0 ? value / most : 0)); };
  std::string line = fmt::format("M0 {:.2f}", tall);
  for (const auto& [at, value] : steps.steps) {
    line += fmt::format(" H{:.2f} V{:.2f}", x(at), y(value));
  }
  line += fmt::format(" H{:.2f}", wide);
  return fmt::format(
      "<div class=\"steps\" role=\"img\" aria-label=\"{}\"><span class=\"limit\" "
      "style=\"top: {:.2f}px\">{}</span><svg viewBox=\"0 0 1000 220\" "
      "preserveAspectRatio=\"none\" aria-hidden=\"true\"><path d=\"{} V{} H0 Z\"/><path "
      "class=\"edge\" d=\"{}\"/><line class=\"mark\" x1=\"0\" x2=\"1000\" y1=\"{:.2f}\" "
      "y2=\"{:.2f}\"/></svg></div>\n<div class=\"ends\"><span>{}</span><span>{}</span></div>\n",
      page_text(what), y(steps.limit), page_text(steps.limit_name), line, tall, line,
      y(steps.limit), y(steps.limit), page_text(steps.first_name), page_text(steps.last_name));
}

}  // namespace freegap::report

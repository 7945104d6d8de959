#pragma once

/// @file
/// Pages for people: one self-contained HTML file each, with drawings in it, for screens of any
/// width, light and dark, and for printing. No scripts, nothing from the network. A fragment is the
/// same inside somebody else's page.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace freegap::report {

/// A text as content of a page: nothing in it is markup, and what is invisible is spelled out.
std::string page_text(const std::string& text);

/// A whole page. The body is HTML.
std::string page(const std::string& title, const std::string& body);

/// The same as a part of somebody else's page, such as the output of a cell in a notebook. Its
/// style applies to nothing outside, and it has no ids. (It needs a browser with nested rules of
/// CSS, as all have since 2023.)
std::string fragment(const std::string& title, const std::string& body);

/// Whether a text begins as pages written by `page` do.
bool begins_as_page(std::string_view text);

/// Some names with what they stand for, side by side. Both are texts, not HTML.
std::string cards(const std::vector<std::pair<std::string, std::string>>& facts);

/// A bar with its interval.
struct Bar {
  std::string label;                                       ///< what it is about: a text
  std::optional<double> value = {};                        ///< its end; none: only the label
  std::optional<std::pair<double, double>> interval = {};  ///< low and high end
  std::string figure = {};                                 ///< the number as a text, beside the bar
  std::string rank = {};                                   ///< before the label, where it has one
};

/// A number that all bars are compared with.
struct Mark {
  double value = 0;  ///< where
  std::string name;  ///< what it is: a text
};

/// Bars from zero on one axis, below each other, as HTML. `what` names them for those who cannot
/// see them.
std::string bar_chart(const std::vector<Bar>& bars, const std::optional<Mark>& mark,
                      const std::string& what);

/// Parts of a whole, with their names below them, as HTML. Parts that are not positive are left
/// out.
std::string parts_chart(const std::vector<std::pair<std::string, double>>& parts,
                        const std::string& what);

/// A line of steps: from each place on it has the value beside it, until `last`.
struct Steps {
  std::vector<std::pair<double, double>> steps;  ///< place and value, places rising
  double first = 0;                              ///< begins here, with the value 0
  double last = 1;                               ///< ends here
  double limit = 1;                              ///< a dashed line, the most that a value can reach
  std::string first_name;                        ///< below the beginning: a text
  std::string last_name;                         ///< below the end: a text
  std::string limit_name;                        ///< beside the limit: a text
};

/// Draws it, as HTML.
std::string steps_chart(const Steps& steps, const std::string& what);

}  // namespace freegap::report

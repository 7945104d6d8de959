// Sections (d), (e) and (f): estimates and claims after selection.
#pragma once

#include <string>
#include <vector>

#include "studies/estimates/study.hpp"
#include "studies/estimates/table.hpp"

namespace freegap::studies {

/// A setting, and what is wanted of it.
struct Case {
  Setting setting;
  std::string data;              ///< in the table
  double most_squared = 1.01;    ///< mean squared error over that of measuring alone
  bool of_figure = false;        ///< whether claims are judged and the figure shows it
  bool drawn_threshold = false;  ///< a sparse vector on T40, with the paper's thresholds and order

  [[nodiscard]] std::string what() const { return name(setting) + ": " + data; }
};

/// Makes runs until every verdict is settled, or all runs are made.
std::vector<Row> after_selection(const Case& one, const Study& study, Figures& figures);

}  // namespace freegap::studies

// What the figures of docs/estimates.md are drawn from, as CSV.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "studies/estimates/table.hpp"

namespace freegap::studies {

/// Lines of the figures' data, added by tasks in several threads.
struct Figures {
  std::mutex mutex;
  std::vector<std::string> reduction;  // mechanism,distribution,k,theory,linear,likelihood
  std::vector<std::string> selection;  // mechanism,distribution,shape,linear,likelihood and both at
                                       // their worst rank

  void add(std::vector<std::string> Figures::*table, std::string line) {
    const std::lock_guard lock(mutex);
    (this->*table).push_back(std::move(line));
  }
};

/// Writes the table, the figures' data and the forecasts of splits to CSV files in this directory.
void write_figures(const std::string& directory, const std::vector<Row>& rows,
                   const Figures& figures);

}  // namespace freegap::studies

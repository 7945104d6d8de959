// A table of what was measured, what it should be, and whether it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.hpp"

namespace freegap::studies {

/// One line of the table.
struct Row {
  std::string section;
  std::string setting;
  std::string quantity;
  double measured = 0;
  double error = 0;            ///< standard error of the measurement
  std::string wanted;          ///< what it should be
  std::optional<bool> passed;  ///< none: for information
  double margin = HUGE_VAL;    ///< standard errors on the good side of what is wanted
};

/// So many standard errors on the good side, a verdict is settled: more runs are not expected to
/// change it. A quantity that is exactly at its bar gets there by chance in 3 of 10^7 looks.
constexpr double enough_margin = 5;
inline bool settled(const Row& row) { return row.margin >= enough_margin; }

inline std::string text(double x, int digits = 4) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, x);
  return buffer;
}

/// `measured` is within four standard errors of `expected`.
inline Row equal(std::string section, std::string setting, std::string quantity, double measured,
                 double error, double expected) {
  const bool passed = std::fabs(measured - expected) <= 4 * error;
  return {std::move(section),
          std::move(setting),
          std::move(quantity),
          measured,
          error,
          "= " + text(expected, 5),
          passed,
          0};
}

/// `measured` is not below `least`, allowing for four standard errors.
inline Row at_least(std::string section, std::string setting, std::string quantity, double measured,
                    double error, double least) {
  return {std::move(section),
          std::move(setting),
          std::move(quantity),
          measured,
          error,
          ">= " + text(least),
          measured + 4 * error >= least,
          (measured - least) / error};
}

/// `measured` is not above `most`, allowing for four standard errors.
inline Row at_most(std::string section, std::string setting, std::string quantity, double measured,
                   double error, double most) {
  return {
      std::move(section), std::move(setting),           std::move(quantity),      measured, error,
      "<= " + text(most), measured - 4 * error <= most, (most - measured) / error};
}

/// For information.
inline Row note(std::string section, std::string setting, std::string quantity, double measured,
                double error) {
  return {std::move(section), std::move(setting), std::move(quantity), measured, error, "", {}};
}

/// A part of the study, which can run beside others.
struct Task {
  std::string name;  ///< its section and setting
  std::string last;  ///< quantity of its last row
  double cost = 0;   ///< roughly, in any unit: cheap tasks come first
  std::function<std::vector<Row>()> rows;
};

inline std::string verdict(const Row& row) {
  return !row.passed ? "" : *row.passed ? "pass" : "FAIL";
}

/// How the printed row of a quantity starts.
inline std::string heading(const std::string& section, std::string setting, std::string quantity) {
  setting.resize(std::max<std::size_t>(setting.size(), 64), ' ');
  quantity.resize(std::max<std::size_t>(quantity.size(), 26), ' ');
  return section.substr(0, 3) + " " + setting + " " + quantity + " ";
}

inline void print(const Row& row) {
  std::printf("%s%9.5g +- %-8.2g %-11s %s\n",
              heading(row.section, row.setting, row.quantity).c_str(), row.measured, row.error,
              row.wanted.c_str(), verdict(row).c_str());
}

/// Whether the last row of a task stands in the output of an earlier run.
inline bool done(const Task& task, const std::string& output) {
  const std::string section = task.name.substr(0, 2) + ")";  // (d) of (def)
  const std::string setting = task.name.substr(task.name.find(' ') + 1);
  return output.find(heading(section, setting, task.last)) != std::string::npos;
}

/// Runs all tasks in so many threads, cheap ones first. The rows of a task are printed when it is
/// done, so that a long study can be read as it goes.
inline std::vector<Row> run(std::vector<Task> tasks, unsigned threads) {
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const Task& a, const Task& b) { return a.cost < b.cost; });
  std::mutex mutex;
  std::vector<Row> rows;
  detail::for_each_index(
      tasks.size(), threads,
      [&](std::size_t i) {
        const std::vector<Row> some = tasks[i].rows();
        const std::lock_guard lock(mutex);
        for (const Row& row : some) {
          print(row);
        }
        std::fflush(stdout);
        rows.insert(rows.end(), some.begin(), some.end());
      },
      [](std::size_t done, std::size_t all) {
        if (done % 10 == 0 || done == all) {
          std::fprintf(stderr, "%zu of %zu settings\n", done, all);
        }
      });
  return rows;
}

/// Prints the rows that failed once more; how many they are.
inline std::size_t print_failed(const std::vector<Row>& rows) {
  std::size_t failed = 0;
  for (const Row& row : rows) {
    if (row.passed && !*row.passed) {
      std::printf("%s", failed == 0 ? "\nFailed:\n" : "");
      print(row);
      ++failed;
    }
  }
  return failed;
}

/// Writes lines of comma-separated values under a header.
inline void write_csv(const std::string& path, const std::string& header,
                      const std::vector<std::string>& lines) {
  std::ofstream file(path);
  file << header << '\n';
  for (const std::string& line : lines) {
    file << line << '\n';
  }
}

}  // namespace freegap::studies

// A table of what was measured, what it should be, and whether it is.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <functional>
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
};

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
          passed};
}

/// `measured` is not below `least`, allowing for four standard errors.
inline Row at_least(std::string section, std::string setting, std::string quantity, double measured,
                    double error, double least) {
  return {std::move(section),  std::move(setting),           std::move(quantity), measured, error,
          ">= " + text(least), measured + 4 * error >= least};
}

/// `measured` is not above `most`, allowing for four standard errors.
inline Row at_most(std::string section, std::string setting, std::string quantity, double measured,
                   double error, double most) {
  return {std::move(section), std::move(setting),          std::move(quantity), measured, error,
          "<= " + text(most), measured - 4 * error <= most};
}

/// For information.
inline Row note(std::string section, std::string setting, std::string quantity, double measured,
                double error) {
  return {std::move(section), std::move(setting), std::move(quantity), measured, error, "", {}};
}

/// A part of the study, which can run beside others.
using Task = std::function<std::vector<Row>()>;

/// Prints the rows that failed to the standard error, so that a long study shows them as it goes.
inline void print_failed(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (row.passed && !*row.passed) {
      std::fprintf(stderr, "FAIL %s; %s; %s: %.5g +- %.2g, wanted %s\n", row.section.c_str(),
                   row.setting.c_str(), row.quantity.c_str(), row.measured, row.error,
                   row.wanted.c_str());
    }
  }
}

/// Runs all tasks in so many threads; their rows come in the order of the tasks.
inline std::vector<Row> run(const std::vector<Task>& tasks, unsigned threads) {
  std::vector<std::vector<Row>> results(tasks.size());
  detail::for_each_index(
      tasks.size(), threads,
      [&](std::size_t i) {
        results[i] = tasks[i]();
        print_failed(results[i]);
      },
      [](std::size_t done, std::size_t all) {
        if (done % 10 == 0 || done == all) {
          std::fprintf(stderr, "%zu of %zu settings\n", done, all);
        }
      });
  std::vector<Row> rows;
  for (std::vector<Row>& some : results) {
    rows.insert(rows.end(), some.begin(), some.end());
  }
  return rows;
}

inline std::string verdict(const Row& row) {
  return !row.passed ? "" : *row.passed ? "pass" : "FAIL";
}

/// Prints the table; how many rows failed.
inline std::size_t print(const std::vector<Row>& rows) {
  std::size_t failed = 0;
  std::string section;
  for (const Row& row : rows) {
    if (row.section != section) {
      section = row.section;
      std::printf("\n%s\n", section.c_str());
    }
    failed += row.passed && !*row.passed ? 1U : 0U;
    std::printf("  %-64s %-26s %9.5g +- %-8.2g %-11s %s\n", row.setting.c_str(),
                row.quantity.c_str(), row.measured, row.error, row.wanted.c_str(),
                verdict(row).c_str());
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

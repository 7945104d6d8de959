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

/// How the printed rows of a setting start.
inline std::string heading(const std::string& section, std::string setting) {
  setting.resize(std::max<std::size_t>(setting.size(), 64), ' ');
  return section.substr(0, 3) + " " + setting + " ";
}

/// How the printed row of a quantity starts.
inline std::string heading(const std::string& section, const std::string& setting,
                           std::string quantity) {
  quantity.resize(std::max<std::size_t>(quantity.size(), 26), ' ');
  return heading(section, setting) + quantity + " ";
}

inline void print(const Row& row) {
  std::printf("%s%9.5g +- %-8.2g %-11s %s\n",
              heading(row.section, row.setting, row.quantity).c_str(), row.measured, row.error,
              row.wanted.c_str(), verdict(row).c_str());
}

/// What an earlier run printed about tasks that are done.
struct Earlier {
  std::size_t tasks = 0;
  std::size_t judged = 0;
  std::vector<std::string> failed;  ///< lines
};

/// Takes out of `tasks` those whose last row stands in the output of an earlier run.
inline Earlier take_done(std::vector<Task>& tasks, const std::vector<std::string>& output) {
  Earlier earlier;
  std::erase_if(tasks, [&](const Task& task) {
    const std::string sections = task.name.substr(1, task.name.find(')') - 1);  // def of (def)
    const std::string setting = task.name.substr(task.name.find(' ') + 1);
    const std::string last = heading("(" + sections.substr(0, 1) + ")", setting, task.last);
    const auto stands_in = [](const std::string& start) {
      return [&start](const std::string& line) { return line.starts_with(start); };
    };
    if (std::none_of(output.begin(), output.end(), stands_in(last))) {
      return false;
    }
    ++earlier.tasks;
    for (const char section : sections) {
      const std::string start = heading(std::string("(") + section + ")", setting);
      for (const std::string& line : output) {
        const bool fails = line.ends_with("FAIL");
        // Rows that failed are printed twice: in their place and in the list at the end.
        const bool again = fails && std::find(earlier.failed.begin(), earlier.failed.end(), line) !=
                                        earlier.failed.end();
        if (line.starts_with(start) && !again) {
          earlier.judged += fails || line.ends_with("pass") ? 1U : 0U;
          if (fails) {
            earlier.failed.push_back(line);
          }
        }
      }
    }
    return true;
  });
  return earlier;
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

/// Prints the rows that failed once more, after the lines of those that failed earlier; how many
/// they are.
inline std::size_t print_failed(const std::vector<Row>& rows,
                                const std::vector<std::string>& earlier) {
  std::size_t failed = 0;
  const auto count = [&] { std::printf("%s", failed++ == 0 ? "\nFailed:\n" : ""); };
  for (const std::string& line : earlier) {
    count();
    std::printf("%s\n", line.c_str());
  }
  for (const Row& row : rows) {
    if (row.passed && !*row.passed) {
      count();
      print(row);
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

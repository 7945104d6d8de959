// The full-size Monte-Carlo study of estimates, error bars and claims: the real mechanisms on data
// whose answers are known. Prints rows with verdicts as settings are done, the cheapest first; exit
// status 1 if any verdict fails. Sections (a) and (c) make N runs of each setting (a tenth of that
// for 100 winners), (b) makes N / 2k, so that there are as many winners for each k. (d), (e) and
// (f) make up to N (a tenth of that for 100 winners), and stop once every verdict is settled, apart
// from those on items that are seldom selected; rows say how many. The exponential mechanism always
// makes N.
//
//   estimates_study [--runs N] [--only REGEX] [--done FILE] [--data FOLDER] [--csv DIR]
//                   [--threads N]
//
// REGEX picks settings by section and name, such as "(def) top-k, exponential, k = 10: 2,000
// equal": "^.a" picks section (a). --done leaves out the settings whose last row stands in FILE,
// the output of an earlier run with the same N, and counts their verdicts: a study that was stopped
// goes on with `--done FILE >> FILE`. FOLDER holds T40I10D100K-counts.csv, with columns item and
// count; without it the settings on that data are left out.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "studies/estimates/figures.hpp"
#include "studies/estimates/study.hpp"
#include "studies/estimates/table.hpp"

namespace freegap::studies {
namespace {

/// The fields of a line without quotes.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found(1);
  for (const char c : line) {
    if (c == ',') {
      found.emplace_back();
    } else if (c != '\r') {
      found.back() += c;
    }
  }
  return found;
}

/// The column `count` of a table, falling; empty if there is none.
std::vector<std::int64_t> read_counts(const std::string& path) {
  std::vector<std::int64_t> counts;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = fields(line);
  const auto column =
      static_cast<std::size_t>(std::find(header.begin(), header.end(), "count") - header.begin());
  while (std::getline(file, line)) {
    const std::vector<std::string> row = fields(line);
    if (column < row.size()) {
      counts.push_back(std::strtoll(row[column].c_str(), nullptr, 10));
    }
  }
  std::sort(counts.rbegin(), counts.rend());
  return counts;
}

/// Why the study cannot be made as asked.
class Refused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::uint64_t runs = 1'000'000;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::string only;       ///< a regular expression that settings match; empty: all
  std::string done;       ///< a file: the output of an earlier run, whose settings are left out
  std::string data;       ///< folder
  std::string directory;  ///< for CSV
};

/// The settings that match `only`.
std::vector<Task> tasks_of(Study& study, const std::string& only) {
  const std::regex wanted(only);
  std::vector<Task> tasks;
  for (const auto& section : {section_a(study), section_b(study), section_c(study),
                              section_def(study), section_exponential(study)}) {
    std::copy_if(section.begin(), section.end(), std::back_inserter(tasks),
                 [&](const Task& task) { return std::regex_search(task.name, wanted); });
  }
  return tasks;
}

/// The first line of the output.
std::string title(std::uint64_t runs) {
  return "Study of estimates, " + std::to_string(runs) + " runs";
}

/// The lines of an earlier run's output. Throws Refused unless it had as many runs.
std::vector<std::string> earlier_output(const Options& options) {
  std::ifstream file(options.done);
  std::vector<std::string> lines;
  std::size_t titles = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Study of estimates, ")) {
      ++titles;
      if (line != title(options.runs)) {
        throw Refused(options.done + " has other numbers of runs than --runs " +
                      std::to_string(options.runs) + ": " + line);
      }
    }
    lines.push_back(std::move(line));
  }
  if (titles == 0) {
    throw Refused(options.done + " is no output of this study");
  }
  return lines;
}

int study_main(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Study study;
  study.runs = options.runs;
  if (!options.data.empty()) {
    study.t40 = read_counts(options.data + "/T40I10D100K-counts.csv");
    if (study.t40.size() < 200) {
      throw Refused(options.data + " holds no T40I10D100K-counts.csv");
    }
  }
  std::vector<Task> tasks = tasks_of(study, options.only);
  if (tasks.empty()) {
    throw Refused("no setting matches --only " + options.only);
  }
  Earlier earlier;
  if (!options.done.empty()) {
    if (!options.directory.empty()) {
      throw Refused("--csv writes whole tables, and goes without --done");
    }
    earlier = take_done(tasks, earlier_output(options));
  }
  std::printf("%s\n", title(options.runs).c_str());
  std::fflush(stdout);
  std::vector<Row> rows = run(std::move(tasks), options.threads);
  const std::size_t failed = print_failed(rows, earlier.failed);
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.section, a.setting) < std::tie(b.section, b.setting);
  });
  if (!options.directory.empty()) {
    write_figures(options.directory, rows, study.figures);
  }
  if (study.t40.empty()) {
    std::printf("\nSkipped: settings on T40I10D100K. --data FOLDER runs them.\n");
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (!options.done.empty()) {
    std::printf("\n%zu settings were done before\n", earlier.tasks);
  }
  std::size_t judged = earlier.judged;
  for (const Row& row : rows) {
    judged += row.passed ? 1U : 0U;
  }
  std::printf("\n%zu verdicts, %zu failed; %llu runs; %.0f seconds\n", judged, failed,
              static_cast<unsigned long long>(options.runs), elapsed.count());
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace freegap::studies

int main(int argc, char** argv) {
  freegap::studies::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const std::string value = i + 1 < argc ? argv[++i] : "";
    const std::uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    if (option == "--runs" && number >= 1000) {
      options.runs = number;
    } else if (option == "--threads" && number > 0) {
      options.threads = static_cast<unsigned>(number);
    } else if (option == "--done" && !value.empty()) {
      options.done = value;
    } else if (option == "--only" && !value.empty()) {
      options.only = value;
    } else if (option == "--data" && !value.empty()) {
      options.data = value;
    } else if (option == "--csv" && !value.empty()) {
      options.directory = value;
    } else {
      std::fprintf(stderr,
                   "usage: estimates_study [--runs N >= 1000] [--only REGEX] [--done FILE] "
                   "[--data FOLDER] [--csv DIR] [--threads N]\n");
      return 2;
    }
  }
  try {
    return freegap::studies::study_main(options);
  } catch (const std::regex_error&) {
    std::fprintf(stderr, "estimates_study: --only takes a regular expression\n");
  } catch (const freegap::studies::Refused& refused) {
    std::fprintf(stderr, "estimates_study: %s\n", refused.what());
  }
  return 2;
}

#pragma once

/// @file
/// All experiments at once, and the report of what came out.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/dataset.hpp"
#include "experiments/figure.hpp"

namespace freegap::experiments {

/// How to reproduce.
struct ReproduceOptions {
  std::uint64_t runs = 10'000;            ///< of each point
  std::uint64_t seed = 1;                 ///< the same seed gives the same tables, but for speed
  unsigned threads = 1;                   ///< to work with; the tables do not depend on it
  std::vector<std::string> figures = {};  ///< names of experiments; empty for all
  /// Told how many points are done.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// Names of the experiments, in the order of the report.
std::vector<std::string> experiment_names();

/// What came out.
struct Reproduction {
  ReproduceOptions options;       ///< as asked for
  std::vector<Dataset> datasets;  ///< as used
  std::vector<Chapter> chapters;  ///< one an experiment
  double seconds = 0;             ///< it took, by the clock
};

/// Runs the experiments. Throws InvalidParameter for a name that is none.
Reproduction reproduce(const std::vector<Dataset>& datasets, const ReproduceOptions& options);

/// The data at a glance, beside the paper's table.
Table table_of_datasets(const std::vector<Dataset>& datasets);

/// The report as one page that needs nothing else. `drawings` holds the figures as SVG, by the
/// panel's name; where one is missing, the page says so. `facts` are lines about the machine and
/// the program, and about how the figures came about.
std::string as_html(const Reproduction& reproduction,
                    const std::map<std::string, std::string>& drawings,
                    const std::vector<std::string>& facts);

}  // namespace freegap::experiments

#pragma once

/// @file
/// Runs all experiments, and writes the report of their results.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/dataset.hpp"
#include "experiments/figure.hpp"

namespace freegap::experiments {

/// Options of a reproduction.
struct ReproduceOptions {
  std::uint64_t runs = 10'000;            ///< per point
  std::uint64_t seed = 1;                 ///< the same seed gives the same tables, except for speed
  unsigned threads = 1;                   ///< number of threads; the tables do not depend on it
  std::vector<std::string> figures = {};  ///< names of experiments; empty for all
  /// Called with the number of points done.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// Names of the experiments, in the order of the report.
std::vector<std::string> experiment_names();

/// The results.
struct Reproduction {
  ReproduceOptions options;       ///< as requested
  std::vector<Dataset> datasets;  ///< as used
  std::vector<Chapter> chapters;  ///< one per experiment
  double seconds = 0;             ///< elapsed time
};

/// Runs the experiments. Throws InvalidParameter for a name that no experiment has.
Reproduction reproduce(const std::vector<Dataset>& datasets, const ReproduceOptions& options);

/// A summary of the data sets, beside the paper's table.
Table table_of_datasets(const std::vector<Dataset>& datasets);

/// The report as one self-contained HTML page. `drawings` holds the figures as SVG, by the panel's
/// name; a missing one is reported on the page. `facts` are lines about the machine, the program
/// and how the figures were drawn.
std::string as_html(const Reproduction& reproduction,
                    const std::map<std::string, std::string>& drawings,
                    const std::vector<std::string>& facts);

}  // namespace freegap::experiments

#pragma once

/// @file
/// An experiment: points to simulate, and the figures and tables made from their results.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "experiments/dataset.hpp"
#include "experiments/figure.hpp"
#include "experiments/tasks.hpp"
#include "freegap/rational.hpp"

namespace freegap::experiments {

/// A data set, shared by the points that run on it.
using SharedDataset = std::shared_ptr<const Dataset>;

/// One experiment.
struct Experiment {
  std::string name;         ///< for --figures
  std::vector<Task> tasks;  ///< in the order in which `finish` expects their results
  /// Makes a chapter of the report from the results.
  std::function<Chapter(std::span<const Measured>)> finish;
};

/// What all experiments share.
struct Setup {
  std::vector<SharedDataset> datasets;  ///< at least one
  Rational epsilon{7, 10};              ///< the budget, unless an experiment varies it
};

/// The paper's figures.
Experiment theta_experiment();                                   ///< "theta"
Experiment reduction_by_k_experiment(const Setup& setup);        ///< "reduction-k"
Experiment reduction_by_epsilon_experiment(const Setup& setup);  ///< "reduction-epsilon"
Experiment adaptive_experiment(const Setup& setup);              ///< "adaptive"
/// The generator of the data.
Experiment quest_experiment(const Setup& setup);  ///< "quest"
/// Beyond the paper.
Experiment adaptive_choices_experiment(const Setup& setup);  ///< "choices": rules and cut-offs
Experiment branches_experiment(const Setup& setup);          ///< "branches"
Experiment hybrids_experiment(const Setup& setup);           ///< "hybrids"
Experiment exponential_experiment(const Setup& setup);       ///< "exponential"
Experiment split_experiment(const Setup& setup);             ///< "split"
Experiment general_experiment(const Setup& setup);           ///< "general"
Experiment crowds_experiment(const Setup& setup);            ///< "crowds"
Experiment unknown_experiment();                             ///< "unknown"

/// Running times, compared with the authors' program. Measured in processor time.
Chapter speed_chapter(const Setup& setup);  ///< "speed"

/// k from 2 to 24, as in the paper's figures.
inline constexpr std::uint64_t first_k = 2;
inline constexpr std::uint64_t last_k = 24;

}  // namespace freegap::experiments

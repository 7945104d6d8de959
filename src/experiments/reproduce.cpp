#include "experiments/reproduce.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "experiments/comparison.hpp"
#include "experiments/experiment.hpp"
#include "freegap/errors.hpp"

namespace freegap::experiments {
namespace {

std::vector<Experiment> all_experiments(const Setup& setup) {
  std::vector<Experiment> all;
  all.push_back(theta_experiment());
  all.push_back(reduction_by_k_experiment(setup));
  all.push_back(reduction_by_epsilon_experiment(setup));
  all.push_back(adaptive_experiment(setup));
  all.push_back(adaptive_choices_experiment(setup));
  all.push_back(branches_experiment(setup));
  all.push_back(hybrids_experiment(setup));
  all.push_back(exponential_experiment(setup));
  all.push_back(split_experiment(setup));
  all.push_back(general_experiment(setup));
  all.push_back(crowds_experiment(setup));
  all.push_back(unknown_experiment());
  all.push_back(quest_experiment(setup));
  return all;
}

constexpr const char* speed_name = "speed";

void check_names(const std::vector<std::string>& names) {
  const std::vector<std::string> known = experiment_names();
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string problem = name + " is none of";
      for (const std::string& one : known) {
        problem += " " + one;
      }
      throw InvalidParameter("figures", problem);
    }
  }
}

}  // namespace

std::vector<std::string> experiment_names() {
  return {"theta",    "reduction-k", "reduction-epsilon",
          "adaptive", "choices",     "branches",
          "hybrids",  "exponential", "split",
          "general",  "crowds",      "unknown",
          "quest",    speed_name};
}

Reproduction reproduce(const std::vector<Dataset>& datasets, const ReproduceOptions& options) {
  check_names(options.figures);
  if (datasets.empty()) {
    throw InvalidParameter("data", "there must be at least one data set");
  }
  const auto start = std::chrono::steady_clock::now();
  Setup setup;
  for (const Dataset& data : datasets) {
    setup.datasets.push_back(std::make_shared<const Dataset>(data));
  }
  const auto asked = [&](const std::string& name) {
    return options.figures.empty() ||
           std::find(options.figures.begin(), options.figures.end(), name) != options.figures.end();
  };
  // The points of all experiments form one list of tasks, so that no thread waits for the others.
  std::vector<Experiment> experiments = all_experiments(setup);
  std::erase_if(experiments, [&](const Experiment& e) { return !asked(e.name); });
  std::vector<Task> tasks;
  for (const Experiment& experiment : experiments) {
    tasks.insert(tasks.end(), experiment.tasks.begin(), experiment.tasks.end());
  }
  const std::vector<Measured> results =
      simulate_all(tasks, {options.runs, options.seed, options.threads, options.progress});

  Reproduction reproduction{options, datasets, {}, 0};
  std::size_t first = 0;
  for (const Experiment& experiment : experiments) {
    reproduction.chapters.push_back(
        experiment.finish(std::span(results).subspan(first, experiment.tasks.size())));
    first += experiment.tasks.size();
  }
  if (asked(speed_name)) {
    reproduction.chapters.push_back(speed_chapter(setup));
  }
  if (std::optional<Chapter> table = comparison_chapter(datasets, reproduction.chapters)) {
    reproduction.chapters.insert(reproduction.chapters.begin(), std::move(*table));
  }
  reproduction.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return reproduction;
}

}  // namespace freegap::experiments

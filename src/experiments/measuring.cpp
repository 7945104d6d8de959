#include "experiments/measuring.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "experiments/repeated_measure.hpp"
#include "experiments/simulation.hpp"
#include "freegap/estimate.hpp"

namespace freegap::experiments {
namespace {

using Visit = std::function<void(const MeasuredRun&)>;

/// The share of winners among the `first` largest counts, which come first.
double share_among(std::uint64_t first, const std::vector<Item>& winners) {
  const auto right = std::count_if(winners.begin(), winners.end(), [&](const Item& item) {
    return static_cast<std::uint64_t>(item.id) < first;
  });
  return static_cast<double>(right) / static_cast<double>(winners.size());
}

void run_top_k(std::span<const std::int64_t> counts, const Measuring& how, std::uint64_t runs,
               InsecureSeededNoise& noise, const Visit& visit) {
  const Candidates candidates = candidates_of(counts, how.kind);
  RepeatedTopK selection(
      counts, how.kind, {.k = how.k, .epsilon = Epsilon(how.to_select), .noise = how.distribution});
  RepeatedMeasure measurer(candidates);
  std::optional<TopKErrors> errors;
  Estimator likelihood;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const TopKRelease release = selection.run(noise);
    const MeasureRelease& values = measurer.measure(release.winners, how.to_measure, noise);
    if (!errors) {
      errors.emplace(release, values);
    }
    MeasuredRun seen{errors->of(release, values, counts), std::nullopt,
                     share_among(how.k, release.winners)};
    if (run < how.likelihood_runs) {
      seen.likelihood = squared_error(likelihood(release, values), counts);
    }
    visit(seen);
  }
}

void run_sparse_vector(std::span<const std::int64_t> counts, const Measuring& how,
                       std::uint64_t runs, InsecureSeededNoise& noise, const Visit& visit) {
  const Candidates candidates = candidates_of(counts, how.kind);
  RepeatedSparseVector selection(
      counts, how.kind,
      {.k = how.k, .epsilon = Epsilon(how.to_select), .threshold = 0, .noise = how.distribution},
      paper_ranks(how.k));
  RepeatedMeasure measurer(candidates);
  std::optional<SparseVectorErrors> errors;
  Estimator likelihood;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const SparseVectorRelease release = selection.run(noise);
    const std::vector<Item> winners = passed(release);
    if (winners.empty()) {
      continue;
    }
    if (!errors) {
      errors.emplace(release);
    }
    MeasuredRun seen{{}, std::nullopt, share_among(selection.above(), winners)};
    if (how.to_measure.sign() == 0) {
      seen.squared = errors->of_gaps(release, counts);
      if (run < how.likelihood_runs) {
        seen.likelihood = squared_error(likelihood(release), counts);
      }
    } else {
      const MeasureRelease& values = measurer.measure(winners, how.to_measure, noise);
      seen.squared = errors->of(release, values, counts);
      if (run < how.likelihood_runs) {
        seen.likelihood = squared_error(likelihood(release, values), counts);
      }
    }
    visit(seen);
  }
}

}  // namespace

void select_and_measure(std::span<const std::int64_t> counts, const Measuring& how,
                        std::uint64_t runs, std::uint64_t seed, const Visit& visit) {
  InsecureSeededNoise noise(seed);
  const auto run = how.selecting == Selecting::top_k ? run_top_k : run_sparse_vector;
  run(counts, how, runs, noise, visit);
}

}  // namespace freegap::experiments

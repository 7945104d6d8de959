#include "verify/black_box_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "verify/clopper_pearson.hpp"

namespace freegap::verify {
namespace {

using Event = std::set<std::int64_t>;

/// How often each cell came up on D and on D'.
using Counts = std::map<std::int64_t, std::array<std::uint64_t, 2>>;

Counts count(const BlackBox& box, std::uint64_t runs, ExactNoise& noise) {
  Counts counts;
  for (std::uint64_t i = 0; i < runs; ++i) {
    for (const std::size_t side : {0U, 1U}) {
      ++counts[box.run(side == 1, noise)].at(side);
    }
  }
  return counts;
}

/// ln(p / p') at least, where the event happened so often.
double bound(std::uint64_t happened, std::uint64_t happened2, std::uint64_t runs, double error) {
  return std::log(lower_bound(happened, runs, error / 2) / upper_bound(happened2, runs, error / 2));
}

/// The event for which these counts themselves give the largest bound from side `side` to the
/// other: the cells of largest ratio, as many as give the largest bound. (The later runs are more
/// and could resolve a rarer event; but these few runs would often choose it by chance.)
Event choose_event(const Counts& counts, std::size_t side, std::uint64_t runs, double error) {
  std::vector<std::pair<double, std::int64_t>> by_ratio;
  for (const auto& [cell, both] : counts) {
    by_ratio.emplace_back(
        (static_cast<double>(both.at(side)) + 1) / (static_cast<double>(both.at(1 - side)) + 1),
        cell);
  }
  std::sort(by_ratio.rbegin(), by_ratio.rend());
  Event event;
  Event best;
  double largest = -HUGE_VAL;
  std::uint64_t here = 0;
  std::uint64_t there = 0;
  for (const auto& [ratio, cell] : by_ratio) {
    event.insert(cell);
    here += counts.at(cell).at(side);
    there += counts.at(cell).at(1 - side);
    const double expected = bound(here, there, runs, error);
    if (expected > largest) {
      largest = expected;
      best = event;
    }
  }
  return best;
}

std::uint64_t happened(const Event& event, const Counts& counts, std::size_t side) {
  std::uint64_t sum = 0;
  for (const auto& [cell, both] : counts) {
    sum += event.contains(cell) ? both.at(side) : 0;
  }
  return sum;
}

}  // namespace

double loss_at_least(const BlackBox& box, std::uint64_t runs, std::uint64_t seed, double error) {
  InsecureSeededNoise noise(seed);
  const std::uint64_t choosing = std::max<std::uint64_t>(1, runs / 5);
  const std::uint64_t counting = std::max<std::uint64_t>(1, runs - choosing);
  const Counts first = count(box, choosing, noise);
  const Counts second = count(box, counting, noise);
  double largest = 0;  // which is always a bound
  for (const std::size_t side : {0U, 1U}) {
    const Event event = choose_event(first, side, choosing, error / 2);
    largest = std::max(largest, bound(happened(event, second, side),
                                      happened(event, second, 1 - side), counting, error / 2));
  }
  return largest;
}

Row row_of(const BlackBox& box, const SuiteOptions& options, std::uint64_t seed, double error) {
  Row row;
  row.mechanism = box.mechanism;
  row.variant = box.variant;
  const double loss = loss_at_least(box, options.black_box_runs * box.effort, seed, error);
  row.black_box = loss / box.epsilon;
  if (loss > box.epsilon) {
    row.problem = "black box: the loss is at least " + std::to_string(loss) + ", ε is " +
                  std::to_string(box.epsilon);
  } else if (loss < 0.9 * box.epsilon) {
    row.problem = "black box: the loss is known to be " + std::to_string(box.epsilon) +
                  " here, but a bound of only " + std::to_string(loss) + " was found";
  }
  return row;
}

}  // namespace freegap::verify

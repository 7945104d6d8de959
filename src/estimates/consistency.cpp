#include "estimates/consistency.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "freegap/errors.hpp"

namespace freegap::detail {
namespace {

void require(bool consistent, const char* reason) {
  if (!consistent) {
    throw InvalidParameter("release", reason);
  }
}

/// Checks gaps of ranked winners: the last is the smallest.
void check_ranked(const std::vector<std::int64_t>& gap_ticks, std::size_t winners,
                  std::int64_t least) {
  require(gap_ticks.size() == winners, "it must have one gap per winner");
  require(std::is_sorted(gap_ticks.begin(), gap_ticks.end(), std::greater<>()),
          "a winner's gap is above that of the one before: it is in another order");
  require(gap_ticks.empty() || gap_ticks.back() >= least, "a gap is below what it takes to win");
}

}  // namespace

void check_consistent(const MeasureRelease& release) {
  require(release.value_ticks.size() == release.items.size(), "it must have one value per item");
}

void check_consistent(const TopKRelease& release) {
  const std::size_t winners = release.winners.size();
  require(release.candidates >= winners + (release.has_runner_up ? 1 : 0),
          "it has more winners than candidates, or no candidate that could be the runner-up");
  if (!release.lead_ticks.empty()) {
    check_ranked(release.lead_ticks, winners, 0);
  }
}

void check_consistent(const HybridRelease& release) {
  require(release.winners.size() <= release.k, "it has more than k winners");
  const bool over_threshold = release.gap_to == GapTo::threshold && release.estimates;
  check_ranked(release.gap_ticks, release.winners.size(),
               over_threshold ? release.estimates->branch.cut_ticks : 0);
}

void check_consistent(const SparseVectorRelease& release) {
  for (const SparseVectorAnswer& answer : release.answers) {
    if (answer.above) {
      require(answer.branch >= 1 && answer.branch <= release.branches.size(),
              "an answer names a branch that it does not have");
      require(
          !answer.gap_ticks || *answer.gap_ticks >= release.branches[answer.branch - 1].cut_ticks,
          "a gap is below what it takes to pass");
    }
  }
}

}  // namespace freegap::detail

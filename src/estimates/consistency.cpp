#include "estimates/consistency.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "freegap/errors.hpp"

namespace freegap::detail {
namespace {

void require(bool consistent, const char* reason, const char* name = "release") {
  if (!consistent) {
    throw InvalidParameter(name, reason);
  }
}

void check_noise(const NoiseDistribution& noise, const char* name = "release") {
  require(noise.scale.sign() > 0 && noise.tick.sign() > 0,
          "its noise needs a scale and a tick above 0", name);
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
  check_noise(release.noise, "direct");
  require(release.value_ticks.size() == release.items.size(), "it must have one value per item",
          "direct");
}

void check_consistent(const TopKRelease& release) {
  check_noise(release.noise);
  const std::size_t winners = release.winners.size();
  require(release.candidates >= winners + (release.has_runner_up ? 1 : 0),
          "it has more winners than candidates, or no candidate that could be the runner-up");
  if (!release.lead_ticks.empty()) {
    check_ranked(release.lead_ticks, winners, 0);
  }
}

void check_consistent(const HybridRelease& release) {
  check_noise(release.noise);
  check_noise(release.threshold_noise);
  require(release.winners.size() <= release.k, "it has more than k winners");
  const bool over_threshold = release.gap_to == GapTo::threshold && release.estimates;
  check_ranked(release.gap_ticks, release.winners.size(),
               over_threshold ? release.estimates->branch.cut_ticks : 0);
}

void check_consistent(const SparseVectorRelease& release) {
  check_noise(release.threshold_noise());
  for (std::size_t b = 1; b <= release.branches.size(); ++b) {
    check_noise(release.branch_noise(b));
  }
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

// The ten most frequent of 942 items, with free gaps, and estimates that use them.
//
// The counts are synthetic, so the true ones can be shown beside the private answers. With real
// data only the private columns would ever leave the program.

#include <cstdint>
#include <cstdio>
#include <freegap/freegap.hpp>
#include <vector>

namespace {

/// Counts that fall off like those of real items: 100,000 / (rank + 10), in an order unrelated to
/// rank.
std::vector<std::int64_t> synthetic_counts(std::int64_t n) {
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t rank =
        i * 611 % n;  // 611 and 942 have no common factor, so this is a permutation
    counts.push_back(100'000 / (rank + 10));
  }
  return counts;
}

}  // namespace

int main() {
  using namespace freegap;

  const std::vector<std::int64_t> data = synthetic_counts(942);
  const Candidates counts = Candidates::counting(data, Neighbours::add_remove);

  // Half the budget selects, the rest measures the winners.
  SecureNoise noise;
  Budget budget("0.7"_eps);
  const TopKRelease release = budget.charge("0.35"_eps, [&](const Epsilon& epsilon) {
    return top_k(counts, {.k = 10, .epsilon = epsilon}, noise);
  });
  const MeasureRelease direct = budget.charge(budget.rest(), [&](const Epsilon& epsilon) {
    return measure(counts, release.indices(), {.epsilon = epsilon}, noise);
  });
  const std::vector<Estimate> better = estimate(release, direct);

  std::printf(
      "Top 10 of %zu items, epsilon %s, exponential noise of scale %.1f on a tick of %s\n\n",
      data.size(), budget.balance().spent.str().c_str(), release.noise.scale.shown(),
      release.noise.tick.str().c_str());
  std::printf("rank  item  gap to next  measured  with gaps  +- error | true count (synthetic)\n");
  for (std::size_t i = 0; i < better.size(); ++i) {
    const auto item = static_cast<std::size_t>(better[i].item.id);
    std::printf("%4zu  %4zu  %11.2f  %8.2f  %9.2f  %8.2f | %lld\n", i + 1, item,
                release.noise.shown(*release.gap_ticks(i)), direct.value(i), better[i].value,
                better[i].standard_error, static_cast<long long>(data[item]));
  }
  return 0;
}

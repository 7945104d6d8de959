// A seed gives the same release with every standard library: these values hold with GCC's and with
// that of the lab in the browser (tests/lab/same_release_test.mjs). Many candidates tie here, in
// their answers and in their noisy values.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "freegap/freegap.hpp"

namespace freegap {
namespace {

TEST(SeededRun, BreaksTiesTheSameWithEveryStandardLibrary) {
  std::vector<std::int64_t> counts;
  for (int i = 0; i < 300; ++i) {
    counts.push_back(100 + i % 4);
  }
  InsecureSeededNoise noise(7919);
  const TopKRelease release =
      top_k(Candidates::counting(counts, Neighbours::add_remove),
            {.k = 12, .epsilon = "24"_eps, .noise = Distribution::geometric}, noise);
  std::vector<std::int64_t> winners;
  for (const Item& winner : release.winners) {
    winners.push_back(winner.id);
  }
  EXPECT_EQ(winners,
            (std::vector<std::int64_t>{247, 47, 39, 235, 215, 131, 43, 298, 95, 71, 267, 199}));
  EXPECT_EQ(release.lead_ticks, (std::vector<std::int64_t>{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace freegap

// Every shape of candidates has exactly the distribution of adding noise to each candidate and
// sorting. Both distributions are enumerated as formal power series in x = exp(-rate) and compared
// coefficient by coefficient: no sampling, no tolerance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "freegap/detail/mechanisms/noisy_top_m.hpp"
#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/power_series.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "verify/mechanisms/noisy_top_m.hpp"
#include "verify/named_order.hpp"
#include "verify/small_candidates.hpp"
#include "verify/wrapped_noise.hpp"

namespace freegap::verify {
namespace {

using Noise = SeriesNoise;
using Case = TopMCase;
static_assert(SkippingSource<Noise>);
using Sound = verify::Sound<Noise>;
using NothingBeyondTheCutoff = verify::NothingBeyondTheCutoff<Noise>;
using CutoffOneTooHigh = verify::CutoffOneTooHigh<Noise>;
using LowerSideForgotten = verify::LowerSideForgotten<Noise>;

std::vector<Case> cases() {
  return all_cases({.lists = {{2},
                              {0, 0},
                              {3, 0},
                              {0, 0, 0},
                              {1, 2, 1},
                              {0, 5, 0},
                              {0, 0, 0, 0},
                              {3, 0, 0, 0},
                              {0, 1, 2, 3},
                              {2, 2, 0, 0},
                              {1, 0, 1, 0},
                              {4, 4, 5, 4},
                              {7, 0, 1, 7}},
                    .ms = {1, 2, 3},
                    .every_order = true,
                    .one_sided_cut = 9,
                    .two_sided_cut = 7,
                    .more_for_short_lists = 4});
}

/// Fewer of them, for distributions that take long to enumerate.
std::vector<Case> few_cases() {
  std::vector<Case> result;
  for (const Case& c : cases()) {
    const bool mixed = c.order.front() != 0;
    const bool alike = c.counts == std::vector<std::int64_t>(4, 0);
    if (mixed && !alike && c.m <= 2) {
      result.push_back(c);
      result.back().cut = c.counts.size() < 3 ? 9 : c.counts.size() < 4 ? 7 : 5;
    }
  }
  return result;
}

/// The distribution of the scan. `Wrap` stands between the scan and its noise.
template <class Wrap>
auto scan_distribution(const Case& c, const Candidates& candidates, const Name& name,
                       detail::ScanCounters& counters) {
  const Grid grid(1, 1);
  const detail::CandidatesOnGrid shape(candidates, grid);
  return distribution_of_top_m(c, name, [&](Noise& noise, NamedOrder& order) {
    Wrap wrapped{noise};
    return shape.top_m(c.m, noise_of(c), wrapped, order, counters);
  });
}

/// How a scan goes about it.
struct Way {
  detail::BlockSizes sizes;
  std::optional<std::int64_t> level;  // in units above the largest answer
};

/// The distribution of a scan that goes about it in a given way.
auto distribution_of_way(const Case& c, const Candidates& candidates, const Name& name,
                         const Way& way, detail::ScanCounters& counters) {
  const Grid grid(1, 1);
  const detail::TickNoise distribution = noise_of(c);
  const detail::Position top = distribution.at(*std::max_element(c.counts.begin(), c.counts.end()));
  return distribution_of_top_m(c, name, [&](Noise& noise, NamedOrder& order) {
    detail::BlockMaxima maxima(detail::CandidateAccess(candidates).listed(), grid, way.sizes, 1);
    const std::optional<detail::Position> level =
        way.level ? std::optional(top + *way.level) : std::nullopt;
    return detail::find_top_m(candidates, grid, maxima, c.m, maxima.largest(c.m), level,
                              distribution, noise, order, counters);
  });
}

TEST(TopMDistribution, EveryShapeHasThePlainDistribution) {
  detail::ScanCounters dense;
  detail::ScanCounters grouped;
  detail::ScanCounters universe;
  for (const Case& c : cases()) {
    const SmallCandidates small(c.counts);
    const auto plain = reference_distribution(c);
    // Not EXPECT_EQ, which would print whole distributions.
    EXPECT_TRUE(plain ==
                scan_distribution<Sound>(c, small.dense(), SmallCandidates::dense_names(), dense))
        << "dense, " << text(c);
    EXPECT_TRUE(plain ==
                scan_distribution<Sound>(c, small.grouped(), small.grouped_names(), grouped))
        << "grouped, " << text(c);
    EXPECT_TRUE(plain == scan_distribution<Sound>(c, small.universe(),
                                                  SmallCandidates::universe_names(), universe))
        << "universe, " << text(c);
  }
  // Each shape drew, jumped, and reached the cutoff; only mixed blocks are thinned.
  for (const detail::ScanCounters& counters : {dense, grouped, universe}) {
    EXPECT_GT(counters.drawn, 0U);
    EXPECT_GT(counters.skipped, 0U);
    EXPECT_GT(counters.thinned, 0U);
    EXPECT_GT(counters.reached, 0U);
  }
}

TEST(TopMDistribution, EveryWayHasThePlainDistribution) {
  // Levels above all answers: below one, two-sided noise may be redrawn any number of times, which
  // no finite enumeration covers (scan_test samples levels that candidates lie above).
  const std::vector<Way> ways = {{{1, 2}, {}}, {{2, 1}, {}}, {{2, 2}, {}},
                                 {{4, 1}, {}}, {{1, 1}, 1},  {{2, 1}, 1},
                                 {{2, 2}, 2},  {{4, 1}, 3},  {{1, 4}, 1}};
  detail::ScanCounters sum;
  for (const Case& c : few_cases()) {
    const SmallCandidates small(c.counts);
    const auto plain = reference_distribution(c);
    for (const Way& way : ways) {
      const auto what = [&] {
        return text(c) + ", blocks of " + std::to_string(way.sizes.block) + ", tiles of " +
               std::to_string(way.sizes.fan) + (way.level ? ", level" : "");
      };
      EXPECT_TRUE(plain ==
                  distribution_of_way(c, small.dense(), SmallCandidates::dense_names(), way, sum))
          << "dense, " << what();
      if (way.level) {
        EXPECT_TRUE(plain ==
                    distribution_of_way(c, small.grouped(), small.grouped_names(), way, sum))
            << "grouped, " << what();
      }
      EXPECT_TRUE(plain == distribution_of_way(c, small.universe(),
                                               SmallCandidates::universe_names(), way, sum))
          << "universe, " << what();
    }
  }
  // Tiles and blocks were skipped, blocks were opened, and levels turned out too
  // high.
  EXPECT_GT(sum.tiles, 0U);
  EXPECT_GT(sum.blocks, 0U);
  EXPECT_GT(sum.opened, 0U);
  EXPECT_GT(sum.lowered, 0U);
}

/// Whether some case of the given sides tells the wrapped scan from the plain distribution.
template <class Wrap>
bool caught(bool sides) {
  for (const Case& c : few_cases()) {
    if (two_sided(c.distribution) == sides) {
      const SmallCandidates small(c.counts);
      detail::ScanCounters counters;
      if (reference_distribution(c) !=
          scan_distribution<Wrap>(c, small.dense(), SmallCandidates::dense_names(), counters)) {
        return true;
      }
    }
  }
  return false;
}

TEST(TopMDistribution, MistakesAreCaught) {
  EXPECT_TRUE(caught<NothingBeyondTheCutoff>(false));
  EXPECT_TRUE(caught<NothingBeyondTheCutoff>(true));
  EXPECT_TRUE(caught<CutoffOneTooHigh>(false));
  EXPECT_TRUE(caught<CutoffOneTooHigh>(true));
  EXPECT_TRUE(caught<LowerSideForgotten>(true));
}

TEST(TopMDistribution, ANoisyValueHasTheStatedDistributionInWholeTicksWhateverTheFraction) {
  // P(N) = (1 - x) / (1 + x) x^|N| in whole ticks, x = y^2; the fraction is independent of it and
  // the same for all: 1 with y times the probability of 0.
  const std::uint64_t cut = 12;
  const detail::TickNoise distribution(Distribution::laplace, 2, 2);
  const Noise noise(distribution.rate().exponent(), PowerSeries(cut, 1), cut);
  const auto drawn = distribution_of(
      noise, [&](Noise& source) { return static_cast<std::int64_t>(distribution.draw(source)); });
  for (std::int64_t position = -8; position <= 8; ++position) {
    const std::int64_t fraction = ((position % 2) + 2) % 2;
    const auto whole = static_cast<std::uint64_t>(std::abs((position - fraction) / 2));
    const PowerSeries expected = PowerSeries(cut, 1)
                                     .times_one_minus_power(2)
                                     .over_one_plus_power(2)
                                     .times_power(2 * whole)
                                     .times_one_minus_power(1)
                                     .times_power(static_cast<std::uint64_t>(fraction));
    // times (1 - y) y^f / (1 - y^2) for the fraction: compare after multiplying by 1 - y^2
    ASSERT_TRUE(drawn.contains(position)) << position;
    EXPECT_EQ(drawn.at(position).times_one_minus_power(2), expected) << position;
  }
}

TEST(TopMDistribution, AnEnumerationIsCompleteUpToItsOrder) {
  for (const Case& c : cases()) {
    PowerSeries sum(c.cut, 0);
    for (const auto& [top, weight] : reference_distribution(c)) {
      sum += weight;
    }
    EXPECT_EQ(sum, PowerSeries(c.cut, 1)) << text(c) << ": " << sum.str();
  }
}

}  // namespace
}  // namespace freegap::verify

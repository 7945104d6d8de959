// Top-k: what it releases, what it announces and charges, and the distribution of winners and
// leads.
#include "freegap/top_k.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "freegap/errors.hpp"
#include "support/distribution_check.hpp"
#include "support/selection_distribution.hpp"

namespace freegap::testing {
namespace {

using Counts = std::vector<std::int64_t>;

const Counts seven = {40, 10, 70, 30, 60, 20, 50};

TEST(TopK, WinnersComeWithTheirLeadsInOrder) {
  InsecureSeededNoise noise(1);
  const auto counts = Candidates::counting(seven, Neighbours::add_remove);
  // So little noise that the order is that of the counts.
  const TopKRelease r = top_k(counts, {.k = 3, .epsilon = "300"_eps}, noise);
  ASSERT_EQ(r.winners.size(), 3U);
  EXPECT_EQ(r.winners[0].id, 2);
  EXPECT_EQ(r.winners[1].id, 4);
  EXPECT_EQ(r.winners[2].id, 6);
  EXPECT_EQ(r.candidates, 7U);
  EXPECT_TRUE(r.has_runner_up);
  ASSERT_EQ(r.lead_ticks.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(r.noise.shown(r.lead_ticks[i]), 10.0 * static_cast<double>(3 - i), 1);
    EXPECT_NEAR(r.noise.shown(*r.gap_ticks(i)), 10, 1);
  }
  EXPECT_EQ(r.pairwise_gap_ticks(0, 2), r.lead_ticks[0] - r.lead_ticks[2]);
  EXPECT_EQ(*r.gap_ticks(0) + *r.gap_ticks(1) + *r.gap_ticks(2), r.lead_ticks[0]);
  EXPECT_EQ(r.cost.reserved, Rational(300));
  EXPECT_EQ(r.cost.spent, Rational(300));
}

TEST(TopK, LeadsAreNeverNegativeAndFall) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    InsecureSeededNoise noise(2);
    const auto counts = Candidates::counting(seven, Neighbours::add_remove);
    for (int run = 0; run < 2000; ++run) {
      const TopKRelease r =
          top_k(counts, {.k = 4, .epsilon = "0.2"_eps, .noise = distribution}, noise);
      ASSERT_GE(r.lead_ticks.back(), 0);
      ASSERT_TRUE(std::is_sorted(r.lead_ticks.rbegin(), r.lead_ticks.rend()));
    }
  }
}

TEST(TopK, WhereAllWinThereIsNoLastGapAndItCostsLess) {
  InsecureSeededNoise noise(3);
  const auto counts = Candidates::counting(seven, Neighbours::add_remove);
  const TopKRelease r = top_k(counts, {.k = 7, .epsilon = "0.7"_eps}, noise);
  EXPECT_EQ(r.winners.size(), 7U);
  EXPECT_FALSE(r.has_runner_up);
  EXPECT_EQ(r.lead_ticks.back(), 0);
  EXPECT_FALSE(r.gap_ticks(6).has_value());
  EXPECT_TRUE(r.gap_ticks(5).has_value());
  EXPECT_EQ(r.cost.spent, Rational(6, 10));
  EXPECT_EQ(r.cost.left(), Rational(1, 10));
}

TEST(TopK, TheClassicMechanismKeepsItsGaps) {
  InsecureSeededNoise noise(4);
  const auto counts = Candidates::counting(seven, Neighbours::add_remove);
  const TopKRelease r = top_k(counts, {.k = 2, .epsilon = "1"_eps, .gaps = false}, noise);
  EXPECT_EQ(r.winners.size(), 2U);
  EXPECT_TRUE(r.lead_ticks.empty());
  EXPECT_FALSE(r.gap_ticks(0).has_value());
  EXPECT_THROW(static_cast<void>(r.pairwise_gap_ticks(0, 1)), InvalidParameter);
}

TEST(TopK, TheScaleIsThatOfTheTheorem) {
  const TopKOptions options{.k = 3, .epsilon = "0.6"_eps};
  const auto monotone = plan_top_k(Candidates::counting(seven, Neighbours::add_remove), options);
  EXPECT_EQ(monotone.distribution.scale, Rational(5));  // k Δ / ε
  const auto replaced = plan_top_k(Candidates::counting(seven, Neighbours::replace), options);
  EXPECT_EQ(replaced.distribution.scale,
            Rational(10));  // counts are not monotone when one is replaced
  const std::span<const std::int64_t> answers = seven;
  const auto general =
      plan_top_k(Candidates::general(answers, Neighbours::add_remove, "2.5"_rational), options);
  EXPECT_EQ(general.distribution.scale, Rational(25));  // 2 k Δ / ε
  for (const TopKPlan& plan : {monotone, replaced, general}) {
    EXPECT_EQ(plan.noise.tick_rate().exponent(), plan.distribution.tick / plan.distribution.scale);
    EXPECT_GE(plan.distribution.scale / plan.distribution.tick, Rational(724));
    EXPECT_EQ(plan.cost.spent, Rational(6, 10));
  }
}

TEST(TopK, TheTickIsFineOrOneOrChosen) {
  const auto counts = Candidates::counting(seven, Neighbours::add_remove);
  const auto plan = [&](Distribution distribution, std::optional<Rational> tick) {
    return plan_top_k(counts,
                      {.k = 1, .epsilon = "1"_eps, .noise = distribution, .tick = std::move(tick)});
  };
  EXPECT_EQ(plan(Distribution::exponential, std::nullopt).distribution.tick, Rational(1, 1024));
  EXPECT_EQ(plan(Distribution::geometric, std::nullopt).distribution.tick, Rational(1));
  EXPECT_EQ(plan(Distribution::laplace, Rational(1)).distribution.tick, Rational(1));
  // A tick of 4 makes the sensitivity of 1 a whole tick: the noise grows with it.
  const TopKPlan coarse = plan(Distribution::geometric, Rational(4));
  EXPECT_EQ(coarse.distribution.tick, Rational(4));
  EXPECT_EQ(coarse.distribution.scale, Rational(4));
}

TEST(TopK, TheSameSeedGivesTheSameRelease) {
  const auto counts = Candidates::counting(seven, Neighbours::add_remove);
  std::array<TopKRelease, 3> runs;
  const std::array<std::uint64_t, 3> seeds = {5, 5, 6};
  for (std::size_t i = 0; i < 3; ++i) {
    InsecureSeededNoise noise(seeds[i]);
    runs[i] = top_k(counts, {.k = 3, .epsilon = "0.1"_eps}, noise);
  }
  EXPECT_EQ(runs[0].lead_ticks, runs[1].lead_ticks);
  EXPECT_EQ(runs[0].winners, runs[1].winners);
  EXPECT_NE(runs[0].lead_ticks, runs[2].lead_ticks);
}

// Distributions.

/// How often each candidate came first and second, and how often a lead was at least each cut.
struct Tally {
  std::vector<std::uint64_t> first;
  std::vector<std::uint64_t> second;
  std::vector<std::uint64_t> lead;         // over all winners
  std::vector<std::uint64_t> second_lead;  // over all seconds
};

template <class Shape>
Tally tally(const Shape& shape, const TopKPlan& plan, const std::vector<std::int64_t>& cuts,
            std::uint64_t draws, std::uint64_t seed) {
  const std::size_t n = plan.candidates;
  Tally t{std::vector<std::uint64_t>(n), std::vector<std::uint64_t>(n),
          std::vector<std::uint64_t>(cuts.size()), std::vector<std::uint64_t>(cuts.size())};
  InsecureSeededNoise noise(seed);
  for (std::uint64_t i = 0; i < draws; ++i) {
    detail::RandomOrder order(noise);
    const TopKRelease r = select_top_k(shape, plan, noise, order);
    ++t.first[static_cast<std::size_t>(r.winners[0].id)];
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      t.lead[c] += r.lead_ticks[0] >= cuts[c] ? 1U : 0U;
    }
    if (plan.k > 1) {
      ++t.second[static_cast<std::size_t>(r.winners[1].id)];
      for (std::size_t c = 0; c < cuts.size(); ++c) {
        t.second_lead[c] += r.lead_ticks[1] >= cuts[c] ? 1U : 0U;
      }
    }
  }
  return t;
}

/// Cuts at these multiples of the scale.
std::vector<std::int64_t> cuts_at(const TopKPlan& plan, const std::vector<double>& multiples) {
  std::vector<std::int64_t> cuts;
  for (const double m : multiples) {
    cuts.push_back(std::llround(m / plan.noise.tick_rate().exponent().shown()));
  }
  return cuts;
}

struct DistributionCase {
  Counts counts;
  Distribution distribution;
  const char* epsilon;
  std::uint64_t seed;
};

TEST(TopKDistribution, TheWinnerAndItsLead) {
  const std::uint64_t draws = scaled(1500000, 20000);
  for (const DistributionCase& c : {DistributionCase{{0, 0}, Distribution::exponential, "1/3", 11},
                                    DistributionCase{{3, 1, 0}, Distribution::geometric, "1/2", 12},
                                    DistributionCase{{2, 0, 1}, Distribution::laplace, "1", 13}}) {
    const auto counts = Candidates::counting(c.counts, Neighbours::add_remove);
    const TopKPlan plan =
        plan_top_k(counts, {.k = 1, .epsilon = Epsilon::parse(c.epsilon), .noise = c.distribution});
    const auto cuts = cuts_at(plan, {0.5, 1.2, 1.6, 2.2});
    const Tally t = tally(detail::CandidatesOnGrid(counts, plan.grid), plan, cuts, draws, c.seed);
    Counts ticks;
    for (const std::int64_t count : c.counts) {
      ticks.push_back(plan.grid.floor_ticks(count));
    }
    expect_distribution(
        [&](double stretch) {
          const SelectionDistribution distribution(ticks, plan.noise, stretch);
          std::vector<Event> events;
          for (std::size_t j = 0; j < ticks.size(); ++j) {
            events.push_back({"winner " + std::to_string(j), t.first[j], distribution.first(j, 0)});
          }
          for (std::size_t i = 0; i < cuts.size(); ++i) {
            events.push_back(
                {"lead " + std::to_string(cuts[i]), t.lead[i], distribution.first(cuts[i])});
          }
          return events;
        },
        draws, std::string("epsilon ") + c.epsilon);
  }
}

TEST(TopKDistribution, TwoEqualCandidatesLeadByGeometricNoise) {
  // The closed form: P(lead >= g) = x^g, the borrow included, for every tick and fraction.
  const std::uint64_t draws = scaled(1500000, 20000);
  const Counts counts = {9, 9};
  const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
  const TopKPlan plan =
      plan_top_k(candidates, {.k = 1, .epsilon = "1/4"_eps, .noise = Distribution::geometric});
  const std::vector<std::int64_t> cuts = {1, 3, 5, 6, 7, 9, 12};
  const Tally t = tally(detail::CandidatesOnGrid(candidates, plan.grid), plan, cuts, draws, 14);
  expect_distribution(
      [&](double stretch) {
        std::vector<Event> events;
        for (std::size_t i = 0; i < cuts.size(); ++i) {
          events.push_back({"lead " + std::to_string(cuts[i]), t.lead[i],
                            std::exp(-static_cast<double>(cuts[i]) / 4 / stretch)});
        }
        return events;
      },
      draws, "x^g");
}

TEST(TopKDistribution, TheSecondWinnerAndItsLead) {
  const std::uint64_t draws = scaled(1500000, 20000);
  const Counts counts = {1, 0, 0};
  const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
  const TopKPlan plan =
      plan_top_k(candidates, {.k = 2, .epsilon = "1"_eps, .noise = Distribution::geometric});
  const auto cuts = cuts_at(plan, {0.5, 1, 1.5, 2});
  const Tally t = tally(detail::CandidatesOnGrid(candidates, plan.grid), plan, cuts, draws, 15);
  expect_distribution(
      [&](double stretch) {
        const SelectionDistribution distribution(counts, plan.noise, stretch);
        std::vector<Event> events;
        for (std::size_t j = 0; j < 3; ++j) {
          events.push_back({"first " + std::to_string(j), t.first[j], distribution.first(j, 0)});
          events.push_back({"second " + std::to_string(j), t.second[j], distribution.second(j, 0)});
        }
        for (std::size_t i = 0; i < cuts.size(); ++i) {
          const double p = distribution.second(0, cuts[i]) + distribution.second(1, cuts[i]) +
                           distribution.second(2, cuts[i]);
          events.push_back({"second's lead " + std::to_string(cuts[i]), t.second_lead[i], p});
        }
        return events;
      },
      draws, "k = 2");
}

}  // namespace
}  // namespace freegap::testing

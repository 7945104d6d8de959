// The two hybrids: what they release and charge, and the distributions of winners and gaps.
#include "freegap/hybrid.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "support/difference_distribution.hpp"
#include "support/distribution_check.hpp"
#include "support/selection_distribution.hpp"

namespace freegap::testing {
namespace {

using Counts = std::vector<std::int64_t>;
const Counts counts = {900, 100, 700, 300, 500};

Candidates monotone() { return Candidates::counting(counts, Neighbours::add_remove); }
Candidates general() {
  return Candidates::general(std::span<const std::int64_t>(counts), Neighbours::add_remove, 1);
}

/// So much budget that noise does not matter here.
HybridOptions quiet(std::uint64_t k, const Rational& threshold, Prefer prefer) {
  return {.k = k, .epsilon = "600"_eps, .threshold = threshold, .prefer = prefer};
}

TEST(Hybrid, FewerThanKAboveCostLessAndComeWithEstimates) {
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    InsecureSeededNoise noise(1);
    const HybridRelease r = top_k_above(monotone(), quiet(4, 600, prefer), noise);
    ASSERT_EQ(r.winners.size(), 2U);
    EXPECT_EQ(r.winners[0].id, 0);
    EXPECT_EQ(r.winners[1].id, 2);
    EXPECT_EQ(r.gap_to, GapTo::threshold);
    EXPECT_NEAR(r.noise.shown(r.gap_ticks.at(0)), 300, 2);
    EXPECT_NEAR(r.noise.shown(r.gap_ticks.at(1)), 100, 2);
    EXPECT_EQ(r.threshold_gap_ticks.has_value(), prefer == Prefer::identity);
    EXPECT_EQ(r.estimates.has_value(), prefer == Prefer::estimates);
    EXPECT_EQ(r.k, 4U);
    EXPECT_EQ(r.cost.reserved, Rational(600));
    if (prefer == Prefer::identity) {
      EXPECT_EQ(r.cost.spent, Rational(450));  // two winners and the threshold, of four
      EXPECT_NEAR(r.noise.shown(*r.threshold_gap_ticks), 100, 2);  // over the next candidate
    } else {
      EXPECT_EQ(r.cost.spent,
                r.estimates->threshold_epsilon + Rational(2) * r.estimates->branch.epsilon);
    }
  }
}

TEST(Hybrid, KAboveSpendAll) {
  InsecureSeededNoise noise(2);
  const HybridRelease identity = top_k_above(monotone(), quiet(2, 200, Prefer::identity), noise);
  ASSERT_EQ(identity.winners.size(), 2U);
  EXPECT_EQ(identity.gap_to, GapTo::next);
  EXPECT_FALSE(identity.threshold_gap_ticks.has_value());
  EXPECT_NEAR(identity.noise.shown(identity.gap_ticks.at(0)), 400, 2);  // over the runner-up, 500
  EXPECT_NEAR(identity.noise.shown(identity.gap_ticks.at(1)), 200, 2);
  EXPECT_EQ(identity.cost.spent, Rational(600));
  const HybridRelease estimates = top_k_above(monotone(), quiet(2, 200, Prefer::estimates), noise);
  ASSERT_EQ(estimates.winners.size(), 2U);
  EXPECT_EQ(estimates.gap_to, GapTo::threshold);
  EXPECT_NEAR(estimates.noise.shown(estimates.gap_ticks.at(0)), 700, 2);
  EXPECT_EQ(estimates.cost.spent, Rational(600));
}

TEST(Hybrid, NothingAboveCostsTheLeast) {
  InsecureSeededNoise noise(3);
  const HybridRelease identity = top_k_above(monotone(), quiet(3, 5000, Prefer::identity), noise);
  EXPECT_TRUE(identity.winners.empty());
  EXPECT_EQ(identity.cost.spent, Rational(200));
  // General queries cannot move the threshold, only what it is compared with.
  const HybridRelease wide = top_k_above(general(), quiet(3, 5000, Prefer::identity), noise);
  EXPECT_TRUE(wide.winners.empty());
  EXPECT_EQ(wide.cost.spent, Rational(100));
  const HybridRelease estimates = top_k_above(monotone(), quiet(3, 5000, Prefer::estimates), noise);
  EXPECT_TRUE(estimates.winners.empty());
  EXPECT_EQ(estimates.cost.spent, estimates.estimates->threshold_epsilon);
}

TEST(Hybrid, IdentityFirstIsChargedByWhatItReturned) {
  for (const bool one_way : {true, false}) {
    const Candidates candidates = one_way ? monotone() : general();
    const HybridPlan plan = plan_hybrid(candidates, {.k = 5, .epsilon = "1"_eps, .threshold = 0});
    for (std::size_t t = 1; t <= 5; ++t) {
      EXPECT_EQ(identity_first_cost(plan, t, false), Rational(t) / Rational(5));
      EXPECT_EQ(identity_first_cost(plan, t, true),
                one_way ? Rational(t) / Rational(5) : Rational(2 * t - 1) / Rational(10));
    }
    EXPECT_EQ(plan.blank.noise.scale, Rational(one_way ? 5 : 10));
    EXPECT_EQ(plan.blank.threshold_noise.scale, plan.blank.noise.scale);
  }
}

TEST(Hybrid, EstimatesFirstAnnouncesItsSharesAndScales) {
  const HybridPlan plan = plan_hybrid(general(), {.k = 2,
                                                  .epsilon = "1"_eps,
                                                  .threshold = "10.0001"_rational,
                                                  .prefer = Prefer::estimates,
                                                  .theta = "1/5"_rational});
  const HybridRelease& r = plan.blank;
  EXPECT_EQ(r.estimates->theta, Rational(1, 5));
  EXPECT_EQ(r.estimates->threshold_epsilon, Rational(1, 5));
  EXPECT_EQ(r.estimates->branch.epsilon, Rational(2, 5));
  EXPECT_EQ(r.noise.scale, Rational(5));
  EXPECT_EQ(r.threshold_noise.scale, Rational(5));
  EXPECT_EQ(r.threshold.asked, "10.0001"_rational);
  EXPECT_GT(r.threshold.used, r.threshold.asked);
  EXPECT_EQ(r.threshold.used, Rational(r.threshold.used_ticks) * r.noise.tick);
}

TEST(Hybrid, GapsOverTheThresholdAreNeverNegativeAndFall) {
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    for (const Distribution distribution :
         {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
      InsecureSeededNoise noise(4);
      std::set<std::size_t> sizes;
      for (int run = 0; run < 2000; ++run) {
        const HybridRelease r = top_k_above(monotone(),
                                            {.k = 4,
                                             .epsilon = "0.02"_eps,
                                             .threshold = 500,
                                             .prefer = prefer,
                                             .noise = distribution},
                                            noise);
        sizes.insert(r.winners.size());
        ASSERT_EQ(r.gap_ticks.size(), r.winners.size());
        ASSERT_LE(r.cost.spent, r.cost.reserved);
        for (std::size_t i = 0; i < r.gap_ticks.size(); ++i) {
          ASSERT_GE(r.gap_ticks[i], 0);
          ASSERT_TRUE(i == 0 || r.gap_ticks[i - 1] >= r.gap_ticks[i]);
        }
      }
      EXPECT_EQ(sizes.size(), 5U);  // from none to four
    }
  }
}

// Distributions.

struct DistributionCase {
  Distribution distribution;
  std::uint64_t seed;
};

TEST(HybridDistribution, IdentityFirstRanksTheThresholdLikeACandidate) {
  const std::uint64_t runs = scaled(2500000, 20000);
  const Counts two = {1, 0};
  const auto candidates = Candidates::counting(two, Neighbours::add_remove);
  for (const DistributionCase& c : {DistributionCase{Distribution::geometric, 31},
                                    DistributionCase{Distribution::laplace, 32}}) {
    const HybridPlan plan = plan_hybrid(
        candidates,
        {.k = 2, .epsilon = "1"_eps, .threshold = 1, .noise = c.distribution, .tick = 1});
    const detail::CandidatesOnGrid shape(candidates, plan.grid);
    InsecureSeededNoise noise(c.seed);
    const std::vector<std::int64_t> cuts = {0, 1, 2, 3, 4, 5};
    std::uint64_t none = 0;
    std::vector<std::uint64_t> none_gap(cuts.size());  // threshold first: its own lead
    std::array<std::uint64_t, 2> one{};                // threshold second, by the one ahead of it
    std::array<std::uint64_t, 2> last{};               // threshold third, by the last winner
    std::vector<std::uint64_t> second_lead(cuts.size());  // of whoever is second
    for (std::uint64_t run = 0; run < runs; ++run) {
      detail::RandomOrder order(noise);
      const HybridRelease r = select_identity_first(shape, plan, noise, order);
      const std::size_t t = r.winners.size();
      none += t == 0 ? 1U : 0U;
      if (t == 1) {
        ++one[static_cast<std::size_t>(r.winners[0].id)];
      }
      if (t == 2) {
        ++last[static_cast<std::size_t>(r.winners[1].id)];
      }
      for (std::size_t i = 0; i < cuts.size(); ++i) {
        const std::int64_t lead = t == 2 ? r.gap_ticks[1] : *r.threshold_gap_ticks;
        (t == 0 ? none_gap : second_lead)[i] += lead >= cuts[i] ? 1U : 0U;
      }
    }
    expect_distribution(
        [&](double stretch) {
          const SelectionDistribution distribution({1, 0, 1}, plan.noise,
                                                   stretch);  // the last is the threshold
          std::vector<Event> events{
              {"none", none, distribution.first(2, 0)},
              {"one", one[0] + one[1], distribution.second(2, 0)},
              {"last 0", last[0], distribution.second(0, 0) - distribution.second_behind(0, 2)},
              {"last 1", last[1], distribution.second(1, 0) - distribution.second_behind(1, 2)}};
          for (std::size_t i = 0; i < cuts.size(); ++i) {
            double p = distribution.second(2, cuts[i]);
            for (const std::size_t j : {0U, 1U}) {
              p += distribution.second(j, cuts[i]) - distribution.second_behind(j, 2, cuts[i]);
            }
            events.push_back({"threshold's gap", none_gap[i], distribution.first(2, cuts[i])});
            events.push_back({"second's lead", second_lead[i], p});
          }
          return events;
        },
        runs, "distribution " + std::to_string(static_cast<int>(c.distribution)));
  }
}

TEST(HybridDistribution, EstimatesFirstComparesTheLeaderWithTheThreshold) {
  const std::uint64_t runs = scaled(1500000, 20000);
  const Counts two = {1, 0};
  const auto candidates = Candidates::counting(two, Neighbours::add_remove);
  for (const DistributionCase& c : {DistributionCase{Distribution::geometric, 33},
                                    DistributionCase{Distribution::laplace, 34}}) {
    const HybridPlan plan = plan_hybrid(candidates, {.k = 1,
                                                     .epsilon = "1"_eps,
                                                     .threshold = -3,
                                                     .prefer = Prefer::estimates,
                                                     .noise = c.distribution,
                                                     .theta = "1/4"_rational,
                                                     .tick = 1});
    // Unequal shares, so that one-sided gaps have a centre to be moved to.
    ASSERT_EQ(plan.blank.estimates->branch.offset_ticks == 0, two_sided(c.distribution));
    const detail::CandidatesOnGrid shape(candidates, plan.grid);
    InsecureSeededNoise noise(c.seed);
    const std::vector<std::int64_t> cuts = {0, 2, 4, 6, 8, 10, 13};
    std::array<std::uint64_t, 2> won{};
    std::vector<std::uint64_t> gap(cuts.size());
    for (std::uint64_t run = 0; run < runs; ++run) {
      detail::RandomOrder order(noise);
      const HybridRelease r = select_estimates_first(shape, plan, noise, order);
      if (!r.winners.empty()) {
        ++won[static_cast<std::size_t>(r.winners[0].id)];
        for (std::size_t i = 0; i < cuts.size(); ++i) {
          gap[i] += r.gap_ticks[0] >= cuts[i] ? 1U : 0U;
        }
      }
    }
    expect_distribution(
        [&](double stretch) {
          const SelectionDistribution distribution(two, plan.noise, stretch);
          const double rate = plan.threshold_rate.exponent().shown() / stretch;
          // The candidate at v passes by g where the threshold's noise is at most v - T - offset -
          // g.
          const auto passes_by = [&](std::size_t j, std::int64_t g) {
            return distribution.first(j, 0, [&](std::int64_t v) {
              const std::int64_t most = v - plan.blank.threshold.used_ticks -
                                        plan.blank.estimates->branch.offset_ticks - g;
              return 1 - noise_above(two_sided(c.distribution), rate, static_cast<double>(most));
            });
          };
          std::vector<Event> events{{"winner 0", won[0], passes_by(0, 0)},
                                    {"winner 1", won[1], passes_by(1, 0)}};
          for (std::size_t i = 0; i < cuts.size(); ++i) {
            events.push_back({"gap", gap[i], passes_by(0, cuts[i]) + passes_by(1, cuts[i])});
          }
          return events;
        },
        runs, "distribution " + std::to_string(static_cast<int>(c.distribution)));
  }
}

}  // namespace
}  // namespace freegap::testing

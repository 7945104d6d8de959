// The privacy loss of both hybrids, exactly: every output, all small inputs, all their neighbours,
// with the threshold at several places of the order of ties. The mechanisms are the shipped
// templates with the reference shape.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "verify/bad_variant_rows.hpp"
#include "verify/mechanisms/hybrid.hpp"
#include "verify/mechanisms/hybrid_bad_variants.hpp"

namespace freegap::verify {
namespace {

/// Within a thousandth: where the threshold may be the runner-up, the worst case is a limit.
void expect_tight(const Worst& worst, const std::vector<std::int64_t>& prices) {
  ASSERT_EQ(worst.loss_by_spent.size(), prices.size());
  for (const std::int64_t price : prices) {
    EXPECT_NEAR(worst.loss_by_spent.at(price), static_cast<double>(price), 1e-3);
  }
}

TEST(HybridPrivacy, IdentityFirstLosesExactlyWhatItSpends) {
  for (const std::size_t place : {0U, 1U, 3U}) {
    const HybridSetting general{3, 2, Kind::general, Distribution::geometric, Prefer::identity};
    const Worst worst = distributions_of(plan_of(general), 15, place, shipped_hybrid)
                            .worst(all_vectors(3, -1, 1), moves_of(general.kind));
    EXPECT_LE(worst.excess, slack) << worst.where;
    expect_tight(worst, {1, 3, 4});  // the threshold first; a winner and it; two winners
    const HybridSetting counts{3, 2, Kind::counts, Distribution::geometric, Prefer::identity};
    const Worst monotone = distributions_of(plan_of(counts), 15, place, shipped_hybrid)
                               .worst(all_vectors(3, -1, 1), moves_of(counts.kind));
    EXPECT_LE(monotone.excess, slack) << monotone.where;
    expect_tight(monotone, {1, 2});
  }
}

TEST(HybridPrivacy, IdentityFirstWhereAllMayWin) {
  // The runner-up is then the threshold, which does not move: a unit less than is charged.
  const HybridSetting s{2, 2, Kind::general, Distribution::geometric, Prefer::identity};
  const Worst worst = distributions_of(plan_of(s), 18, 1, shipped_hybrid)
                          .worst(all_vectors(2, -2, 2), moves_of(s.kind));
  EXPECT_LE(worst.excess, slack) << worst.where;
  EXPECT_NEAR(worst.loss_by_spent.at(4), 3, slack);
}

TEST(HybridPrivacy, IdentityFirstWithTwoSidedNoiseOrFractionsLosesNoMore) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const std::int64_t subticks : {1, 2}) {
      for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
        const HybridSetting s{2, 1, kind, distribution, Prefer::identity, subticks};
        const Worst worst = distributions_of(plan_of(s), 16, 1, shipped_hybrid)
                                .worst(all_vectors(2, -1, 1), moves_of(s.kind));
        EXPECT_LE(worst.excess, slack) << worst.where;
        EXPECT_GT(worst.loss, 0.9 * static_cast<double>(factor_of(s.kind) * subticks));
      }
    }
  }
}

TEST(HybridPrivacy, EstimatesFirstLosesExactlyWhatItSpends) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const HybridSetting s{3, 2, kind, Distribution::geometric, Prefer::estimates};
    const Worst worst = distributions_of(plan_of(s), 16, 3, shipped_hybrid)
                            .worst(all_vectors(3, -1, 1), moves_of(s.kind));
    EXPECT_LE(worst.excess, slack) << worst.where;
    expect_tight(worst, {1, 1 + factor_of(s.kind), 1 + 2 * factor_of(s.kind)});
  }
}

TEST(HybridPrivacy, EstimatesFirstWithTwoSidedNoiseOrFractionsLosesNoMore) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const std::int64_t subticks : {1, 2}) {
      for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
        const HybridSetting s{2, 1, kind, distribution, Prefer::estimates, subticks};
        const Worst worst = distributions_of(plan_of(s), 16, 2, shipped_hybrid)
                                .worst(all_vectors(2, -1, 1), moves_of(s.kind));
        EXPECT_LE(worst.excess, slack) << worst.where;
        EXPECT_GT(worst.loss, 0.9 * static_cast<double>(factor_of(s.kind) * subticks));
      }
    }
  }
}

// Known-bad versions: each must exceed what it claims.

TEST(HybridPrivacy, ChargingOneItemTooFewIsCaught) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const Worst worst = enumerated_loss(bad::FreeThreshold(kind));
    EXPECT_NEAR(worst.excess, static_cast<double>(factor_of(kind)), slack) << worst.where;
  }
}

TEST(HybridPrivacy, IdentityFirstWithoutBorrowIsCaught) {
  const auto raw = [](const PlainShape& shape, const HybridPlan& plan, LossNoise& noise,
                      PlaceOrder& order) {
    // k = 1: the winner, or the threshold, with its raw gap.
    detail::NoisyCandidate threshold{threshold_item, plan.noise.draw(noise), {}};
    auto best = shape.top_m(2, plan.noise, noise, order);
    const detail::Ranking<PlaceOrder> ranking(order, 1);
    best.push_back(threshold);
    std::sort(best.begin(), best.end(),
              [&](const detail::NoisyCandidate& a, const detail::NoisyCandidate& b) {
                return ranking.better(a, b);
              });
    HybridRelease release = plan.blank;
    const bool reached = best[0].item == threshold_item;
    release.cost.spent = identity_first_cost(plan, 1, reached);
    release.gap_to = reached ? GapTo::threshold : GapTo::next;
    release.winners = {best[0].item};
    release.gap_ticks = {static_cast<std::int64_t>(best[0].position - best[1].position)};
    return release;
  };
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const HybridSetting s{3, 1, kind, Distribution::geometric, Prefer::identity};
    const Worst worst =
        distributions_of(plan_of(s), 15, 1, raw).worst(all_vectors(3, -1, 1), moves_of(s.kind));
    EXPECT_GT(worst.excess, 0.9) << worst.where;
  }
}

TEST(HybridPrivacy, EstimatesFirstWithAFreeThresholdIsCaught) {
  const auto free_threshold = [](const PlainShape& shape, const HybridPlan& plan, LossNoise& noise,
                                 PlaceOrder& order) {
    HybridRelease release = shipped_hybrid(shape, plan, noise, order);
    release.cost.spent = release.cost.spent - release.estimates->threshold_epsilon;
    return release;
  };
  const HybridSetting s{2, 2, Kind::counts, Distribution::geometric, Prefer::estimates};
  EXPECT_NEAR(distributions_of(plan_of(s), 16, 2, free_threshold)
                  .worst(all_vectors(2, -1, 1), moves_of(s.kind))
                  .excess,
              1, slack);
}

TEST(HybridPrivacy, MonotoneNoiseOnGeneralQueriesIsCaught) {
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    const HybridSetting s{2, 1, Kind::counts, Distribution::geometric, prefer};
    EXPECT_GT(distributions_of(plan_of(s), 16, 0, shipped_hybrid)
                  .worst(all_vectors(2, -1, 1), Moves::either_way)
                  .excess,
              0.9);
  }
}

}  // namespace
}  // namespace freegap::verify

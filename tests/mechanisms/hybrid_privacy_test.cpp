// The privacy loss of both hybrids, exactly: every output, all small inputs, all their neighbours,
// with the threshold at several places of the order of ties. The mechanisms are the production
// templates with the plain shape.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "freegap/hybrid.hpp"
#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/plain.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "verify/fixed_order.hpp"
#include "verify/small_candidates.hpp"

namespace freegap::verify {
namespace {

/// One setting. A tick of noise is one unit; the threshold is at 0.
struct Setting {
  std::size_t n;
  std::uint64_t k;
  Kind kind;
  Distribution distribution;
  Prefer prefer;
  std::int64_t subticks = 1;

  [[nodiscard]] std::int64_t factor() const { return kind == Kind::counts ? 1 : 2; }
  [[nodiscard]] Moves moves() const {
    return kind == Kind::counts ? Moves::together : Moves::either_way;
  }
};

HybridPlan plan_of(const Setting& s) {
  const SmallCandidates small(Vector(s.n, 0), s.kind);
  const std::int64_t answers = static_cast<std::int64_t>(s.k) * s.factor();
  const bool identity = s.prefer == Prefer::identity;
  HybridPlan plan = plan_hybrid(
      small.dense(), {.k = s.k,
                      .epsilon = Epsilon(Rational(identity ? answers : answers + 1)),
                      .threshold = 0,
                      .prefer = s.prefer,
                      .noise = s.distribution,
                      .theta = identity ? std::nullopt : std::optional(Rational(1, answers + 1)),
                      .tick = 1});
  plan.noise = TickNoise(s.distribution, plan.noise.tick_rate().exponent(), s.subticks);
  return plan;
}

/// The candidates in order, the threshold before number `place`.
FixedOrder threshold_at(int place, std::size_t n) {
  std::vector<int> names;
  for (int i = 0; i <= static_cast<int>(n); ++i) {
    names.push_back(i < place ? i : (i == place ? threshold_name : i - 1));
  }
  return {names, SmallCandidates::dense_names()};
}

Seen seen(const HybridRelease& release, const Rational& base) {
  Seen result{{release.gap_to == GapTo::threshold ? 1 : 0}, in_units(release.cost.spent, base)};
  for (std::size_t i = 0; i < release.winners.size(); ++i) {
    result.shown.push_back(release.winners[i].id);
    result.shown.push_back(release.gap_ticks[i]);
  }
  if (release.threshold_gap_ticks) {
    result.shown.push_back(*release.threshold_gap_ticks);
  }
  return result;
}

constexpr auto production = [](const PlainShape& shape, const HybridPlan& plan, LossNoise& noise,
                               FixedOrder& order) {
  return plan.prefer == Prefer::identity ? select_identity_first(shape, plan, noise, order)
                                         : select_estimates_first(shape, plan, noise, order);
};

template <class Mechanism>
Distributions distributions_of(const Setting& s, std::uint64_t cut, const HybridPlan& plan,
                               int place, Mechanism mechanism) {
  return Distributions([=](const Vector& q) {
    const PlainShape shape(q);
    FixedOrder order = threshold_at(place, s.n);
    const Rational base = plan.noise.rate().exponent();
    return seen_distribution({base, draws_of(plan.noise, s.n + 1), cut}, [&](LossNoise& noise) {
      return seen(mechanism(shape, plan, noise, order), base);
    });
  });
}

/// Within a thousandth: where the threshold may be the runner-up, the worst case is a limit.
void expect_tight(const Worst& worst, const std::vector<std::int64_t>& prices) {
  ASSERT_EQ(worst.loss_by_spent.size(), prices.size());
  for (const std::int64_t price : prices) {
    EXPECT_NEAR(worst.loss_by_spent.at(price), static_cast<double>(price), 1e-3);
  }
}

TEST(HybridPrivacy, IdentityFirstLosesExactlyWhatItSpends) {
  for (const int place : {0, 1, 3}) {
    const Setting general{3, 2, Kind::general, Distribution::geometric, Prefer::identity};
    const Worst worst = distributions_of(general, 15, plan_of(general), place, production)
                            .worst(all_vectors(3, -1, 1), general.moves());
    EXPECT_LE(worst.excess, slack) << worst.where;
    expect_tight(worst, {1, 3, 4});  // the threshold first; a winner and it; two winners
    const Setting counts{3, 2, Kind::counts, Distribution::geometric, Prefer::identity};
    const Worst monotone = distributions_of(counts, 15, plan_of(counts), place, production)
                               .worst(all_vectors(3, -1, 1), counts.moves());
    EXPECT_LE(monotone.excess, slack) << monotone.where;
    expect_tight(monotone, {1, 2});
  }
}

TEST(HybridPrivacy, IdentityFirstWhereAllMayWin) {
  // The runner-up is then the threshold, which does not move: a unit less than is charged.
  const Setting s{2, 2, Kind::general, Distribution::geometric, Prefer::identity};
  const Worst worst =
      distributions_of(s, 18, plan_of(s), 1, production).worst(all_vectors(2, -2, 2), s.moves());
  EXPECT_LE(worst.excess, slack) << worst.where;
  EXPECT_NEAR(worst.loss_by_spent.at(4), 3, slack);
}

TEST(HybridPrivacy, IdentityFirstWithTwoSidedNoiseOrFractionsLosesNoMore) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const std::int64_t subticks : {1, 2}) {
      for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
        const Setting s{2, 1, kind, distribution, Prefer::identity, subticks};
        const Worst worst = distributions_of(s, 16, plan_of(s), 1, production)
                                .worst(all_vectors(2, -1, 1), s.moves());
        EXPECT_LE(worst.excess, slack) << worst.where;
        EXPECT_GT(worst.loss, 0.9 * static_cast<double>(s.factor() * subticks));
      }
    }
  }
}

TEST(HybridPrivacy, EstimatesFirstLosesExactlyWhatItSpends) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const Setting s{3, 2, kind, Distribution::geometric, Prefer::estimates};
    const Worst worst =
        distributions_of(s, 16, plan_of(s), 3, production).worst(all_vectors(3, -1, 1), s.moves());
    EXPECT_LE(worst.excess, slack) << worst.where;
    expect_tight(worst, {1, 1 + s.factor(), 1 + 2 * s.factor()});
  }
}

TEST(HybridPrivacy, EstimatesFirstWithTwoSidedNoiseOrFractionsLosesNoMore) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const std::int64_t subticks : {1, 2}) {
      for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
        const Setting s{2, 1, kind, distribution, Prefer::estimates, subticks};
        const Worst worst = distributions_of(s, 16, plan_of(s), 2, production)
                                .worst(all_vectors(2, -1, 1), s.moves());
        EXPECT_LE(worst.excess, slack) << worst.where;
        EXPECT_GT(worst.loss, 0.9 * static_cast<double>(s.factor() * subticks));
      }
    }
  }
}

// Known-bad versions: each must exceed what it claims.

TEST(HybridPrivacy, ChargingOneItemTooFewIsCaught) {
  const auto cheaper = [](const PlainShape& shape, const HybridPlan& plan, LossNoise& noise,
                          FixedOrder& order) {
    HybridRelease release = production(shape, plan, noise, order);
    const bool reached = release.gap_to == GapTo::threshold;
    const std::size_t t = release.winners.size() + (reached ? 1 : 0);
    release.cost.spent = t > 1 ? identity_first_cost(plan, t - 1, reached) : Rational(0);
    return release;
  };
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const Setting s{2, 2, kind, Distribution::geometric, Prefer::identity};
    const Worst worst =
        distributions_of(s, 18, plan_of(s), 0, cheaper).worst(all_vectors(2, -1, 1), s.moves());
    EXPECT_NEAR(worst.excess, static_cast<double>(s.factor()), slack) << worst.where;
  }
}

TEST(HybridPrivacy, IdentityFirstWithoutBorrowIsCaught) {
  const auto raw = [](const PlainShape& shape, const HybridPlan& plan, LossNoise& noise,
                      FixedOrder& order) {
    // k = 1: the winner, or the threshold, with its raw gap.
    NoisyCandidate threshold{threshold_item, plan.noise.draw(noise), {}};
    auto leaders = shape.top_m(2, plan.noise, noise, order);
    const Ranking<FixedOrder> ranking(order, 1);
    leaders.push_back(threshold);
    std::sort(
        leaders.begin(), leaders.end(),
        [&](const NoisyCandidate& a, const NoisyCandidate& b) { return ranking.better(a, b); });
    HybridRelease release = plan.blank;
    const bool reached = leaders[0].item == threshold_item;
    release.cost.spent = identity_first_cost(plan, 1, reached);
    release.gap_to = reached ? GapTo::threshold : GapTo::next;
    release.winners = {leaders[0].item};
    release.gap_ticks = {static_cast<std::int64_t>(leaders[0].position - leaders[1].position)};
    return release;
  };
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const Setting s{3, 1, kind, Distribution::geometric, Prefer::identity};
    const Worst worst =
        distributions_of(s, 15, plan_of(s), 1, raw).worst(all_vectors(3, -1, 1), s.moves());
    EXPECT_GT(worst.excess, 0.9) << worst.where;
  }
}

TEST(HybridPrivacy, EstimatesFirstWithAFreeThresholdIsCaught) {
  const auto free_threshold = [](const PlainShape& shape, const HybridPlan& plan, LossNoise& noise,
                                 FixedOrder& order) {
    HybridRelease release = production(shape, plan, noise, order);
    release.cost.spent = release.cost.spent - release.estimates->threshold_epsilon;
    return release;
  };
  const Setting s{2, 2, Kind::counts, Distribution::geometric, Prefer::estimates};
  EXPECT_NEAR(distributions_of(s, 16, plan_of(s), 2, free_threshold)
                  .worst(all_vectors(2, -1, 1), s.moves())
                  .excess,
              1, slack);
}

TEST(HybridPrivacy, MonotoneNoiseOnGeneralQueriesIsCaught) {
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    const Setting s{2, 1, Kind::counts, Distribution::geometric, prefer};
    EXPECT_GT(distributions_of(s, 16, plan_of(s), 0, production)
                  .worst(all_vectors(2, -1, 1), Moves::either_way)
                  .excess,
              0.9);
  }
}

}  // namespace
}  // namespace freegap::verify

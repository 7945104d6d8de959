// The privacy loss of top-k, exactly: every output, all small inputs, all their neighbours. The
// mechanism is the production template with the plain shape and a fixed order of ties; that the
// other shapes have the same distribution is shown in noisy_top_m_distribution_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "freegap/top_k.hpp"
#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/plain.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "verify/fixed_order.hpp"
#include "verify/small_candidates.hpp"

namespace freegap::verify {
namespace {

/// One setting. At ε = c k a unit of loss is one tick of noise, if a tick has one fraction.
struct Setting {
  std::size_t n;
  std::uint64_t k;
  Kind kind;
  Distribution distribution;
  std::int64_t subticks = 1;

  [[nodiscard]] std::uint64_t factor() const { return kind == Kind::counts ? 1 : 2; }
  [[nodiscard]] Moves moves() const {
    return kind == Kind::counts ? Moves::together : Moves::either_way;
  }
  [[nodiscard]] Rational base() const { return Rational(1, subticks); }
};

TopKPlan plan_of(const Setting& s) {
  const SmallCandidates small(Vector(s.n, 0), s.kind);
  TopKPlan plan = plan_top_k(small.dense(), {.k = s.k,
                                             .epsilon = Epsilon(Rational(s.factor() * s.k)),
                                             .noise = s.distribution,
                                             .tick = 1});
  plan.noise = TickNoise(s.distribution, plan.noise.tick_rate().exponent(), s.subticks);
  return plan;
}

/// Ties go to the lower number; every other order is a renaming of the candidates.
FixedOrder lower_first(std::size_t n) {
  std::vector<int> names(n);
  std::iota(names.begin(), names.end(), 0);
  return {names, SmallCandidates::dense_names()};
}

Seen seen(const TopKRelease& release, const Rational& base) {
  Seen result{{}, in_units(release.cost.spent, base)};
  for (const Item& winner : release.winners) {
    result.shown.push_back(winner.id);
  }
  result.shown.insert(result.shown.end(), release.lead_ticks.begin(), release.lead_ticks.end());
  return result;
}

/// Distributions of any mechanism on leaders; loss depends on differences of answers alone, so the
/// smallest is moved to 0.
template <class Mechanism>
Distributions distributions_of(const Setting& s, std::uint64_t cut, const TopKPlan& plan,
                               Mechanism mechanism) {
  return Distributions([=](const Vector& q) {
    Vector moved = q;
    const std::int64_t least = *std::min_element(q.begin(), q.end());
    for (std::int64_t& value : moved) {
      value -= least;
    }
    const PlainShape shape(moved);
    FixedOrder order = lower_first(s.n);
    return seen_distribution({s.base(), draws_of(plan.noise, s.n), cut}, [&](LossNoise& noise) {
      return mechanism(shape, plan, noise, order);
    });
  });
}

/// The production mechanism.
constexpr auto production = [](const PlainShape& shape, const TopKPlan& plan, LossNoise& noise,
                               FixedOrder& order) {
  return seen(select_top_k(shape, plan, noise, order), plan.noise.rate().exponent());
};

/// The textbook version on integers: gaps as they are.
constexpr auto without_borrow = [](const PlainShape& shape, const TopKPlan& plan, LossNoise& noise,
                                   FixedOrder& order) {
  const auto k = static_cast<std::size_t>(plan.k);
  const auto leaders = shape.top_m(k + 1, plan.noise, noise, order);
  Seen result{{}, in_units(plan.cost.spent, plan.noise.rate().exponent())};
  for (std::size_t i = 0; i < k; ++i) {
    result.shown.push_back(leaders[i].item.id);
    result.shown.push_back(
        static_cast<std::int64_t>(leaders[i].position - leaders[i + 1].position));
  }
  return result;
};

/// Also names the runner-up.
constexpr auto with_runner_up = [](const PlainShape& shape, const TopKPlan& plan, LossNoise& noise,
                                   FixedOrder& order) {
  const auto k = static_cast<std::size_t>(plan.k);
  const auto leaders = shape.top_m(k + 1, plan.noise, noise, order);
  Seen result{leads_over_runner_up(leaders, k, Ranking(order, plan.noise.subticks())),
              in_units(plan.cost.spent, plan.noise.rate().exponent())};
  for (const NoisyCandidate& leader : leaders) {
    result.shown.push_back(leader.item.id);
  }
  return result;
};

Worst worst_of(const Setting& s, std::int64_t highest, std::uint64_t cut) {
  return distributions_of(s, cut, plan_of(s), production)
      .worst(all_vectors(s.n, 0, highest), s.moves());
}

TEST(TopKPrivacy, OneSidedNoiseLosesExactlyWhatItSpends) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const auto& [n, k] :
         {std::pair<std::size_t, std::uint64_t>{2, 1}, {3, 1}, {3, 2}, {4, 1}, {4, 2}}) {
      const Setting s{n, k, kind, Distribution::geometric};
      const Worst worst = worst_of(s, n == 4 ? 1 : 2, n == 4 ? 15 : 18);
      const auto allowed = static_cast<double>(s.factor() * k);
      EXPECT_LE(worst.excess, slack) << worst.where;
      EXPECT_NEAR(worst.loss, allowed, slack) << "n " << n << " k " << k;
      EXPECT_GT(worst.outcomes, 100U);
    }
  }
}

TEST(TopKPrivacy, TwoSidedNoiseLosesNoMore) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const auto& [n, k] : {std::pair<std::size_t, std::uint64_t>{2, 1}, {3, 1}, {3, 2}}) {
      const Setting s{n, k, kind, Distribution::laplace};
      const Worst worst = worst_of(s, 2, 15);
      EXPECT_LE(worst.excess, slack) << worst.where;
      // Two-sided noise may also move the losers, so where they are fewer than k they decide.
      EXPECT_GT(worst.loss, 0.97 * static_cast<double>(s.factor() * std::min(k, n - k)));
    }
  }
}

TEST(TopKPrivacy, TwoSidedNoiseIsNearlyTightForTwoWinnersOfFour) {
  // Both winners far below both losers; the winners move down while the losers move up.
  const Setting s{4, 2, Kind::general, Distribution::laplace};
  Distributions distributions = distributions_of(s, 18, plan_of(s), production);
  const Worst worst = worst_loss(distributions.at({0, 0, 3, 3}), distributions.at({0, 0, 5, 5}));
  EXPECT_LE(worst.excess, slack) << worst.where;
  EXPECT_GT(worst.loss, 0.97 * 4);
}

TEST(TopKPrivacy, FractionsOfATickLoseNoMore) {
  for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
    for (const Kind kind : {Kind::general, Kind::counts}) {
      const Setting s{3, 1, kind, distribution, 2};
      const Worst worst = worst_of(s, 1, 17);
      EXPECT_LE(worst.excess, slack) << worst.where;
      EXPECT_GT(worst.loss, 0.9 * static_cast<double>(2 * s.factor()));
    }
  }
}

TEST(TopKPrivacy, WhereAllWinItSpendsLess) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const Setting s{3, 3, kind, Distribution::geometric};
    const Worst worst = worst_of(s, 2, 18);
    EXPECT_LE(worst.excess, slack) << worst.where;
    EXPECT_NEAR(worst.loss, static_cast<double>(2 * s.factor()), slack);
  }
}

// Known-bad versions: each must exceed what it claims.

TEST(TopKPrivacy, WithoutBorrowTheLossIsLargerByOneKth) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const std::uint64_t k : {1U, 2U}) {
      const Setting s{k + 2, k, kind, Distribution::geometric};
      const Worst worst = distributions_of(s, k == 1 ? 18 : 15, plan_of(s), without_borrow)
                              .worst(all_vectors(s.n, 0, k == 1 ? 2 : 1), s.moves());
      const auto c = static_cast<double>(s.factor());
      EXPECT_NEAR(worst.excess, c, slack) << worst.where;
      EXPECT_NEAR(worst.loss, c * static_cast<double>(k + 1), slack);
    }
  }
}

TEST(TopKPrivacy, WithoutBorrowTwoSidedNoiseFailsToo) {
  // Two rivals of higher priority far above, so that a gap of 0 points at the third. They move up
  // while the others move down, which is the same as moving by two.
  const Setting s{4, 1, Kind::general, Distribution::laplace};
  Distributions distributions = distributions_of(s, 20, plan_of(s), without_borrow);
  const Worst bad = worst_loss(distributions.at({4, 4, 0, 0}), distributions.at({6, 6, 0, 0}));
  EXPECT_GT(bad.excess, 0.5) << bad.where;
  Distributions good = distributions_of(s, 20, plan_of(s), production);
  EXPECT_LE(worst_loss(good.at({4, 4, 0, 0}), good.at({6, 6, 0, 0})).excess, slack);
}

TEST(TopKPrivacy, NamingTheRunnerUpIsCaught) {
  const Setting s{3, 1, Kind::counts, Distribution::geometric};
  EXPECT_GT(distributions_of(s, 18, plan_of(s), with_runner_up)
                .worst(all_vectors(3, 0, 2), s.moves())
                .excess,
            0.9);
}

TEST(TopKPrivacy, NoiseWithoutTheFactorKIsCaught) {
  const Setting s{3, 2, Kind::counts, Distribution::geometric};
  TopKPlan plan = plan_of(s);
  plan.noise = TickNoise(s.distribution, 2, 1);  // as for k = 1: twice the rate
  Distributions distributions([&](const Vector& q) {
    const PlainShape shape(q);
    FixedOrder order = lower_first(3);
    return seen_distribution({1, 3, 18}, [&](LossNoise& noise) {
      return seen(select_top_k(shape, plan, noise, order), 1);
    });
  });
  EXPECT_GT(distributions.worst(all_vectors(3, 1, 2), s.moves()).excess, 0.9);
}

TEST(TopKPrivacy, MonotoneNoiseOnGeneralQueriesIsCaught) {
  const Setting s{3, 1, Kind::counts, Distribution::geometric};
  const Worst worst = distributions_of(s, 18, plan_of(s), production)
                          .worst(all_vectors(3, 0, 2), Moves::either_way);
  EXPECT_NEAR(worst.excess, 1, slack) << worst.where;
}

}  // namespace
}  // namespace freegap::verify

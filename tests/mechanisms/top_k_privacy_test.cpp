// The privacy loss of top-k, exactly: every output, all small inputs, all their neighbours. The
// mechanism is the shipped template with the reference shape and a fixed order of ties; that the
// other shapes have the same distribution is shown in noisy_top_m_distribution_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "verify/bad_variant_rows.hpp"
#include "verify/mechanisms/top_k.hpp"
#include "verify/mechanisms/top_k_bad_variants.hpp"

namespace freegap::verify {
namespace {

Worst worst_of(const TopKSetting& s, std::int64_t highest, std::uint64_t cut) {
  return distributions_of(plan_of(s), cut, shipped_top_k)
      .worst(all_vectors(s.n, 0, highest), moves_of(s.kind));
}

TEST(TopKPrivacy, OneSidedNoiseLosesExactlyWhatItSpends) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const auto& [n, k] :
         {std::pair<std::size_t, std::uint64_t>{2, 1}, {3, 1}, {3, 2}, {4, 1}, {4, 2}}) {
      const TopKSetting s{n, k, kind, Distribution::geometric};
      const Worst worst = worst_of(s, n == 4 ? 1 : 2, n == 4 ? 15 : 18);
      const double allowed = static_cast<double>(factor_of(kind)) * static_cast<double>(k);
      EXPECT_LE(worst.excess, slack) << worst.where;
      EXPECT_NEAR(worst.loss, allowed, slack) << "n " << n << " k " << k;
      EXPECT_GT(worst.outcomes, 100U);
    }
  }
}

TEST(TopKPrivacy, TwoSidedNoiseLosesNoMore) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const auto& [n, k] : {std::pair<std::size_t, std::uint64_t>{2, 1}, {3, 1}, {3, 2}}) {
      const TopKSetting s{n, k, kind, Distribution::laplace};
      const Worst worst = worst_of(s, 2, 15);
      EXPECT_LE(worst.excess, slack) << worst.where;
      // Two-sided noise may also move the losers, so where they are fewer than k they decide.
      EXPECT_GT(worst.loss, 0.97 * static_cast<double>(factor_of(kind)) *
                                static_cast<double>(std::min(k, n - k)));
    }
  }
}

TEST(TopKPrivacy, TwoSidedNoiseIsNearlyTightForTwoWinnersOfFour) {
  // Both winners far below both losers; the winners move down while the losers move up.
  const TopKSetting s{4, 2, Kind::general, Distribution::laplace};
  Distributions distributions = distributions_of(plan_of(s), 18, shipped_top_k);
  const Worst worst = distributions.worst({0, 0, 3, 3}, {0, 0, 5, 5});
  EXPECT_LE(worst.excess, slack) << worst.where;
  EXPECT_GT(worst.loss, 0.97 * 4);
}

TEST(TopKPrivacy, FractionsOfATickLoseNoMore) {
  for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
    for (const Kind kind : {Kind::general, Kind::counts}) {
      const TopKSetting s{3, 1, kind, distribution, true, 2};
      const Worst worst = worst_of(s, 1, 17);
      EXPECT_LE(worst.excess, slack) << worst.where;
      EXPECT_GT(worst.loss, 0.9 * static_cast<double>(2 * factor_of(kind)));
    }
  }
}

TEST(TopKPrivacy, WhereAllWinItSpendsLess) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const TopKSetting s{3, 3, kind, Distribution::geometric};
    const Worst worst = worst_of(s, 2, 18);
    EXPECT_LE(worst.excess, slack) << worst.where;
    EXPECT_NEAR(worst.loss, static_cast<double>(2 * factor_of(kind)), slack);
  }
}

// Known-bad versions: each must exceed what it claims.

TEST(TopKPrivacy, WithoutBorrowTheLossIsLargerByOneKth) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const std::uint64_t k : {1U, 2U}) {
      const Worst worst = enumerated_loss(bad::RawGaps(k, moves_of(kind)));
      const auto c = static_cast<double>(factor_of(kind));
      EXPECT_NEAR(worst.excess, c, slack) << worst.where;
      EXPECT_NEAR(worst.loss, c * static_cast<double>(k + 1), slack);
    }
  }
}

TEST(TopKPrivacy, WithoutBorrowTwoSidedNoiseFailsToo) {
  // Two rivals of higher priority far above, so that a gap of 0 points at the third. They move up
  // while the others move down, which is the same as moving by two.
  const TopKPlan plan = plan_of(TopKSetting{4, 1, Kind::general, Distribution::laplace});
  const auto without_borrow = [](const PlainShape& shape, const TopKPlan& p, LossNoise& noise,
                                 PlaceOrder& order) {
    return bad::names_and_raw_gaps(shape.top_m(p.k + 1, p.noise, noise, order), p.k, p.cost.spent);
  };
  Distributions distributions = distributions_of(plan, 20, without_borrow);
  const Worst bad = distributions.worst({4, 4, 0, 0}, {6, 6, 0, 0});
  EXPECT_GT(bad.excess, 0.5) << bad.where;
  Distributions good = distributions_of(plan, 20, shipped_top_k);
  EXPECT_LE(good.worst({4, 4, 0, 0}, {6, 6, 0, 0}).excess, slack);
}

TEST(TopKPrivacy, NamingTheRunnerUpIsCaught) {
  EXPECT_GT(enumerated_loss(bad::NamedRunnerUp()).excess, 0.9);
}

TEST(TopKPrivacy, NoiseWithoutTheFactorKIsCaught) {
  EXPECT_GT(enumerated_loss(bad::without_k()).excess, 0.9);
}

TEST(TopKPrivacy, MonotoneNoiseOnGeneralQueriesIsCaught) {
  const Worst worst = enumerated_loss(bad::monotone_scale());
  EXPECT_NEAR(worst.excess, 1, slack) << worst.where;
}

}  // namespace
}  // namespace freegap::verify

// (ε, δ) of the selection from items nobody listed, exactly: the hockey-stick divergence over all
// outcomes of small inputs, both ways between neighbours. The mechanisms are the shipped templates.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <set>
#include <string>

#include "verify/mechanism_table.hpp"
#include "verify/mechanisms/unknown_items.hpp"
#include "verify/mechanisms/unknown_items_bad_variants.hpp"

namespace freegap::verify {
namespace {

TEST(UnknownItemsPrivacy, EveryRowHoldsAndIsNearlyTight) {
  std::set<std::string> variants;
  std::size_t tight = 0;
  for (const RowTask& task : unknown_items_checks(false).enumerations) {
    const Row row = task();
    std::printf("%-45s %.4f\n", row.variant.c_str(), row.exact.value_or(-1));
    EXPECT_EQ(row.problem, "") << row.variant;
    EXPECT_LE(row.exact.value_or(2), 1) << row.variant;
    EXPECT_GE(row.exact.value_or(0), 0.59) << row.variant;  // two items pass together at times
    tight += row.exact > 0.98 ? 1U : 0U;
    variants.insert(row.variant);
  }
  EXPECT_GE(tight, 20U);
  for (const std::string hybrid : {"identity first, ", "estimates first, "}) {
    for (const std::string noise :
         {"exponential", "geometric", "Laplace", "list, geometric", "groups, geometric"}) {
      EXPECT_TRUE(variants.contains(hybrid + noise)) << hybrid + noise;
    }
  }
}

// docs/proofs/unknown_items.md: from the smaller data set far less than δ was seen.
TEST(UnknownItemsPrivacy, TheSmallerDataSetLosesLess) {
  const UnknownCase c = case_of(bad::usual_unknown(2));
  for (const NeighbourPair& pair : unknown_pairs(c)) {
    const std::size_t last = pair.second.size();
    const Divergence found = divergence(seen_unknown(c, pair.first, last, plain_unknown),
                                        seen_unknown(c, pair.second, last, plain_unknown),
                                        c.setting.base, c.epsilon_units);
    EXPECT_LE(static_cast<double>(found.most),
              c.delta * std::exp(-c.plan.blank.cost.reserved.shown()))
        << text(pair.first) << text(pair.second);
  }
}

// The threshold is one that an exact divergence asks for: one item of one unit, no other items.
TEST(UnknownItemsPrivacy, AnItemOfOneUnitPassesAsOftenAsTheFormulaSays) {
  const UnknownCase c = case_of(bad::usual_unknown());
  const double x = std::exp(-1.5);
  const double passes = std::pow(x, c.distance) / (1 + x);
  const SeenDistribution none = seen_unknown(c, {0}, 1, plain_unknown);
  const SeenDistribution last = seen_unknown(c, {1}, 1, plain_unknown);
  const SeenDistribution first = seen_unknown(c, {1}, 0, plain_unknown);
  EXPECT_EQ(none.probability.size(), 1U);  // nothing occurs: one outcome, like "nothing passes"
  const Divergence behind = divergence(last, none, c.setting.base, c.epsilon_units);
  EXPECT_NEAR(static_cast<double>(behind.least), passes, 1e-3 * passes);
  EXPECT_NEAR(static_cast<double>(behind.most), passes, 1e-3 * passes);
  // A threshold that wins ties lets it pass only one tick higher.
  const Divergence ahead = divergence(first, none, c.setting.base, c.epsilon_units);
  EXPECT_NEAR(static_cast<double>(ahead.most), x * passes, 2e-3 * passes);
}

TEST(UnknownItemsPrivacy, BadVariantsExceedWhatTheProofAllows) {
  EXPECT_GT(bad::ThresholdGapReleased().worst().least, 1.5);
  EXPECT_GT(bad::ThresholdOneLower().worst().least, 1.5);
  const bad::OneItemPerUnitAssumed forgetful;
  EXPECT_GT(forgetful.worst().divergence, forgetful.delta());
  const bad::CutByOtherUnits cut;
  EXPECT_GT(cut.worst().divergence, 0.5);
  const bad::CostCountsItems counting;
  EXPECT_GT(counting.worst().divergence, counting.delta());
}

// What is left out counts on the unfavourable side: with few orders the bounds are apart, and hold
// what more orders find.
TEST(UnknownItemsPrivacy, BoundsHoldInSpiteOfWhatIsLeftOut) {
  UnknownCase c = case_of(bad::usual_unknown());
  const auto found = [&](std::uint64_t cut) {
    c.cut = cut;
    return divergence(seen_unknown(c, {5, 1}, 2, plain_unknown),
                      seen_unknown(c, {5, 0}, 2, plain_unknown), c.setting.base, c.epsilon_units);
  };
  const Divergence fine = found(24);
  EXPECT_LT(fine.most - fine.least, 1e-9L);
  for (const std::uint64_t cut : {1U, 3U, 6U, 9U}) {
    const Divergence coarse = found(cut);
    EXPECT_LE(coarse.least, fine.least + 1e-12L) << cut;
    EXPECT_GE(coarse.most, fine.most - 1e-12L) << cut;
  }
}

}  // namespace
}  // namespace freegap::verify

// Claims after selection hold for all data. Bounds that are valid before selection are shown to
// fail after it, and wrong versions of both are shown to fail.
//
// A test that a share is at most p fails if the observed share would, by Chernoff's bound, occur
// with probability 1e-12 at most under p. There are fewer than 1000 such checks here, so the
// probability of a false alarm is at most 1e-9, over all seeds.
#include "freegap/confidence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "estimates/outcomes.hpp"
#include "estimates/shapes.hpp"
#include "estimates/simulation.hpp"
#include "freegap/errors.hpp"
#include "freegap/exponential.hpp"
#include "freegap/top_k.hpp"
#include "support/distribution_check.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

constexpr double confidence = 0.95;

/// The observations are consistent with a share of at most p.
bool at_most(const Share& share, double p) {
  return share.trials == 0 || share.value() <= p ||
         surprise({"", share.happened, p}, share.trials) <= std::log(1e12);
}
/// The observations are consistent with a share of at least p.
bool at_least(const Share& share, double p) {
  return share.value() >= p || surprise({"", share.happened, p}, share.trials) <= std::log(1e12);
}

std::string text(const Share& share) {
  return std::to_string(share.happened) + " of " + std::to_string(share.trials);
}

ClaimOutcomes claims_in(const Setting& setting, std::size_t runs) {
  ClaimOutcomes outcomes;
  simulate(setting, runs, 11, [&](const auto& release, auto&, std::span<const double> answers) {
    const Claimed seen = claimed(release, setting, answers, confidence);
    ASSERT_EQ(seen.claims.size(), answers.size());
    outcomes.add(seen.claims, seen.truth, seen.bar, 1 - confidence);
  });
  return outcomes;
}

/// Claims hold, for every winner and at every rank, and so do p-values.
void expect_claims_hold(const Setting& setting, const std::string& what) {
  const ClaimOutcomes outcomes = claims_in(setting, scaled(12'000, 200));
  EXPECT_TRUE(at_most(outcomes.all_false, 1 - confidence))
      << what << ": " << text(outcomes.all_false);
  // By rank: given everything else for one-sided noise, but for each query only for Laplace noise.
  for (std::size_t i = 0; i < outcomes.false_claims.size() && !two_sided(setting.distribution);
       ++i) {
    EXPECT_TRUE(at_most(outcomes.false_claims[i], 1 - confidence))
        << what << ", rank " << i + 1 << ": " << text(outcomes.false_claims[i]);
  }
  if (setting.selection != Selection::sparse_vector) {
    EXPECT_TRUE(at_most(outcomes.any_false, 1 - confidence)) << what << ", all ranks at once";
  }
  for (const auto& [id, share] : outcomes.low_p_value) {
    EXPECT_TRUE(at_most(share, 1 - confidence))
        << what << ", p-value of " << id << ": " << text(share);
  }
  // If winners are far above everything else, something must be claimed.
  if (setting.shape.name == "separated, fewer than k" && !two_sided(setting.distribution)) {
    EXPECT_GT(outcomes.made.value(), 0.75) << what;
  }
}

class Claims : public ::testing::TestWithParam<Distribution> {};

TEST_P(Claims, OfSparseVectorsHold) {
  for (const std::size_t branches : {1U, 2U}) {
    for (const Shape& shape : shapes(4, 30)) {
      Setting setting = setting_for(Selection::sparse_vector, GetParam(), 4, shape);
      setting.branches = branches;
      expect_claims_hold(setting, std::to_string(branches) + " branches, " + shape.name);
    }
  }
}

TEST_P(Claims, OfTopKHold) {
  for (const Shape& shape : shapes(4, 20'000)) {
    expect_claims_hold(setting_for(Selection::top_k, GetParam(), 4, shape), shape.name);
  }
}

TEST_P(Claims, OfHybridsHold) {
  for (const Selection selection : {Selection::identity_first, Selection::estimates_first}) {
    for (const Shape& shape : shapes(4, 20'000)) {
      expect_claims_hold(setting_for(selection, GetParam(), 4, shape), shape.name);
    }
  }
}

// Ticks as wide as the noise: ties are frequent, and one tick matters.
TEST_P(Claims, HoldOnCoarseTicks) {
  if (GetParam() != Distribution::geometric) {
    return;
  }
  for (const Selection selection : {Selection::top_k, Selection::identity_first,
                                    Selection::estimates_first, Selection::sparse_vector}) {
    for (const std::vector<std::int64_t>& values :
         {std::vector<std::int64_t>{0}, {1, 0}, {6, 5, 4, 0}, {3, -1}}) {
      Shape shape = listed("coarse", values);
      shape.multiplicities.back() = 12;
      Setting setting{selection, Distribution::geometric, 2, shape};
      setting.selecting = Rational(3, 2);
      expect_claims_hold(setting, "coarse ticks, first value " + std::to_string(values[0]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Distributions, Claims,
                         ::testing::Values(Distribution::exponential, Distribution::geometric,
                                           Distribution::laplace),
                         [](const auto& distribution) {
                           return distribution.param == Distribution::exponential ? "exponential"
                                  : distribution.param == Distribution::laplace   ? "laplace"
                                                                                  : "geometric";
                         });

// On a tick of 4 the counts 4 and 3 are floored to 4 and 0: what looks like a lead of 4 is one
// of 1. Given that candidate 0 was selected, a claim of more is false; at 20,000 runs a rate of 5 %
// is not exceeded by chance (beyond 10 standard errors).
TEST(Claims, AllowForAnswersBetweenTicks) {
  const std::vector<std::int64_t> counts{4, 3};
  const Candidates candidates = Candidates::counting(counts, Neighbours::add_remove);
  InsecureSeededNoise noise(5);
  int won = 0;
  int claimed = 0;
  int wrong = 0;
  int wrong_if_floors_were_answers = 0;
  for (int run = 0; run < 20'000; ++run) {
    TopKRelease release = top_k(candidates, {.k = 1, .epsilon = "3"_eps, .tick = 4}, noise);
    if (release.winners[0].id != 0) {
      continue;
    }
    ++won;
    const Claim claim = claims_ahead(release, 0.95)[0];
    claimed += claim.at_least ? 1 : 0;
    wrong += claim.at_least && *claim.at_least > 1 ? 1 : 0;
    release.exact_answers = true;
    const Claim unaware = claims_ahead(release, 0.95)[0];
    wrong_if_floors_were_answers += unaware.at_least && *unaware.at_least > 1 ? 1 : 0;
  }
  EXPECT_GT(claimed, 1000);
  EXPECT_LT(wrong, 0.065 * won);
  EXPECT_GT(wrong_if_floors_were_answers, 0.4 * won);
}

TEST(Claims, AreNotMadeWithoutEnoughEvidence) {
  const Setting setting =
      setting_for(Selection::sparse_vector, Distribution::exponential, 4, {"below", {-300}, {60}});
  Share small_gap_claims;
  Share without_the_clause;
  simulate(setting, scaled(4000, 400), 3,
           [&](const SparseVectorRelease& release, auto&, std::span<const double> answers) {
             const auto claims = claims_above(release, confidence);
             const double bar = release.branches[0].scale.shown() * std::log(20.0);
             std::size_t i = 0;
             for (const SparseVectorAnswer& answer : release.answers) {
               if (!answer.above) {
                 continue;
               }
               const double gap = release.shown(*answer.gap_ticks);
               small_gap_claims.add(gap < bar - 0.2 && claims[i].at_least.has_value());
               // The bound, claimed whether or not the gap is large enough.
               const double offset = release.shown(release.branches[0].offset_ticks);
               without_the_clause.add(simulated_threshold + offset + gap - bar > answers[i]);
               ++i;
             }
           });
  EXPECT_EQ(small_gap_claims.happened, 0U);
  EXPECT_FALSE(at_most(without_the_clause, 1 - confidence)) << text(without_the_clause);
}

TEST(Claims, AreNotMadeFromLaplaceTopKNorByHybridsWithoutARunnerUp) {
  const Shape far = separated(4);
  for (const Selection selection : {Selection::top_k, Selection::identity_first}) {
    EXPECT_EQ(claims_in(setting_for(selection, Distribution::laplace, 4, far), 50).made.happened,
              0U);
  }
  // Fewer than k reach the threshold.
  EXPECT_EQ(claims_in(setting_for(Selection::estimates_first, Distribution::laplace, 6, far), 50)
                .made.happened,
            0U);
  const Setting full = setting_for(Selection::estimates_first, Distribution::exponential, 4, far);
  EXPECT_EQ(claims_in(full, 50).made.happened, 0U);

  InsecureSeededNoise noise(1);
  const std::vector<std::int64_t> counts = {900, 500};
  const Candidates candidates = Candidates::counting(counts, Neighbours::add_remove);
  for (const bool gaps : {false, true}) {  // classic, and all candidates win
    const TopKRelease release =
        top_k(candidates, {.k = gaps ? 2U : 1U, .epsilon = "10"_eps, .gaps = gaps}, noise);
    for (const Claim& claim : claims_ahead(release, confidence)) {
      EXPECT_FALSE(claim.at_least.has_value());
      EXPECT_EQ(claim.p_value, 1);
    }
  }
  const SparseVectorRelease classic = sparse_vector(
      candidates, {.k = 2, .epsilon = "10"_eps, .threshold = 100, .gaps = false}, noise);
  for (const Claim& claim : claims_above(classic, confidence)) {
    EXPECT_FALSE(claim.at_least.has_value());
    EXPECT_EQ(claim.p_value, 1);
  }
  EXPECT_FALSE(
      claim_best(exponential(candidates, {.epsilon = "1"_eps, .gap = false}, noise), confidence));
}

// Answers 0, 0 and five scales less. Where the small one is selected beside one of the others, the
// third must have had very negative noise, so that the other winner's lead over it is large,
// although it is not ahead. With one-sided noise that cannot be.
TEST(Claims, FromLaplaceTopKWouldFail) {
  for (const Distribution distribution : {Distribution::laplace, Distribution::exponential}) {
    const Setting setting =
        setting_for(Selection::top_k, distribution, 2, {"three", {0, -500}, {2, 1}});
    Share wrong;
    simulate(setting, scaled(60'000, 20'000), 21,
             [&](const TopKRelease& release, auto&, std::span<const double>) {
               for (std::size_t i = 0; i < 2; ++i) {
                 if (release.winners[i].id == 0 && release.winners[1 - i].id == 1) {
                   const double lead = release.noise.shown(release.lead_ticks[i] - 1);
                   wrong.add(lead >= release.noise.scale.shown() * std::log(40.0));
                 }
               }
             });
    EXPECT_EQ(at_most(wrong, 1 - confidence), distribution == Distribution::exponential)
        << text(wrong);
  }
}

TEST(Claims, RefuseBadConfidence) {
  for (const double bad : {0.0, 1.0, -0.5, 1.5, std::nan("")}) {
    EXPECT_THROW(claims_above(SparseVectorRelease{}, bad), InvalidParameter);
    EXPECT_THROW(claims_above(HybridRelease{}, bad), InvalidParameter);
    EXPECT_THROW(claims_ahead(TopKRelease{}, bad), InvalidParameter);
    EXPECT_THROW(claim_best(ExponentialRelease{}, bad), InvalidParameter);
    EXPECT_THROW(lower_bound_before_selection({}, {}, bad), InvalidParameter);
  }
  EXPECT_THROW(lower_bound_before_selection({}, SparseVectorAnswer{}, 0.9), InvalidParameter);
}

// The exponential mechanism -----------------------------------------------------------------------

TEST(ClaimBest, HoldsAfterSelection) {
  for (const Shape& shape :
       {Shape{"far ahead", {900, 0}, {1, 5}}, Shape{"all equal", {0}, {6}},
        Shape{"two close", {120, 100, 0}, {1, 1, 8}}, Shape{"crowd", {700, 0}, {1, 500}}}) {
    const Candidates candidates = Candidates::grouped(std::span(shape.values), shape.multiplicities,
                                                      {Kind::counts, Neighbours::add_remove, 1});
    InsecureSeededNoise noise(4);
    std::vector<Share> wrong(shape.values.size());
    Share low_p;
    Share too_bold;  // as if the gap, less a fifth of a scale, were a bound
    Share above_median;
    const std::size_t runs = scaled(6000, 300);
    for (std::size_t run = 0; run < runs; ++run) {
      const ExponentialRelease release = exponential(candidates, {.epsilon = "0.01"_eps}, noise);
      const auto chosen = static_cast<std::size_t>(release.chosen.id);
      double ahead = HUGE_VAL;
      double others = 0;
      for (std::size_t g = 0; g < shape.values.size(); ++g) {
        const std::int64_t many = shape.multiplicities[g] - (g == chosen ? 1 : 0);
        const auto lead = static_cast<double>(shape.values[chosen] - shape.values[g]);
        ahead = many > 0 ? std::fmin(ahead, lead) : ahead;
        others += static_cast<double>(many) * std::exp(-0.01 * lead);
      }
      const Claim claim = *claim_best(release, confidence);
      EXPECT_EQ(claim.item, release.chosen);
      wrong[chosen].add(claim.at_least && *claim.at_least > ahead);
      too_bold.add(*release.gap_in_utility() > ahead + 1e-9 + 0.2 * 100);
      if (ahead <= 0) {
        low_p.add(claim.p_value <= 1 - confidence);
      }
      const std::optional<double> estimate = estimate_lead(release);
      above_median.add(estimate && *estimate > -std::log(others) / 0.01);
    }
    for (const Share& share : wrong) {
      EXPECT_TRUE(at_most(share, 1 - confidence)) << shape.name << ": " << text(share);
    }
    EXPECT_TRUE(at_most(low_p, 1 - confidence)) << shape.name << ": " << text(low_p);
    if (full_workload()) {
      EXPECT_FALSE(at_most(too_bold, 1 - confidence)) << shape.name;
    }
    EXPECT_TRUE(at_most(above_median, 0.505) && at_least(above_median, 0.495))
        << shape.name << ": " << text(above_median);
  }
}

// Before selection --------------------------------------------------------------------------------

/// One query at a distance from the threshold, many times.
template <class Visit>
void ask_one(Distribution distribution, const std::optional<Rational>& tick, double scales,
             Visit&& visit) {
  const SparseVectorPlan plan = plan_sparse_vector(
      {}, {.k = 10, .epsilon = "0.7"_eps, .threshold = 0, .noise = distribution, .tick = tick},
      true);
  const double scale = plan.blank.branches[0].scale.shown();
  const auto ticks =
      static_cast<std::int64_t>(std::round(scales * scale / plan.blank.tick.shown()));
  InsecureSeededNoise noise(8);
  const std::size_t runs = scaled(30'000, 3000);
  for (std::size_t run = 0; run < runs; ++run) {
    SparseVector<InsecureSeededNoise> vector(plan, noise);
    if (vector.ask_ticks(ticks, Item{}).above) {
      visit(vector.release(), plan.blank.branches[0], plan.blank.threshold_noise().shown(ticks));
    }
  }
}

struct DistributionOnTick {
  std::string name;
  Distribution distribution;
  std::optional<Rational> tick;
};
const std::vector<DistributionOnTick> four_distributions = {
    {"exponential", Distribution::exponential, std::nullopt},
    {"Laplace", Distribution::laplace, std::nullopt},
    {"geometric", Distribution::geometric, std::nullopt},
    {"discrete Laplace", Distribution::laplace, Rational(1)}};

double lower_bound(const SparseVectorRelease& release) {
  return lower_bound_before_selection(release, release.answers[0], confidence);
}

// Far above the threshold every query passes, as if picked beforehand.
TEST(BeforeSelection, TheBoundCovers) {
  for (const DistributionOnTick& distribution : four_distributions) {
    Share covered;
    Share upside_down;  // as an upper bound it would be wrong, mostly
    ask_one(distribution.distribution, distribution.tick, 40,
            [&](const auto& release, const Branch&, double answer) {
              covered.add(lower_bound(release) <= answer);
              upside_down.add(lower_bound(release) >= answer);
            });
    EXPECT_TRUE(at_least(covered, confidence)) << distribution.name << ": " << text(covered);
    EXPECT_TRUE(at_most(covered, confidence + (distribution.tick ? 0.01 : 0.005)))
        << distribution.name << ": " << text(covered);
    EXPECT_FALSE(at_least(upside_down, confidence)) << distribution.name;
  }
}

TEST(BeforeSelection, TheBoundDoesNotCoverAfterSelection) {
  for (const DistributionOnTick& distribution : four_distributions) {
    Share covered;
    Share claims_wrong;
    ask_one(distribution.distribution, distribution.tick, -1,
            [&](const auto& release, const Branch&, double answer) {
              covered.add(lower_bound(release) <= answer);
              const Claim claim = claims_above(release, confidence)[0];
              claims_wrong.add(claim.at_least && *claim.at_least > answer);
            });
    EXPECT_FALSE(at_least(covered, 0.9)) << distribution.name << ": " << text(covered);
    EXPECT_TRUE(at_most(claims_wrong, 1 - confidence))
        << distribution.name << ": " << text(claims_wrong);
    if (distribution.distribution == Distribution::exponential &&
        full_workload()) {  // 0.65 by integration
      EXPECT_TRUE(at_most(covered, 0.67) && at_least(covered, 0.63)) << text(covered);
    }
  }
}

TEST(BeforeSelection, WrongVersionsCoverLess) {
  Share half_scale;
  ask_one(Distribution::laplace, {}, 40,
          [&](const auto& release, const Branch& branch, double answer) {
            SparseVectorRelease wrong = release;  // the price of an answer where half of it belongs
            wrong.branches[0].scale = branch.scale / Rational(2);
            half_scale.add(lower_bound(wrong) <= answer);
          });
  EXPECT_FALSE(at_least(half_scale, confidence));
  Share swapped;
  ask_one(Distribution::exponential, {}, 40,
          [&](const auto& release, const Branch& branch, double answer) {
            SparseVectorRelease wrong =
                release;  // the distribution of the threshold's noise minus the query's
            wrong.branches[0].scale = release.threshold_scale;
            wrong.threshold_scale = branch.scale;
            wrong.branches[0].offset_ticks = -branch.offset_ticks;
            swapped.add(lower_bound(wrong) <= answer);
          });
  EXPECT_FALSE(at_least(swapped, confidence));
  if (full_workload()) {
    EXPECT_TRUE(at_least(half_scale, 0.85) && at_most(half_scale, 0.88)) << text(half_scale);
    EXPECT_TRUE(at_least(swapped, 0.875) && at_most(swapped, 0.905)) << text(swapped);
  }
}

}  // namespace
}  // namespace freegap::testing

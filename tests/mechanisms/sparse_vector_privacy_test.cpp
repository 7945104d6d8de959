// The privacy loss of the sparse vector, exactly: every output, all small inputs, all their
// neighbours, near the threshold and far from it. The mechanism is the shipped template.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/bad_variant_rows.hpp"
#include "verify/mechanisms/sparse_vector.hpp"
#include "verify/mechanisms/sparse_vector_bad_variants.hpp"

namespace freegap::verify {
namespace {

std::string text(const SparseVectorSetting& s) {
  return std::string(s.kind == Kind::counts ? "monotone" : "general") +
         (two_sided(s.distribution) ? " two-sided" : " one-sided") + " k " + std::to_string(s.k) +
         " branches " + std::to_string(s.branches) +
         (s.stop_rule == StopRule::paper ? " paper" : " afford");
}

TEST(SparseVectorPrivacy, OneSidedNoiseLosesExactlyWhatItSpends) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const std::uint64_t k : {1U, 2U}) {
      const SparseVectorSetting s{kind, Distribution::geometric, k};
      const Worst worst = distributions_of(plan_of(s), 16, shipped_sparse_vector)
                              .worst(all_vectors(3, -1, 1), moves_of(s.kind));
      EXPECT_LE(worst.excess, slack) << text(s) << ": " << worst.where;
      EXPECT_NEAR(worst.loss, static_cast<double>(s.reserved()), slack) << text(s);
      EXPECT_GT(worst.outcomes, 1000U);
    }
  }
}

TEST(SparseVectorPrivacy, TwoSidedNoiseLosesNoMore) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const SparseVectorSetting s{kind, Distribution::laplace, 1, 2};
    const Worst worst = distributions_of(plan_of(s), 18, shipped_sparse_vector)
                            .worst(all_vectors(2, -2, 4), moves_of(s.kind));
    EXPECT_LE(worst.excess, slack) << text(s) << ": " << worst.where;
    // The threshold's share shows only where several queries fail far above it: see below.
    EXPECT_GT(worst.loss, 0.97 * static_cast<double>(s.price())) << text(s);
  }
}

TEST(SparseVectorPrivacy, AdaptiveBranchesLoseNoMore) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
      for (const StopRule rule : {StopRule::afford, StopRule::paper}) {
        const SparseVectorSetting s{kind, distribution, 1, 2, 2, rule};
        const Worst worst = distributions_of(plan_of(s), 14, shipped_sparse_vector)
                                .worst(all_vectors(2, -1, 1), moves_of(s.kind));
        EXPECT_LE(worst.excess, slack) << text(s) << ": " << worst.where;
        EXPECT_GT(worst.loss, 0.6 * static_cast<double>(s.reserved())) << text(s);
      }
    }
    const SparseVectorSetting three{kind, Distribution::geometric, 1, 6, 3};
    const Worst worst = distributions_of(plan_of(three), 24, shipped_sparse_vector)
                            .worst(all_vectors(2, -1, 1), moves_of(three.kind));
    EXPECT_LE(worst.excess, slack) << text(three) << ": " << worst.where;
    EXPECT_GT(worst.excess, -0.5) << text(three);
  }
}

TEST(SparseVectorPrivacy, FarFromTheThresholdNothingChanges) {
  // Answers 20 ticks above: the threshold's noise must carry their failures. 20 below: the query's
  // noise must carry a success. A grid near the threshold sees neither.
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
      const SparseVectorSetting s{kind, distribution, 1, 2};
      Distributions distributions = distributions_of(plan_of(s), 36, shipped_sparse_vector);
      const std::int64_t last = kind == Kind::general ? 19 : 20;
      const Worst above = distributions.worst({20, 20, 20}, {21, 21, last});
      EXPECT_LE(above.excess, slack) << text(s) << ": " << above.where;
      EXPECT_GT(above.loss, 0.99 * static_cast<double>(s.reserved())) << text(s);
      const Worst back = distributions.worst({21, 21, last}, {20, 20, 20});
      EXPECT_LE(back.excess, slack) << text(s) << ": " << back.where;
      const Worst below = distributions_of(plan_of(s), 58, shipped_sparse_vector)
                              .worst({{-20}, {-21}, {-22}}, moves_of(s.kind));
      EXPECT_LE(below.excess, slack) << text(s) << ": " << below.where;
      EXPECT_GT(below.loss, 0.9) << text(s);
    }
  }
}

TEST(SparseVectorPrivacy, QueriesMayDependOnEarlierAnswers) {
  // The analyst asks query 1 after a success and query 2 after a failure.
  const auto adaptive = [](const Vector& q, const SparseVectorPlan& plan, EachDraw& noise) {
    SparseVector<EachDraw> vector(plan, noise);
    Answered result;
    result.answers.push_back(vector.ask(q[0]));
    result.answers.push_back(vector.ask(result.answers[0].above ? q[1] : q[2]));
    result.spent = vector.release().cost.spent;
    return result;
  };
  const SparseVectorSetting s{Kind::general, Distribution::geometric, 2};
  const Worst worst =
      distributions_of(plan_of(s), 16, adaptive).worst(all_vectors(3, -1, 1), moves_of(s.kind));
  EXPECT_LE(worst.excess, slack) << worst.where;
  EXPECT_GT(worst.excess, -slack);
}

// Known-bad versions: each must exceed what it claims.

TEST(SparseVectorPrivacy, MonotoneNoiseOnGeneralQueriesIsCaught) {
  const SparseVectorSetting near{Kind::counts, Distribution::geometric, 1};
  EXPECT_NEAR(distributions_of(plan_of(near), 16, shipped_sparse_vector)
                  .worst(all_vectors(2, -1, 1), Moves::either_way)
                  .excess,
              1, slack);
  // With two-sided noise a small case near the threshold shows less than the whole of it.
  EXPECT_GT(enumerated_loss(bad::missing_factor()).excess, 1.9);
}

TEST(SparseVectorPrivacy, OneAnswerTooManyIsCaught) {
  for (const StopRule rule : {StopRule::afford, StopRule::paper}) {
    EXPECT_NEAR(enumerated_loss(bad::one_too_many(rule)).excess, 1, slack);
  }
}

TEST(SparseVectorPrivacy, AFreeThresholdIsCaught) {
  const auto free_threshold = [](const Vector& q, const SparseVectorPlan& plan, EachDraw& noise) {
    Answered answered = shipped_sparse_vector(q, plan, noise);
    answered.spent = answered.spent - plan.blank.threshold_epsilon;
    return answered;
  };
  const SparseVectorSetting s{Kind::counts, Distribution::geometric, 1};
  EXPECT_NEAR(distributions_of(plan_of(s), 16, free_threshold)
                  .worst(all_vectors(2, -1, 1), moves_of(s.kind))
                  .excess,
              1, slack);
}

TEST(SparseVectorPrivacy, AReducedBranchWithFullNoiseIsCaught) {
  // The cheap branch must have the noise of its price.
  const SparseVectorSetting s{Kind::counts, Distribution::geometric, 1, 2, 2};
  SparseVectorPlan plan = plan_of(s);
  plan.steps.front().noise = plan.steps.back().noise;
  EXPECT_GT(distributions_of(plan, 16, shipped_sparse_vector)
                .worst(all_vectors(2, -1, 1), moves_of(s.kind))
                .excess,
            0.9);
}

}  // namespace
}  // namespace freegap::verify

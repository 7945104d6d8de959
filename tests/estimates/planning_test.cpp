// Planning: forecasts equal closed forms, computed budgets reach their targets, and promises about
// selection hold in simulation.
#include "freegap/planning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "estimates/outcomes.hpp"
#include "estimates/simulation.hpp"
#include "freegap/errors.hpp"
#include "freegap/estimate.hpp"
#include "freegap/measure.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/top_k.hpp"
#include "support/distribution_check.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

const Queries monotone{Kind::counts, Neighbours::add_remove, 1};
const Queries general{Kind::general, Neighbours::add_remove, 1};

/// Variance of a sparse vector's gap, in units of 1 / epsilon^2 of its own budget.
double gap_variance(Distribution distribution, int c, double k) {
  return (two_sided(distribution) ? 2 : 1) * std::pow(1 + std::cbrt(c * c * k * k), 3);
}

TEST(Forecast, OfSparseVectorsEqualsClosedForms) {
  for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
    for (const Queries& queries : {monotone, general}) {
      for (const std::uint64_t k : {1U, 2U, 10U, 24U, 25U}) {
        const Forecast f =
            forecast(SparseVectorQuestion{queries, k, Rational(7, 10), distribution});
        const auto n = static_cast<double>(k);
        const double half = 0.35;
        const double direct = 2 * n * n / (half * half);
        const double gap = gap_variance(distribution, queries.noise_factor(), n) / (half * half);
        EXPECT_NEAR(f.direct_error, std::sqrt(direct), 1e-6 * f.direct_error);
        EXPECT_NEAR(f.gap_error, std::sqrt(gap), 1e-5 * f.gap_error);
        EXPECT_NEAR(f.per_query_error, std::sqrt(direct * gap / (direct + gap)),
                    1e-5 * f.per_query_error);
        // Joint, from the shares of the threshold and the answers.
        const double theta = 1 / (1 + std::cbrt(std::pow(queries.noise_factor() * n, 2)));
        const double times = two_sided(distribution) ? 2 : 1;
        const double v0 = times / std::pow(theta * half, 2);
        const double v = times * std::pow(queries.noise_factor() * n / ((1 - theta) * half), 2);
        const double joint = direct * v / (direct + v) +
                             std::pow(direct / (direct + v), 2) / (n / (direct + v) + 1 / v0);
        EXPECT_NEAR(f.combined_error, std::sqrt(joint), 1e-5 * f.combined_error);
        EXPECT_NEAR(f.reduction, 1 - joint / direct, 1e-5);
      }
    }
  }
}

double per_query_reduction(Distribution distribution, std::uint64_t k) {
  const Forecast f = forecast(SparseVectorQuestion{monotone, k, 1, distribution});
  return 1 - std::pow(f.per_query_error / f.direct_error, 2);
}

TEST(Forecast, GivesTheKnownReductions) {
  EXPECT_NEAR(per_query_reduction(Distribution::laplace, 2), 0.188, 5e-4);
  EXPECT_NEAR(per_query_reduction(Distribution::laplace, 24), 0.416, 5e-4);
  EXPECT_NEAR(per_query_reduction(Distribution::exponential, 2), 0.316, 5e-4);
  EXPECT_NEAR(per_query_reduction(Distribution::exponential, 10), 0.527, 5e-4);
  EXPECT_NEAR(per_query_reduction(Distribution::exponential, 24), 0.587, 5e-4);
  EXPECT_NEAR(per_query_reduction(Distribution::exponential, 25), 0.589, 5e-4);
  const auto joint = [](std::uint64_t k) {
    return forecast(SparseVectorQuestion{monotone, k, 1}).reduction;
  };
  EXPECT_NEAR(joint(2), 0.340, 5e-4);
  EXPECT_NEAR(joint(10), 0.548, 5e-4);
  EXPECT_NEAR(joint(25), 0.603, 5e-4);
  const auto top = [](Distribution distribution, std::uint64_t k) {
    return forecast(TopKQuestion{monotone, k, 1, distribution}).reduction;
  };
  EXPECT_NEAR(top(Distribution::laplace, 2), 0.25, 1e-6);
  EXPECT_NEAR(top(Distribution::laplace, 24), 0.479, 5e-4);
  EXPECT_NEAR(top(Distribution::exponential, 2), 1.0 / 3, 1e-6);
  EXPECT_NEAR(top(Distribution::exponential, 24), 0.639, 5e-4);
  EXPECT_NEAR(top(Distribution::exponential, 1), 0, 1e-12);
  const Forecast general_case = forecast(TopKQuestion{general, 10, 1, Distribution::exponential});
  EXPECT_NEAR(general_case.reduction, 0.9 / 3, 1e-6);  // lambda = 2
}

TEST(Forecast, OfTopKEqualsClosedForms) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const std::uint64_t k : {1U, 3U, 40U}) {
      for (const Rational& share : {Rational(1, 10), Rational(1, 2), Rational(4, 5)}) {
        const Forecast f = forecast(TopKQuestion{general, k, 2, distribution, share});
        const auto n = static_cast<double>(k);
        const double scale = 2 * n / (2 * (1 - share.shown()));
        const double a = 1 / scale;
        const double noise = distribution == Distribution::geometric
                                 ? 1 / std::pow(2 * std::sinh(a / 2), 2)
                                 : (two_sided(distribution) ? 2 : 1) * scale * scale;
        const double direct = 2 * std::pow(n / (2 * share.shown()), 2);
        const double lambda = noise / direct;
        EXPECT_NEAR(f.gap_error, std::sqrt(2 * noise), 1e-6 * f.gap_error);
        EXPECT_NEAR(f.direct_error, std::sqrt(direct), 1e-6 * f.direct_error);
        EXPECT_NEAR(f.reduction, (n - 1) / (n * (1 + lambda)), 1e-6);
      }
    }
  }
}

// The forecast agrees with what the mechanisms and the estimator do.
TEST(Forecast, EqualsTheErrorBarsOfReleases) {
  const std::vector<std::int64_t> counts = {900'000, 600'000, 300'000, 0, 0};
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const Rational& sensitivity : {Rational(1), Rational(3, 2)}) {
      const Candidates candidates = Candidates::general(std::span<const std::int64_t>(counts),
                                                        sensitivity, Neighbours::add_remove);
      InsecureSeededNoise noise(2);
      const TopKRelease top =
          top_k(candidates, {.k = 3, .epsilon = "0.25"_eps, .noise = distribution}, noise);
      const Rational coarse(1, 64);
      const MeasureRelease direct =
          measure(candidates, top.indices(), {.epsilon = "0.75"_eps, .tick = coarse}, noise);
      const TopKQuestion asked{candidates.queries(), 3, 1, distribution, Rational(3, 4)};
      EXPECT_NEAR(estimate(top, direct)[1].standard_error, forecast(asked).combined_error,
                  1e-4 * forecast(asked).combined_error);
      const SparseVectorRelease vector = sparse_vector(
          candidates, {.k = 3, .epsilon = "0.25"_eps, .threshold = 150'000, .noise = distribution},
          noise);
      const MeasureRelease answers =
          measure(candidates, winners_of(vector), {.epsilon = "0.75"_eps, .tick = coarse}, noise);
      const SparseVectorQuestion question{candidates.queries(), 3, 1, distribution, Rational(3, 4)};
      EXPECT_NEAR(estimate(vector, answers)[2].standard_error, forecast(question).combined_error,
                  1e-4 * forecast(question).combined_error);
      EXPECT_NEAR(estimate(vector)[0].standard_error, forecast(question).gap_error,
                  1e-4 * forecast(question).gap_error);
    }
  }
}

TEST(EpsilonFor, InvertsTheForecast) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const double target : {0.5, 12.0, 3000.0}) {
      TopKQuestion top{monotone, 5, 1, distribution};
      top.epsilon = Rational::exactly(epsilon_for(top, target));
      EXPECT_NEAR(forecast(top).combined_error, target, 1e-9 * target);
      SparseVectorQuestion vector{general, 5, 1, distribution, Rational(1, 3)};
      vector.epsilon = Rational::exactly(epsilon_for(vector, target));
      // theta is rounded to six decimals, and for geometric noise depends on the budget.
      EXPECT_NEAR(forecast(vector).combined_error, target, 1e-5 * target);
    }
  }
  for (const double bad : {0.0, -1.0, HUGE_VAL, std::nan(""), 1e-9, 1e15}) {
    EXPECT_THROW(epsilon_for(TopKQuestion{monotone, 5}, bad), InvalidParameter) << bad;
  }
}

TEST(BestMeasuringShare, IsThatOfBruteForce) {
  for (const std::uint64_t k : {1U, 2U, 5U, 10U, 25U}) {
    for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
      const auto n = static_cast<double>(k);
      const double times = two_sided(distribution) ? 2 : 1;
      double least_top = HUGE_VAL;
      double least_sparse = HUGE_VAL;
      int best_top = 0;
      int best_sparse = 0;
      for (int i = 0; i <= 900; ++i) {
        const double share = i / 1000.0;
        const double direct = i == 0 ? HUGE_VAL : 2 * n * n / (share * share);
        const double lambda = times * n * n / std::pow(1 - share, 2) / direct;
        const double top = i == 0 ? HUGE_VAL : direct * (1 + lambda * n) / (n * (1 + lambda));
        const double theta = 1 / (1 + std::cbrt(n * n));
        const double v0 = times / std::pow(theta * (1 - share), 2);
        const double v = times * std::pow(n / ((1 - theta) * (1 - share)), 2);
        const double sparse = i == 0
                                  ? v + v0
                                  : direct * v / (direct + v) + std::pow(direct / (direct + v), 2) /
                                                                    (n / (direct + v) + 1 / v0);
        best_top = top < least_top ? i : best_top;
        least_top = std::fmin(top, least_top);
        best_sparse = sparse < least_sparse ? i : best_sparse;
        least_sparse = std::fmin(sparse, least_sparse);
      }
      EXPECT_NEAR(best_measuring_share(TopKQuestion{monotone, k, 1, distribution}).shown(),
                  best_top / 1000.0, 0.0011)
          << k;
      EXPECT_NEAR(best_measuring_share(SparseVectorQuestion{monotone, k, 1, distribution}).shown(),
                  best_sparse / 1000.0, 0.0011)
          << k;
    }
  }
  // For ten answers or more with exponential noise, gaps alone are best.
  EXPECT_EQ(best_measuring_share(SparseVectorQuestion{monotone, 10}), Rational(0));
  EXPECT_EQ(best_measuring_share(TopKQuestion{monotone, 2}, Rational(2, 5)), Rational(3, 5));
  EXPECT_THROW(best_measuring_share(TopKQuestion{monotone, 2}, Rational(1)), InvalidParameter);
  EXPECT_THROW(best_measuring_share(TopKQuestion{monotone, 2}, Rational(-1)), InvalidParameter);
}

// With confidence 0.9 at most a tenth of the runs may select a candidate that far below. By
// Chernoff's bound, each of the 6 checks has a false alarm with probability 1e-10 at most.
TEST(SelectingShareFor, KeepsWhatItPromises) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const std::int64_t crowd : {20, 5000}) {
      const TopKQuestion question{monotone, 3, 2, distribution};
      constexpr std::int64_t separation = 60;
      const double share =
          selecting_share_for(question, static_cast<std::uint64_t>(crowd + 3), separation, 0.9);
      ASSERT_GT(share, 0);
      const auto wrong_at = [&](double factor) {
        Setting setting{Selection::top_k, distribution, 3, {"crowd", {separation, 0}, {3, crowd}}};
        setting.selecting = question.epsilon * Rational::exactly(share * factor);
        Share wrong;
        simulate(setting, scaled(10'000, 1000), 31,
                 [&](const TopKRelease& release, auto&, std::span<const double>) {
                   bool any = false;
                   for (const Item& winner : release.winners) {
                     any = any || winner.id == 1;
                   }
                   wrong.add(any);
                 });
        return wrong;
      };
      const Share kept = wrong_at(1);
      EXPECT_TRUE(kept.value() <= 0.1 ||
                  surprise({"", kept.happened, 0.1}, kept.trials) < std::log(1e10))
          << kept.value();
      EXPECT_GT(wrong_at(0.4).value(), 0.2) << "the check is blind to too small a share";
    }
  }
  EXPECT_THROW(selecting_share_for({monotone, 3}, 10, 0, 0.9), InvalidParameter);
  EXPECT_THROW(selecting_share_for({monotone, 3}, 10, 5, 1), InvalidParameter);
  EXPECT_GT(selecting_share_for({monotone, 3, 1}, 1000, 1, 0.9), 1);
}

/// Mean number of answers above until a sparse vector has used its budget.
Mean simulated_answers(const SparseVectorQuestion& question, double distance, std::size_t runs) {
  const Rational epsilon = question.epsilon * (Rational(1) - question.measuring_share);
  const SparseVectorPlan plan = plan_sparse_vector(question.queries,
                                                   {.k = question.k,
                                                    .epsilon = Epsilon(epsilon),
                                                    .threshold = 0,
                                                    .noise = question.noise,
                                                    .branches = question.branches,
                                                    .theta = question.theta,
                                                    .sigma = question.sigma,
                                                    .stop_rule = question.stop_rule},
                                                   true);
  const auto ticks = static_cast<std::int64_t>(std::round(distance / plan.blank.tick.shown()));
  InsecureSeededNoise noise(6);
  Mean answers;
  for (std::size_t run = 0; run < runs; ++run) {
    SparseVector<InsecureSeededNoise> vector(plan, noise);
    double above = 0;
    while (vector.open()) {
      above += vector.ask_ticks(ticks, Item{}).above ? 1 : 0;
    }
    answers.add(above);
  }
  return answers;
}

// The mean of a correct forecast is off by 7 standard errors with probability 3e-12 (normal
// approximation). The tolerance allows for centring in whole ticks.
TEST(ExpectedAnswers, AgreeWithTheMechanism) {
  const std::size_t runs = scaled(3000, 200);
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const std::size_t branches : {1U, 2U, 3U}) {
      for (const StopRule rule : {StopRule::afford, StopRule::paper}) {
        for (const double distance : {-40.0, 30.0, 150.0}) {
          SparseVectorQuestion question{monotone, 4, Rational(1, 5), distribution};
          question.branches = branches;
          question.stop_rule = rule;
          const Mean seen = simulated_answers(question, distance, runs);
          const double expected = expected_answers(question, distance);
          EXPECT_NEAR(expected, seen.value(), 7 * seen.error() + 0.01)
              << branches << " branches, distance " << distance;
          if (branches == 1) {
            EXPECT_NEAR(expected, 4, 1e-9);
          }
        }
      }
    }
  }
  // Far above the threshold all answers are cheap: twice as many, but for the last by the paper's
  // rule.
  SparseVectorQuestion question{monotone, 4, Rational(1, 5)};
  question.branches = 2;
  EXPECT_NEAR(expected_answers(question, 1e6), 8, 1e-6);
  question.stop_rule = StopRule::paper;
  EXPECT_NEAR(expected_answers(question, 1e6), 7, 1e-6);
}

TEST(Planning, RefusesBadQuestions) {
  EXPECT_THROW(forecast(TopKQuestion{monotone, 0}), InvalidParameter);
  EXPECT_THROW(forecast(SparseVectorQuestion{monotone, 0}), InvalidParameter);
  EXPECT_THROW(forecast(TopKQuestion{{Kind::counts, Neighbours::add_remove, 0}, 2}),
               InvalidParameter);
  EXPECT_THROW(forecast(TopKQuestion{monotone, 2, 0}), InvalidParameter);
  EXPECT_THROW(forecast(TopKQuestion{monotone, 2, 1001}), InvalidParameter);
  for (const Rational& share : {Rational(0), Rational(1), Rational(-1), Rational(2)}) {
    EXPECT_THROW(forecast(TopKQuestion{monotone, 2, 1, Distribution::laplace, share}),
                 InvalidParameter);
    if (share.sign() != 0) {
      EXPECT_THROW(forecast(SparseVectorQuestion{monotone, 2, 1, Distribution::laplace, share}),
                   InvalidParameter);
    }
    SparseVectorQuestion theta{monotone, 2};
    theta.theta = share;
    EXPECT_THROW(forecast(theta), InvalidParameter);
  }
  SparseVectorQuestion branches{monotone, 2};
  for (const std::size_t bad : {0U, 17U}) {
    branches.branches = bad;
    EXPECT_THROW(expected_answers(branches, 0), InvalidParameter);
    EXPECT_THROW(forecast(branches), InvalidParameter);
  }
  // Without measurements only the gaps determine the error.
  const Forecast gaps =
      forecast(SparseVectorQuestion{monotone, 10, 1, Distribution::exponential, Rational(0)});
  EXPECT_EQ(gaps.direct_error, HUGE_VAL);
  EXPECT_EQ(gaps.combined_error, gaps.gap_error);
}

}  // namespace
}  // namespace freegap::testing

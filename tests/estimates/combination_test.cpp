// Estimates from gaps over a threshold: equal to generalised least squares with full matrices,
// unbiased on any tick, and using only gaps that are certified.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "estimates/least_squares.hpp"
#include "estimates/outcomes.hpp"
#include "estimates/shapes.hpp"
#include "estimates/simulation.hpp"
#include "freegap/errors.hpp"
#include "freegap/estimate.hpp"
#include "support/distribution_check.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

constexpr std::int64_t threshold = 1000;

SparseVectorOptions sparse_vector_options(Distribution distribution, std::size_t branches,
                                          std::uint64_t k) {
  return {.k = k,
          .epsilon = "0.7"_eps,
          .threshold = threshold,
          .noise = distribution,
          .branches = branches};
}

Item item(std::size_t i) { return {static_cast<std::int64_t>(i), 0}; }

/// An invented release: answer i passes branch `branches[i]` (0: it does not pass) with a gap of
/// `gaps[i]` ticks beyond its cut.
SparseVectorRelease sparse_vector_release(const SparseVectorPlan& plan,
                                          const std::vector<std::size_t>& branches,
                                          const std::vector<std::int64_t>& gaps) {
  SparseVectorRelease release = plan.blank;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    SparseVectorAnswer answer{item(i), branches[i] > 0, branches[i], std::nullopt};
    if (answer.above) {
      answer.gap_ticks = gaps[i] + release.branches[branches[i] - 1].cut_ticks;
    }
    release.answers.push_back(answer);
  }
  return release;
}

/// Invented measurements.
MeasureRelease measurements(const std::vector<Item>& items, const Rational& scale,
                            const std::vector<std::int64_t>& values) {
  return {{}, {Distribution::laplace, scale, Rational(1, 8)}, {}, items, values};
}

double mean_of(const NoiseDistribution& noise) {
  return two_sided(noise.distribution)
             ? 0
             : noise.tick.shown() / std::expm1((noise.tick / noise.scale).shown());
}

/// A linear model of the observations: measurements, and gaps that share the noise of the
/// threshold. If nothing is known of the shared part, it is one more parameter.
struct Model {
  std::vector<long double> measured;
  double measured_variance;
  std::vector<long double> from_gaps;
  std::vector<double> own_variance;
  std::optional<double> shared_variance;
};

LeastSquares solve(const Model& model) {
  const std::size_t k = model.measured.size();
  Matrix design = zeros(2 * k, k + (model.shared_variance ? 0 : 1));
  Matrix covariance = zeros(2 * k, 2 * k);
  std::vector<long double> observed = model.measured;
  observed.insert(observed.end(), model.from_gaps.begin(), model.from_gaps.end());
  for (std::size_t i = 0; i < k; ++i) {
    design[i][i] = 1;
    design[k + i][i] = 1;
    covariance[i][i] = model.measured_variance;
    if (!model.shared_variance) {
      design[k + i][k] = 1;
    }
    for (std::size_t j = 0; j < k; ++j) {
      covariance[k + i][k + j] =
          (i == j ? model.own_variance[i] : 0) + model.shared_variance.value_or(0);
    }
  }
  return generalised_least_squares(design, covariance, observed);
}

void expect_equal(const std::vector<Estimate>& estimates, const LeastSquares& best, double scale) {
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    EXPECT_NEAR(estimates[i].value, static_cast<double>(best.values[i]), 1e-12 * scale);
    EXPECT_NEAR(estimates[i].standard_error, std::sqrt(static_cast<double>(best.variances[i])),
                1e-11 * scale);
    EXPECT_TRUE(estimates[i].used_gap);
  }
}

const EstimateOptions all_gaps{0.95, Trust::all, Combination::joint};

TEST(SparseVectorEstimate, IsGeneralisedLeastSquares) {
  std::mt19937_64 random(1);
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const std::size_t branches : {1U, 2U, 3U}) {
      for (const std::size_t k : {1U, 2U, 7U}) {
        const SparseVectorPlan plan =
            plan_sparse_vector({Kind::counts, Neighbours::add_remove, 1},
                               sparse_vector_options(distribution, branches, k), true);
        std::vector<std::size_t> passed;
        std::vector<std::int64_t> gaps;
        std::vector<std::int64_t> values;
        for (std::size_t i = 0; i < k; ++i) {
          passed.push_back(1 + (i * 5) % branches);
          gaps.push_back(static_cast<std::int64_t>(random() % 5000));
          values.push_back(8 * threshold + static_cast<std::int64_t>(random() % 5000));
        }
        const SparseVectorRelease release = sparse_vector_release(plan, passed, gaps);
        const MeasureRelease direct =
            measurements(winners_of(release), Rational(k) / Rational(2), values);
        Model model{{}, direct.noise.variance(), {}, {}, release.threshold_noise().variance()};
        for (std::size_t i = 0; i < k; ++i) {
          const NoiseDistribution noise = release.branch_noise(passed[i]);
          const Branch& branch = release.branches[passed[i] - 1];
          model.measured.push_back(direct.value(i));
          model.from_gaps.push_back(
              threshold + noise.shown(*release.answers[i].gap_ticks + branch.offset_ticks) -
              mean_of(noise) + mean_of(release.threshold_noise()));
          model.own_variance.push_back(noise.variance());
        }
        const auto joint = estimate(release, direct, all_gaps);
        expect_equal(joint, solve(model), 5000);

        // The paper's: each answer by itself.
        const auto single = estimate(release, direct, {0.95, Trust::all, Combination::per_query});
        for (std::size_t i = 0; i < k; ++i) {
          Model one{{model.measured[i]},
                    model.measured_variance,
                    {model.from_gaps[i]},
                    {model.own_variance[i]},
                    model.shared_variance};
          expect_equal({single[i]}, solve(one), 5000);
          EXPECT_LE(joint[i].standard_error, single[i].standard_error * (1 + 1e-12));
        }
        // Gaps alone.
        const auto alone = estimate(release, all_gaps);
        for (std::size_t i = 0; i < k; ++i) {
          EXPECT_NEAR(alone[i].value, static_cast<double>(model.from_gaps[i]), 1e-9);
          EXPECT_NEAR(alone[i].standard_error,
                      std::sqrt(model.own_variance[i] + *model.shared_variance), 1e-9);
          EXPECT_TRUE(alone[i].interval.has_value());
        }
      }
    }
  }
}

TEST(HybridEstimate, IsGeneralisedLeastSquares) {
  const std::vector<std::int64_t> counts(20, 5);
  const Candidates candidates = Candidates::counting(counts, Neighbours::add_remove);
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
      for (const GapTo to : {GapTo::threshold, GapTo::next}) {
        if (prefer == Prefer::estimates && to == GapTo::next) {
          continue;
        }
        HybridRelease release = plan_hybrid(candidates, {.k = 6,
                                                         .epsilon = "0.9"_eps,
                                                         .threshold = threshold,
                                                         .prefer = prefer,
                                                         .noise = distribution})
                                    .blank;
        release.gap_to = to;
        release.winners = {item(3), item(1), item(7), item(2)};
        release.gap_ticks = {9000, 8500, 700, 20};
        const MeasureRelease direct = measurements(release.winners, 7, {15000, 14800, 9000, 8100});
        Model model{{}, direct.noise.variance(), {}, {}, release.threshold_noise.variance()};
        if (to == GapTo::next) {
          model.shared_variance.reset();
        }
        const std::int64_t offset = release.estimates ? release.estimates->branch.offset_ticks : 0;
        for (std::size_t i = 0; i < release.winners.size(); ++i) {
          model.measured.push_back(direct.value(i));
          model.from_gaps.push_back(threshold + release.noise.shown(release.gap_ticks[i] + offset) -
                                    mean_of(release.noise) + mean_of(release.threshold_noise));
          model.own_variance.push_back(release.noise.variance());
        }
        expect_equal(estimate(release, direct, all_gaps), solve(model), 5000);
        const auto alone = estimate(release, all_gaps);
        EXPECT_EQ(alone.size(), to == GapTo::next ? 0U : 4U);
        for (std::size_t i = 0; i < alone.size(); ++i) {
          EXPECT_NEAR(alone[i].value, static_cast<double>(model.from_gaps[i]), 1e-9);
        }
      }
    }
  }
}

// If some gaps are not certified, only the certified ones are combined, and nothing is assumed of
// the shared part.
TEST(SparseVectorEstimate, CombinesCertifiedGapsByThemselves) {
  const SparseVectorPlan plan =
      plan_sparse_vector({}, sparse_vector_options(Distribution::exponential, 1, 4), true);
  const double scale = plan.blank.branches[0].scale.shown() / plan.blank.tick.shown();  // in ticks
  const auto gap = [&](double scales) { return static_cast<std::int64_t>(scales * scale); };
  const SparseVectorRelease release =
      sparse_vector_release(plan, {1, 1, 1, 1}, {gap(20), gap(2), gap(25), gap(10)});
  const MeasureRelease direct =
      measurements(winners_of(release), 9, {20'000, 9'000, 22'000, 12'000});
  const auto estimates = estimate(release, direct);
  const auto alone = estimate(direct);

  Model model{{}, direct.noise.variance(), {}, {}, std::nullopt};
  for (const std::size_t i : {0U, 2U, 3U}) {
    const NoiseDistribution noise = release.branch_noise(1);
    model.measured.push_back(direct.value(i));
    model.from_gaps.push_back(noise.shown(*release.answers[i].gap_ticks));
    model.own_variance.push_back(noise.variance());
  }
  const LeastSquares best = solve(model);
  EXPECT_NEAR(estimates[0].value, static_cast<double>(best.values[0]), 1e-9);
  EXPECT_NEAR(estimates[2].value, static_cast<double>(best.values[1]), 1e-9);
  EXPECT_NEAR(estimates[3].value, static_cast<double>(best.values[2]), 1e-9);
  EXPECT_NEAR(estimates[0].standard_error, std::sqrt(static_cast<double>(best.variances[0])), 1e-9);

  // The small lead leaves the measurement as it is.
  EXPECT_FALSE(estimates[1].used_gap);
  EXPECT_EQ(estimates[1].value, direct.value(1));
  EXPECT_EQ(estimates[1].standard_error, alone[1].standard_error);
  EXPECT_EQ(estimates[1].interval->low, alone[1].interval->low);
  EXPECT_EQ(estimates[1].interval->high, alone[1].interval->high);

  // A lead of 10 scales, just beyond ln(4 / 0.001) = 8.3, helps the value, but not the interval.
  EXPECT_TRUE(estimates[3].used_gap);
  EXPECT_GE(estimates[3].standard_error, alone[3].standard_error);
  EXPECT_GT(estimates[3].interval->high - estimates[3].interval->low,
            alone[3].interval->high - alone[3].interval->low);
  EXPECT_LT(estimates[0].interval->high - estimates[0].interval->low,
            alone[0].interval->high - alone[0].interval->low);
}

TEST(SparseVectorEstimate, FallsBackOnMeasurementsWhereLeadsAreSmall) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    const SparseVectorPlan plan =
        plan_sparse_vector({}, sparse_vector_options(distribution, 2, 3), true);
    const SparseVectorRelease release = sparse_vector_release(plan, {1, 2, 0, 1}, {3, 0, 0, 40});
    const MeasureRelease direct = measurements(winners_of(release), 5, {8100, 8000, 7900});
    const auto estimates = estimate(release, direct);
    const auto alone = estimate(direct);
    ASSERT_EQ(estimates.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(estimates[i].item, direct.items[i]);
      EXPECT_EQ(estimates[i].value, direct.value(i));
      EXPECT_FALSE(estimates[i].used_gap);
      EXPECT_EQ(estimates[i].interval->low, alone[i].interval->low);
      EXPECT_EQ(estimates[i].simultaneous->high, alone[i].simultaneous->high);
      EXPECT_TRUE(estimate(release, direct, all_gaps)[i].used_gap);
    }
    for (const Estimate& from_gap : estimate(release)) {
      EXPECT_FALSE(from_gap.interval.has_value());
      EXPECT_FALSE(from_gap.simultaneous.has_value());
    }
  }
}

TEST(SparseVectorEstimate, TakesTheBranchOfEachAnswer) {
  const SparseVectorPlan plan =
      plan_sparse_vector({}, sparse_vector_options(Distribution::exponential, 2, 2), true);
  const SparseVectorRelease release = sparse_vector_release(plan, {1, 2}, {40'000, 40'000});
  EXPECT_EQ(release.branches[0].scale, Rational(2) * release.branches[1].scale);
  const auto estimates = estimate(release, all_gaps);
  const double threshold_variance = release.threshold_noise().variance();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(estimates[i].standard_error,
                std::sqrt(release.branch_noise(i + 1).variance() + threshold_variance), 1e-9);
  }
  EXPECT_GT(estimates[0].standard_error, 1.5 * estimates[1].standard_error);
}

TEST(Estimate, RefusesWhatDoesNotBelongTogether) {
  const SparseVectorPlan plan =
      plan_sparse_vector({}, sparse_vector_options(Distribution::exponential, 1, 3), true);
  const SparseVectorRelease release = sparse_vector_release(plan, {1, 0, 1}, {9, 0, 8});
  EXPECT_NO_THROW(estimate(release, measurements({item(0), item(2)}, 5, {1, 2})));
  EXPECT_THROW(estimate(release, measurements({item(0)}, 5, {1})), InvalidParameter);
  EXPECT_THROW(estimate(release, measurements({item(2), item(0)}, 5, {1, 2})), InvalidParameter);
  EXPECT_THROW(estimate(release, measurements({item(0), item(1)}, 5, {1, 2})), InvalidParameter);

  HybridRelease hybrid;
  hybrid.winners = {item(0)};
  EXPECT_THROW(estimate(hybrid, measurements({item(1)}, 5, {1})), InvalidParameter);
  TopKRelease top;
  top.winners = {item(0)};
  EXPECT_THROW(estimate(top, measurements({item(1)}, 5, {1})), InvalidParameter);
  for (const double confidence : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
    EXPECT_THROW(Estimator({confidence, Trust::certified, Combination::joint}), InvalidParameter);
  }
}

TEST(Estimate, RefusesClassicReleases) {
  const std::vector<std::int64_t> counts = {50, 40, 30};
  const Candidates candidates = Candidates::counting(counts, Neighbours::add_remove);
  InsecureSeededNoise noise(1);
  const SparseVectorRelease vector = sparse_vector(
      candidates, {.k = 2, .epsilon = "100"_eps, .threshold = 35, .gaps = false}, noise);
  const MeasureRelease direct =
      measure(candidates, winners_of(vector), {.epsilon = "1"_eps}, noise);
  EXPECT_THROW(estimate(vector), InvalidParameter);
  EXPECT_THROW(estimate(vector, direct), InvalidParameter);
  const TopKRelease top = top_k(candidates, {.k = 2, .epsilon = "1"_eps, .gaps = false}, noise);
  EXPECT_THROW(estimate(top, measure(candidates, top.indices(), {.epsilon = "1"_eps}, noise)),
               InvalidParameter);
}

TEST(Estimate, OfNothingIsNothing) {
  const SparseVectorPlan plan =
      plan_sparse_vector({}, sparse_vector_options(Distribution::exponential, 1, 3), true);
  const SparseVectorRelease release = sparse_vector_release(plan, {0, 0}, {0, 0});
  EXPECT_TRUE(estimate(release).empty());
  EXPECT_TRUE(estimate(release, measurements({}, 5, {})).empty());
  EXPECT_TRUE(estimate(measurements({}, 5, {})).empty());
}

/// Mean error of gaps alone over many runs, in standard errors of that mean; `corrected` or as the
/// gap is released, centred in whole ticks.
double bias_of_gaps(std::uint64_t runs, bool corrected) {
  Setting setting{Selection::sparse_vector, Distribution::geometric, 3, separated(3)};
  setting.selecting = Rational(31, 10);  // scales near a tick, so that rounding matters
  Estimator estimator(all_gaps);
  Mean error;
  simulate(setting, runs, 5,
           [&](const SparseVectorRelease& release, auto&, std::span<const double> answers) {
             double sum = 0;
             const auto estimates = estimator(release);
             for (std::size_t i = 0; i < answers.size(); ++i) {
               const double as_released =
                   simulated_threshold + static_cast<double>(*release.answers[i].gap_ticks);
               sum += (corrected ? estimates[i].value : as_released) - answers[i];
             }
             error.add(sum);
           });
  return std::fabs(error.value()) / error.error();
}

// A correct centring is off by 7 standard errors with probability 3e-12 (normal approximation).
TEST(SparseVectorEstimate, IsUnbiasedOnCoarseTicks) {
  const std::size_t runs = scaled(60'000, 3000);
  EXPECT_LT(bias_of_gaps(runs, true), 7);
  if (full_workload()) {
    EXPECT_GT(bias_of_gaps(runs, false), 7);
  }
}

// On well-separated data all gaps are certified, so the two kinds of trust agree exactly. In a
// crowd, trusting all gaps increases the error.
TEST(Estimate, CertifiedIsTheBestWhereGapsAreGoodAndNoWorseWhereTheyAreNot) {
  const std::size_t runs = scaled(4000, 300);
  for (const bool crowded : {false, true}) {
    const Shape shape = crowded ? Shape{"crowd", {3000, 0}, {1, 20'000}} : separated(5);
    const Setting setting = setting_for(Selection::top_k, Distribution::exponential, 5, shape);
    Estimator certified;
    Estimator trusting(all_gaps);
    Ratio certified_ratio;
    Ratio trusting_ratio;
    simulate(setting, runs, 9,
             [&](const auto& release, auto& direct, std::span<const double> answers) {
               const MeasureRelease& measured = direct();
               const double alone = squared_error(measured, answers);
               certified_ratio.add(squared_error(certified(release, measured), answers), alone);
               trusting_ratio.add(squared_error(trusting(release, measured), answers), alone);
             });
    if (crowded) {  // 1.58 or so against 1
      EXPECT_GT(trusting_ratio.value(), 1.2);
      EXPECT_LT(certified_ratio.value(), 1.05);
    } else {  // 1 - (4/5) / (3/2)
      EXPECT_EQ(certified_ratio.value(), trusting_ratio.value());
      EXPECT_NEAR(certified_ratio.value(), 0.4667, 0.1);
    }
  }
}

}  // namespace
}  // namespace freegap::testing

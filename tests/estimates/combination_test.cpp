// The paper's linear estimates from gaps over a threshold: equal to generalised least squares with
// full matrices, and unbiased on any tick. Releases that do not belong together are refused.
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

const EstimateOptions linear{0.95, Method::linear};

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
        // Each answer by itself.
        const auto single = estimate(release, direct, linear);
        ASSERT_EQ(single.size(), k);
        for (std::size_t i = 0; i < k; ++i) {
          Model one{{model.measured[i]},
                    model.measured_variance,
                    {model.from_gaps[i]},
                    {model.own_variance[i]},
                    model.shared_variance};
          expect_equal({single[i]}, solve(one), 5000);
        }
        // Gaps alone.
        const auto alone = estimate(release, linear);
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
        const auto both = estimate(release, direct, linear);
        if (to == GapTo::next) {
          expect_equal(both, solve(model), 5000);
        }
        for (std::size_t i = 0; to == GapTo::threshold && i < both.size(); ++i) {
          const Model one{{model.measured[i]},
                          model.measured_variance,
                          {model.from_gaps[i]},
                          {model.own_variance[i]},
                          model.shared_variance};
          expect_equal({both[i]}, solve(one), 5000);
        }
        const auto alone = estimate(release, linear);
        EXPECT_EQ(alone.size(), to == GapTo::next ? 0U : 4U);
        for (std::size_t i = 0; i < alone.size(); ++i) {
          EXPECT_NEAR(alone[i].value, static_cast<double>(model.from_gaps[i]), 1e-9);
          EXPECT_TRUE(alone[i].interval.has_value());
          EXPECT_TRUE(alone[i].simultaneous.has_value());
        }
      }
    }
  }
}

// One estimator for many releases: error bars that it has kept are those of a fresh one.
TEST(Estimate, KeepsErrorBarsApart) {
  const auto expect_same = [](const std::vector<Estimate>& found,
                              const std::vector<Estimate>& fresh) {
    ASSERT_EQ(found.size(), fresh.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].standard_error, fresh[i].standard_error);
      EXPECT_EQ(found[i].interval->low, fresh[i].interval->low);
      EXPECT_EQ(found[i].interval->high, fresh[i].interval->high);
      EXPECT_EQ(found[i].simultaneous->low, fresh[i].simultaneous->low);
      EXPECT_EQ(found[i].simultaneous->high, fresh[i].simultaneous->high);
    }
  };
  Estimator kept(linear);
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    const SparseVectorPlan plan =
        plan_sparse_vector({}, sparse_vector_options(distribution, 2, 3), true);
    for (const std::vector<std::size_t>& passed :
         {std::vector<std::size_t>{2}, {2, 2, 2}, {1, 2, 1}, {1}, {2}}) {
      const SparseVectorRelease release = sparse_vector_release(plan, passed, {900, 800, 700});
      const MeasureRelease direct =
          measurements(winners_of(release), 5, std::vector<std::int64_t>(passed.size(), 9000));
      expect_same(kept(release), estimate(release, linear));
      expect_same(kept(release, direct), estimate(release, direct, linear));
      expect_same(kept(direct), estimate(direct, linear));
    }
  }
}

TEST(SparseVectorEstimate, TakesTheBranchOfEachAnswer) {
  const SparseVectorPlan plan =
      plan_sparse_vector({}, sparse_vector_options(Distribution::exponential, 2, 2), true);
  const SparseVectorRelease release = sparse_vector_release(plan, {1, 2}, {40'000, 40'000});
  EXPECT_EQ(release.branches[0].scale, Rational(2) * release.branches[1].scale);
  const auto estimates = estimate(release, linear);
  const double threshold_variance = release.threshold_noise().variance();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(estimates[i].standard_error,
                std::sqrt(release.branch_noise(i + 1).variance() + threshold_variance), 1e-9);
  }
  EXPECT_GT(estimates[0].standard_error, 1.5 * estimates[1].standard_error);
}

const std::vector<Method> methods{Method::likelihood, Method::linear, Method::measured};

/// The message names the parameter that is wrong.
template <class Call>
void expect_refused(const Call& call, const std::string& parameter) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << parameter;
  } catch (const InvalidParameter& refused) {
    EXPECT_NE(std::string(refused.what()).find(parameter), std::string::npos) << refused.what();
  }
}

// The lead of a single winner over an unknown level cancels; over a threshold it does not.
TEST(Estimate, OfASingleWinnerUsesAGapOverAThresholdAlone) {
  MeasureRelease direct;
  direct.noise = {Distribution::laplace, 1, 1};
  direct.items = {{0, 0}};
  direct.value_ticks = {5};
  TopKRelease top;
  top.noise = {Distribution::exponential, 1, 1};
  top.candidates = 2;
  top.winners = direct.items;
  top.lead_ticks = {3};
  const Estimate alone = estimate(top, direct, linear)[0];
  EXPECT_EQ(alone.value, 5);
  EXPECT_FALSE(alone.used_gap);
  SparseVectorRelease above;
  above.distribution = Distribution::exponential;
  above.tick = 1;
  above.threshold_scale = 1;
  above.branches = {{1, 1, 1, 0}};
  above.answers = {{{0, 0}, true, 1, 3}};
  EXPECT_TRUE(estimate(above, direct, linear)[0].used_gap);
}

// Their variances are below the smallest double.
TEST(Estimate, OfNoiseFarBelowATickIsTheMeasurement) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    const NoiseDistribution narrow{distribution, Rational(1, 1000), 1};
    MeasureRelease direct;
    direct.noise = {Distribution::laplace, Rational(1, 1000), 1};
    direct.items = {{0, 0}, {1, 0}};
    direct.value_ticks = {5, 3};
    TopKRelease top;
    top.noise = narrow;
    top.candidates = 3;
    top.winners = direct.items;
    top.lead_ticks = {3, 1};
    SparseVectorRelease above;
    above.distribution = distribution;
    above.tick = 1;
    above.threshold_scale = narrow.scale;
    above.branches = {{1, narrow.scale, 0, 0}};
    above.answers = {{{0, 0}, true, 1, 5}, {{1, 0}, true, 1, 3}};
    for (const auto& estimates : {estimate(top, direct, linear), estimate(above, direct, linear)}) {
      for (const std::size_t i : {0U, 1U}) {
        const auto exact = static_cast<double>(direct.value_ticks[i]);
        EXPECT_EQ(estimates[i].value, exact);
        EXPECT_NEAR(estimates[i].interval->low, exact, 1.01);  // a tick
        EXPECT_NEAR(estimates[i].simultaneous->high, exact, 1.01);
      }
    }
  }
}

TEST(Estimate, RefusesMeasurementsOfOthers) {
  const SparseVectorPlan plan =
      plan_sparse_vector({}, sparse_vector_options(Distribution::exponential, 1, 3), true);
  const SparseVectorRelease release = sparse_vector_release(plan, {1, 0, 1}, {9, 0, 8});
  HybridRelease hybrid;
  hybrid.noise = hybrid.threshold_noise = {Distribution::exponential, 5, Rational(1, 8)};
  hybrid.k = 3;
  hybrid.winners = {item(0), item(2)};
  hybrid.gap_ticks = {9, 8};
  TopKRelease top;
  top.noise = hybrid.noise;
  top.candidates = 9;
  top.winners = hybrid.winners;
  top.lead_ticks = hybrid.gap_ticks;
  MeasureRelease short_of_values = measurements({item(0), item(2)}, 5, {1, 2});
  short_of_values.value_ticks.pop_back();
  for (const Method method : methods) {
    const EstimateOptions options{0.95, method};
    const auto expect_all_refuse = [&](const MeasureRelease& direct) {
      expect_refused([&] { estimate(release, direct, options); }, "direct");
      expect_refused([&] { estimate(hybrid, direct, options); }, "direct");
      expect_refused([&] { estimate(top, direct, options); }, "direct");
    };
    const MeasureRelease right = measurements({item(0), item(2)}, 5, {1, 2});
    EXPECT_NO_THROW(estimate(release, right, options));
    EXPECT_NO_THROW(estimate(hybrid, right, options));
    EXPECT_NO_THROW(estimate(top, right, options));
    expect_all_refuse(measurements({item(0)}, 5, {1}));  // another k
    expect_all_refuse(measurements({item(0), item(2), item(3)}, 5, {1, 2, 3}));
    expect_all_refuse(measurements({item(2), item(0)}, 5, {1, 2}));  // another order
    expect_all_refuse(measurements({item(0), item(1)}, 5, {1, 2}));  // other winners
    expect_all_refuse(measurements({item(0), {2, 1}}, 5, {1, 2}));
    expect_all_refuse(short_of_values);
  }
}

TEST(Estimate, RefusesReleasesThatContradictThemselves) {
  const SparseVectorPlan plan =
      plan_sparse_vector({}, sparse_vector_options(Distribution::exponential, 2, 3), true);
  const MeasureRelease direct = measurements({item(0), item(1)}, 5, {1, 2});
  for (const Method method : methods) {
    const EstimateOptions options{0.95, method};
    for (const std::size_t branch : {std::size_t{0}, std::size_t{3}, SIZE_MAX}) {
      SparseVectorRelease release = sparse_vector_release(plan, {1, 2}, {9, 8});
      release.answers[1].branch = branch;
      expect_refused([&] { estimate(release, direct, options); }, "release");
      expect_refused([&] { estimate(release, options); }, "release");
    }
    for (const bool estimates : {false, true}) {
      HybridRelease hybrid;
      hybrid.noise = hybrid.threshold_noise = {Distribution::exponential, 5, Rational(1, 8)};
      hybrid.k = 3;
      if (estimates) {
        hybrid.estimates = {Rational(1, 3), 1, {1, 5, 0, 0}};
      }
      hybrid.winners = {item(0), item(1)};
      for (const std::size_t gaps : {0U, 1U, 3U}) {
        hybrid.gap_ticks.assign(gaps, 7);
        hybrid.gap_to = GapTo::threshold;
        expect_refused([&] { estimate(hybrid, direct, options); }, "release");
        expect_refused([&] { estimate(hybrid, options); }, "release");
        hybrid.gap_to = GapTo::next;
        expect_refused([&] { estimate(hybrid, direct, options); }, "release");
      }
    }
    TopKRelease top;
    top.noise = {Distribution::exponential, 5, Rational(1, 8)};
    top.candidates = 9;
    top.winners = {item(0), item(1)};
    for (const std::size_t leads : {1U, 3U}) {
      top.lead_ticks.assign(leads, 7);
      expect_refused([&] { estimate(top, direct, options); }, "release");
    }
  }
}

TEST(Estimate, RefusesBadConfidence) {
  for (const double confidence : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
    for (const Method method : methods) {
      EXPECT_THROW(Estimator({confidence, method}), InvalidParameter);
    }
  }
}

TEST(Estimate, MethodsHaveNames) {
  EXPECT_STREQ(name(Method::likelihood), "likelihood");
  EXPECT_STREQ(name(Method::linear), "linear");
  EXPECT_STREQ(name(Method::measured), "measured");
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
  Estimator estimator(linear);
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

}  // namespace
}  // namespace freegap::testing

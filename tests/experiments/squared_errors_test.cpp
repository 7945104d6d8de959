// The errors that the experiments compute, compared with those of the library's own estimates.
#include "experiments/squared_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "experiments/repeated_measure.hpp"
#include "experiments/simulation.hpp"
#include "freegap/estimate.hpp"

namespace freegap::experiments {
namespace {

std::vector<std::int64_t> counts() {
  std::vector<std::int64_t> result;
  for (std::int64_t rank = 1; rank <= 300; ++rank) {
    result.push_back(20'000 / rank);
  }
  return result;
}

void expect_same(double found, double wanted) { EXPECT_NEAR(found / wanted, 1, 1e-9); }

TEST(SquaredError, IsTheMeanOverEstimates) {
  const std::vector<std::int64_t> truth{10, 20, 30};
  std::vector<Estimate> estimates(2);
  estimates[0].item = {2, 0};
  estimates[0].value = 33;
  estimates[1].item = {0, 0};
  estimates[1].value = 9;
  EXPECT_DOUBLE_EQ(squared_error(estimates, truth), 5);
}

TEST(LikelihoodRuns, AreATwentiethButAtLeast40OrAll) {
  EXPECT_EQ(likelihood_runs(20), 20U);
  EXPECT_EQ(likelihood_runs(40), 40U);
  EXPECT_EQ(likelihood_runs(200), 40U);
  EXPECT_EQ(likelihood_runs(10'000), 500U);
}

class Combining : public ::testing::TestWithParam<Distribution> {};

TEST_P(Combining, TopKErrorsAreThoseOfTheEstimator) {
  const std::vector<std::int64_t> truth = counts();
  for (const Kind kind : {Kind::counts, Kind::general}) {
    const Candidates candidates = candidates_of(truth, kind);
    RepeatedMeasure measurer(candidates);
    InsecureSeededNoise noise(1);
    for (const std::uint64_t k : {1U, 2U, 10U}) {
      RepeatedTopK selection(candidates,
                             {.k = k, .epsilon = Epsilon(Rational(1, 3)), .noise = GetParam()});
      Estimator estimator({.method = Method::linear});
      for (int run = 0; run < 20; ++run) {
        const TopKRelease release = selection.run(noise);
        const MeasureRelease& direct = measurer.measure(release.winners, Rational(1, 7), noise);
        const SquaredErrors errors = TopKErrors(release, direct).of(release, direct, truth);
        expect_same(errors.linear, squared_error(estimator(release, direct), truth));
        expect_same(errors.direct, squared_error(estimator(direct), truth));
      }
    }
  }
}

TEST_P(Combining, SparseVectorErrorsAreThoseOfTheEstimator) {
  const std::vector<std::int64_t> truth = counts();
  for (const Kind kind : {Kind::counts, Kind::general}) {
    const Candidates candidates = candidates_of(truth, kind);
    RepeatedMeasure measurer(candidates);
    InsecureSeededNoise noise(2);
    for (const std::size_t branches : {1U, 3U}) {
      RepeatedSparseVector selection(truth, kind,
                                     {.k = 6,
                                      .epsilon = Epsilon(Rational(2, 3)),
                                      .threshold = 0,
                                      .noise = GetParam(),
                                      .branches = branches},
                                     paper_ranks(6));
      Estimator estimator({.method = Method::linear});
      for (int run = 0; run < 20; ++run) {
        const SparseVectorRelease release = selection.run(noise);
        const std::vector<Item> items = passed(release);
        ASSERT_FALSE(items.empty());
        const MeasureRelease& direct = measurer.measure(items, Rational(1, 7), noise);
        const SparseVectorErrors maker(release);
        const SquaredErrors errors = maker.of(release, direct, truth);
        expect_same(errors.linear, squared_error(estimator(release, direct), truth));
        expect_same(errors.direct, squared_error(estimator(direct), truth));
        // From gaps alone.
        const std::vector<Estimate> gaps = estimator(release);
        expect_same(maker.of_gaps(release, truth).linear, squared_error(gaps, truth));
        std::size_t i = 0;
        for (const SparseVectorAnswer& answer : release.answers) {
          if (answer.above) {
            EXPECT_NEAR(maker.from_gap(release, answer), gaps[i++].value, 1e-6);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Distributions, Combining,
                         ::testing::Values(Distribution::exponential, Distribution::laplace,
                                           Distribution::geometric));

}  // namespace
}  // namespace freegap::experiments

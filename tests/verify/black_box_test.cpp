// Bounds on probabilities and on losses from samples.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "support/scale.hpp"
#include "verify/black_box_bound.hpp"
#include "verify/clopper_pearson.hpp"
#include "verify/mechanism_table.hpp"

namespace freegap::verify {
namespace {

/// P(at least k of n), summed up term by term.
double binomial_tail(int n, int k, double p) {
  double sum = 0;
  for (int i = k; i <= n; ++i) {
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1)) *
           std::pow(p, i) * std::pow(1 - p, n - i);
  }
  return sum;
}

TEST(IncompleteBeta, IsTheBinomialTail) {
  for (const int n : {1, 7, 30, 100}) {
    for (int k = 1; k <= n; k += 3) {
      for (const double p : {0.001, 0.1, 0.37, 0.5, 0.9, 0.999}) {
        EXPECT_NEAR(incomplete_beta(k, n - k + 1, p), binomial_tail(n, k, p), 1e-12)
            << n << " " << k << " " << p;
      }
    }
  }
}

TEST(IncompleteBeta, HasItsSymmetriesAndEnds) {
  EXPECT_EQ(incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 1), 1);
  for (const double a : {0.5, 3.0, 1000.0, 250'000.0}) {
    EXPECT_NEAR(incomplete_beta(a, a, 0.5), 0.5, 1e-8);
    EXPECT_NEAR(incomplete_beta(a, 2 * a, 0.34) + incomplete_beta(2 * a, a, 0.66), 1, 1e-12);
  }
}

TEST(ClopperPearson, HasClosedFormsAtTheEnds) {
  const double error = 1e-6;
  EXPECT_EQ(lower_bound(0, 100, error), 0);
  EXPECT_NEAR(upper_bound(0, 100, error), 1 - std::pow(error, 0.01), 1e-12);
  EXPECT_NEAR(lower_bound(100, 100, error), std::pow(error, 0.01), 1e-12);
  EXPECT_EQ(upper_bound(100, 100, error), 1);
}

TEST(ClopperPearson, IsExactlyAsSureAsItSays) {
  const double error = 0.01;
  for (const std::uint64_t happened : {1U, 12U, 50U}) {
    const int k = static_cast<int>(happened);
    EXPECT_NEAR(binomial_tail(60, k, lower_bound(happened, 60, error)), error, 1e-10);
    EXPECT_NEAR(1 - binomial_tail(60, k + 1, upper_bound(happened, 60, error)), error, 1e-10);
  }
}

TEST(ClopperPearson, ComesNearWithManyRuns) {
  EXPECT_NEAR(lower_bound(500'000, 1'000'000, 1e-9), 0.5, 0.0035);
  EXPECT_NEAR(upper_bound(500'000, 1'000'000, 1e-9), 0.5, 0.0035);
}

/// One bit, reported truthfully with probability 3/4: the loss is ln 3.
BlackBox randomised_response(double epsilon) {
  return {"randomised response", "", epsilon, 1, [](bool neighbour, ExactNoise& noise) {
            const bool truly = noise.below(4) != 0;
            return std::int64_t{neighbour == truly};
          }};
}

TEST(BlackBox, BoundsAKnownLossFromBelowAndNearly) {
  const double loss = loss_at_least(randomised_response(1), 50'000, 1, 1e-7);
  EXPECT_LE(loss, std::log(3));
  EXPECT_GE(loss, 0.9 * std::log(3));
}

TEST(BlackBox, FindsNoLossWhereThereIsNone) {
  const BlackBox fair{"coin", "", 1, 1, [](bool /*neighbour*/, ExactNoise& noise) {
                        return static_cast<std::int64_t>(noise.below(5));
                      }};
  EXPECT_LT(loss_at_least(fair, 20'000, 1, 1e-7), 0.01);
}

TEST(BlackBox, RefutesAClaimThatIsTooSmall) {
  const double claimed = 0.5 * std::log(3);
  EXPECT_GT(loss_at_least(randomised_response(claimed), 50'000, 1, 1e-7), claimed);
}

TEST(BlackBox, StandsAFewRuns) {
  for (const std::uint64_t runs : {1U, 2U, 10U}) {
    const double loss = loss_at_least(randomised_response(1), runs, 1, 1e-7);
    EXPECT_TRUE(std::isfinite(loss));
    EXPECT_LE(loss, std::log(3));
  }
}

std::vector<BlackBox> black_boxes_of_all_mechanisms() {
  std::vector<BlackBox> boxes;
  for (const MechanismChecks& mechanism : all_mechanisms(false)) {
    boxes.insert(boxes.end(), mechanism.black_boxes.begin(), mechanism.black_boxes.end());
  }
  return boxes;
}

// The full demand, nine tenths of ε, takes the runs of `freegap verify`.
TEST(BlackBox, ShippedMechanismsLoseNoMoreThanTheyClaim) {
  for (const BlackBox& box : black_boxes_of_all_mechanisms()) {
    const std::uint64_t runs = testing::scaled(10'000, 500) * box.effort;
    const double loss = loss_at_least(box, runs, 3, 1e-9);
    EXPECT_LE(loss, box.epsilon) << box.mechanism << ": " << box.variant;
    if (testing::scaled(1000) >= 1000) {
      EXPECT_GE(loss, 0.5 * box.epsilon) << box.mechanism << ": " << box.variant;
    }
  }
}

}  // namespace
}  // namespace freegap::verify

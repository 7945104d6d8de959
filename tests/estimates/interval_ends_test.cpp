// Golden ends of intervals, for every distribution, and claims that a tick would spoil. The numbers
// come from formulas, or from sums over a grid, not from the library.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "estimates/brute_force.hpp"
#include "freegap/confidence.hpp"
#include "freegap/estimate.hpp"

namespace freegap::testing {
namespace {

constexpr std::int64_t per_unit = 1 << 20;  // ticks, too fine to matter

Item item(std::size_t i) { return {static_cast<std::int64_t>(i), 0}; }

std::int64_t ticks(double units) {
  return static_cast<std::int64_t>(std::llround(units * static_cast<double>(per_unit)));
}

MeasureRelease measured(const Rational& scale, const std::vector<double>& values) {
  MeasureRelease direct;
  direct.noise = {Distribution::laplace, scale, Rational(1, per_unit)};
  for (const double value : values) {
    direct.items.push_back(item(direct.items.size()));
    direct.value_ticks.push_back(ticks(value));
  }
  return direct;
}

TopKRelease top_k(Distribution distribution, const std::vector<double>& leads,
                  std::uint64_t candidates) {
  TopKRelease release;
  release.noise = {distribution, 1, Rational(1, per_unit)};
  release.candidates = candidates;
  for (const double lead : leads) {
    release.winners.push_back(item(release.winners.size()));
    release.lead_ticks.push_back(ticks(lead));
  }
  return release;
}

void expect_interval(const std::optional<Interval>& found, double low, double high,
                     double tolerance = 1e-3) {
  ASSERT_TRUE(found.has_value());
  EXPECT_LT(found->low, found->high);
  EXPECT_NEAR(found->low, low, tolerance);
  EXPECT_NEAR(found->high, high, tolerance);
}

// P(|Lap(s)| > s ln 20) = 1/20.
TEST(IntervalEnds, OfAMeasurement) {
  for (const std::int64_t scale : {1, 7}) {
    const auto s = static_cast<double>(scale);
    for (const std::size_t k : {1U, 2U, 50U}) {
      const MeasureRelease direct = measured(scale, std::vector<double>(k, 100));
      const auto count = static_cast<double>(k);
      for (const double confidence : {0.9, 0.95, 0.99}) {
        const double one = s * std::log(1 / (1 - confidence));
        const double all = s * std::log(count / (1 - confidence));
        for (const Estimate& e : estimate(direct, {confidence, Method::likelihood})) {
          expect_interval(e.interval, 100 - one, 100 + one, 1e-4);
          expect_interval(e.simultaneous, 100 - all, 100 + all, 1e-4);
          EXPECT_NEAR(e.standard_error, s * std::sqrt(2.0), 1e-5);
        }
      }
    }
  }
  expect_interval(estimate(measured(1, {0}))[0].interval, -2.9957, 2.9957, 1e-4);  // ln 20
}

/// Quantile of a distribution function by bisection.
template <class Below>
double quantile(const Below& below, double p) {
  double low = -1000;
  double high = 1000;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (below(middle) < p ? low : high) = middle;
  }
  return low;
}

/// P(X <= x) for the sum of c_j times independent standard exponential numbers, all c_j different:
/// partial fractions.
double below_sum(const std::vector<double>& c, double x) {
  double tail = 0;
  for (const double own : c) {
    if ((own > 0) == (x >= 0)) {
      double product = 1;
      for (const double other : c) {
        product *= other == own ? 1 : own / (own - other);
      }
      tail += product * std::exp(-x / own);
    }
  }
  return x >= 0 ? 1 - tail : tail;
}

// Two winners by the paper's method: half-sums of two measurements and of two gaps.
TEST(IntervalEnds, OfTheLinearCombination) {
  for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
    const bool both = two_sided(distribution);
    const TopKRelease release = top_k(distribution, {9, 4}, 30);
    const MeasureRelease direct = measured(1, {110, 104});
    const double variance = both ? 2 : 1;           // of a gap's noise
    const double keep = variance / (variance + 2);  // of a measurement
    const double share = (1 - keep) / 2;
    const double value = keep * 110 + (1 - keep) * (9 + (101 + 100) / 2.0);
    // The error: measurements with weights keep + share and share, noise with 1 - keep - share and
    // minus share.
    std::vector<double> parts{keep + share, -keep - share, share, -share};
    double mean = 0;
    const double first = 1 - keep - share;
    if (both) {
      parts.insert(parts.end(), {first * 1.0001, -first * 1.0001, share * 1.0002, -share * 1.0002});
    } else {
      parts.insert(parts.end(), {first * 1.0001, -share * 1.0002});
      mean = first - share;
    }
    for (const double confidence : {0.9, 0.95}) {
      const Estimate e = estimate(release, direct, {confidence, Method::linear})[0];
      EXPECT_NEAR(e.value, value, 1e-5);
      const auto end = [&](double p) {
        return quantile([&](double x) { return below_sum(parts, x); }, p) - mean;
      };
      const double tail = (1 - confidence) / 2;
      expect_interval(e.interval, value - end(1 - tail), value - end(tail));
      expect_interval(e.simultaneous, value - end(1 - tail / 2), value - end(tail / 2));
    }
  }
}

// With many winners the level is known, so that intervals no longer depend on k: each is the
// weighted sum of a measurement and a gap, of errors Lap(1/9) and Exp(1) - 1. They once grew with
// k, beyond those of measuring alone.
TEST(IntervalEnds, OfTheLinearCombinationOfManyWinners) {
  const double keep = 1 / (1 + 2.0 / 81);  // of a measurement
  const std::vector<double> parts{keep / 9, -keep / 9, -(1 - keep)};
  const auto end = [&](double p) {
    return quantile([&](double x) { return below_sum(parts, x); }, p) + (1 - keep);
  };
  for (const std::size_t k : {1'000U, 3'000U, 20'000U}) {
    const TopKRelease release = top_k(Distribution::exponential, std::vector<double>(k, 20), 2 * k);
    const MeasureRelease direct = measured(Rational(1, 9), std::vector<double>(k, 100));
    const Estimate e = estimate(release, direct, {0.95, Method::linear})[0];
    expect_interval(e.interval, 100 + end(0.025), 100 + end(0.975), 2e-3);
  }
}

// Gaps alone: threshold + gap, minus the noise of the query, plus that of the threshold. The error
// of linear estimates is X - Y, one-sided and centred.
TEST(IntervalEnds, OfAGapAlone) {
  SparseVectorRelease release;
  release.distribution = Distribution::exponential;
  release.tick = Rational(1, per_unit);
  release.threshold = {50, 50, 50 * per_unit};
  release.threshold_scale = 2;
  release.branches = {{1, 3, per_unit, 0}};  // centred by the difference of the means
  release.answers = {{item(0), true, 1, ticks(40)}};
  const Estimate e = estimate(release, {0.95, Method::linear})[0];
  EXPECT_NEAR(e.value, 90, 1e-5);
  // P(X - Y > s) = 3/5 e^(-s/3), P(X - Y < -s) = 2/5 e^(-s/2); the mean is 1.
  const double above = 3 * std::log(0.6 / 0.025) - 1;
  const double below = 2 * std::log(0.4 / 0.025) + 1;
  expect_interval(e.interval, 90 - above, 90 + below);
  EXPECT_NEAR(e.standard_error, std::sqrt(13.0), 1e-5);
  // By likelihood the upper end is the same, and the lower one a claim with the other half of the
  // error: a lead of 40 over a limit of 51, less 3 ln 40.
  const Estimate likely = estimate(release)[0];
  EXPECT_NEAR(likely.value, 90, 1e-3);
  expect_interval(likely.interval, 50 + 1 + 40 - 3 * std::log(40.0), 90 + below, 0.01);
}

/// Winners of a fixed release, by sums over a grid.
BruteProblem fixed_problem(bool both, const std::vector<double>& leads,
                           const std::vector<double>& values, std::uint64_t candidates) {
  constexpr int steps = 48;
  BruteProblem problem;
  problem.step = 1.0 / steps;
  problem.measuring = 1;
  problem.log_candidates = std::log(static_cast<double>(candidates));
  for (std::size_t i = 0; i < leads.size(); ++i) {
    problem.winners.push_back({{both, 1}, 0, std::llround(leads[i] * steps), values[i], {}});
  }
  problem.first_answer = problem.first_level = -18 * steps;
  problem.last_answer = 36 * steps;
  problem.last_level = 36 * steps;
  return problem;
}

double quantile(const BrutePosterior& posterior, double p) {
  return quantile([&](double x) { return posterior.below(x); }, p);
}

// Two winners far ahead: nobody doubts who was lucky. The rate of errors is 0.98 of the nominal
// one.
TEST(IntervalEnds, OfTheLikelihood) {
  for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
    const std::vector<double> leads{14, 11.5};
    const std::vector<double> values{15, 11};
    const auto posteriors =
        brute_force(fixed_problem(two_sided(distribution), leads, values, 3), false);
    const TopKRelease release = top_k(distribution, leads, 3);
    for (const double confidence : {0.9, 0.95}) {
      const auto estimates =
          estimate(release, measured(1, values), {confidence, Method::likelihood});
      const double tail = 0.98 * (1 - confidence) / 2;
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(estimates[i].value, posteriors[i].mean, 1e-3);
        EXPECT_NEAR(estimates[i].standard_error, posteriors[i].deviation, 1e-3);
        expect_interval(estimates[i].interval, quantile(posteriors[i], tail),
                        quantile(posteriors[i], 1 - tail), 5e-3);
        expect_interval(estimates[i].simultaneous, quantile(posteriors[i], tail / 2),
                        quantile(posteriors[i], 1 - tail / 2), 1e-2);
        EXPECT_TRUE(estimates[i].used_gap);
      }
    }
  }
}

// A winner that was asked only because few passed before it: nothing is known of the threshold's
// noise but that it is at least 0. The noise of the query has the scale 3, that of the threshold 2.
class AskedLate : public ::testing::Test {
 protected:
  AskedLate() {
    release.distribution = Distribution::exponential;
    release.tick = Rational(1, per_unit);
    release.threshold = {50, 50, 50 * per_unit};
    release.threshold_epsilon = 1;
    release.threshold_scale = 2;
    release.branches = {{Rational(1, 3), 3, 0, 0}};
  }
  /// Makes so many answers affordable.
  void allow(std::int64_t k) { release.cost.reserved = 1 + Rational(k, 3); }

  /// A measurement of the second winner alone.
  [[nodiscard]] MeasureRelease alone(std::int64_t scale, double value) const {
    MeasureRelease direct = measured(scale, {value});
    direct.items = {second.item};
    return direct;
  }

  SparseVectorRelease release;
  SparseVectorAnswer first{item(0), true, 1, ticks(60)};
  SparseVectorAnswer failed{item(2), false, 0, std::nullopt};
  SparseVectorAnswer second{item(1), true, 1, ticks(60)};
  double tail = 0.98 * 0.025;
};

// Measurements are so noisy that, as if asked first, the answer is threshold + gap, minus noise of
// scale 3, plus noise of scale 2.
TEST_F(AskedLate, DependsOnThePlaceAndOnHowManyPassed) {
  const MeasureRelease direct = measured(1'000'000, {110, 110});
  const auto expect_late = [&](bool late, const std::string& what) {
    SCOPED_TRACE(what);
    // P(X - Y > s) = 2 / (2 + 3) e^(-s/2), X of scale 2.
    const double high = 110 + 2 * std::log(0.4 / tail);
    const std::vector<Estimate> found = estimate(release, direct);
    const Estimate& last = found.back();
    EXPECT_NEAR(last.value, 109, 0.05);
    EXPECT_NEAR(last.interval->low, 110 - 3 * std::log(0.6 / tail), 0.1);
    if (late) {  // as far as the measurement allows
      EXPECT_GT(last.interval->high, 110 + 100'000);
      EXPECT_GT(last.simultaneous->high, last.interval->high * (found.size() > 1 ? 1.01 : 1));
    } else {
      EXPECT_NEAR(last.interval->high, high, 0.1);
      EXPECT_NEAR(last.simultaneous->high, high + 2 * std::log(static_cast<double>(found.size())),
                  0.1);
    }
    if (found.size() > 1) {  // the first winner is never late
      EXPECT_NEAR(found[0].interval->high, high, 0.1);
    }
  };
  allow(2);
  release.answers = {first, failed, second};
  expect_late(true, "third of a list, of which two can pass");
  release.answers = {first, second, failed};
  expect_late(false, "second of that list");
  release.answers = {first, second};
  release.asked = 2;
  expect_late(false, "nobody failed");
  release.asked = std::nullopt;
  allow(3);
  release.answers = {first, failed, second};
  expect_late(false, "third of a list, of which three can pass");
  release.answers = {first, failed, failed, second};
  expect_late(true, "second of three that can pass");
  allow(4);
  release.answers = {first, failed, failed, failed, second};
  expect_late(true, "second of four that can pass");
  allow(5);
  release.answers = {first, failed, failed, failed, failed, second};
  expect_late(false, "second of five that can pass");
  release.stop_after = 4;
  expect_late(true, "second of five that can pass, of which four are enough");
  release.stop_after = 2;
  release.answers = {first, failed, second};
  expect_late(true, "third of a list, of which two are enough");
  release.answers = {first, second};
  release.asked = 2;
  expect_late(false, "second of that list");
  allow(2);
  release.stop_after = 5;
  release.answers = {first, failed, second};
  expect_late(true, "third of a list, of which two can pass and five are enough");
}

TEST_F(AskedLate, IsAnyWinnerOfAListWithoutThoseThatFailed) {
  allow(2);
  release.answers = {first, second};
  for (const Estimate& e : estimate(release, measured(1'000'000, {110, 110}))) {
    EXPECT_GT(e.interval->high, 110 + 100'000);
  }
}

// A single winner with a measurement of scale 10. Without knowledge of the level the answer has the
// measurement's distribution, cut off where the threshold would be below its smallest value: the
// answer is above threshold + gap - noise.
TEST_F(AskedLate, LeavesTheMeasurementToASingleWinner) {
  allow(1);
  release.answers = {failed, second};
  const double above = 110 + 10 * std::log(0.5 / tail);  // of the measurement alone
  for (const double gap : {60.0, 20.0}) {
    release.answers.back().gap_ticks = ticks(gap);
    const Estimate found = estimate(release, alone(10, 110)).front();
    // The density is e^(-|q - 110| / 10) P(noise of scale 3 > 50 + gap - q).
    const auto weight = [&](double q) {
      return std::exp(-std::fabs(q - 110) / 10) * std::fmin(1, std::exp((q - 50 - gap) / 3));
    };
    double all = 0;
    double beyond = 0;
    for (double q = 0; q < 400; q += 0.01) {
      all += weight(q);
      beyond += q > found.interval->high ? weight(q) : 0;
    }
    EXPECT_NEAR(beyond / all, tail, 2e-3) << gap;
    EXPECT_GE(found.interval->high, above - 0.1) << gap;
    EXPECT_EQ(found.interval->high, found.simultaneous->high);
    EXPECT_LT(found.interval->low, found.value);
  }
}

// Two-sided noise of the threshold: the error rate is not raised.
TEST_F(AskedLate, KeepsTheErrorRateOfTwoSidedNoise) {
  release.distribution = Distribution::laplace;
  allow(1);
  release.answers = {failed, second};
  const double high = estimate(release, alone(10, 110)).front().interval->high;
  // Of the level's noise nothing is known but that it falls downwards with scale 2.
  constexpr double step = 0.1;
  double all = 0;
  double beyond = 0;
  for (double q = 20; q < 300; q += step) {
    double weight = 0;
    for (double noise = -40; noise < 40; noise += step) {
      const double level = q + noise - 60;
      weight += std::exp(-std::fabs(noise) / 3) * std::fmin(1, std::exp((level - 50) / 2));
    }
    weight *= std::exp(-std::fabs(q - 110) / 10);
    all += weight;
    beyond += q > high ? weight : 0;
  }
  EXPECT_NEAR(beyond / all, tail, 1e-3);
}

// Claims ------------------------------------------------------------------------------------------

/// A top-k with noise of one tick to the scale, so that every tick counts.
TopKRelease coarse(const std::vector<std::int64_t>& leads) {
  TopKRelease release;
  release.noise = {Distribution::geometric, 1, 1};
  release.candidates = 9;
  release.lead_ticks = leads;
  release.exact_answers = true;
  for (std::size_t i = 0; i < leads.size(); ++i) {
    release.winners.push_back(item(i));
  }
  return release;
}

// Simultaneous intervals divide the error rate by the number of all winners, also where the last
// one has no lead: with two winners they are the intervals of half the error rate.
TEST(IntervalEnds, OfHybridsCountTheWinnerWithoutALead) {
  HybridRelease release;
  release.noise = release.threshold_noise = {Distribution::exponential, 1, Rational(1, per_unit)};
  release.threshold = {50, 50, 50 * per_unit};
  release.estimates = {Rational(1, 2), 1, {1, 1, 0, 0}};
  release.k = 2;
  release.winners = {item(0), item(1)};
  release.gap_ticks = {ticks(60), ticks(30)};
  const MeasureRelease direct = measured(1, {110, 80});
  const std::vector<Estimate> at_95 = estimate(release, direct);
  const std::vector<Estimate> at_975 = estimate(release, direct, {0.975, Method::likelihood});
  for (const std::size_t i : {0U, 1U}) {
    const Interval wanted = *at_975[i].interval;
    expect_interval(at_95[i].simultaneous, wanted.low, wanted.high, 0.02);
    EXPECT_GT(at_95[i].simultaneous->high, at_95[i].interval->high + 0.2);
  }
}

// Quantile of the noise at 95 % of one winner: ceil(ln 20) = 3 ticks; of two: ceil(ln 40) = 4.
TEST(ClaimEnds, AreExactToTheTick) {
  const auto one = [](std::int64_t lead) { return claims_ahead(coarse({lead}), 0.95)[0]; };
  EXPECT_FALSE(one(2).at_least.has_value());
  EXPECT_EQ(one(3).at_least, 1);
  EXPECT_EQ(one(10).at_least, 8);
  EXPECT_NEAR(one(3).p_value, std::exp(-3), 1e-12);
  EXPECT_EQ(claims_ahead(coarse({10}), 0.9)[0].at_least, 8);   // ceil(ln 10) = 3
  EXPECT_EQ(claims_ahead(coarse({10}), 0.99)[0].at_least, 6);  // ceil(ln 100) = 5
}

// The order of ties is not known, so every lead but the last gives up a tick.
TEST(ClaimEnds, GiveUpATickForTies) {
  const auto claims = claims_ahead(coarse({10, 10}), 0.95);
  EXPECT_EQ(claims[0].at_least, 10 - 1 - 4 + 1);
  EXPECT_EQ(claims[1].at_least, 10 - 4 + 1);
  EXPECT_NEAR(claims[0].p_value, 2 * std::exp(-9), 1e-12);
  EXPECT_NEAR(claims[1].p_value, 2 * std::exp(-10), 1e-12);
  // The chance of no lead at all, twice: no probability is above 1.
  EXPECT_EQ(claims_ahead(coarse({0, 0}), 0.95)[1].p_value, 1);
  // At the limit the tick decides whether there is a claim.
  const auto at_limit = claims_ahead(coarse({4, 4}), 0.95);
  EXPECT_FALSE(at_limit[0].at_least.has_value());
  EXPECT_EQ(at_limit[1].at_least, 1);
}

// The lead over all others together is ln((alpha e^g - 1) / (1 - alpha)) at least.
TEST(ClaimEnds, OfTheExponentialMechanism) {
  ExponentialRelease release;
  release.tick = 4;
  release.rate = Rational(1, 2);
  release.gap_tick = Rational(1, 1024);
  release.exact_answers = true;
  const auto at = [&](double gap) {
    release.gap_ticks = std::llround(gap * 1024);
    return claim_best(release, 0.95).value();
  };
  for (const double gap : {4.0, 5.5, 20.0}) {
    const double exact = std::log((0.05 * std::exp(gap) - 1) / 0.95) / 0.5;
    EXPECT_NEAR(at(gap).at_least.value(), exact, 1e-9);
    EXPECT_NEAR(at(gap).p_value, 2 / (1 + std::exp(gap)), 1e-12);
    EXPECT_NEAR(estimate_lead(release).value(), std::log(std::exp(gap) - 2) / 0.5, 1e-9);
    // Utilities that were floored to a tick may be closer by a tick.
    release.exact_answers = false;
    EXPECT_NEAR(at(gap).at_least.value(), exact - 4, 1e-9);
    release.exact_answers = true;
  }
  // A lead is claimed from ln(2 / alpha - 1) on, and estimated above ln 2.
  const double least = std::log(39);
  EXPECT_FALSE(at(least - 0.01).at_least.has_value());
  EXPECT_NEAR(at(least + 0.01).at_least.value(), 0, 0.1);
  EXPECT_FALSE(at(2).at_least.has_value());
  (void)at(0.69);
  EXPECT_FALSE(estimate_lead(release).has_value());
  (void)at(0.7);
  EXPECT_NEAR(estimate_lead(release).value(), std::log(std::exp(717 / 1024.0) - 2) / 0.5, 1e-9);
  release.gap_ticks.reset();
  EXPECT_FALSE(claim_best(release, 0.95).has_value());
  EXPECT_FALSE(estimate_lead(release).has_value());
}

// Answers that were floored to a tick may be closer by a tick.
TEST(ClaimEnds, GiveUpATickForFlooredAnswers) {
  TopKRelease release = coarse({10});
  release.exact_answers = false;
  EXPECT_EQ(claims_ahead(release, 0.95)[0].at_least, 7);
  release.noise.tick = 4;
  release.noise.scale = 4;
  EXPECT_EQ(claims_ahead(release, 0.95)[0].at_least, 4 * 8 - 4);
  release.exact_answers = true;
  EXPECT_EQ(claims_ahead(release, 0.95)[0].at_least, 4 * 8);
}

// Over the threshold of the identity-first hybrid no lead is sure, not even the last. Over the
// runner-up the last one is.
TEST(ClaimEnds, OfHybridsGiveUpATickForTies) {
  HybridRelease release;
  release.noise = release.threshold_noise = {Distribution::geometric, 1, 1};
  release.threshold = {100, 100, 100};
  release.k = 3;
  release.winners = {item(0), item(1)};
  release.gap_ticks = {12, 10};
  auto claims = claims_above(release, 0.95);
  EXPECT_EQ(claims[0].at_least, 100 + 12 - 1 - 4 + 1);
  EXPECT_EQ(claims[1].at_least, 100 + 10 - 1 - 4 + 1);
  release.k = 2;
  release.gap_to = GapTo::next;
  claims = claims_above(release, 0.95);
  EXPECT_EQ(claims[0].at_least, 100 + 12 - 1 - 4 + 1);
  EXPECT_EQ(claims[1].at_least, 100 + 10 - 4 + 1);
  // Estimates first: every answer by itself, no ties, and the limit includes the offset.
  release.k = 3;
  release.gap_to = GapTo::threshold;
  release.estimates = {Rational(1, 2), 1, {1, 1, 2, 1}};
  claims = claims_above(release, 0.95);
  EXPECT_EQ(claims[0].at_least, 100 + 3 + (12 - 1) - 4 + 1);
  EXPECT_NEAR(claims[0].p_value, 2 * std::exp(-11), 1e-12);
}

// Without measurements the lower ends are the claims, with half of the error probability; the other
// half is for the upper ends.
TEST(ClaimEnds, AreTheLowerEndsOfHybridsWithoutMeasurements) {
  HybridRelease release;
  release.noise = release.threshold_noise = {Distribution::geometric, 20, 1};
  release.threshold = {100, 100, 100};
  release.k = 3;
  release.winners = {item(0), item(1)};
  release.gap_ticks = {400, 300};
  release.gap_to = GapTo::threshold;
  release.estimates = {Rational(1, 2), 1, {20, 1, 2, 1}};
  for (const double confidence : {0.8, 0.95}) {
    const auto claims = claims_above(release, (1 + confidence) / 2);
    ASSERT_NE(claims[0].at_least, claims_above(release, confidence)[0].at_least);
    const auto estimates = Estimator({.confidence = confidence})(release);
    ASSERT_EQ(estimates.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(estimates[i].interval.value().low, claims[i].at_least);
      EXPECT_EQ(estimates[i].simultaneous.value().low, claims[i].at_least);
    }
  }
}

TEST(ClaimEnds, OfSparseVectors) {
  SparseVectorRelease release;
  release.distribution = Distribution::geometric;
  release.tick = 1;
  release.threshold = {100, 100, 100};
  release.threshold_scale = 1;
  release.branches = {{1, 1, 2, 1}};
  release.answers = {{item(0), true, 1, 13}, {item(1), false, 0, std::nullopt}};
  const auto claims = claims_above(release, 0.95);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].at_least, 100 + 3 + 12 - 3 + 1);
  EXPECT_NEAR(claims[0].p_value, std::exp(-12), 1e-12);
  release.branches[0].offset_ticks = -5;  // a query at the threshold is 4 above the limit
  EXPECT_NEAR(claims_above(release, 0.95)[0].p_value, std::exp(-12 + 4), 1e-12);
}

/// A sparse vector on whole numbers with one answer.
SparseVectorRelease one_answer(Distribution distribution, const Rational& threshold_scale,
                               const Branch& branch, std::int64_t gap) {
  SparseVectorRelease release;
  release.distribution = distribution;
  release.tick = 1;
  release.threshold = {100, 100, 100};
  release.threshold_scale = threshold_scale;
  release.branches = {branch};
  release.answers = {{item(0), true, 1, gap}};
  return release;
}

/// P(N - T >= t) for discrete Laplace noise of a query and of a threshold, by sums over all values.
double difference_tail(double scale, double threshold_scale, std::int64_t t) {
  const auto tail = [&](std::int64_t n) {  // P(N >= n)
    const double ratio = std::exp(-1 / scale);
    const double size = std::exp(-std::fabs(static_cast<double>(n > 0 ? n : 1 - n)) / scale);
    return n > 0 ? size / (1 + ratio) : 1 - size / (1 + ratio);
  };
  const double other = std::exp(-1 / threshold_scale);
  double sum = 0;
  for (std::int64_t noise = -400; noise <= 400; ++noise) {
    const double chance = std::exp(-std::fabs(static_cast<double>(noise)) / threshold_scale) *
                          (1 - other) / (1 + other);
    sum += chance * tail(t + noise);
  }
  return sum;
}

// The largest L such that an answer L - 1 above the threshold, if it passes, has such a gap with
// probability 1 - confidence at most. It may be far below the threshold.
TEST(ClaimEnds, OfSparseVectorsWithLaplaceNoiseAreThoseOfEnumeration) {
  int claims = 0;
  std::int64_t lowest = 0;
  for (const double threshold_scale : {1.0, 2.0}) {
    for (const Branch& branch : {Branch{1, 1, 0, 0}, Branch{1, 1, 2, 3}}) {
      const std::int64_t pass = branch.offset_ticks + branch.cut_ticks;
      for (std::int64_t gap = branch.cut_ticks; gap < branch.cut_ticks + 16; ++gap) {
        const std::int64_t raw = gap + branch.offset_ticks;
        const auto chance = [&](std::int64_t above) {
          return difference_tail(1, threshold_scale, raw - above) /
                 difference_tail(1, threshold_scale, pass - above);
        };
        const SparseVectorRelease release =
            one_answer(Distribution::laplace, Rational::exactly(threshold_scale), branch, gap);
        for (const double confidence : {0.8, 0.95, 0.977, 0.99}) {
          const double alpha = 1 - confidence;
          std::int64_t largest = raw + 60;
          while (largest > raw - 60 && chance(largest - 1) > alpha) {
            --largest;
          }
          const Claim claim = claims_above(release, confidence)[0];
          SCOPED_TRACE(std::to_string(gap) + " at " + std::to_string(confidence));
          EXPECT_NEAR(claim.p_value, chance(0), 1e-9);
          if (largest <= pass - 35) {  // where it stops looking
            continue;
          }
          ++claims;
          lowest = std::min(lowest, largest - pass);
          ASSERT_TRUE(claim.at_least.has_value());
          EXPECT_EQ(*claim.at_least, static_cast<double>(100 + largest));
        }
      }
    }
  }
  EXPECT_GT(claims, 50);
  EXPECT_LT(lowest, -10);
}

// Probabilities too small for a double: a query at the threshold does not pass such a cut.
TEST(ClaimEnds, OfLaplaceNoiseFarPastTheThresholdHaveNoSmallPValue) {
  const SparseVectorRelease release = one_answer(Distribution::laplace, 1, {1, 1, 0, 1000}, 1005);
  EXPECT_EQ(claims_above(release, 0.95)[0].p_value, 1);
}

// P(N - T > r) = e^-(r + 1) / (1 + e^-1) for geometric noise of scale 1: 0.099 at 1, 0.036 at 2.
// For discrete Laplace noise by sums.
TEST(BeforeSelectionEnds, AreExactToTheTick) {
  const auto bound = [](Distribution distribution, double confidence) {
    const SparseVectorRelease release = one_answer(distribution, 1, {1, 1, 3, 0}, 20);
    return lower_bound_before_selection(release, release.answers[0], confidence);
  };
  EXPECT_EQ(bound(Distribution::geometric, 0.95), 100 + 20 + 3 - 2);
  EXPECT_EQ(bound(Distribution::geometric, 0.9), 100 + 20 + 3 - 1);
  EXPECT_EQ(bound(Distribution::geometric, 0.3), 100 + 20 + 3 - 0);
  for (const double confidence : {0.05, 0.5, 0.9, 0.95, 0.999}) {
    std::int64_t r = -50;
    while (difference_tail(1, 1, r + 1) > 1 - confidence) {
      ++r;
    }
    EXPECT_EQ(bound(Distribution::laplace, confidence), static_cast<double>(100 + 20 + 3 - r))
        << confidence;
  }
}

}  // namespace
}  // namespace freegap::testing

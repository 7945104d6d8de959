// Sparse vector: when it passes and stops, what it charges, and the distribution of its answers.
#include "freegap/sparse_vector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "freegap/errors.hpp"
#include "support/difference_distribution.hpp"
#include "support/distribution_check.hpp"

namespace freegap::testing {
namespace {

const Queries general{Kind::general, Neighbours::add_remove, 1};
const Queries monotone{Kind::counts, Neighbours::add_remove, 1};

/// So far from any threshold here that noise does not matter.
constexpr std::int64_t surely_above = std::int64_t{1} << 40U;
constexpr std::int64_t surely_below = -surely_above;

/// Asks queries that all pass until the end, and returns the release.
SparseVectorRelease all_pass(const Queries& queries, const SparseVectorOptions& options) {
  InsecureSeededNoise noise(1);
  SparseVector vector(queries, options, noise);
  while (vector.open()) {
    vector.ask(surely_above);
  }
  return vector.release();
}

TEST(SparseVector, KPassingQueriesGiveExactlyKAnswers) {
  std::size_t settings = 0;
  std::size_t doubles_stop_early = 0;
  for (int tenths = 1; tenths <= 100; tenths += 3) {
    for (std::uint64_t k = 1; k <= 11; ++k) {
      for (const Queries& queries : {general, monotone}) {
        const SparseVectorRelease r =
            all_pass(queries, {.k = k, .epsilon = Epsilon(Rational(tenths, 10)), .threshold = 0});
        ASSERT_EQ(r.answers.size(), k) << tenths << "/10";
        ASSERT_EQ(r.above(), k);
        ASSERT_EQ(r.cost.spent, r.cost.reserved);
        ASSERT_EQ(r.cost.spent, Rational(tenths, 10));
        // The textbook loop in doubles, to show that the settings are such where it matters.
        const double epsilon = tenths / 10.0;
        const double each = (1 - r.theta.shown()) * epsilon / static_cast<double>(k);
        double cost = r.theta.shown() * epsilon;
        std::uint64_t answers = 0;
        for (; cost + each <= epsilon; cost += each) {
          ++answers;
        }
        ++settings;
        doubles_stop_early += answers < k ? 1U : 0U;
      }
    }
  }
  EXPECT_GT(doubles_stop_early, settings / 4);
}

TEST(SparseVector, ChosenSharesAddUpToo) {
  for (const char* theta : {"1/3", "0.1", "1e-6", "123/456", "0.999"}) {
    const Rational share = Rational::parse(theta);
    const SparseVectorRelease r =
        all_pass(general, {.k = 7, .epsilon = "0.7"_eps, .threshold = 0, .theta = share});
    EXPECT_EQ(r.answers.size(), 7U);
    EXPECT_EQ(r.theta, share);
    EXPECT_EQ(r.threshold_epsilon, share * "0.7"_rational);
    EXPECT_EQ(r.cost.spent, "0.7"_rational);
    EXPECT_EQ(r.branches.at(0).epsilon * Rational(7) + r.threshold_epsilon, "0.7"_rational);
  }
}

TEST(SparseVector, CheapAnswersStretchTheBudget) {
  for (const std::uint64_t k : {1U, 2U, 5U}) {
    for (const std::size_t m : {2U, 3U, 4U, 16U}) {
      SparseVectorOptions options{.k = k, .epsilon = "0.9"_eps, .threshold = 0, .branches = m};
      const SparseVectorRelease afford = all_pass(general, options);
      EXPECT_EQ(afford.above(), m * k);
      EXPECT_EQ(afford.cost.spent, "0.9"_rational);
      // The paper's rule stops as soon as a full answer no longer fits.
      options.stop_rule = StopRule::paper;
      const SparseVectorRelease paper = all_pass(general, options);
      EXPECT_EQ(paper.above(), m * (k - 1) + 1);
      EXPECT_EQ(paper.cost.left(), Rational(m - 1) * paper.branches.at(0).epsilon);
      for (const SparseVectorAnswer& answer : paper.answers) {
        EXPECT_EQ(answer.branch, 1U);
      }
    }
  }
}

TEST(SparseVector, BranchesArePricedAndScaledInTurn) {
  const SparseVectorPlan plan = plan_sparse_vector(
      general, {.k = 2, .epsilon = "1"_eps, .threshold = 0, .branches = 4, .theta = "1/5"_rational},
      true);
  const SparseVectorRelease& r = plan.blank;
  ASSERT_EQ(r.branches.size(), 4U);
  for (std::size_t b = 0; b < 4; ++b) {
    const Rational price = Rational(2, 5) / Rational(4 - b);
    EXPECT_EQ(r.branches[b].epsilon, price);
    EXPECT_EQ(r.branches[b].scale, Rational(2) / price);
    EXPECT_EQ(plan.steps[b].noise.rate().exponent(), r.tick / r.branches[b].scale);
    EXPECT_EQ(Rational(plan.steps[b].weight) * plan.unit, price);
    EXPECT_EQ(plan.steps[b].pass_at, r.branches[b].offset_ticks + r.branches[b].cut_ticks);
    // Two deviations of the branch's own noise, but for the last.
    const double deviation = std::sqrt(r.branch_noise(b + 1).variance());
    const double cut = b == 3 ? 0 : 2 * deviation;
    EXPECT_NEAR(r.shown(r.branches[b].cut_ticks), cut, r.tick.shown());
    const double centre = (r.branches[b].scale - r.threshold_scale).shown();
    EXPECT_NEAR(r.shown(r.branches[b].offset_ticks), centre, 2 * r.tick.shown());
  }
  EXPECT_EQ(r.threshold_scale, Rational(5));
  const SparseVectorPlan counts = plan_sparse_vector(
      monotone, {.k = 2, .epsilon = "1"_eps, .threshold = 0, .theta = "1/5"_rational, .sigma = 0},
      true);
  EXPECT_EQ(counts.blank.branches.at(0).scale, Rational(5, 2));
}

TEST(SparseVector, OnlyBranchesThatCanBePaidForAreTried) {
  // A query just above the threshold seldom passes the cheap branch; after half of the budget of
  // k = 1 is gone, the full branch must not answer it.
  InsecureSeededNoise noise(2);
  std::size_t halves = 0;
  for (int run = 0; run < 300; ++run) {
    SparseVector vector(general, {.k = 1, .epsilon = "2"_eps, .threshold = 0, .branches = 2},
                        noise);
    ASSERT_EQ(vector.ask(surely_above).branch, 1U);
    while (vector.open()) {
      vector.ask(8);
    }
    ASSERT_EQ(vector.release().answers.back().branch, 1U);
    ASSERT_EQ(vector.release().cost.spent, Rational(2));
    halves += vector.asked() > 2 ? 1U : 0U;
  }
  EXPECT_GT(halves, 0U);  // some were refused by the only branch left
}

TEST(SparseVector, StopAfterSaysWhatIsLeft) {
  const SparseVectorRelease r = all_pass(
      general,
      {.k = 10, .epsilon = "1"_eps, .threshold = 0, .theta = "1/6"_rational, .stop_after = 4});
  EXPECT_EQ(r.answers.size(), 4U);
  EXPECT_EQ(r.cost.spent, Rational(1, 6) + Rational(4) * Rational(5, 60));
  EXPECT_EQ(r.cost.left(), Rational(1, 2));
}

TEST(SparseVector, TheThresholdIsPaidWithTheFirstAnswer) {
  InsecureSeededNoise noise(3);
  SparseVector vector(general,
                      {.k = 3, .epsilon = "1"_eps, .threshold = 0, .theta = "1/4"_rational}, noise);
  EXPECT_EQ(vector.release().cost.spent, Rational(0));
  for (int i = 0; i < 50; ++i) {
    const SparseVectorAnswer& answer = vector.ask(surely_below);
    EXPECT_FALSE(answer.above);
    EXPECT_EQ(answer.branch, 0U);
    EXPECT_FALSE(answer.gap_ticks.has_value());
    EXPECT_EQ(vector.release().cost.spent, Rational(1, 4));
  }
  EXPECT_TRUE(vector.open());
}

/// Notes the rate of each draw; all noise is zero.
struct NotedDraws {
  std::vector<Rational> rates;
  std::int64_t geometric(const Rate& rate) {
    rates.push_back(rate.exponent());
    return 0;
  }
  std::int64_t laplace(const Rate& rate) { return geometric(rate); }
  static std::uint64_t below(std::uint64_t /*n*/) { return 0; }
  static std::uint64_t key() { return 0; }
};

TEST(SparseVector, TheThresholdIsDrawnOnceAndEachBranchAfresh) {
  const SparseVectorPlan plan = plan_sparse_vector(
      general, {.k = 1, .epsilon = "1"_eps, .threshold = 0, .branches = 2, .theta = "1/4"_rational},
      true);
  NotedDraws noise;
  SparseVector<NotedDraws> vector(plan, noise);
  for (int i = 0; i < 3; ++i) {
    vector.ask(surely_below);
  }
  const Rational threshold = plan.threshold_rate.exponent();
  const Rational cheap = plan.steps[0].noise.rate().exponent();
  const Rational full = plan.steps[1].noise.rate().exponent();
  EXPECT_EQ(noise.rates, (std::vector<Rational>{threshold, cheap, full, cheap, full, cheap, full}));
}

TEST(SparseVector, AskingAfterTheEndThrows) {
  InsecureSeededNoise noise(4);
  SparseVector vector(general, {.k = 1, .epsilon = "1"_eps, .threshold = 0}, noise);
  vector.ask(surely_above);
  EXPECT_FALSE(vector.open());
  EXPECT_THROW(vector.ask(surely_above), Exhausted);
  EXPECT_THROW(vector.ask(surely_below), Exhausted);
  EXPECT_EQ(vector.asked(), 1U);
  EXPECT_EQ(vector.release().answers.size(), 1U);
  EXPECT_EQ(vector.release().cost.spent, Rational(1));
}

TEST(SparseVector, QueriesCanFollowFromAnswers) {
  // Bisection for a secret number: each query depends on the answers before.
  InsecureSeededNoise noise(5);
  const std::int64_t secret = 700;
  SparseVector vector(general, {.k = 12, .epsilon = "200"_eps, .threshold = 0}, noise);
  std::int64_t low = 0;
  std::int64_t high = 1024;
  while (high - low > 8 && vector.open()) {
    const std::int64_t middle = (low + high) / 2;
    const SparseVectorAnswer& answer = vector.ask(secret - middle, Item{middle, 0});
    EXPECT_EQ(answer.item.id, middle);
    (answer.above ? low : high) = middle;
  }
  EXPECT_LE(low, secret);
  EXPECT_GE(high, secret);
}

TEST(SparseVector, GapsAreOverTheThresholdAndTheClassicOneHidesThem) {
  InsecureSeededNoise noise(6);
  SparseVectorOptions options{.k = 1, .epsilon = "100"_eps, .threshold = 30};
  SparseVector vector(general, options, noise);
  EXPECT_NEAR(vector.release().shown(*vector.ask(50).gap_ticks), 20, 2);
  options.gaps = false;
  SparseVector classic(general, options, noise);
  const SparseVectorAnswer& answer = classic.ask(50);
  EXPECT_TRUE(answer.above);
  EXPECT_FALSE(answer.gap_ticks.has_value());
}

TEST(SparseVector, AThresholdOffTheGridIsRoundedUpAndReported) {
  const auto threshold = [](const char* asked, Distribution distribution) {
    return plan_sparse_vector(general,
                              {.k = 1,
                               .epsilon = "1"_eps,
                               .threshold = Rational::parse(asked),
                               .noise = distribution,
                               .tick = 1},
                              true)
        .blank.threshold;
  };
  EXPECT_EQ(threshold("10.3", Distribution::geometric).asked, "10.3"_rational);
  EXPECT_EQ(threshold("10.3", Distribution::geometric).used, Rational(11));
  EXPECT_EQ(threshold("10.3", Distribution::geometric).used_ticks, 11);
  EXPECT_EQ(threshold("-10.3", Distribution::laplace).used, Rational(-10));
  EXPECT_EQ(threshold("10", Distribution::laplace).used, Rational(10));
  // Ticks of 1/2^s: 1/3 is between two of them.
  const Threshold fine =
      plan_sparse_vector(general, {.k = 1, .epsilon = "1"_eps, .threshold = "1/3"_rational}, true)
          .blank.threshold;
  EXPECT_GT(fine.used, Rational(1, 3));
  EXPECT_LT(fine.used, Rational(1, 3) + Rational(1, 512));
}

TEST(SparseVector, AListIsAskedInRandomOrderUnlessItsOrderIsPublic) {
  const std::vector<std::int64_t> answers(5, surely_below);
  const auto candidates = Candidates::counting(answers, Neighbours::add_remove);
  const std::uint64_t runs = scaled(120000, 3000);
  InsecureSeededNoise noise(7);
  std::array<std::array<std::uint64_t, 5>, 5> placed{};
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto r = sparse_vector(candidates, {.k = 1, .epsilon = "1"_eps, .threshold = 0}, noise);
    ASSERT_EQ(r.answers.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
      ++placed[i][static_cast<std::size_t>(r.answers[i].item.id)];
    }
  }
  std::vector<Event> events;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      events.push_back({"place " + std::to_string(i), placed[i][j], 0.2});
    }
  }
  const Verdict verdict = check_distribution(events, runs);
  EXPECT_TRUE(verdict.accepted()) << verdict.name << ' ' << verdict.worst;
  const auto r = sparse_vector(
      candidates, {.k = 1, .epsilon = "1"_eps, .threshold = 0, .asking = Asking::as_given}, noise);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(r.answers[i].item.id, static_cast<std::int64_t>(i));
  }
}

TEST(SparseVector, AShuffleHandsOutEachNumberOnce) {
  InsecureSeededNoise noise(8);
  const std::uint64_t runs = scaled(240000, 6000);
  std::map<std::vector<std::uint64_t>, std::uint64_t> seen;
  for (std::uint64_t run = 0; run < runs; ++run) {
    detail::Shuffle<InsecureSeededNoise> shuffle(4, noise);
    ++seen[{shuffle.next(), shuffle.next(), shuffle.next(), shuffle.next()}];
  }
  ASSERT_EQ(seen.size(), 24U);  // all permutations, nothing else
  std::vector<Event> events;
  for (const auto& [order, times] : seen) {
    std::vector<std::uint64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, (std::vector<std::uint64_t>{0, 1, 2, 3}));
    events.push_back({"permutation", times, 1.0 / 24});
  }
  EXPECT_TRUE(check_distribution(events, runs).accepted());
}

// Distributions.

/// Of one query `above` ticks over the threshold.
struct OneQuery {
  std::uint64_t runs = 0;
  std::map<std::size_t, std::uint64_t> branch;            // 0: below
  std::map<std::size_t, std::vector<std::uint64_t>> gap;  // by branch: gap at least each cut
};

OneQuery ask_once(const SparseVectorPlan& plan, std::int64_t above,
                  const std::vector<std::int64_t>& cuts, std::uint64_t runs, std::uint64_t seed) {
  InsecureSeededNoise noise(seed);
  OneQuery tally{runs, {}, {}};
  for (std::uint64_t run = 0; run < runs; ++run) {
    SparseVector<InsecureSeededNoise> vector(plan, noise);
    const SparseVectorAnswer& a =
        vector.ask_ticks(plan.blank.threshold.used_ticks + above, Item{0, 0});
    ++tally.branch[a.branch];
    auto& gaps = tally.gap[a.branch];
    gaps.resize(cuts.size());
    for (std::size_t c = 0; a.above && c < cuts.size(); ++c) {
      gaps[c] += *a.gap_ticks >= cuts[c] ? 1U : 0U;
    }
  }
  return tally;
}

struct DistributionCase {
  Distribution distribution;
  std::uint64_t seed;
};
const std::array<DistributionCase, 3> distribution_cases = {
    {{Distribution::exponential, 21}, {Distribution::laplace, 22}, {Distribution::geometric, 23}}};

/// A query so many scales of its noise above the threshold, and the distribution of its gap.
struct GapDistribution {
  GapDistribution(Distribution distribution, double scales_above)
      : plan(plan_sparse_vector(
            general, {.k = 2, .epsilon = "1"_eps, .threshold = 40, .noise = distribution}, true)),
        scale(1 / plan.steps[0].noise.rate().exponent().shown()),
        above(ticks(scales_above)) {}

  [[nodiscard]] std::int64_t ticks(double scales) const { return std::llround(scales * scale); }
  /// P(gap >= g), where all noise is stretched.
  [[nodiscard]] double at_least(std::int64_t g, double stretch) const {
    return difference_above(two_sided(plan.blank.distribution), 1 / scale / stretch,
                            plan.threshold_rate.exponent().shown() / stretch,
                            static_cast<double>(g + plan.steps[0].offset - above - 1));
  }

  SparseVectorPlan plan;
  double scale;
  std::int64_t above;
};

TEST(SparseVectorDistribution, NearTheThresholdPassingAndGapsFollowTheDifferenceOfTwoNoises) {
  const std::uint64_t runs = scaled(200000, 20000);
  for (const DistributionCase& c : distribution_cases) {
    for (const double above : {-1.0, 0.0, 0.5}) {
      const GapDistribution distribution(c.distribution, above);
      const std::vector<std::int64_t> cuts = {0, distribution.ticks(0.5), distribution.ticks(1),
                                              distribution.ticks(2)};
      const OneQuery tally = ask_once(distribution.plan, distribution.above, cuts, runs, c.seed);
      const auto verdict_on = [&](const GapDistribution& supposed) {
        std::vector<Event> events{{"passes", tally.branch.at(1), supposed.at_least(0, 1)}};
        for (std::size_t i = 0; i < cuts.size(); ++i) {
          events.push_back({"gap", tally.gap.at(1)[i], supposed.at_least(cuts[i], 1)});
        }
        return check_distribution(events, runs);
      };
      const Verdict verdict = verdict_on(distribution);
      EXPECT_TRUE(verdict.accepted()) << verdict.name << ' ' << verdict.worst;
      // A centre that is a third of the scale off is noticed.
      EXPECT_TRUE(!full_workload() ||
                  !verdict_on(GapDistribution(c.distribution, above + 0.3)).accepted());
    }
  }
}

TEST(SparseVectorDistribution, AboveTheThresholdTheWholeDifferenceShows) {
  const std::uint64_t runs = scaled(1500000, 20000);
  for (const DistributionCase& c : distribution_cases) {
    const GapDistribution distribution(c.distribution, 6);
    std::vector<std::int64_t> cuts;
    for (const double away : {1.2, 1.8, 2.4}) {
      cuts.push_back(distribution.above + 1 - distribution.ticks(away));
      cuts.push_back(distribution.above + distribution.ticks(away));
    }
    const OneQuery tally = ask_once(distribution.plan, distribution.above, cuts, runs, c.seed);
    const std::vector<std::uint64_t>& gaps = tally.gap.at(1);
    expect_distribution(
        [&](double stretch) {
          std::vector<Event> events;
          for (std::size_t i = 0; i < cuts.size(); i += 2) {
            const double below = 1 - distribution.at_least(cuts[i], stretch);
            const double beyond = distribution.at_least(cuts[i + 1], stretch);
            events.push_back({"below", runs - gaps[i], below});
            events.push_back({"beyond", gaps[i + 1], beyond});
            events.push_back({"away", runs - gaps[i] + gaps[i + 1], below + beyond});
          }
          return events;
        },
        runs, "distribution " + std::to_string(static_cast<int>(c.distribution)));
  }
}

TEST(SparseVectorDistribution, BranchesShareTheThresholdButNotTheNoise) {
  const std::uint64_t runs = scaled(2500000, 20000);
  const SparseVectorPlan plan = plan_sparse_vector(monotone,
                                                   {.k = 1,
                                                    .epsilon = "1"_eps,
                                                    .threshold = 0,
                                                    .noise = Distribution::geometric,
                                                    .branches = 2,
                                                    .sigma = "1/2"_rational},
                                                   true);
  const std::int64_t above = 3;
  const std::vector<std::int64_t> cuts = {1, 3, 4, 5, 6, 8, 11};
  const OneQuery tally = ask_once(plan, above, cuts, runs, 24);
  expect_distribution(
      [&](double stretch) {
        const double threshold = plan.threshold_rate.exponent().shown() / stretch;
        const auto passes = [&](std::size_t b, double noise, std::int64_t least) {
          return noise_above(false, plan.steps[b].noise.rate().exponent().shown() / stretch,
                             static_cast<double>(least - above - 1) + noise);
        };
        // Sum over the threshold's noise, which both branches see.
        const auto sum = [&](const auto& f) {
          double total = 0;
          for (double noise = 0; noise < 60 / threshold; ++noise) {
            total += noise_at(false, threshold, noise) * f(noise);
          }
          return total;
        };
        std::vector<Event> events;
        events.push_back({"cheap branch", tally.branch.at(1), sum([&](double noise) {
                            return passes(0, noise, plan.steps[0].pass_at);
                          })});
        for (std::size_t i = 0; i < cuts.size(); ++i) {
          events.push_back({"gap of the full branch", tally.gap.at(2)[i], sum([&](double noise) {
                              return (1 - passes(0, noise, plan.steps[0].pass_at)) *
                                     passes(1, noise, plan.steps[1].offset + cuts[i]);
                            })});
          const std::int64_t cheap =
              std::max(plan.steps[0].pass_at, plan.steps[0].offset + cuts[i]);
          events.push_back({"gap of the cheap branch", tally.gap.at(1)[i],
                            sum([&](double noise) { return passes(0, noise, cheap); })});
        }
        return events;
      },
      runs, "two branches");
}

// The public functions, on a list with few queries above the threshold, which is scanned, and on a
// crowded one, which is asked one by one. In random order the number of queries asked is released
// only where all answers are listed: else it would be an output that the proof does not cover.
TEST(SparseVector, AListTellsWhatItListsAndNothingElse) {
  std::vector<std::int64_t> sparse(4000, 0);
  sparse[17] = sparse[1234] = sparse[3999] = 1'000'000;
  const std::vector<std::int64_t> crowded(4000, 1'000'000);
  for (const auto& counts : {sparse, crowded}) {
    const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
    for (const Asking asking : {Asking::shuffled, Asking::as_given}) {
      const SparseVectorOptions options{
          .k = 2, .epsilon = "1"_eps, .threshold = 500'000, .asking = asking};
      EXPECT_EQ(detail::worth_scanning(
                    candidates, plan_sparse_vector(candidates.queries(), options, true), asking),
                counts[0] == 0 || asking == Asking::as_given);
      InsecureSeededNoise noise(5);
      const SparseVectorRelease above = sparse_vector_above(candidates, options, noise);
      EXPECT_EQ(above.asked.has_value(), asking == Asking::as_given);
      ASSERT_EQ(above.answers.size(), 2U);
      const SparseVectorRelease all = sparse_vector(candidates, options, noise);
      ASSERT_TRUE(all.asked);
      EXPECT_EQ(all.answers.size(), *all.asked);
      EXPECT_EQ(all.above(), 2U);
      EXPECT_TRUE(all.answers.back().above);  // the last one used up the budget
      EXPECT_EQ(all.cost.spent, Rational(1));
      for (const SparseVectorRelease* release : {&above, &all}) {
        for (const SparseVectorAnswer& answer : release->answers) {
          EXPECT_EQ(answer.above, counts[static_cast<std::size_t>(answer.item.id)] == 1'000'000);
          EXPECT_EQ(answer.gap_ticks.has_value(), answer.above);
        }
      }
      if (asking == Asking::as_given) {
        EXPECT_EQ(above.asked, counts[0] == 0 ? 1235U : 2U);
        EXPECT_EQ(all.asked, above.asked);
      }
    }
  }
}

// Equal neighbours are one entry of the sample, which stands for all of them.
TEST(SparseVector, AListIsJudgedByHowManyAreAboveAndNotByHowManyValues) {
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < 4000; ++i) {
    counts.push_back(i < 2000 ? 1'000'000 : i);
  }
  const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
  const SparseVectorPlan plan = plan_sparse_vector(
      candidates.queries(), {.k = 2, .epsilon = "1"_eps, .threshold = 500'000}, true);
  EXPECT_FALSE(detail::worth_scanning(candidates, plan, Asking::shuffled));
  EXPECT_TRUE(detail::worth_scanning(candidates, plan, Asking::as_given));
}

}  // namespace
}  // namespace freegap::testing

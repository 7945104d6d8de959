// Selection from items nobody listed: what is refused, what is released, what stays unsaid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "freegap/freegap.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

using Counts = std::vector<std::int64_t>;
const Counts counts = {90'000, 3, 70'000, 1, 50'000};

HybridOptions options_for(std::uint64_t k, Prefer prefer = Prefer::identity,
                          Distribution noise = Distribution::exponential) {
  return {.k = k, .epsilon = "1"_eps, .delta = "1e-9"_delta, .prefer = prefer, .noise = noise};
}

std::string refusal(const std::function<void()>& run) {
  try {
    run();
  } catch (const InvalidParameter& refused) {
    return refused.what();
  }
  return "";
}

/// Refused before any noise is drawn, and without a number that tells how many items occur.
void expect_refused(const std::function<void(InsecureSeededNoise&)>& run, const std::string& part) {
  InsecureSeededNoise noise(1);
  const std::string message = refusal([&] { run(noise); });
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(message.find(std::to_string(counts.size())), std::string::npos) << message;
  InsecureSeededNoise fresh(1);
  EXPECT_EQ(noise.below(1U << 30U), fresh.below(1U << 30U));
}

TEST(UnknownItems, NeedADeltaAndNothingElseTakesOne) {
  const Candidates unknown = Candidates::unknown(counts, 20);
  HybridOptions options = options_for(3);
  options.delta.reset();
  expect_refused([&](auto& noise) { top_k_above(unknown, options, noise); }, "delta");
  const Candidates listed = Candidates::counting(counts, Neighbours::add_remove);
  EXPECT_NE(refusal([&] {
              InsecureSeededNoise noise(1);
              top_k_above(listed, options_for(3), noise);
            }).find("delta"),
            std::string::npos);
  for (const char* bad : {"0", "-1", "1", "2", "1e-9x", ""}) {
    EXPECT_THROW(Delta::parse(bad), InvalidParameter) << bad;
  }
  EXPECT_EQ("1e-9"_delta.value(), Rational(1, 1'000'000'000));
}

TEST(UnknownItems, NeedABoundOnWhatAUnitBrings) {
  EXPECT_THROW(Candidates::unknown(counts, 0), InvalidParameter);
  EXPECT_THROW(Candidates::unknown_grouped(counts, counts, 0), InvalidParameter);
}

TEST(UnknownItems, AreRefusedByMechanismsOfPureEpsilon) {
  const Candidates unknown = Candidates::unknown(counts, 20);
  const std::string why = "nobody listed";
  expect_refused([&](auto& noise) { top_k(unknown, {.k = 2, .epsilon = "1"_eps}, noise); }, why);
  expect_refused([&](auto& noise) { top_k(unknown, {.k = 99, .epsilon = "1"_eps}, noise); }, why);
  const SparseVectorOptions above{.k = 2, .epsilon = "1"_eps, .threshold = 100};
  expect_refused([&](auto& noise) { sparse_vector(unknown, above, noise); }, why);
  expect_refused([&](auto& noise) { sparse_vector_above(unknown, above, noise); }, why);
  expect_refused([&](auto& noise) { exponential(unknown, {.epsilon = "1"_eps}, noise); }, why);
  HybridOptions constant = options_for(3);
  constant.constant_work = true;
  expect_refused([&](auto& noise) { top_k_above(unknown, constant, noise); }, "constant_work");
}

TEST(UnknownItems, WrongOptionsAreRefused) {
  const Candidates unknown = Candidates::unknown(counts, 20);
  expect_refused([&](auto& noise) { top_k_above(unknown, options_for(0), noise); }, "2^32");
  expect_refused([&](auto& noise) { top_k_above(unknown, options_for((1ULL << 32U) + 1), noise); },
                 "2^32");
  HybridOptions options = options_for(3);
  options.theta = Rational(1, 2);
  expect_refused([&](auto& noise) { top_k_above(unknown, options, noise); }, "theta");
}

TEST(UnknownItems, ThoseOfManyUnitsAreReleasedWithGaps) {
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    for (const Distribution distribution :
         {Distribution::exponential, Distribution::geometric, Distribution::laplace}) {
      InsecureSeededNoise noise(1);
      const HybridRelease r =
          top_k_above(Candidates::unknown(counts, 20), options_for(4, prefer, distribution), noise);
      ASSERT_EQ(r.winners.size(), 3U);
      EXPECT_EQ(r.winners[0].id, 0);
      EXPECT_EQ(r.winners[1].id, 2);
      EXPECT_EQ(r.winners[2].id, 4);
      EXPECT_EQ(r.gap_to, GapTo::threshold);
      for (std::size_t i = 0; i < 3; ++i) {
        const double estimate = r.threshold.used.shown() + r.noise.shown(r.gap_ticks.at(i));
        EXPECT_NEAR(estimate, 90'000 - 20'000 * static_cast<double>(i), 300);
      }
      EXPECT_FALSE(r.threshold_gap_ticks.has_value());
      EXPECT_EQ(r.cost.reserved, Rational(1));
      EXPECT_EQ(r.cost.spent, r.cost.reserved);
      EXPECT_EQ(r.cost.delta, "1e-9"_rational);
      EXPECT_EQ(r.queries.max_items, 20U);
      EXPECT_EQ(r.threshold.asked, Rational(0));
    }
  }
}

TEST(UnknownItems, KWinnersLeadOverTheRunnerUp) {
  InsecureSeededNoise noise(1);
  const HybridRelease r = top_k_above(Candidates::unknown(counts, 20), options_for(2), noise);
  ASSERT_EQ(r.winners.size(), 2U);
  EXPECT_EQ(r.gap_to, GapTo::next);
  EXPECT_NEAR(r.noise.shown(r.gap_ticks.at(0)), 40'000, 100);
  EXPECT_NEAR(r.noise.shown(r.gap_ticks.at(1)), 20'000, 100);
  EXPECT_FALSE(r.threshold_gap_ticks.has_value());
  EXPECT_EQ(r.cost.spent, r.cost.reserved);
}

/// Everything public of a release.
void expect_same_parameters(const HybridRelease& a, const HybridRelease& b) {
  EXPECT_EQ(a.k, b.k);
  EXPECT_EQ(a.cost.reserved, b.cost.reserved);
  EXPECT_EQ(a.cost.spent, b.cost.spent);
  EXPECT_EQ(a.cost.delta, b.cost.delta);
  EXPECT_EQ(a.threshold.used_ticks, b.threshold.used_ticks);
  EXPECT_EQ(a.noise.scale, b.noise.scale);
  EXPECT_EQ(a.noise.tick, b.noise.tick);
  EXPECT_EQ(a.threshold_noise.scale, b.threshold_noise.scale);
  EXPECT_EQ(a.queries.max_items, b.queries.max_items);
  EXPECT_EQ(a.threshold_gap_ticks.has_value(), b.threshold_gap_ticks.has_value());
  EXPECT_EQ(a.gap_to, b.gap_to);
}

TEST(UnknownItems, FewerThanKAreAnOrdinaryAnswer) {
  const Counts none;
  const Counts one{90'000};
  const Counts rare(1000, 1);
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1} << 32U}) {
      const HybridOptions options{.k = k,
                                  .epsilon = Epsilon(std::min(Rational(k), Rational(1000))),
                                  .delta = "1e-9"_delta,
                                  .prefer = prefer};
      InsecureSeededNoise noise(1);
      const HybridRelease nothing = top_k_above(Candidates::unknown(none, 20), options, noise);
      EXPECT_TRUE(nothing.winners.empty());
      EXPECT_EQ(nothing.gap_to, GapTo::threshold);
      const HybridRelease groups =
          top_k_above(Candidates::unknown_grouped(none, none, 20), options, noise);
      EXPECT_TRUE(groups.winners.empty());
      expect_same_parameters(nothing, groups);
      const HybridRelease all_rare = top_k_above(Candidates::unknown(rare, 20), options, noise);
      EXPECT_TRUE(all_rare.winners.empty());
      expect_same_parameters(nothing, all_rare);
      const HybridRelease single = top_k_above(Candidates::unknown(one, 20), options, noise);
      EXPECT_EQ(single.threshold.used_ticks, nothing.threshold.used_ticks);
      EXPECT_EQ(single.cost.spent, nothing.cost.spent);
      ASSERT_EQ(single.winners.size(), k > 7 ? 0U : 1U);  // a large k needs a high threshold
      EXPECT_EQ(single.gap_to,
                k == 1 && prefer == Prefer::identity ? GapTo::next : GapTo::threshold);
      if (k == 7) {
        EXPECT_EQ(single.winners[0].id, 0);
        EXPECT_NEAR(single.threshold.used.shown() + single.noise.shown(single.gap_ticks.at(0)),
                    90'000, 100);
      }
    }
  }
}

TEST(UnknownItems, TheThresholdIsTheSafeOneOrAHigherOneOfTheCaller) {
  const Candidates twenty = Candidates::unknown(counts, 20);
  const auto used = [&](const Candidates& candidates, HybridOptions options,
                        const Rational& threshold) {
    options.threshold = threshold;
    const HybridPlan plan = plan_hybrid(candidates, options);
    EXPECT_EQ(plan.blank.threshold.asked, threshold);
    EXPECT_EQ(plan.blank.threshold.used,
              Rational(plan.blank.threshold.used_ticks) * plan.grid.tick());
    return plan.blank.threshold.used.shown();
  };
  // docs/proofs/unknown_items.md: 1 + 10 (ln(20e9) + 1 - ln 2), and a tick at most.
  EXPECT_NEAR(used(twenty, options_for(10), 0), 241.26, 0.02);
  EXPECT_EQ(used(twenty, options_for(10), 100), used(twenty, options_for(10), 0));
  EXPECT_EQ(used(twenty, options_for(10), -1000), used(twenty, options_for(10), 0));
  EXPECT_EQ(used(twenty, options_for(10), 1000), 1000);
  const HybridOptions whole{
      .k = 1, .epsilon = "1"_eps, .delta = "1e-3"_delta, .noise = Distribution::geometric};
  EXPECT_EQ(used(Candidates::unknown(counts, 1), whole, 0), 9);
  // More items per unit, a smaller δ and Laplace noise need a higher one.
  EXPECT_GT(used(Candidates::unknown(counts, 21), options_for(10), 0),
            used(twenty, options_for(10), 0));
  EXPECT_LT(used(twenty.bounded(1), options_for(10), 0), used(twenty, options_for(10), 0));
  EXPECT_GT(used(twenty, options_for(10, Prefer::identity, Distribution::laplace), 0),
            used(twenty, options_for(10), 0));
  // On a tick of 4 an item of one unit counts 0 ticks, and the noise is that of a sensitivity of 4.
  HybridOptions coarse = options_for(1, Prefer::identity, Distribution::geometric);
  coarse.tick = 4;
  const HybridPlan plan = plan_hybrid(twenty, coarse);
  const std::int64_t t = plan.blank.threshold.used_ticks;
  const auto safe = [](std::int64_t distance) {
    return 20 * std::exp(-static_cast<double>(distance)) / (1 + std::exp(-1)) <=
           1e-9 * std::exp(-1);
  };
  EXPECT_TRUE(safe(t));
  EXPECT_FALSE(safe(t - 1));
}

// Estimates first centres one-sided gaps by an offset, which lowers or raises what must be passed.
TEST(UnknownItems, TheSafeThresholdAllowsForTheCentringOffset) {
  for (const char* theta : {"1/10", "9/10"}) {
    const HybridPlan plan =
        plan_hybrid(Candidates::unknown(counts, 1), {.k = 1,
                                                     .epsilon = "1"_eps,
                                                     .delta = "1e-6"_delta,
                                                     .prefer = Prefer::estimates,
                                                     .noise = Distribution::geometric,
                                                     .theta = Rational::parse(theta)});
    const double share = Rational::parse(theta).shown();
    const std::int64_t offset = plan.blank.estimates->branch.offset_ticks;
    ASSERT_NE(offset, 0);
    const double x = std::exp(-(1 - share));
    const double y = std::exp(-share);
    const auto passes = [&](std::int64_t threshold) {
      const auto distance = static_cast<double>(threshold + offset - 1);
      return std::pow(x, distance) * (1 - y) / (1 - x * y);
    };
    EXPECT_LE(passes(plan.blank.threshold.used_ticks), 1e-6 * std::exp(-1)) << theta;
    EXPECT_GT(passes(plan.blank.threshold.used_ticks - 1), 1e-6 * std::exp(-1)) << theta;
  }
}

/// Many runs with one plan.
class Runs {
 public:
  Runs(const Candidates& candidates, const HybridOptions& options)
      : candidates_(candidates), plan_(plan_hybrid(candidates, options)) {}

  HybridRelease operator()(InsecureSeededNoise& noise) const {
    detail::RandomOrder order(noise);
    const detail::CandidatesOnGrid shape(candidates_, plan_.grid);
    return plan_.prefer == Prefer::identity ? select_identity_first(shape, plan_, noise, order)
                                            : select_estimates_first(shape, plan_, noise, order);
  }

 private:
  Candidates candidates_;
  HybridPlan plan_;
};

/// Cells of a release of up to two winners among 5 items: who won, and by about how much.
std::size_t cell_of(const HybridRelease& r, const std::function<std::size_t(const Item&)>& name) {
  std::size_t cell = r.gap_to == GapTo::threshold ? 1 : 0;
  for (std::size_t i = 0; i < r.winners.size(); ++i) {
    cell = cell * 6 + name(r.winners[i]) + 1;
    cell = cell * 2 + (r.gap_ticks[i] > 2 ? 1 : 0);
  }
  return cell;
}

// False alarms: one in 1e9 for each comparison.
TEST(UnknownItems, GroupsHaveTheDistributionOfTheList) {
  const Counts list{12, 1, 9, 9, 1};
  const Counts values{1, 9, 12};
  const Counts multiplicities{2, 2, 1};
  const std::uint64_t runs = scaled(200'000, 20'000);
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    const HybridOptions options{.k = 2,
                                .epsilon = "2"_eps,
                                .delta = "1/5"_delta,
                                .prefer = prefer,
                                .noise = Distribution::geometric};
    const Runs of_list(Candidates::unknown(list, 1), options);
    const Runs of_groups(Candidates::unknown_grouped(values, multiplicities, 1), options);
    InsecureSeededNoise noise(7);
    std::vector<std::uint64_t> dense(400);
    std::vector<std::uint64_t> grouped(400);
    // Equal counts are interchangeable, so items are compared by their count.
    const auto by_value = [&](std::int64_t count) {
      return static_cast<std::size_t>(std::find(values.begin(), values.end(), count) -
                                      values.begin());
    };
    for (std::uint64_t run = 0; run < runs; ++run) {
      ++dense.at(cell_of(of_list(noise), [&](const Item& item) {
        return by_value(list[static_cast<std::size_t>(item.id)]);
      }));
      ++grouped.at(cell_of(of_groups(noise),
                           [](const Item& item) { return static_cast<std::size_t>(item.id); }));
    }
    std::size_t occurring = 0;
    for (std::size_t cell = 0; cell < dense.size(); ++cell) {
      // Both are binomial with the same p: their difference is 6.2 deviations off once in 1e9.
      const auto a = static_cast<double>(dense[cell]);
      const auto b = static_cast<double>(grouped[cell]);
      EXPECT_LE(std::fabs(a - b), 6.2 * std::sqrt(a + b) + 20) << cell;
      occurring += dense[cell] > 0 ? 1U : 0U;
    }
    EXPECT_GT(occurring, 8U);
  }
}

TEST(UnknownItems, RareItemsPassAsOftenAsDeltaSays) {
  // δ = 1/5, ε = 1: items of one unit may pass with probability δ/e = 0.0736 at most, and the least
  // safe threshold lets them pass with more than 1/e of it, less ties that the threshold wins.
  const Counts one{1};
  const HybridOptions options{
      .k = 1, .epsilon = "1"_eps, .delta = "1/5"_delta, .noise = Distribution::geometric};
  const std::uint64_t runs = scaled(1'000'000, 50'000);
  InsecureSeededNoise noise(3);
  const Runs run_once(Candidates::unknown(one, 1), options);
  std::uint64_t passed = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    passed += run_once(noise).winners.size();
  }
  const double share = static_cast<double>(passed) / static_cast<double>(runs);
  const double deviation = std::sqrt(0.0736 / static_cast<double>(runs));
  EXPECT_LE(share, 0.2 * std::exp(-1) + 6.2 * deviation);
  EXPECT_GE(share, 0.5 * 0.2 * std::exp(-2) - 6.2 * deviation);
}

TEST(UnknownItems, WinnersCanBeMeasuredAndOthersAreRefusedWithoutANumber) {
  const Candidates unknown = Candidates::unknown(counts, 20);
  InsecureSeededNoise noise(1);
  const HybridRelease r = top_k_above(unknown, options_for(4), noise);
  const MeasureRelease measured = measure(unknown, r.winners, {.epsilon = "1"_eps}, noise);
  EXPECT_NEAR(measured.value(0), 90'000, 200);
  const std::vector<Item> strange{{static_cast<std::int64_t>(counts.size()), 0}};
  expect_refused([&](auto& source) { measure(unknown, strange, {.epsilon = "1"_eps}, source); },
                 "occurs");
}

}  // namespace
}  // namespace freegap::testing

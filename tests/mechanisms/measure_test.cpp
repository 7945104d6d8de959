// The Laplace mechanism: what it releases and charges, the distribution of its noise, and its
// privacy loss.
#include "freegap/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "support/difference_distribution.hpp"
#include "support/distribution_check.hpp"

namespace freegap::testing {
namespace {

using namespace verify;

const std::vector<std::int64_t> counts = {700, -20, 90};

Candidates candidates() { return Candidates::counting(counts, Neighbours::add_remove); }

TEST(Measure, ValuesComeInTheOrderAskedFor) {
  InsecureSeededNoise noise(1);
  const std::vector<Item> items = {{2, 0}, {0, 0}};
  const MeasureRelease r = measure(candidates(), items, {.epsilon = "100"_eps}, noise);
  EXPECT_EQ(r.items, items);
  EXPECT_NEAR(r.value(0), 90, 1);
  EXPECT_NEAR(r.value(1), 700, 1);
  EXPECT_EQ(r.noise.distribution, Distribution::laplace);
  EXPECT_EQ(r.noise.scale, Rational(2, 100));  // two items share the budget
  EXPECT_EQ(r.cost.spent, Rational(100));
}

TEST(Measure, NothingCostsNothing) {
  InsecureSeededNoise noise(2);
  const MeasureRelease r = measure(candidates(), {}, {.epsilon = "1"_eps}, noise);
  EXPECT_TRUE(r.value_ticks.empty());
  EXPECT_EQ(r.cost.spent, Rational(0));
  EXPECT_EQ(r.cost.left(), Rational(1));
  EXPECT_EQ(noise.decisions(), 0U);
}

TEST(Measure, TheScaleIsTheSameForEveryKindOfQuery) {
  // One unit may change every value by Δ, whichever way.
  const std::vector<Item> items = {{0, 0}, {1, 0}, {2, 0}};
  const auto scale = [&](const Candidates& of) {
    return plan_measure(of, items, {.epsilon = "0.5"_eps}).distribution.scale;
  };
  const std::span<const std::int64_t> answers = counts;
  EXPECT_EQ(scale(Candidates::counting(counts, Neighbours::add_remove, 2)), Rational(12));
  EXPECT_EQ(scale(Candidates::counting(counts, Neighbours::replace, 2)), Rational(12));
  EXPECT_EQ(scale(Candidates::general(answers, Neighbours::add_remove, 2)), Rational(12));
}

TEST(Measure, GroupsAndUniversesAreMeasuredByItem) {
  InsecureSeededNoise noise(3);
  const std::vector<std::int64_t> values = {5, 80};
  const std::vector<std::int64_t> multiplicities = {10, 3};
  const auto grouped = Candidates::grouped(std::span<const std::int64_t>(values), multiplicities,
                                           {Kind::counts, Neighbours::add_remove, 1});
  const std::vector<Item> members = {{1, 2}, {0, 9}};
  const MeasureRelease r = measure(grouped, members, {.epsilon = "100"_eps}, noise);
  EXPECT_NEAR(r.value(0), 80, 1);
  EXPECT_NEAR(r.value(1), 5, 1);
  const std::vector<std::int64_t> ids = {17};
  const std::vector<std::int64_t> listed = {40};
  const auto universe = Candidates::universe({1, 1000000}, ids, listed, Neighbours::add_remove);
  const std::vector<Item> some = {{18, 0}, {17, 0}};
  const MeasureRelease u = measure(universe, some, {.epsilon = "100"_eps}, noise);
  EXPECT_NEAR(u.value(0), 0, 1);
  EXPECT_NEAR(u.value(1), 40, 1);
}

TEST(MeasureDistribution, ErrorsAreTwoSidedWithTheScaleAnnounced) {
  const std::uint64_t runs = scaled(1500000, 20000);
  const std::vector<Item> items = {{0, 0}, {1, 0}};
  for (const char* tick : {"1", "1/256"}) {
    const MeasurePlan plan =
        plan_measure(candidates(), items, {.epsilon = "0.4"_eps, .tick = Rational::parse(tick)});
    EXPECT_EQ(plan.distribution.scale, Rational(5));
    std::vector<std::int64_t> cuts;
    for (const double m : {0.4, 0.8, 1.6, 2.4}) {
      cuts.push_back(std::llround(m * 5 / plan.distribution.tick.shown()));
    }
    InsecureSeededNoise noise(4);
    std::vector<std::uint64_t> high(cuts.size());
    std::vector<std::uint64_t> low(cuts.size());
    for (std::uint64_t run = 0; run < runs / 2; ++run) {
      const MeasureRelease r = measure(
          candidates(), items, {.epsilon = "0.4"_eps, .tick = Rational::parse(tick)}, noise);
      for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t error = r.value_ticks[i] - plan.grid.floor_ticks(counts[i]);
        for (std::size_t c = 0; c < cuts.size(); ++c) {
          high[c] += error >= cuts[c] ? 1U : 0U;
          low[c] += error <= -cuts[c] ? 1U : 0U;
        }
      }
    }
    expect_distribution(
        [&](double stretch) {
          const double rate = plan.rate->exponent().shown() / stretch;
          std::vector<Event> events;
          for (std::size_t c = 0; c < cuts.size(); ++c) {
            const double p = noise_above(true, rate, static_cast<double>(cuts[c] - 1));
            events.push_back({"high", high[c], p});
            events.push_back({"low", low[c], p});
            events.push_back({"either", high[c] + low[c], 2 * p});
          }
          return events;
        },
        runs / 2 * 2, std::string("tick ") + tick);
  }
}

TEST(MeasurePrivacy, ItLosesExactlyWhatItSpends) {
  // Two items at ε = 2 with a tick of 1: a unit of loss per tick and item.
  const std::vector<Item> items = {{0, 0}, {1, 0}};
  const auto enumerate = [&](std::size_t measured) {
    return Distributions([&items, measured](const Vector& q) {
      return seen_distribution({1, 2, 16}, [&](LossNoise& noise) {
        const auto of =
            Candidates::general(std::span<const std::int64_t>(q), Neighbours::add_remove, 1);
        const MeasureRelease r =
            measured == 2
                ? measure(of, items, {.epsilon = "2"_eps, .tick = 1}, noise)
                : measure(of, std::span(items).first(1), {.epsilon = "2"_eps, .tick = 1}, noise);
        return Seen{r.value_ticks, in_units(r.cost.spent, 1)};
      });
    });
  };
  const Worst two = enumerate(2).worst(all_vectors(2, 0, 1), Moves::either_way);
  EXPECT_LE(two.excess, slack) << two.where;
  EXPECT_NEAR(two.loss, 2, slack);
  const Worst one = enumerate(1).worst(all_vectors(2, 0, 1), Moves::either_way);
  EXPECT_LE(one.excess, slack) << one.where;
  EXPECT_NEAR(one.loss, 2, slack);  // two units per tick, for one item
}

TEST(Measure, AContributionBoundLimitsTheScale) {
  const std::vector<Item> items = {{0, 0}, {1, 0}, {2, 0}};
  const auto scale = [&](std::uint64_t bound, Neighbours neighbours) {
    return plan_measure(Candidates::counting(counts, neighbours, 2).bounded(bound), items,
                        {.epsilon = "0.5"_eps})
        .distribution.scale;
  };
  EXPECT_EQ(scale(1, Neighbours::add_remove), Rational(4));
  EXPECT_EQ(scale(2, Neighbours::add_remove), Rational(8));
  EXPECT_EQ(scale(3, Neighbours::add_remove), Rational(12));
  EXPECT_EQ(scale(UINT64_MAX, Neighbours::add_remove), Rational(12));
  EXPECT_EQ(scale(1, Neighbours::replace), Rational(8));  // one unit leaves, another one comes
  EXPECT_EQ(scale(2, Neighbours::replace), Rational(12));
  InsecureSeededNoise noise(7);
  const MeasureRelease r = measure(candidates().bounded(2), items, {.epsilon = "1"_eps}, noise);
  EXPECT_EQ(r.noise.scale, Rational(2));
  EXPECT_EQ(r.queries.max_items, 2U);
}

TEST(Measure, WithAContributionBoundEachItemIsListedOnce) {
  // Listed twice, one item of one unit would change two values.
  const std::vector<Item> items = {{0, 0}, {1, 0}, {0, 0}};
  EXPECT_NO_THROW(plan_measure(candidates(), items, {.epsilon = "1"_eps}));
  EXPECT_THROW(plan_measure(candidates().bounded(1), items, {.epsilon = "1"_eps}),
               InvalidParameter);
}

/// The largest loss where a unit of up to `bound` items joins, of three answers that are measured
/// at ε = `declared` with a tick of 1: a unit of loss per tick.
double worst_bounded_loss(std::uint64_t bound, std::uint64_t declared) {
  const std::vector<Item> items = {{0, 0}, {1, 0}, {2, 0}};
  const auto distribution = [&](const Vector& q) {
    return seen_distribution({1, 3, 12}, [&](LossNoise& noise) {
      const auto of =
          Candidates::general(std::span<const std::int64_t>(q), Neighbours::add_remove, 1)
              .bounded(declared);
      const MeasureRelease r =
          measure(of, items, {.epsilon = Epsilon(Rational(declared)), .tick = 1}, noise);
      return Seen{r.value_ticks, in_units(r.cost.spent, 1)};
    });
  };
  const SeenDistribution before = distribution({0, 0, 0});
  double worst = 0;
  for (const Vector& moved : all_vectors(3, 0, 1)) {
    if (static_cast<std::uint64_t>(moved[0] + moved[1] + moved[2]) <= bound) {
      const SeenDistribution after = distribution(moved);
      worst = std::max({worst, worst_loss(before, after).loss, worst_loss(after, before).loss});
    }
  }
  return worst;
}

TEST(MeasurePrivacy, BoundedUnitsLoseExactlyWhatIsSpent) {
  for (const std::uint64_t bound : {1U, 2U, 3U}) {
    EXPECT_NEAR(worst_bounded_loss(bound, bound), static_cast<double>(bound), slack);
  }
}

TEST(MeasurePrivacy, AUnitBeyondTheBoundIsCaught) {
  EXPECT_NEAR(worst_bounded_loss(2, 1), 2, slack);
  EXPECT_NEAR(worst_bounded_loss(3, 2), 3, slack);
}

TEST(MeasurePrivacy, FullNoiseForOneOnEachOfTwoIsCaught) {
  Distributions distributions([](const Vector& q) {
    return seen_distribution({1, 2, 20}, [&](LossNoise& noise) {
      const auto of =
          Candidates::general(std::span<const std::int64_t>(q), Neighbours::add_remove, 1);
      Seen seen{{}, 2};
      for (const Item& item : {Item{0, 0}, Item{1, 0}}) {
        const std::span<const Item> alone(&item, 1);
        seen.shown.push_back(
            measure(of, alone, {.epsilon = "2"_eps, .tick = 1}, noise).value_ticks[0]);
      }
      return seen;
    });
  });
  EXPECT_NEAR(distributions.worst(all_vectors(2, 0, 0), Moves::either_way).excess, 2, slack);
}

}  // namespace
}  // namespace freegap::testing

// The exponential mechanism with its gap: what it releases, its distribution against the closed
// form and against Gumbel noise, and its privacy loss.
#include "freegap/exponential.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "support/distribution_check.hpp"

namespace freegap::testing {
namespace {

using Utilities = std::vector<std::int64_t>;

Candidates general(const Utilities& utilities) {
  return Candidates::general(std::span<const std::int64_t>(utilities), Neighbours::add_remove, 1);
}

TEST(Exponential, TheGapComesWithTheChoice) {
  const Utilities utilities = {10, 50, 30};
  InsecureSeededNoise noise(1);
  const ExponentialRelease r = exponential(general(utilities), {.epsilon = "20"_eps}, noise);
  EXPECT_EQ(r.chosen, (Item{1, 0}));
  EXPECT_EQ(r.rate, Rational(10));  // ε / (2 Δ)
  EXPECT_EQ(r.gap_tick, Rational(1, 1024));
  EXPECT_NEAR(*r.gap(), 200, 20);
  EXPECT_NEAR(*r.gap_in_utility(), 20, 2);
  EXPECT_DOUBLE_EQ(*r.gap(), static_cast<double>(*r.gap_ticks) / 1024);
  EXPECT_EQ(r.cost.spent, Rational(20));
  EXPECT_EQ(r.cost.reserved, Rational(20));
}

TEST(Exponential, MonotoneUtilitiesNeedHalfTheNoise) {
  const Utilities utilities = {1, 2};
  const auto monotone = Candidates::counting(utilities, Neighbours::add_remove, 3);
  EXPECT_EQ(plan_exponential(monotone, {.epsilon = "6"_eps}).blank.rate, Rational(2));
  const auto replaced = Candidates::counting(utilities, Neighbours::replace, 3);
  EXPECT_EQ(plan_exponential(replaced, {.epsilon = "6"_eps}).blank.rate, Rational(1));
}

TEST(Exponential, TheClassicOneAndASingleCandidateHaveNoGap) {
  InsecureSeededNoise noise(2);
  const ExponentialRelease classic =
      exponential(general({1, 2}), {.epsilon = "1"_eps, .gap = false}, noise);
  EXPECT_FALSE(classic.gap_ticks.has_value());
  EXPECT_FALSE(classic.gap().has_value());
  EXPECT_FALSE(classic.gap_in_utility().has_value());
  const Utilities one = {5};
  const ExponentialRelease single = exponential(general(one), {.epsilon = "1"_eps}, noise);
  EXPECT_EQ(single.chosen, (Item{0, 0}));
  EXPECT_FALSE(single.gap_ticks.has_value());
}

TEST(Exponential, ACallersSamplerGetsItsGap) {
  const Utilities utilities = {10, 50, 30};
  InsecureSeededNoise noise(3);
  const auto pick = [](std::int64_t id) { return [id] { return Item{id, 0}; }; };
  const ExponentialRelease r =
      exponential_around(general(utilities), {.epsilon = "20"_eps}, pick(1), noise);
  EXPECT_EQ(r.chosen, (Item{1, 0}));
  EXPECT_NEAR(*r.gap(), 200, 20);
  EXPECT_THROW(exponential_around(general(utilities), {.epsilon = "20"_eps}, pick(3), noise),
               InvalidParameter);
}

// Distributions.

/// Weights of all candidates: multiplicity times exp(rate * utility).
struct Weights {
  std::vector<double> each;
  std::vector<double> multiplicity;
  [[nodiscard]] double sum() const {
    double total = 0;
    for (std::size_t i = 0; i < each.size(); ++i) {
      total += each[i] * multiplicity[i];
    }
    return total;
  }
  /// P(a candidate of entry i is chosen, gap at least g): each leads by g with probability
  /// w / (w + (W - w) e^g).
  [[nodiscard]] double at_least(std::size_t i, double g) const {
    return multiplicity[i] * each[i] / (each[i] + (sum() - each[i]) * std::exp(g));
  }
};

Weights weights(const std::vector<double>& scaled_utilities, std::vector<double> multiplicity) {
  Weights result{{}, std::move(multiplicity)};
  for (const double u : scaled_utilities) {
    result.each.push_back(std::exp(u));
  }
  return result;
}

/// How often each entry was chosen, and how often with a gap of at least each cut.
struct Tally {
  Tally(std::size_t entries, std::vector<double> at)
      : cuts(std::move(at)), chosen(entries), gap(cuts.size()) {}
  void note(std::size_t entry, double size) {
    ++chosen[entry];
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      gap[c] += size >= cuts[c] ? 1U : 0U;
    }
  }
  [[nodiscard]] std::vector<Event> events(const Weights& w, double stretch) const {
    std::vector<Event> result;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      result.push_back({"choice " + std::to_string(i), chosen[i], w.at_least(i, 0)});
    }
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      double p = 0;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        p += w.at_least(i, cuts[c] / stretch);
      }
      result.push_back({"gap " + std::to_string(cuts[c]), gap[c], p});
    }
    return result;
  }

  std::vector<double> cuts;
  std::vector<std::uint64_t> chosen;
  std::vector<std::uint64_t> gap;
};

/// Multiples of 1/1024, the tick of gaps.
const std::vector<double> gap_cuts = {0.25, 0.75, 1.25, 1.75, 2.25, 3};

TEST(ExponentialDistribution, ChoiceAndGapHaveTheClosedForm) {
  const std::uint64_t runs = scaled(1500000, 20000);
  const Utilities utilities = {3, 0, 2, 3};
  const Candidates candidates = general(utilities);
  const ExponentialPlan plan = plan_exponential(candidates, {.epsilon = "1"_eps});
  const std::vector<WeightedValue> values = freegap::utilities(candidates, plan.grid);
  InsecureSeededNoise noise(11);
  Tally tally(4, gap_cuts);
  for (std::uint64_t run = 0; run < runs; ++run) {
    // The body of `exponential`, with the plan made once.
    const std::size_t entry = noise.choose(plan.rate, values);
    const Item item = detail::CandidateAccess(candidates).item_of(entry, 0);
    tally.note(static_cast<std::size_t>(item.id),
               static_cast<double>(noise.lead(plan.rate, values, entry, plan.gap_rate)) / 1024);
  }
  expect_distribution(
      [&](double stretch) {
        std::vector<double> scaled_utilities;
        for (const std::int64_t u : utilities) {
          scaled_utilities.push_back(static_cast<double>(u) / 2 / stretch);
        }
        return tally.events(weights(scaled_utilities, {1, 1, 1, 1}), stretch);
      },
      runs, "closed form");
}

TEST(ExponentialDistribution, TheMechanismItselfDrawsIt) {
  const std::uint64_t runs = scaled(150000, 10000);
  const Utilities utilities = {3, 0, 2, 3};
  InsecureSeededNoise noise(12);
  Tally tally(4, gap_cuts);
  Tally around(4, gap_cuts);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto r = exponential(general(utilities), {.epsilon = "1"_eps}, noise);
    tally.note(static_cast<std::size_t>(r.chosen.id), *r.gap());
    const auto other = exponential_around(
        general(utilities), {.epsilon = "1"_eps}, [&] { return r.chosen; }, noise);
    around.note(static_cast<std::size_t>(other.chosen.id), *other.gap());
  }
  const Weights w = weights({1.5, 0, 1, 1.5}, {1, 1, 1, 1});
  EXPECT_TRUE(check_distribution(tally.events(w, 1), runs).accepted());
  EXPECT_TRUE(check_distribution(around.events(w, 1), runs).accepted());
  // The paper's printed location lacks ε: the gap would follow other weights.
  const Weights printed = weights({3, 0, 2, 3}, {1, 1, 1, 1});
  EXPECT_FALSE(check_distribution(tally.events(printed, 1), runs).accepted());
}

TEST(ExponentialDistribution, GroupsCountTheirMembers) {
  const std::uint64_t runs = scaled(300000, 10000);
  const Utilities values = {1, 4};
  const std::vector<std::int64_t> multiplicities = {30, 2};
  const auto candidates = Candidates::grouped(std::span<const std::int64_t>(values), multiplicities,
                                              {Kind::general, Neighbours::add_remove, 1});
  InsecureSeededNoise noise(13);
  Tally tally(2, gap_cuts);
  std::vector<std::uint64_t> member(30);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto r = exponential(candidates, {.epsilon = "2"_eps}, noise);
    tally.note(static_cast<std::size_t>(r.chosen.id), *r.gap());
    if (r.chosen.id == 0) {
      ++member.at(r.chosen.member);
    }
  }
  const Weights w = weights({1, 4}, {30, 2});
  std::vector<Event> events = tally.events(w, 1);
  for (const std::uint64_t times : member) {
    events.push_back({"member", times, w.at_least(0, 0) / 30});
  }
  const Verdict verdict = check_distribution(events, runs);
  EXPECT_TRUE(verdict.accepted()) << verdict.name << ' ' << verdict.worst;
  EXPECT_FALSE(check_distribution(tally.events(weights({1, 4}, {30, 3}), 1), runs).accepted());
}

TEST(ExponentialDistribution, AUniverseCountsItsUnlistedIds) {
  const std::uint64_t runs = scaled(200000, 10000);
  const std::vector<std::int64_t> ids = {1000, 500};
  const std::vector<std::int64_t> listed = {20, 24};
  const auto candidates =
      Candidates::universe({1, 1000000000000}, ids, listed, Neighbours::add_remove);
  InsecureSeededNoise noise(14);
  Tally tally(3, gap_cuts);
  std::vector<std::uint64_t> part(8);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto r = exponential(candidates, {.epsilon = "1"_eps}, noise);
    const std::size_t entry = r.chosen.id == 1000 ? 0 : (r.chosen.id == 500 ? 1 : 2);
    tally.note(entry, *r.gap());
    if (entry == 2) {
      ++part.at(static_cast<std::size_t>((r.chosen.id - 1) / 125000000000));
    }
  }
  const Weights w = weights({20, 24, 0}, {1, 1, 1e12 - 2});
  std::vector<Event> events = tally.events(w, 1);
  for (const std::uint64_t times : part) {
    events.push_back({"an eighth of the ids", times, w.at_least(2, 0) / 8});
  }
  const Verdict verdict = check_distribution(events, runs);
  EXPECT_TRUE(verdict.accepted()) << verdict.name << ' ' << verdict.worst;
}

TEST(ExponentialDistribution, GumbelNoiseHasTheSameClosedForm) {
  // The paper's version: the largest of utility + Gumbel noise, and its lead.
  const std::uint64_t runs = scaled(1500000, 20000);
  const std::vector<long double> scaled_utilities = {1.5L, 0, 1, 1.5L};
  std::mt19937_64 random(15);
  Tally tally(4, gap_cuts);
  for (std::uint64_t run = 0; run < runs; ++run) {
    std::size_t best = 0;
    long double first = -HUGE_VALL;
    long double second = -HUGE_VALL;
    for (std::size_t i = 0; i < 4; ++i) {
      const long double uniform = (static_cast<long double>(random()) + 0.5L) / 0x1p64L;
      const long double value = scaled_utilities[i] - std::log(-std::log(uniform));
      if (value > first) {
        second = std::exchange(first, value);
        best = i;
      } else {
        second = std::max(second, value);
      }
    }
    tally.note(best, static_cast<double>(first - second));
  }
  expect_distribution(
      [&](double stretch) {
        return tally.events(weights({1.5 / stretch, 0, 1 / stretch, 1.5 / stretch}, {1, 1, 1, 1}),
                            stretch);
      },
      runs, "Gumbel");
}

// Privacy loss of the closed form.

/// Largest |ln P(s, floor(gap / tick)) / P'| over all small pairs of neighbours, with weights
/// exp(rate u) for the choice and exp(gap_rate u) for the gap.
double worst_loss(double rate, double gap_rate, bool together) {
  const double tick = 0.25;
  const auto probability = [&](const std::vector<int>& u, std::size_t s, double g) {
    double others = 0;
    double others_gap = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      others += i == s ? 0 : std::exp(rate * u[i]);
      others_gap += i == s ? 0 : std::exp(gap_rate * u[i]);
    }
    const double w = std::exp(rate * u[s]);
    const double v = std::exp(gap_rate * u[s]);
    const auto survival = [&](double size) {
      return (v + others_gap) / (v + others_gap * std::exp(size));
    };
    return w / (w + others) * (survival(g) - survival(g + tick));
  };
  double worst = 0;
  for (int code = 0; code < 7 * 7 * 27; ++code) {
    const std::vector<int> u = {0, code % 7 - 3, code / 7 % 7 - 3};
    const int step = code / 49;
    const std::vector<int> d = {step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1};
    const auto [least, most] = std::minmax_element(d.begin(), d.end());
    if (together && *least < 0 && *most > 0) {
      continue;
    }
    const std::vector<int> other = {u[0] + d[0], u[1] + d[1], u[2] + d[2]};
    for (std::size_t s = 0; s < 3; ++s) {
      for (double g = 0; g < 12; g += tick) {
        worst =
            std::max(worst, std::fabs(std::log(probability(u, s, g) / probability(other, s, g))));
      }
    }
  }
  return worst;
}

TEST(ExponentialPrivacy, ChoiceAndGapTogetherLoseNoMoreThanEpsilon) {
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    EXPECT_LE(worst_loss(epsilon / 2, epsilon / 2, false), epsilon * (1 + 1e-9));
    EXPECT_GT(worst_loss(epsilon / 2, epsilon / 2, false), epsilon * 0.9);
    EXPECT_LE(worst_loss(epsilon, epsilon, true), epsilon * (1 + 1e-9));
    EXPECT_GT(worst_loss(epsilon, epsilon, true), epsilon * 0.9);
  }
  // Monotone weights on general utilities, and the gap's location without ε, are caught.
  EXPECT_GT(worst_loss(1, 1, false), 1.5);
  EXPECT_GT(worst_loss(0.05, 1, false), 0.9);
}

}  // namespace
}  // namespace freegap::testing

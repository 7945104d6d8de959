// Estimates of releases that are legal, however unusual: few ticks to the noise, many branches,
// hardly any budget for measuring, every confidence.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "estimates/outcomes.hpp"
#include "estimates/simulation.hpp"
#include "freegap/confidence.hpp"
#include "freegap/errors.hpp"
#include "freegap/estimate.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

constexpr std::array all_selections{Selection::top_k, Selection::sparse_vector,
                                    Selection::identity_first, Selection::estimates_first};
constexpr std::array all_distributions{Distribution::exponential, Distribution::laplace,
                                       Distribution::geometric};

/// Options at random, on data with ties, steps and a crowd.
Setting random_setting(std::mt19937_64& bits) {
  const auto any = [&](const auto& list) { return list[bits() % std::size(list)]; };
  Setting setting;
  setting.selection = any(all_selections);
  setting.distribution = any(all_distributions);
  setting.kind = any(std::array{Kind::counts, Kind::general});
  setting.k = any(std::array<std::uint64_t, 5>{1, 2, 4, 9, 20});
  setting.branches = any(std::array<std::size_t, 4>{1, 2, 5, 16});
  if (bits() % 3 == 0) {
    setting.tick = any(std::array{Rational(1, 1024), Rational(1), Rational(64)});
  }
  const Rational epsilon =
      any(std::array{Rational(1, 1000), Rational(1, 20), Rational(1), Rational(15), Rational(120)});
  const Rational share =
      any(std::array{Rational(1, 10'000), Rational(1, 10), Rational(1, 2), Rational(99, 100)});
  setting.measuring = epsilon * share;
  setting.selecting = epsilon - setting.measuring;
  const std::int64_t step = any(std::array<std::int64_t, 4>{0, 1, 10, 1000});
  for (std::int64_t i = 0; i < 24; ++i) {
    setting.shape.values.push_back((20 - i) * step + (i % 3 == 0 ? 1 : 0));
    setting.shape.multiplicities.push_back(i == 23 ? 50 : 1);
  }
  return setting;
}

std::string described(const Setting& s) {
  return std::to_string(static_cast<int>(s.selection)) + " " + freegap::name(s.distribution) +
         ", k = " + std::to_string(s.k) + ", " + std::to_string(s.branches) +
         " branches, ε = " + s.selecting.str() + " + " + s.measuring.str() + ", tick " +
         (s.tick ? s.tick->str() : "as usual") + ", first " + std::to_string(s.shape.values[0]);
}

/// Whether `inner` is within `outer`, but for what an end may be off: 5 % of its distance from the
/// estimate, 2 % of the standard error, and a point of a lattice.
void expect_within(const Interval& inner, const Interval& outer, const Estimate& of, double tick) {
  const double slack = 1e-9 * std::fabs(of.value) + 0.02 * of.standard_error + tick;
  EXPECT_GE(inner.low, of.value - 1.05 * (of.value - outer.low) - slack);
  EXPECT_LE(inner.high, of.value + 1.05 * (outer.high - of.value) + slack);
}

constexpr std::array confidences{0.01, 0.2, 0.5, 0.8, 0.95, 0.98, 0.99, 0.9999, 1 - 1e-7, 1 - 1e-9};

template <class Release>
void expect_sound(const Release& release, const MeasureRelease& direct, double tick) {
  std::vector<Estimate> narrower;
  for (const double confidence : confidences) {
    const std::vector<Estimate> estimates = estimate(release, direct, {confidence});
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      const Estimate& e = estimates[i];
      EXPECT_TRUE(std::isfinite(e.value) && std::isfinite(e.standard_error));
      EXPECT_LE(e.interval->low, e.value);
      EXPECT_GE(e.interval->high, e.value);
      EXPECT_LE(e.simultaneous->low, e.interval->low);
      EXPECT_GE(e.simultaneous->high, e.interval->high);
      if (!narrower.empty()) {
        expect_within(*narrower[i].interval, *e.interval, e, tick);
        expect_within(*narrower[i].simultaneous, *e.simultaneous, e, tick);
      }
    }
    narrower = estimates;
  }
}

TEST(LegalReleases, HaveSoundEstimates) {
  std::mt19937_64 bits(7);
  const std::size_t settings = scaled(1000, 300);
  for (std::size_t i = 0; i < settings && !::testing::Test::HasFailure(); ++i) {
    const Setting setting = random_setting(bits);
    SCOPED_TRACE(described(setting));
    try {
      simulate(setting, 1, i, [&](const auto& release, auto& direct, std::span<const double>) {
        const double tick = [&] {
          if constexpr (requires { release.tick; }) {
            return release.tick.shown();
          } else {
            return release.noise.tick.shown();
          }
        }();
        expect_sound(release, direct(), tick);
      });
    } catch (const InvalidParameter& refused) {
      EXPECT_TRUE(setting.tick.has_value()) << refused.what();  // too fine or too wide a tick
    }
  }
}

// Where noise is far below a tick, posteriors are points beside spread ones. One interval in twenty
// may miss. That more than one in ten misses, on average over 6,000 runs, has a probability below
// 1e-13 (Hoeffding).
TEST(LegalReleases, HaveIntervalsThatHoldOnWideTicks) {
  for (const std::int64_t epsilon : {40, 60, 80}) {
    for (const Selection selection : {Selection::top_k, Selection::sparse_vector}) {
      Setting setting{selection, Distribution::geometric, 4,
                      listed("steps", {1000, 990, 980, 970, -500, -500, -500})};
      setting.selecting = Rational(epsilon, 2);
      setting.measuring = Rational(epsilon, 2);
      Mean missed;
      simulate(setting, 6000, 5,
               [&](const auto& release, auto& direct, std::span<const double> answers) {
                 const std::vector<Estimate> estimates = estimate(release, direct());
                 double outside = 0;
                 for (std::size_t i = 0; i < estimates.size(); ++i) {
                   const Interval& interval = *estimates[i].interval;
                   outside += answers[i] < interval.low || answers[i] > interval.high ? 1 : 0;
                 }
                 missed.add(outside / static_cast<double>(estimates.size()));
               });
      EXPECT_LE(missed.value(), 0.1) << epsilon;
    }
  }
}

/// A sparse vector's release on the lattice of `unit`, with measurements. All numbers but the
/// threshold's are in units; it lies at `base` units.
std::vector<Estimate> estimates_at(const Rational& unit, std::int64_t base) {
  SparseVectorRelease release;
  release.distribution = Distribution::geometric;
  release.tick = unit;
  release.threshold = {Rational(base) * unit, Rational(base) * unit, base};
  release.threshold_scale = Rational(1, 2) * unit;
  release.threshold_epsilon = 1;
  release.branches = {{4, Rational(1, 4) * unit, 0, 0}};
  release.cost = {9, 9};
  MeasureRelease direct;
  direct.noise = {Distribution::laplace, Rational(3, 2) * unit, unit / Rational(64)};
  for (std::int64_t i = 0; i < 2; ++i) {
    const Item item{i, 0};
    release.answers.push_back({item, true, 1, 30 - 10 * i});
    direct.items.push_back(item);
    direct.value_ticks.push_back(64 * (base + 31 - 10 * i) + 7);
  }
  return estimate(release, direct);
}

TEST(LegalReleases, HaveEstimatesThatDependOnNeitherUnitNorOrigin) {
  const std::vector<Estimate> wanted = estimates_at(1, 0);
  for (const Rational& unit : {Rational(1), Rational(11, 10), Rational(5, 3), Rational(1, 7)}) {
    for (const std::int64_t base : {std::int64_t{0}, std::int64_t{1'000}, -std::int64_t{777'777},
                                    std::int64_t{1} << 44, std::int64_t{1} << 55}) {
      const std::vector<Estimate> found = estimates_at(unit, base);
      const double u = unit.shown();
      const double origin = static_cast<double>(base) * u;
      const double slack = 1e-6 * u + 4e-16 * std::fabs(origin);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        SCOPED_TRACE(unit.str() + ", " + std::to_string(base));
        EXPECT_NEAR(found[i].value - origin, u * wanted[i].value, slack);
        EXPECT_NEAR(found[i].standard_error, u * wanted[i].standard_error, 1e-6 * u);
        EXPECT_NEAR(found[i].interval->low - origin, u * wanted[i].interval->low, slack);
        EXPECT_NEAR(found[i].interval->high - origin, u * wanted[i].interval->high, slack);
      }
    }
  }
}

/// Processor seconds per answer of estimates over so many branches.
double seconds_per_answer(Distribution distribution, std::size_t branches) {
  Setting setting{Selection::sparse_vector, distribution, 40, {"equal", {0}, {2000}}};
  setting.branches = branches;
  double seconds = 0;
  simulate(setting, 3, 3,
           [&](const SparseVectorRelease& release, auto& direct, std::span<const double> answers) {
             const auto dearest =
                 std::max_element(release.answers.begin(), release.answers.end(),
                                  [](const auto& a, const auto& b) { return a.branch < b.branch; });
             EXPECT_GT(dearest->branch + 4, branches);
             const MeasureRelease& measured = direct();
             const std::clock_t start = std::clock();
             EXPECT_GE(estimate(release, measured).size(), 40U);
             EXPECT_GE(estimate(release).size(), 40U);
             seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC /
                        static_cast<double>(answers.size());
           });
  return seconds;
}

// Each test that a query failed doubles the terms of its likelihood, so few are taken. All of 12
// would take a hundred times as long as those of 5 branches.
TEST(LegalReleases, OfManyBranchesAreEstimatedInTime) {
  for (const Distribution distribution : all_distributions) {
    EXPECT_LT(seconds_per_answer(distribution, 16), 20 * seconds_per_answer(distribution, 5));
  }
}

}  // namespace
}  // namespace freegap::testing

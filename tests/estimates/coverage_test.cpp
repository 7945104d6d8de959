// A reduced study of estimates by likelihood: squared errors and coverage on shapes from clear
// winners to crowds, with bad versions that fail the same checks. The whole study: `make study`.
//
// False alarms. Each check allows for seven standard errors of a mean over independent runs, beyond
// a margin between what is promised and what the whole study found. A right estimator exceeds seven
// standard errors with probability 1.3e-12 for the normal distribution, one-sided; there are fewer
// than 200 checks. That leaves room for skewness up to the stated rate of 1e-9.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "estimates/outcomes.hpp"
#include "estimates/shapes.hpp"
#include "estimates/simulation.hpp"
#include "freegap/estimate.hpp"
#include "support/distribution_check.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

constexpr double allowance = 7;  // standard errors

/// What the estimates of many runs came to.
struct Coverage {
  Ratio squared;                       ///< squared error over that of measuring alone
  Mean on_average;                     ///< share of a run's intervals that hold
  std::map<std::int64_t, Mean> items;  ///< by item, given that it was selected
  Mean at_once;                        ///< all simultaneous intervals of a run hold
  Mean length;                         ///< of intervals, over that of measuring alone

  void add(const std::vector<Estimate>& estimates, const MeasureRelease& direct,
           std::span<const double> answers) {
    if (estimates.empty()) {
      return;
    }
    squared.add(squared_error(estimates, answers), squared_error(direct, answers));
    double held = 0;
    double all = 1;
    double sum = 0;
    std::map<std::int64_t, std::pair<double, double>> by_item;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      const Estimate& e = estimates[i];
      const bool holds = e.interval->low <= answers[i] && answers[i] <= e.interval->high;
      held += holds ? 1 : 0;
      by_item[e.item.id].first += holds ? 1 : 0;
      by_item[e.item.id].second += 1;
      sum += e.interval->high - e.interval->low;
      all = e.simultaneous->low <= answers[i] && answers[i] <= e.simultaneous->high ? all : 0;
    }
    const auto n = static_cast<double>(estimates.size());
    on_average.add(held / n);
    at_once.add(all);
    length.add(sum / n / (2 * direct.noise.scale.shown() * std::log(20.0)));
    for (const auto& [id, seen] : by_item) {
      items[id].add(seen.first, seen.second);
    }
  }
};

/// What is checked.
struct Bars {
  double squared = 1.01;
  double on_average = 0.95;
  double per_item = 0.945;
  double at_once = 0.95;
};

/// The checks that fail, by name.
std::vector<std::string> failures(const Coverage& seen, const Bars& bars) {
  std::vector<std::string> list;
  const auto too_low = [](const Mean& mean, double bar) {
    return mean.value() < bar - allowance * mean.error();
  };
  if (seen.squared.value() > bars.squared + allowance * seen.squared.error()) {
    list.push_back("squared error " + std::to_string(seen.squared.value()));
  }
  if (too_low(seen.on_average, bars.on_average)) {
    list.push_back("coverage on average " + std::to_string(seen.on_average.value()));
  }
  for (const auto& [id, mean] : seen.items) {
    // Few runs say little about an item that is seldom selected.
    if (mean.runs() >= 100 && too_low(mean, bars.per_item)) {
      list.push_back("coverage of item " + std::to_string(id) + " " + std::to_string(mean.value()));
    }
  }
  if (too_low(seen.at_once, bars.at_once)) {
    list.push_back("coverage of all at once " + std::to_string(seen.at_once.value()));
  }
  return list;
}

/// A shape of data with what its estimates must achieve.
struct Case {
  Setting setting;
  Bars bars;
  std::size_t runs;
};

Case top_k(Distribution distribution, std::uint64_t k, Shape shape, double squared,
           std::size_t runs) {
  return {
      setting_for(Selection::top_k, distribution, k, std::move(shape)), {.squared = squared}, runs};
}

/// One large before 5,000 equal ones, and others.
std::vector<Case> cases() {
  constexpr auto exponential = Distribution::exponential;
  constexpr auto laplace = Distribution::laplace;
  const Shape borderline{"one far, 23 equal, one loser", {900'000, 800, 0}, {1, 23, 1}};
  Shape stairs{"steps of one scale", {}, {}};
  for (std::int64_t i = 0; i < 20; ++i) {
    stairs.values.push_back(100 * (20 - i));
    stairs.multiplicities.push_back(1);
  }
  const Shape half{
      "half of the winners in a crowd", {8000, 6000, 4000, 2500, 1800, 0}, {1, 1, 1, 1, 1, 1000}};
  const Shape crowd{"one large before 5,000 equal", {3000, 0}, {1, 5000}};
  std::vector<Case> list{
      top_k(exponential, 4, separated(4), 0.50, 2000),
      top_k(exponential, 10, separated(10), 0.365, 1000),
      top_k(exponential, 24, separated(24), 0.345, 300),
      top_k(exponential, 24, borderline, 0.37, 300),
      top_k(exponential, 10, stairs, 0.47, 800),
      top_k(exponential, 10, half, 0.68, 400),
      top_k(exponential, 4, crowd, 0.95, 800),
      top_k(laplace, 4, separated(4), 0.65, 500),
      top_k(laplace, 10, stairs, 0.66, 200),
      top_k(laplace, 4, crowd, 0.98, 300),
      top_k(Distribution::geometric, 4, separated(4), 0.50, 600),
  };
  for (const std::size_t branches : {1U, 2U}) {
    Setting setting = setting_for(Selection::sparse_vector, exponential, 6,
                                  {"mixed", {2500, 900, 1700, 60, -50, 400}, {2, 2, 2, 2, 3, 2}});
    setting.branches = branches;
    list.push_back({setting, {.squared = 0.65}, 1000});
  }
  // Winners that are asked late, over a threshold with wide noise.
  Setting late = setting_for(Selection::sparse_vector, exponential, 3,
                             {"two large after 40 below", {-100, 3000}, {40, 2}});
  late.theta = Rational(1, 20);
  list.push_back({late, {.squared = 0.68}, 1000});
  for (const Selection hybrid : {Selection::identity_first, Selection::estimates_first}) {
    list.push_back({setting_for(hybrid, exponential, 5, half), {.squared = 0.9}, 400});
  }
  return list;
}

std::string described(const Case& c) {
  return std::string(name(c.setting.distribution)) + ", k = " + std::to_string(c.setting.k) + ", " +
         c.setting.shape.name;
}

/// How a version of the estimator treats a release with its measurements.
using Version = std::function<std::vector<Estimate>(const TopKRelease&, const MeasureRelease&)>;

std::vector<std::string> failures_of(const Version& version, const Case& c, std::uint64_t seed) {
  Coverage seen;
  simulate(c.setting, c.runs, seed,
           [&](const TopKRelease& release, auto& direct, std::span<const double> answers) {
             const MeasureRelease& measured = direct();
             seen.add(version(release, measured), measured, answers);
           });
  return failures(seen, c.bars);
}

TEST(Coverage, IsAsPromisedAndErrorsAreSmall) {
  for (const Case& c : cases()) {
    Estimator estimator;
    Coverage seen;
    simulate(c.setting, scaled(c.runs, 200), 31,
             [&](const auto& release, auto& direct, std::span<const double> answers) {
               const MeasureRelease& measured = direct();
               seen.add(estimator(release, measured), measured, answers);
             });
    for (const std::string& failure : failures(seen, c.bars)) {
      ADD_FAILURE() << described(c) << ": " << failure;
    }
    if (c.bars.squared < 0.97) {  // shorter, too, where gaps help more than a little
      EXPECT_LT(seen.length.value(), 1) << described(c);
    }
  }
}

// Bad versions. Each must fail some check on some case.

const std::vector<std::pair<std::string, Version>>& bad_versions() {
  static const auto changed = [](const std::function<void(std::vector<Estimate>&)>& change) {
    return [change](const TopKRelease& release, const MeasureRelease& direct) {
      std::vector<Estimate> estimates = estimate(release, direct);
      change(estimates);
      return estimates;
    };
  };
  static const auto told = [](const std::function<void(TopKRelease&, MeasureRelease&)>& tell) {
    return [tell](const TopKRelease& release, const MeasureRelease& direct) {
      TopKRelease other = release;
      MeasureRelease measured = direct;
      tell(other, measured);
      return estimate(other, measured);
    };
  };
  static const std::vector<std::pair<std::string, Version>> list{
      {"intervals at 90 %",
       [](const TopKRelease& release, const MeasureRelease& direct) {
         return estimate(release, direct, {0.9, Method::likelihood});
       }},
      {"ends exchanged", changed([](std::vector<Estimate>& estimates) {
         for (Estimate& e : estimates) {
           std::swap(e.interval->low, e.interval->high);
         }
       })},
      {"no union", changed([](std::vector<Estimate>& estimates) {
         for (Estimate& e : estimates) {
           e.simultaneous = e.interval;
         }
       })},
      {"selection forgotten",
       told([](TopKRelease& release, MeasureRelease&) { release.has_runner_up = false; })},
      {"no luck to speak of: one candidate", told([](TopKRelease& release, MeasureRelease&) {
         release.candidates = release.winners.size() + 1;
       })},
      {"gaps with half the noise", told([](TopKRelease& release, MeasureRelease&) {
         release.noise.scale = release.noise.scale / Rational(2);
       })},
      {"measurements with half the noise", told([](TopKRelease&, MeasureRelease& direct) {
         direct.noise.scale = direct.noise.scale / Rational(2);
       })},
      {"leads of the wrong winners", told([](TopKRelease&, MeasureRelease& direct) {
         std::swap(direct.value_ticks.front(), direct.value_ticks.back());
       })},
      {"leads forgotten", told([](TopKRelease& release, MeasureRelease&) {
         std::fill(release.lead_ticks.begin(), release.lead_ticks.end(), 0);
       })},
      {"exponential gaps taken for Laplace", told([](TopKRelease& release, MeasureRelease&) {
         release.noise.distribution = two_sided(release.noise.distribution)
                                          ? Distribution::exponential
                                          : Distribution::laplace;
       })},
      {"the paper's linear combination",
       [](const TopKRelease& release, const MeasureRelease& direct) {
         return estimate(release, direct, {0.95, Method::linear});
       }},
      {"measurements alone",
       [](const TopKRelease& release, const MeasureRelease& direct) {
         return estimate(release, direct, {0.95, Method::measured});
       }},
  };
  return list;
}

/// Sanitizers take too long for the runs that it takes to notice a bad version.
bool too_slow() { return scaled(1000) < 100; }

TEST(Coverage, OfBadVersionsFails) {
  if (too_slow()) {
    GTEST_SKIP() << "too few runs to tell";
  }
  for (const auto& [name, version] : bad_versions()) {
    bool noticed = false;
    for (const Case& c : cases()) {
      if (!noticed && c.setting.selection == Selection::top_k) {
        noticed = !failures_of(version, c, 77).empty();
      }
    }
    EXPECT_TRUE(noticed) << name;
  }
}

// Sparse vectors that forget the shared noise or a branch.
TEST(Coverage, OfBadSparseVectorsFails) {
  if (too_slow()) {
    GTEST_SKIP() << "too few runs to tell";
  }
  using Change = std::function<void(SparseVectorRelease&)>;
  const std::vector<std::pair<std::string, Change>> changes{
      {"the threshold without noise",
       [](SparseVectorRelease& release) {
         release.threshold_scale = release.threshold_scale / Rational(20);
       }},
      {"a gap's offset forgotten",
       [](SparseVectorRelease& release) {
         for (Branch& branch : release.branches) {
           branch.offset_ticks = 0;
         }
       }},
      {"the noise of branches exchanged", [](SparseVectorRelease& release) {
         std::swap(release.branches.front().scale, release.branches.back().scale);
       }}};
  for (const auto& entry : changes) {
    const Change& change = entry.second;  // Clang 14 captures no structured binding
    bool noticed = false;
    for (const Case& c : cases()) {
      if (noticed || c.setting.selection != Selection::sparse_vector) {
        continue;
      }
      Coverage seen;
      simulate(
          c.setting, 6 * c.runs, 78,
          [&](const SparseVectorRelease& release, auto& direct, std::span<const double> answers) {
            SparseVectorRelease other = release;
            change(other);
            const MeasureRelease& measured = direct();
            seen.add(estimate(other, measured), measured, answers);
          });
      noticed = !failures(seen, c.bars).empty();
    }
    EXPECT_TRUE(noticed) << entry.first;
  }
}

}  // namespace
}  // namespace freegap::testing

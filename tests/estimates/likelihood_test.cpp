// Estimates by likelihood, compared with sums over a grid of levels and answers, and on extreme
// releases.
#include "estimates/likelihood.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "estimates/brute_force.hpp"
#include "freegap/errors.hpp"
#include "freegap/estimate.hpp"

namespace freegap::testing {
namespace {

constexpr double confidence = 0.95;

/// Ticks too fine to matter: 2^14 to a step of the grid, which are 32 to a unit.
constexpr std::int64_t ticks_per_step = 1 << 14;
constexpr std::int64_t steps_per_unit = 32;

Item item(std::size_t i) { return {static_cast<std::int64_t>(i), 0}; }

/// Translates a problem into what a release tells. The threshold is at `origin` units.
struct Translated {
  detail::Evidence evidence;
  MeasureRelease direct;
};

NoiseDistribution noise_of(const BruteNoise& noise, const BruteProblem& problem) {
  const Rational tick =
      problem.lattice ? Rational(1) : Rational(1, steps_per_unit * ticks_per_step);
  return {noise.two_sided   ? Distribution::laplace
          : problem.lattice ? Distribution::geometric
                            : Distribution::exponential,
          Rational::exactly(noise.scale), tick};
}

Translated translated(const BruteProblem& problem, std::int64_t origin) {
  Translated result;
  const std::int64_t ticks = problem.lattice ? 1 : ticks_per_step;
  for (const BruteWinner& winner : problem.winners) {
    detail::Selected made{
        noise_of(winner.noise, problem), winner.cut * ticks, winner.lead * ticks, {}};
    for (const BruteWinner::Failed& failed : winner.failed) {
      made.failed.push_back({noise_of(failed.noise, problem), failed.cut * ticks});
    }
    result.evidence.winners.push_back(made);
    result.direct.items.push_back(item(result.direct.items.size()));
    result.direct.value_ticks.push_back(
        static_cast<std::int64_t>(std::llround(winner.measured * 64)) + 64 * origin);
  }
  result.evidence.level.threshold = origin;
  if (problem.threshold) {
    result.evidence.level.noise = noise_of(*problem.threshold, problem);
  }
  result.evidence.selected = problem.selected;
  result.evidence.log_candidates = problem.log_candidates;
  result.direct.noise = {Distribution::laplace, Rational::exactly(problem.measuring),
                         Rational(1, 64)};
  return result;
}

/// Expected number of wrong guesses about who was selected by luck.
double doubt_of(const std::vector<BrutePosterior>& posteriors) {
  double doubt = 0;
  for (const BrutePosterior& posterior : posteriors) {
    doubt += posterior.luck * (1 - posterior.luck);
  }
  return doubt;
}

/// Sizes of disagreement.
struct Disagreement {
  double mean = 0;       ///< in deviations
  double deviation = 0;  ///< relative
  double ends = 0;       ///< error of the probability beyond an end, relative to what it should be
};

/// Compares estimates with posteriors on the grid: means, deviations and ends of intervals.
Disagreement disagreement(const BruteProblem& problem,
                          const std::vector<detail::LikelihoodEstimate>& estimates, double origin,
                          double at_confidence = confidence) {
  const std::vector<BrutePosterior> first = brute_force(problem, false);
  const double doubt = doubt_of(first);
  const bool measured = problem.measuring > 0;
  const bool in_doubt = measured && doubt > 0.001;
  const std::vector<BrutePosterior> second = in_doubt ? brute_force(problem, true) : first;
  const double rate = measured ? 0.98 - 0.36 * std::fmin(1, doubt / 0.1) : 1;
  const double tail = (1 - at_confidence) / 2 * rate;
  const double each = tail / static_cast<double>(problem.winners.size());
  Disagreement most;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const detail::LikelihoodEstimate& found = estimates[i];
    EXPECT_LT(found.interval.low, found.value);
    EXPECT_LT(found.value, found.interval.high);
    const auto outside = [&](const auto& beyond) {
      return std::fmax(beyond(first[i]), beyond(second[i]));
    };
    const auto compare = [&](const Interval& interval, double wanted) {
      const double low = interval.low - origin;
      const double high = interval.high - origin;
      if (!problem.lattice) {
        const double below = outside([&](const auto& p) { return p.below(low); });
        const double above = outside([&](const auto& p) { return 1 - p.below(high); });
        most.ends = std::fmax(most.ends, std::fabs(below / wanted - 1));
        most.ends = std::fmax(most.ends, std::fabs(above / wanted - 1));
        return;
      }
      // On a lattice: not more than that beyond the ends, but more with one more point.
      const double last = std::floor(high);
      most.ends = std::fmax(most.ends, std::fabs(low - std::round(low)));
      for (const double less :
           {outside([&](const auto& p) { return p.cells_below(low); }),
            outside([&](const auto& p) { return 1 - p.cells_below(last + 1); })}) {
        most.ends = std::fmax(most.ends, less / wanted - 1);
      }
      for (const double more : {outside([&](const auto& p) { return p.cells_below(low + 1); }),
                                outside([&](const auto& p) { return 1 - p.cells_below(last); })}) {
        most.ends = std::fmax(most.ends, 1 - more / wanted);
      }
    };
    most.mean =
        std::fmax(most.mean, std::fabs(found.value - origin - first[i].mean) / first[i].deviation);
    most.deviation = std::fmax(most.deviation, std::fabs(found.deviation / first[i].deviation - 1));
    compare(found.interval, tail);
    compare(found.simultaneous, each);
  }
  return most;
}

/// A problem with a name.
struct Case {
  std::string name;
  BruteProblem problem;
};

/// A grid that leaves out nothing: 30 scales around all measurements, and luck's reach above.
BruteProblem on_grid(BruteProblem problem, bool lattice) {
  problem.lattice = lattice;
  problem.step = lattice ? 1 : 1.0 / steps_per_unit;
  double low = 0;
  double high = 0;
  for (const BruteWinner& winner : problem.winners) {
    const double from_lead = static_cast<double>(winner.cut + winner.lead) * problem.step;
    low = std::fmin(low, std::fmin(winner.measured, winner.measured - from_lead));
    high = std::fmax(high, winner.measured);
  }
  const double wide = 18 * std::fmax(problem.measuring, lattice ? 3 : 0.5);
  const double reach = brute_reach(problem, problem.winners[0].noise, true);
  const double above = problem.threshold ? 0 : std::fmin(reach, 30);
  problem.first_answer = static_cast<std::int64_t>((low - wide) / problem.step);
  problem.last_answer = static_cast<std::int64_t>((high + wide) / problem.step);
  problem.first_level = static_cast<std::int64_t>((low - wide) / problem.step);
  problem.last_level = static_cast<std::int64_t>((high + wide + above) / problem.step);
  if (problem.threshold) {
    problem.first_level =
        problem.threshold->two_sided
            ? static_cast<std::int64_t>(-22 * problem.threshold->scale / problem.step)
            : 0;
    problem.last_level = static_cast<std::int64_t>(22 * problem.threshold->scale / problem.step);
  }
  return problem;
}

std::int64_t steps(double units, bool lattice) {
  return static_cast<std::int64_t>(std::llround(units * (lattice ? 1 : steps_per_unit)));
}

std::vector<Case> top_k_cases() {
  std::vector<Case> list;
  for (const bool lattice : {false, true}) {
    const double unit = lattice ? 3 : 1;  // a scale of three ticks is wide
    for (const bool both : {false, true}) {
      for (const double ratio : {0.5, 1.0, 2.0}) {  // measurement over selection
        for (const auto& leads :
             std::vector<std::vector<double>>{{9, 3}, {2, 0}, {6, 1, 0}, {1, 1, 1}}) {
          {
            const double off = ratio == 1 ? 2 : 0;
            BruteProblem problem;
            problem.measuring = ratio * unit;
            problem.log_candidates = std::log(40.0);
            std::string name = std::string(lattice ? "lattice " : "line ") +
                               (both ? "two-sided " : "one-sided ") + std::to_string(ratio) + ":";
            for (const double lead : leads) {
              BruteWinner winner;
              winner.noise = {both, unit};
              winner.lead = steps(lead * unit, lattice);
              // Measurements agree with leads, or the first is off.
              winner.measured =
                  (lead + (problem.winners.empty() ? off : 0)) * unit + (lattice ? 0.25 : 0);
              problem.winners.push_back(winner);
              name += " " + std::to_string(lead);
            }
            list.push_back({name, on_grid(problem, lattice)});
          }
        }
      }
    }
  }
  return list;
}

/// Probabilities beyond an end are within `ends` of themselves: somewhat more than the largest
/// difference from sums that these cases have. It is that of the level's integral, whose stated
/// bound (level_posterior.hpp) is wider.
void expect_agreement(const Case& c, const std::vector<detail::LikelihoodEstimate>& estimates,
                      double origin, double ends, double at_confidence = confidence) {
  const Disagreement most = disagreement(c.problem, estimates, origin, at_confidence);
  EXPECT_LT(most.mean, 2e-3) << c.name;
  EXPECT_LT(most.deviation, 3e-3) << c.name;
  EXPECT_LT(most.ends, ends) << c.name;
}

TEST(Likelihood, OfTopKIsThatOfSums) {
  for (const Case& c : top_k_cases()) {
    const Translated t = translated(c.problem, 1000);
    expect_agreement(c, detail::likelihood_estimates(t.evidence, t.direct, confidence), 1000, 0.02);
  }
}

// Far out the level matters that is improbable, too.
TEST(Likelihood, OfTopKIsThatOfSumsFarOut) {
  constexpr double high = 0.9999;
  for (const Case& c : top_k_cases()) {
    if (c.problem.winners.size() == 3 && c.problem.measuring == 2) {  // on the line
      const Translated t = translated(c.problem, 1000);
      expect_agreement(c, detail::likelihood_estimates(t.evidence, t.direct, high), 1000, 0.02,
                       high);
    }
  }
}

/// Two of so many candidates. The second was the more probably selected by luck the smaller its
/// measurement is.
Case with_second_at(double measured, double lead, double measuring, double candidates) {
  BruteProblem problem;
  problem.measuring = measuring;
  problem.log_candidates = std::log(candidates);
  problem.winners = {{{false, 1}, 0, steps(lead + 2, false), lead + 2, {}},
                     {{false, 1}, 0, steps(lead, false), measured, {}}};
  return {"lead " + std::to_string(lead) + ", measured " + std::to_string(measured),
          on_grid(problem, false)};
}

// A little doubt about who was lucky is enough for the wider reach: beyond the low end that the
// other one gives it has 7 % and 8 % more.
TEST(Likelihood, WidensIntervalsFromALittleDoubtOn) {
  for (const Case& c : {with_second_at(3, 5, 4, 40), with_second_at(-15, 9, 4, 1000)}) {
    const double doubt = doubt_of(brute_force(c.problem, false));
    EXPECT_GT(doubt, 0.002) << c.name;
    EXPECT_LT(doubt, 0.009) << c.name;
    const Translated t = translated(c.problem, 0);
    expect_agreement(c, detail::likelihood_estimates(t.evidence, t.direct, confidence), 0, 0.03);
  }
}

/// Sparse vectors: every winner passed a branch, after failing those before it.
std::vector<Case> threshold_cases() {
  std::vector<Case> list;
  for (const bool lattice : {false, true}) {
    const double unit = lattice ? 3 : 1;
    for (const bool both : {false, true}) {
      for (const double threshold_scale : {0.5, 2.0}) {
        for (const std::size_t branches : {1U, 2U, 3U}) {
          for (const double above : {0.5, 4.0}) {
            BruteProblem problem;
            problem.threshold = {both, threshold_scale * unit};
            problem.measuring = 1.5 * unit;
            problem.log_candidates = 63 * std::log(2.0);
            for (std::size_t i = 0; i < 3; ++i) {
              const std::size_t branch = i % branches;  // the earlier ones were failed
              BruteWinner winner;
              winner.noise = {both, unit * static_cast<double>(branches - branch)};
              winner.cut = steps(unit * 2 * static_cast<double>(branches - 1 - branch), lattice);
              winner.lead = steps(unit * (above + static_cast<double>(i)), lattice);
              winner.measured =
                  static_cast<double>(winner.cut + winner.lead) / (lattice ? 1 : steps_per_unit) +
                  0.25;
              for (std::size_t b = 0; b < branch; ++b) {
                winner.failed.push_back(
                    {{both, unit * static_cast<double>(branches - b)},
                     steps(unit * 2 * static_cast<double>(branches - 1 - b), lattice)});
              }
              problem.winners.push_back(winner);
            }
            list.push_back({std::string(lattice ? "lattice " : "line ") +
                                (both ? "two-sided, " : "one-sided, ") + std::to_string(branches) +
                                " branches, leads from " + std::to_string(above) + ", threshold " +
                                std::to_string(threshold_scale),
                            on_grid(problem, lattice)});
          }
        }
      }
    }
  }
  return list;
}

TEST(Likelihood, OfAnswersAboveAThresholdIsThatOfSums) {
  for (const Case& c : threshold_cases()) {
    const Translated t = translated(c.problem, 1000);
    expect_agreement(c, detail::likelihood_estimates(t.evidence, t.direct, confidence), 1000, 0.06);
  }
}

// Ticks that are not wide are not summed over: geometric noise is exponential noise rounded down.
// Half a tick more or less of a lead or of the level moves the mean by more than the tolerance.
TEST(Likelihood, OfGeometricNoiseOnFineTicksIsThatOfSums) {
  BruteProblem problem;
  problem.threshold = {false, 10};
  problem.measuring = 20;
  problem.log_candidates = 63 * std::log(2.0);
  for (const std::int64_t lead : {90, 70, 55}) {
    problem.winners.push_back({{false, 10}, 0, lead, static_cast<double>(lead), {}});
  }
  problem = on_grid(problem, true);
  const Translated t = translated(problem, 1000);
  const auto estimates = detail::likelihood_estimates(t.evidence, t.direct, confidence);
  const auto wanted = brute_force(problem, false);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(estimates[i].value - 1000, wanted[i].mean, 0.05);
    EXPECT_NEAR(estimates[i].deviation, wanted[i].deviation, 0.01 * wanted[i].deviation);
  }
}

TEST(Likelihood, WithoutMeasurementsIsThatOfSums) {
  for (Case c : threshold_cases()) {
    c.problem.selected = false;
    const double measuring = c.problem.measuring;
    c.problem.measuring = 0;
    for (BruteWinner& winner : c.problem.winners) {
      winner.failed.clear();
    }
    if (c.name.find("2 branches") == std::string::npos) {
      continue;
    }
    // Tails are those of the selection noise, which is wider.
    const auto more = static_cast<std::int64_t>(60 * measuring / c.problem.step);
    c.problem.first_answer -= more;
    c.problem.last_answer += more;
    BruteProblem shown = c.problem;
    shown.measuring = 1;
    const Translated t = translated(shown, 1000);
    expect_agreement(c, detail::likelihood_estimates(t.evidence, confidence), 1000, 0.02);
  }
}

TEST(Likelihood, WhereAllCandidatesWinIsThatOfSums) {
  for (Case c : top_k_cases()) {
    c.problem.selected = false;
    const Translated t = translated(c.problem, -50);
    expect_agreement(c, detail::likelihood_estimates(t.evidence, t.direct, confidence), -50, 0.03);
  }
}

// The comparison sees mistakes: each of these moves the mean of some case by far
// more than the tolerance.
TEST(Likelihood, MistakesAreNoticed) {
  using Mistake = std::function<void(BruteProblem&)>;
  const std::vector<std::pair<std::string, Mistake>> mistakes{
      {"a factor on luck forgotten", [](BruteProblem& p) { p.luck_weight = 1; }},
      {"no luck", [](BruteProblem& p) { p.luck_weight = 1e-9; }},
      {"luck without an end", [](BruteProblem& p) { p.luck_ends = false; }},
      {"another number of candidates", [](BruteProblem& p) { p.log_candidates += 1; }},
      {"selection forgotten", [](BruteProblem& p) { p.selected = false; }},
      {"a lead one tenth off",
       [](BruteProblem& p) { p.winners[0].lead += p.lattice ? 1 : steps_per_unit / 10; }},
      {"another scale of selection",
       [](BruteProblem& p) {
         for (BruteWinner& w : p.winners) {
           w.noise.scale *= 1.05;
         }
       }},
      {"another scale of measurements", [](BruteProblem& p) { p.measuring *= 1.05; }},
      {"two-sided noise taken for one-sided",
       [](BruteProblem& p) {
         for (BruteWinner& w : p.winners) {
           w.noise.two_sided = !w.noise.two_sided;
         }
       }},
  };
  for (const auto& [name, mistake] : mistakes) {
    double most = 0;
    for (const Case& c : top_k_cases()) {
      if (c.problem.winners.size() == 2 && most < 5e-3) {
        BruteProblem wrong = c.problem;
        mistake(wrong);
        const Translated t = translated(c.problem, 0);
        const auto estimates = detail::likelihood_estimates(t.evidence, t.direct, confidence);
        most = std::fmax(most, disagreement(wrong, estimates, 0).mean);
      }
    }
    EXPECT_GT(most, 5e-3) << name;
  }
  const std::vector<std::pair<std::string, Mistake>> threshold_mistakes{
      {"failed branches forgotten", [](BruteProblem& p) { p.forget_failed = true; }},
      {"one failed branch forgotten",
       [](BruteProblem& p) {
         for (BruteWinner& w : p.winners) {
           if (!w.failed.empty()) {
             w.failed.pop_back();
           }
         }
       }},
      {"a cut forgotten", [](BruteProblem& p) { p.winners[0].cut = 0; }},
      {"another scale of the threshold", [](BruteProblem& p) { p.threshold->scale *= 1.05; }},
      {"the other kind of noise on the threshold",
       [](BruteProblem& p) { p.threshold->two_sided = !p.threshold->two_sided; }},
  };
  for (const auto& [name, mistake] : threshold_mistakes) {
    double most = 0;
    for (const Case& c : threshold_cases()) {
      if (c.problem.winners.back().failed.size() == 2 && most < 5e-3) {
        BruteProblem wrong = c.problem;
        mistake(wrong);
        const Translated t = translated(c.problem, 0);
        const auto estimates = detail::likelihood_estimates(t.evidence, t.direct, confidence);
        most = std::fmax(most, disagreement(wrong, estimates, 0).mean);
      }
    }
    EXPECT_GT(most, 5e-3) << name;
  }
}

// From releases -----------------------------------------------------------------------------------

constexpr std::int64_t per_unit = 1024;  // ticks of the releases

TopKRelease top_k_release(Distribution distribution, const Rational& scale,
                          const std::vector<double>& leads, std::uint64_t candidates) {
  TopKRelease release;
  release.noise = {distribution, scale, Rational(1, per_unit)};
  release.candidates = candidates;
  for (std::size_t i = 0; i < leads.size(); ++i) {
    release.winners.push_back(item(i));
    release.lead_ticks.push_back(static_cast<std::int64_t>(leads[i] * per_unit));
  }
  return release;
}

MeasureRelease measured(const std::vector<Item>& items, const Rational& scale,
                        const std::vector<double>& values) {
  MeasureRelease direct;
  direct.noise = {Distribution::laplace, scale, Rational(1, per_unit)};
  direct.items = items;
  for (const double value : values) {
    direct.value_ticks.push_back(static_cast<std::int64_t>(std::llround(value * per_unit)));
  }
  return direct;
}

void expect_same(const std::vector<Estimate>& estimates,
                 const std::vector<detail::LikelihoodEstimate>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(estimates[i].value, wanted[i].value);
    EXPECT_EQ(estimates[i].standard_error, wanted[i].deviation);
    EXPECT_EQ(estimates[i].interval->low, wanted[i].interval.low);
    EXPECT_EQ(estimates[i].interval->high, wanted[i].interval.high);
    EXPECT_EQ(estimates[i].simultaneous->low, wanted[i].simultaneous.low);
    EXPECT_EQ(estimates[i].simultaneous->high, wanted[i].simultaneous.high);
  }
}

void expect_measured(const Estimate& found, const Estimate& alone) {
  EXPECT_EQ(found.value, alone.value);
  EXPECT_EQ(found.standard_error, alone.standard_error);
  EXPECT_EQ(found.interval->low, alone.interval->low);
  EXPECT_EQ(found.interval->high, alone.interval->high);
  EXPECT_EQ(found.simultaneous->low, alone.simultaneous->low);
  EXPECT_EQ(found.simultaneous->high, alone.simultaneous->high);
  EXPECT_FALSE(found.used_gap);
}

TEST(Likelihood, OfOneWinnerOfTopKIsTheMeasurement) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const double lead : {0.0, 0.5, 30.0}) {
      const TopKRelease release = top_k_release(distribution, 3, {lead}, 100);
      const MeasureRelease direct = measured(release.winners, 2, {17.5});
      expect_measured(estimate(release, direct)[0], estimate(direct)[0]);
    }
  }
}

TEST(Likelihood, TopKReleasesTellTheirEvidence) {
  TopKRelease release = top_k_release(Distribution::exponential, 3, {40, 20, 1}, 500);
  const MeasureRelease direct = measured(release.winners, 2, {137, 119, 101});
  detail::Evidence evidence;
  for (const std::int64_t ticks : release.lead_ticks) {
    evidence.winners.push_back({release.noise, 0, ticks, {}});
  }
  evidence.log_candidates = std::log(500.0);
  const auto estimates = estimate(release, direct);
  expect_same(estimates, detail::likelihood_estimates(evidence, direct, confidence));
  EXPECT_TRUE(estimates[0].used_gap);
  EXPECT_EQ(estimates[0].item, item(0));
  // All candidates win.
  release.has_runner_up = false;
  evidence.selected = false;
  expect_same(estimate(release, direct),
              detail::likelihood_estimates(evidence, direct, confidence));
  // Another confidence, and the other methods.
  expect_same(estimate(release, direct, {0.8, Method::likelihood}),
              detail::likelihood_estimates(evidence, direct, 0.8));
  const auto alone = estimate(direct);
  const auto by_choice = estimate(release, direct, {confidence, Method::measured});
  for (std::size_t i = 0; i < 3; ++i) {
    expect_measured(by_choice[i], alone[i]);
    EXPECT_NE(estimate(release, direct, {confidence, Method::linear})[i].value, alone[i].value);
  }
}

// A gap counts unless its winner was more probably selected by luck than not.
TEST(Likelihood, LeavesOutTheGapOfAWinnerThatWasProbablyLucky) {
  int merit = 0;
  int luck = 0;
  for (double value = 4; value > -4; value -= 0.25) {
    const Case c = with_second_at(value, 4, 1, 40);
    const double lucky = brute_force(c.problem, false)[1].luck;
    TopKRelease release = top_k_release(Distribution::exponential, 1, {6, 4}, 40);
    const auto found = estimate(release, measured(release.winners, 1, {6, value}));
    if (std::fabs(lucky - 0.5) > 0.01) {
      EXPECT_EQ(found[1].used_gap, lucky < 0.5) << c.name << ": " << lucky;
    }
    merit += lucky > 0.35 && lucky < 0.49 ? 1 : 0;
    luck += lucky > 0.51 && lucky < 0.65 ? 1 : 0;
  }
  EXPECT_GE(merit, 1);
  EXPECT_GE(luck, 1);
}

SparseVectorRelease sparse_vector_release(Distribution distribution) {
  SparseVectorRelease release;
  release.distribution = distribution;
  release.tick = Rational(1, per_unit);
  release.threshold = {100, 100, 100 * per_unit};
  release.threshold_scale = 2;
  release.branches = {
      {1, 4, 2 * per_unit, 8 * per_unit}, {2, 2, per_unit, 3 * per_unit}, {4, 1, 0, 0}};
  release.answers = {{item(0), true, 1, 30 * per_unit},
                     {item(1), false, 0, std::nullopt},
                     {item(2), true, 2, 6 * per_unit},
                     {item(3), true, 3, 1 * per_unit}};
  return release;
}

TEST(Likelihood, SparseVectorsTellTheirEvidence) {
  for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
    const SparseVectorRelease release = sparse_vector_release(distribution);
    const MeasureRelease direct = measured({item(0), item(2), item(3)}, 3, {131, 107, 101});
    detail::Evidence evidence;
    const auto noise = [&](std::size_t b) { return release.branch_noise(b); };
    evidence.level = {100, release.threshold_noise()};
    evidence.log_candidates = std::log(4.0);  // those below are listed, too
    evidence.winners = {
        {noise(1), 10 * per_unit, 22 * per_unit, {}},
        {noise(2), 4 * per_unit, 3 * per_unit, {{noise(1), 10 * per_unit}}},
        {noise(3), 0, per_unit, {{noise(1), 10 * per_unit}, {noise(2), 4 * per_unit}}}};
    expect_same(estimate(release, direct),
                detail::likelihood_estimates(evidence, direct, confidence));
    // Where the answers above alone are listed, it depends on whether the number asked is told.
    SparseVectorRelease above = release;
    std::erase_if(above.answers, [](const SparseVectorAnswer& answer) { return !answer.above; });
    evidence.log_candidates = 63 * std::log(2.0);
    expect_same(estimate(above, direct),
                detail::likelihood_estimates(evidence, direct, confidence));
    above.asked = 1000;
    evidence.log_candidates = std::log(1000.0);
    expect_same(estimate(above, direct),
                detail::likelihood_estimates(evidence, direct, confidence));
    // Alone: as if picked beforehand, with lower ends from claims.
    evidence.selected = false;
    const auto wanted = detail::likelihood_estimates(evidence, confidence);
    const auto alone = estimate(release);
    ASSERT_EQ(alone.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(alone[i].value, wanted[i].value);
      EXPECT_EQ(alone[i].standard_error, wanted[i].deviation);
      if (alone[i].interval) {
        EXPECT_EQ(alone[i].interval->high, wanted[i].interval.high);
      }
    }
    EXPECT_TRUE(alone[0].interval.has_value());
    EXPECT_FALSE(alone[2].interval.has_value());
  }
}

// Of many branches that a query failed before the one it passed, the dearest four.
TEST(Likelihood, CountsTheLastFourFailedBranches) {
  SparseVectorRelease release = sparse_vector_release(Distribution::exponential);
  release.branches.clear();
  for (std::int64_t b = 1; b <= 6; ++b) {
    release.branches.push_back({b, 12 / b, b * per_unit, (7 - b) * per_unit});
  }
  release.answers = {{item(0), true, 6, 3 * per_unit}};
  const MeasureRelease direct = measured({item(0)}, 3, {104});
  detail::Evidence evidence;
  evidence.level = {100, release.threshold_noise()};
  evidence.log_candidates = 63 * std::log(2.0);
  evidence.winners = {{release.branch_noise(6), 7 * per_unit, 2 * per_unit, {}}};
  const auto estimate_with = [&](std::int64_t first, std::int64_t last) {
    evidence.winners[0].failed.clear();
    for (std::int64_t b = first; b <= last; ++b) {
      evidence.winners[0].failed.push_back(
          {release.branch_noise(static_cast<std::size_t>(b)), 7 * per_unit});
    }
    return detail::likelihood_estimates(evidence, direct, confidence);
  };
  expect_same(estimate(release, direct), estimate_with(2, 5));
  EXPECT_NE(estimate_with(2, 5)[0].value, estimate_with(3, 5)[0].value);
  EXPECT_NE(estimate_with(2, 5)[0].value, estimate_with(1, 4)[0].value);
}

// The series in the likelihood of two-sided noise is good to 1e-4. The mean is from Simpson's rule
// over answers and levels, with the factor 1 / (1 - e^-u / 2) itself.
TEST(Likelihood, OfTwoSidedNoiseHasItsFactorToFourDigits) {
  const Rational tick(1, 1 << 20);
  detail::Evidence evidence;
  evidence.winners = {{{Distribution::laplace, 1, tick}, 0, 3 << 20, {}}};
  evidence.level = {0, NoiseDistribution{Distribution::laplace, Rational(1, 4), tick}};
  evidence.log_candidates = std::log(100.0);
  MeasureRelease direct;
  direct.noise = {Distribution::laplace, 2, tick};
  direct.items = {item(0)};
  direct.value_ticks = {3 << 20};
  EXPECT_NEAR(detail::likelihood_estimates(evidence, direct, confidence)[0].value, 2.91336, 5e-5);
}

TEST(Likelihood, HybridsTellTheirEvidence) {
  HybridRelease release;
  release.noise = {Distribution::exponential, 3, Rational(1, per_unit)};
  release.threshold_noise = {Distribution::exponential, 2, Rational(1, per_unit)};
  release.threshold = {100, 100, 100 * per_unit};
  release.k = 3;
  release.winners = {item(0), item(1)};
  release.gap_ticks = {30 * per_unit, 2 * per_unit};
  const MeasureRelease direct = measured(release.winners, 2, {131, 103});
  detail::Evidence evidence;
  evidence.level = {100, release.threshold_noise};
  evidence.log_candidates = 63 * std::log(2.0);
  evidence.winners = {{release.noise, 0, 30 * per_unit, {}}, {release.noise, 0, 2 * per_unit, {}}};
  expect_same(estimate(release, direct),
              detail::likelihood_estimates(evidence, direct, confidence));
  // Without measurements identity-first has no intervals.
  for (const Estimate& alone : estimate(release)) {
    EXPECT_FALSE(alone.interval.has_value());
    EXPECT_FALSE(alone.simultaneous.has_value());
  }
  // Estimates first.
  release.estimates = {Rational(1, 3), 1, {1, 3, per_unit, 0}};
  evidence.winners = {{release.noise, per_unit, 30 * per_unit, {}},
                      {release.noise, per_unit, 2 * per_unit, {}}};
  expect_same(estimate(release, direct),
              detail::likelihood_estimates(evidence, direct, confidence));
  EXPECT_TRUE(estimate(release)[0].interval.has_value());
  // With k winners the last one is the bar, and left to its measurement.
  release.k = 2;
  evidence.winners = {{release.noise, 3 * per_unit, 28 * per_unit, {}}};
  const auto full = estimate(release, direct);
  const auto first = detail::likelihood_estimates(evidence, direct, confidence);
  ASSERT_EQ(first.size(), 1U);
  expect_same({full[0]}, first);
  expect_measured(full[1], estimate(direct)[1]);
  // Gaps to the next.
  release.estimates.reset();
  release.gap_to = GapTo::next;
  evidence.level = {};
  evidence.winners = {{release.noise, 0, 30 * per_unit, {}}, {release.noise, 0, 2 * per_unit, {}}};
  expect_same(estimate(release, direct),
              detail::likelihood_estimates(evidence, direct, confidence));
}

// Extremes ----------------------------------------------------------------------------------------

/// Finite, in order, and not much wider than measurements.
void expect_sound(const std::vector<Estimate>& estimates, const std::vector<Estimate>& alone,
                  double widest) {
  ASSERT_EQ(estimates.size(), alone.size());
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const Estimate& e = estimates[i];
    EXPECT_TRUE(std::isfinite(e.value));
    EXPECT_GE(e.standard_error, 0);
    EXPECT_LE(e.standard_error, widest * alone[i].standard_error);
    const double rounding = 1e-12 * (std::fabs(e.value) + 1);
    EXPECT_LE(e.interval->low, e.value + rounding);
    EXPECT_GE(e.interval->high, e.value - rounding);
    EXPECT_LE(e.simultaneous->low, e.interval->low + rounding);
    EXPECT_GE(e.simultaneous->high, e.interval->high - rounding);
    EXPECT_LT(e.interval->high - e.interval->low,
              widest * (alone[i].interval->high - alone[i].interval->low) + rounding);
  }
}

/// Processor time.
double seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(Likelihood, IsSoundAndQuickForExtremeReleases) {
  std::mt19937_64 bits(3);
  std::exponential_distribution<double> exponential(1);
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const std::size_t k :
         {2U, 30U, distribution == Distribution::exponential ? 10'000U : 500U}) {
      for (const char* shape : {"ties", "crowd", "far apart", "contradiction", "near the limit"}) {
        const std::string name = shape;
        std::vector<double> leads;
        std::vector<double> values;
        double lead = 0;
        for (std::size_t i = 0; i < k; ++i) {
          lead += name == "ties" ? 0 : name == "far apart" ? 1e6 : exponential(bits) / 100;
          leads.push_back(name == "crowd" ? exponential(bits) : lead);
          values.push_back(name == "contradiction" ? 5000 * (exponential(bits) - 1)
                           : name == "crowd"       ? exponential(bits) - exponential(bits)
                                                   : lead + exponential(bits) - exponential(bits));
        }
        std::sort(leads.rbegin(), leads.rend());
        std::reverse(values.begin(), values.end());
        TopKRelease release = top_k_release(distribution, 1, leads, 20'000);
        MeasureRelease direct = measured(release.winners, 1, values);
        if (name == "near the limit") {
          for (std::size_t i = 0; i < k; ++i) {
            direct.value_ticks[i] += (std::int64_t{1} << 62) - (std::int64_t{1} << 40);
          }
        }
        std::vector<Estimate> estimates;
        const double time = seconds([&] { estimates = estimate(release, direct); });
        SCOPED_TRACE(name + ", k = " + std::to_string(k) + ", " + freegap::name(distribution));
        expect_sound(estimates, estimate(direct), name == "contradiction" ? 1e4 : 4);
        ASSERT_FALSE(HasFailure());
        EXPECT_LT(time, 10);
      }
    }
  }
}

// Scales that differ by 10^6, one tick to the scale and 10^9, leads beyond all ticks.
TEST(Likelihood, IsSoundForExtremeScales) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const Rational& scale : {Rational(1, 1'000'000), Rational(1), Rational(1'000'000)}) {
      for (const Rational& tick : {scale / Rational(1'000'000'000), scale, scale * Rational(30)}) {
        for (const std::int64_t lead : {std::int64_t{0}, std::int64_t{7}, std::int64_t{1} << 61}) {
          TopKRelease release = top_k_release(distribution, scale, {0, 0, 0}, 10);
          release.noise.tick = tick;
          release.lead_ticks = {lead, lead / 2, 0};
          const MeasureRelease direct = measured(release.winners, 1, {5, 4, -3});
          SCOPED_TRACE(scale.str() + ", tick " + tick.str() + ", lead " + std::to_string(lead) +
                       ", " + freegap::name(distribution));
          for (const Estimate& e : estimate(release, direct)) {
            EXPECT_TRUE(std::isfinite(e.value) && std::isfinite(e.standard_error));
            EXPECT_LE(e.interval->low, e.interval->high);
            const double rounding = 1e-12 * std::fabs(e.value);
            EXPECT_LE(e.simultaneous->low, e.interval->low + rounding);
            EXPECT_GE(e.simultaneous->high, e.interval->high - rounding);
          }
        }
      }
    }
  }
}

// Noise far below a tick: measurements and leads are exact but for a tick, and estimates agree.
TEST(Likelihood, StaysAtTheMeasurementsWhereNoiseIsFarBelowATick) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const std::int64_t finer : {1, 3, 10, 75, 1000, 100'000, 100'000'000}) {
      for (const std::int64_t borrowed : {0, 1}) {
        TopKRelease release = top_k_release(distribution, Rational(1, finer), {0, 0, 0}, 10);
        release.noise.tick = 1;
        release.lead_ticks = {321 - borrowed, 60 - borrowed, 59 - borrowed};
        MeasureRelease direct = measured(release.winners, Rational(1, finer), {0, 0, 0});
        direct.noise.tick = 1;
        direct.value_ticks = {961, 700, 699};
        const std::vector<Estimate> estimates = estimate(release, direct);
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_NEAR(estimates[i].value, static_cast<double>(direct.value_ticks[i]), 1.5)
              << freegap::name(distribution) << ", scale 1/" << finer << ", borrowed " << borrowed;
          EXPECT_NEAR((estimates[i].interval->low + estimates[i].interval->high) / 2,
                      static_cast<double>(direct.value_ticks[i]), 5);
        }
      }
    }
  }
}

// Of many winners some thousands are kept in memory at a time: the others come out the same.
TEST(Likelihood, TreatsManyWinnersAlike) {
  constexpr std::size_t k = 40'000;
  const TopKRelease release =
      top_k_release(Distribution::exponential, 1, std::vector<double>(k, 3), 2 * k);
  std::vector<double> values;
  for (std::size_t i = 0; i < k; ++i) {
    values.push_back(i % 2 == 0 ? 3 : 1);
  }
  const std::vector<Estimate> found = estimate(release, measured(release.winners, 1, values));
  ASSERT_EQ(found.size(), k);
  EXPECT_GT(found[0].value, found[1].value + 0.1);
  for (std::size_t i = 2; i < k; ++i) {
    ASSERT_EQ(found[i].value, found[i % 2].value) << i;
    ASSERT_EQ(found[i].used_gap, found[i % 2].used_gap) << i;
    ASSERT_NEAR(found[i].interval->low, found[i % 2].interval->low, 0.01) << i;
    ASSERT_NEAR(found[i].simultaneous->high, found[i % 2].simultaneous->high, 0.02) << i;
  }
}

// Shifting all measurements shifts all estimates.
TEST(Likelihood, MovesWithTheMeasurements) {
  const TopKRelease release = top_k_release(Distribution::exponential, 1, {5, 2, 0.5}, 50);
  const auto here = estimate(release, measured(release.winners, 1, {6, 2, -1}));
  const auto there = estimate(release, measured(release.winners, 1, {1e9 + 6, 1e9 + 2, 1e9 - 1}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(there[i].value - 1e9, here[i].value, 1e-6);
    EXPECT_NEAR(there[i].interval->low - 1e9, here[i].interval->low, 1e-6);
    EXPECT_NEAR(there[i].simultaneous->high - 1e9, here[i].simultaneous->high, 1e-6);
    EXPECT_NEAR(there[i].standard_error, here[i].standard_error, 1e-9);
  }
}

}  // namespace
}  // namespace freegap::testing

// Planning: forecasts equal closed forms and the errors of real estimates, computed budgets and
// numbers of winners reach their targets, and promises about selection hold in simulation.
#include "freegap/planning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "estimates/outcomes.hpp"
#include "estimates/simulation.hpp"
#include "freegap/errors.hpp"
#include "freegap/estimate.hpp"
#include "freegap/measure.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/top_k.hpp"
#include "support/distribution_check.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

const Queries monotone{Kind::counts, Neighbours::add_remove, 1};
const Queries general{Kind::general, Neighbours::add_remove, 1};

/// Variance of a sparse vector's gap, in units of 1 / epsilon^2 of its own budget.
double gap_variance(Distribution distribution, int c, double k) {
  return (two_sided(distribution) ? 2 : 1) * std::pow(1 + std::cbrt(c * c * k * k), 3);
}

TEST(Forecast, MeasuringCountsTheItemsOfOneUnit) {
  Queries bounded = monotone;
  bounded.max_items = 3;
  const double direct = forecast(TopKQuestion{bounded, 10}).direct_error;
  EXPECT_NEAR(direct, forecast(TopKQuestion{monotone, 3}).direct_error, 1e-9 * direct);
  EXPECT_EQ(forecast(TopKQuestion{bounded, 2}).direct_error,
            forecast(TopKQuestion{monotone, 2}).direct_error);
  // Errors that do not grow with k must not keep the search busy.
  EXPECT_EQ(winners_for(TopKQuestion{bounded, 1}, 1.0000001 * direct).whatever_the_data,
            most_planned_winners);
  bounded.max_items = 0;
  EXPECT_THROW(forecast(TopKQuestion{bounded, 10}), InvalidParameter);
}

TEST(Forecast, OfSparseVectorsEqualsClosedForms) {
  for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
    for (const Queries& queries : {monotone, general}) {
      for (const std::uint64_t k : {1U, 2U, 10U, 24U, 25U}) {
        const Forecast f =
            forecast(SparseVectorQuestion{queries, k, Rational(7, 10), distribution});
        const auto n = static_cast<double>(k);
        const double half = 0.35;
        const double direct = 2 * n * n / (half * half);
        const double gap = gap_variance(distribution, queries.noise_factor(), n) / (half * half);
        EXPECT_NEAR(f.direct_error, std::sqrt(direct), 1e-6 * f.direct_error);
        EXPECT_NEAR(f.gap_error, std::sqrt(gap), 1e-5 * f.gap_error);
        EXPECT_NEAR(f.per_query_error, std::sqrt(direct * gap / (direct + gap)),
                    1e-5 * f.per_query_error);
        // Joint, from the shares of the threshold and the answers.
        const double theta = 1 / (1 + std::cbrt(std::pow(queries.noise_factor() * n, 2)));
        const double times = two_sided(distribution) ? 2 : 1;
        const double v0 = times / std::pow(theta * half, 2);
        const double v = times * std::pow(queries.noise_factor() * n / ((1 - theta) * half), 2);
        const double joint = direct * v / (direct + v) +
                             std::pow(direct / (direct + v), 2) / (n / (direct + v) + 1 / v0);
        EXPECT_NEAR(f.linear_error, std::sqrt(joint), 1e-5 * f.linear_error);
        EXPECT_LE(f.combined_error, f.linear_error);
        EXPECT_NEAR(f.reduction, 1 - std::pow(f.combined_error / f.direct_error, 2), 1e-12);
      }
    }
  }
}

double per_query_reduction(Distribution distribution, std::uint64_t k) {
  const Forecast f = forecast(SparseVectorQuestion{monotone, k, 1, distribution});
  return 1 - std::pow(f.per_query_error / f.direct_error, 2);
}

double linear_reduction(const Forecast& forecast) {
  return 1 - std::pow(forecast.linear_error / forecast.direct_error, 2);
}

TEST(Forecast, GivesTheKnownReductions) {
  EXPECT_NEAR(per_query_reduction(Distribution::laplace, 2), 0.188, 5e-4);
  EXPECT_NEAR(per_query_reduction(Distribution::laplace, 24), 0.416, 5e-4);
  EXPECT_NEAR(per_query_reduction(Distribution::exponential, 2), 0.316, 5e-4);
  EXPECT_NEAR(per_query_reduction(Distribution::exponential, 10), 0.527, 5e-4);
  EXPECT_NEAR(per_query_reduction(Distribution::exponential, 24), 0.587, 5e-4);
  EXPECT_NEAR(per_query_reduction(Distribution::exponential, 25), 0.589, 5e-4);
  const auto joint = [](std::uint64_t k) {
    return linear_reduction(forecast(SparseVectorQuestion{monotone, k, 1}));
  };
  EXPECT_NEAR(joint(2), 0.340, 5e-4);
  EXPECT_NEAR(joint(10), 0.548, 5e-4);
  EXPECT_NEAR(joint(25), 0.603, 5e-4);
  const auto top = [](Distribution distribution, std::uint64_t k) {
    return linear_reduction(forecast(TopKQuestion{monotone, k, 1, distribution}));
  };
  EXPECT_NEAR(top(Distribution::laplace, 2), 0.25, 1e-6);
  EXPECT_NEAR(top(Distribution::laplace, 24), 0.479, 5e-4);
  EXPECT_NEAR(top(Distribution::exponential, 2), 1.0 / 3, 1e-6);
  EXPECT_NEAR(top(Distribution::exponential, 24), 0.639, 5e-4);
  EXPECT_NEAR(top(Distribution::exponential, 1), 0, 1e-12);
  const Forecast general_case = forecast(TopKQuestion{general, 10, 1, Distribution::exponential});
  EXPECT_NEAR(linear_reduction(general_case), 0.9 / 3, 1e-6);  // lambda = 2
}

// Mean squared errors over that of measuring alone, half of the budget measuring, from 100,000
// winners of an independent run of random numbers. The forecast promises 1 % of the standard error.
TEST(Forecast, OfSeparatedWinnersGivesTheKnownErrors) {
  struct Known {
    Distribution distribution;
    Queries queries;
    std::uint64_t k;
    double ratio;
  };
  for (const Known& known : {Known{Distribution::exponential, monotone, 4, 0.4669},
                             Known{Distribution::exponential, monotone, 10, 0.3625},
                             Known{Distribution::exponential, monotone, 24, 0.3256},
                             Known{Distribution::exponential, monotone, 1000, 0.3020},
                             Known{Distribution::exponential, general, 10, 0.5920},
                             Known{Distribution::laplace, monotone, 4, 0.6170},
                             Known{Distribution::laplace, monotone, 10, 0.5447},
                             Known{Distribution::laplace, general, 10, 0.8063}}) {
    const Forecast f =
        forecast(TopKQuestion{known.queries, known.k, Rational(7, 10), known.distribution});
    EXPECT_NEAR(1 - f.reduction, known.ratio, 0.01 * known.ratio) << known.k;
    EXPECT_LT(f.combined_error, f.linear_error);
  }
  // Sparse vector, with half of its budget for the threshold.
  for (const auto& [k, ratio] : {std::pair<std::uint64_t, double>{1, 0.7823}, {3, 0.5843}}) {
    SparseVectorQuestion question{monotone, k, 1};
    question.theta = Rational(1, 2);
    EXPECT_NEAR(1 - forecast(question).reduction, ratio, 0.01 * ratio) << k;
  }
  // A single winner's lead over a level of which nothing is known says nothing.
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const Rational& share : {Rational(1, 5), Rational(1, 2), Rational(4, 5)}) {
      const Forecast one = forecast(TopKQuestion{monotone, 1, 2, distribution, share});
      EXPECT_EQ(one.combined_error, one.direct_error);
      EXPECT_EQ(one.reduction, 0);
    }
  }
}

// The likelihood is the better the more winners there are, and never worse than either alternative.
TEST(Forecast, OfSeparatedWinnersIsBelowTheAlternatives) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const Rational& share : {Rational(1, 20), Rational(19, 20)}) {
      double before = 0;
      for (const std::uint64_t k : {1U, 2U, 30U, 101U, 100'000U}) {
        const Forecast top = forecast(TopKQuestion{monotone, k, 1, distribution, share});
        const Forecast sparse = forecast(SparseVectorQuestion{monotone, k, 1, distribution, share});
        for (const Forecast& f : {top, sparse}) {
          EXPECT_LE(f.combined_error, f.linear_error);
          EXPECT_LE(f.combined_error, f.direct_error);
          EXPECT_GT(f.combined_error, 0.1 * f.linear_error);
        }
        // A wider tick than noise helps a small k: answers are whole numbers.
        if (distribution != Distribution::geometric) {
          EXPECT_GE(top.reduction, before - 0.003) << k;
          before = top.reduction;
        }
      }
    }
  }
}

TEST(Forecast, OfTopKEqualsClosedForms) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const std::uint64_t k : {1U, 3U, 40U}) {
      for (const Rational& share : {Rational(1, 10), Rational(1, 2), Rational(4, 5)}) {
        const Forecast f = forecast(TopKQuestion{general, k, 2, distribution, share});
        const auto n = static_cast<double>(k);
        const double scale = 2 * n / (2 * (1 - share.shown()));
        const double a = 1 / scale;
        const double noise = distribution == Distribution::geometric
                                 ? 1 / std::pow(2 * std::sinh(a / 2), 2)
                                 : (two_sided(distribution) ? 2 : 1) * scale * scale;
        const double direct = 2 * std::pow(n / (2 * share.shown()), 2);
        const double lambda = noise / direct;
        EXPECT_NEAR(f.gap_error, std::sqrt(2 * noise), 1e-6 * f.gap_error);
        EXPECT_NEAR(f.direct_error, std::sqrt(direct), 1e-6 * f.direct_error);
        EXPECT_NEAR(linear_reduction(f), (n - 1) / (n * (1 + lambda)), 1e-6);
      }
    }
  }
}

// The forecast agrees with what the mechanisms and the linear method do.
TEST(Forecast, EqualsTheErrorBarsOfReleases) {
  const std::vector<std::int64_t> counts = {900'000, 600'000, 300'000, 0, 0};
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const Rational& sensitivity : {Rational(1), Rational(3, 2)}) {
      const Candidates candidates = Candidates::general(std::span<const std::int64_t>(counts),
                                                        Neighbours::add_remove, sensitivity);
      InsecureSeededNoise noise(2);
      const TopKRelease top =
          top_k(candidates, {.k = 3, .epsilon = "0.25"_eps, .noise = distribution}, noise);
      const Rational coarse(1, 64);
      const MeasureRelease direct =
          measure(candidates, top.indices(), {.epsilon = "0.75"_eps, .tick = coarse}, noise);
      const EstimateOptions linear{.method = Method::linear};
      const TopKQuestion asked{candidates.queries(), 3, 1, distribution, Rational(3, 4)};
      EXPECT_NEAR(estimate(top, direct, linear)[1].standard_error, forecast(asked).linear_error,
                  1e-4 * forecast(asked).linear_error);
      const SparseVectorRelease vector = sparse_vector(
          candidates, {.k = 3, .epsilon = "0.25"_eps, .threshold = 150'000, .noise = distribution},
          noise);
      const MeasureRelease answers =
          measure(candidates, winners_of(vector), {.epsilon = "0.75"_eps, .tick = coarse}, noise);
      const SparseVectorQuestion question{candidates.queries(), 3, 1, distribution, Rational(3, 4)};
      EXPECT_NEAR(estimate(vector, answers, linear)[2].standard_error,
                  forecast(question).per_query_error, 1e-4 * forecast(question).per_query_error);
      EXPECT_NEAR(estimate(vector)[0].standard_error, forecast(question).gap_error,
                  1e-3 * forecast(question).gap_error);
    }
  }
}

// The same where a budget is so large that ticks decide how it is best divided.
TEST(Forecast, EqualsTheErrorBarsOfReleasesOnWideTicks) {
  const std::vector<std::int64_t> counts = {900'000, 600'000, 300'000};
  const Candidates candidates = Candidates::general(std::span<const std::int64_t>(counts),
                                                    Neighbours::add_remove, Rational(1));
  InsecureSeededNoise noise(2);
  const SparseVectorRelease vector = sparse_vector(
      candidates,
      {.k = 3, .epsilon = "10"_eps, .threshold = 150'000, .noise = Distribution::geometric}, noise);
  const Forecast f = forecast(
      SparseVectorQuestion{candidates.queries(), 3, 40, Distribution::geometric, Rational(3, 4)});
  EXPECT_NEAR(estimate(vector, {.method = Method::linear})[0].standard_error, f.gap_error,
              1e-6 * f.gap_error);
}

/// Mean squared errors of estimates by likelihood where all winners stand apart: actual ones, and
/// as the estimates state them.
struct Seen {
  Mean actual;
  Mean stated;
};
template <class Question>
Seen seen_errors(const Question& question, Selection selection, std::size_t runs) {
  std::vector<std::int64_t> values(1, -900'000);
  for (std::uint64_t i = 1; i <= question.k; ++i) {
    values.push_back(static_cast<std::int64_t>(300'000 * i));
  }
  if (selection == Selection::sparse_vector) {
    values.erase(values.begin());
  }
  Setting setting{selection, question.noise, question.k, listed("apart", values)};
  setting.kind = question.queries.kind;
  if constexpr (requires { question.theta; }) {
    setting.theta = question.theta;
  }
  setting.measuring = question.epsilon * question.measuring_share;
  setting.selecting = question.epsilon - setting.measuring;
  Seen seen;
  simulate(setting, runs, 17,
           [&](const auto& release, auto& direct, std::span<const double> answers) {
             const std::vector<Estimate> estimates = estimate(release, direct());
             seen.actual.add(squared_error(estimates, answers));
             double sum = 0;
             for (const Estimate& each : estimates) {
               sum += std::pow(each.standard_error, 2);
             }
             seen.stated.add(sum / static_cast<double>(estimates.size()));
           });
  return seen;
}

// The mean of a correct forecast is off by 6 standard errors with probability 2e-9 (normal
// approximation). 2 % of a squared error are 1 % of the error, as promised.
TEST(Forecast, EqualsTheErrorsOfEstimatesOfWinnersThatStandApart) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const Queries& queries : {monotone, general}) {
      for (const std::uint64_t k : {2U, 5U, 300U}) {
        for (const Rational& share : {Rational(1, 5), Rational(4, 5)}) {
          const Rational epsilon(static_cast<std::int64_t>(k), 10);
          const std::size_t runs = scaled(6000, 600) / k + 2;
          const auto check = [&](const auto& question, Selection selection) {
            const Forecast f = forecast(question);
            const double expected = std::pow(f.combined_error, 2);
            const Seen seen = seen_errors(question, selection, runs);
            EXPECT_NEAR(seen.actual.value(), expected, 6 * seen.actual.error() + 0.02 * expected)
                << k << " " << name(distribution) << " " << share.str();
            EXPECT_NEAR(seen.stated.value(), expected, 6 * seen.stated.error() + 0.02 * expected)
                << k << " " << name(distribution) << " " << share.str();
          };
          check(TopKQuestion{queries, k, epsilon, distribution, share}, Selection::top_k);
          check(SparseVectorQuestion{queries, k, epsilon, distribution, share},
                Selection::sparse_vector);
        }
      }
    }
  }
  const auto states = [](const auto& question, Selection selection) {
    const Seen seen = seen_errors(question, selection, scaled(6000, 600));
    const double expected = std::pow(forecast(question).combined_error, 2);
    EXPECT_NEAR(seen.stated.value(), expected, 6 * seen.stated.error() + 0.02 * expected);
  };
  // Geometric noise of one tick: answers are whole numbers, which helps.
  states(TopKQuestion{monotone, 3, 6, Distribution::geometric}, Selection::top_k);
  // They help from ticks of an eighth of the noise on.
  states(TopKQuestion{monotone, 3, 20, Distribution::geometric, Rational(19, 20)},
         Selection::top_k);
  // So they are where only the threshold's noise has wide ticks.
  SparseVectorQuestion whole{monotone, 10, 40, Distribution::geometric, Rational(19, 20)};
  whole.theta = Rational(1, 2);
  states(whole, Selection::sparse_vector);
  // One-sided noise of a threshold that hardly anything else tells of.
  SparseVectorQuestion loose{monotone, 1, 1, Distribution::exponential, Rational(1, 10)};
  loose.theta = Rational(1, 10);
  states(loose, Selection::sparse_vector);
}

// Scaled from a budget of 1, the first guess is too small where ticks matter at 1 and not at the
// budget that is looked for.
TEST(EpsilonFor, OnTicksStartsFromAnyGuess) {
  SparseVectorQuestion one{monotone, 1, 1, Distribution::geometric, Rational(1, 2)};
  for (const double target : {3.0, 20.0}) {
    one.epsilon = Rational::exactly(epsilon_for(one, target));
    EXPECT_NEAR(forecast(one).combined_error, target, 2e-3 * target);
    EXPECT_LE(forecast(one).combined_error, target);
  }
}

// On ticks the error of gaps falls so fast that small targets take budgets well below the first
// guess, which is beyond all that are allowed.
TEST(EpsilonFor, OnTicksReachesSmallTargets) {
  const auto expect_reached = [](auto question, double target) {
    question.epsilon = Rational::exactly(epsilon_for(question, target));
    EXPECT_LE(forecast(question).combined_error, target);
    question.epsilon = question.epsilon * Rational(9999, 10'000);
    EXPECT_GT(forecast(question).combined_error, target);
  };
  for (const double target : {1e-2, 1e-3}) {
    expect_reached(TopKQuestion{monotone, 9, 1, Distribution::geometric}, target);
    expect_reached(SparseVectorQuestion{monotone, 9, 1, Distribution::geometric}, target);
    expect_reached(SparseVectorQuestion{monotone, 9, 1, Distribution::geometric, 0}, target);
  }
  // Of gaps alone: the variances of two geometric numbers.
  SparseVectorQuestion gaps{monotone, 9, 95, Distribution::geometric, 0};
  gaps.theta = Rational(1, 5);
  double variance = 0;
  for (const double a : {95 * 0.2, 95 * 0.8 / 9}) {
    variance += std::exp(-a) / std::pow(1 - std::exp(-a), 2);
  }
  EXPECT_NEAR(forecast(gaps).combined_error, std::sqrt(variance), 1e-5 * std::sqrt(variance));
}

TEST(EpsilonFor, InvertsTheForecast) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    // On ticks the forecast is not quite continuous.
    const double tolerance = distribution == Distribution::geometric ? 2e-3 : 1e-9;
    for (const double target : {0.5, 12.0, 3000.0}) {
      TopKQuestion top{monotone, 5, 1, distribution};
      top.epsilon = Rational::exactly(epsilon_for(top, target));
      EXPECT_NEAR(forecast(top).combined_error, target, tolerance * target);
      SparseVectorQuestion vector{general, 5, 1, distribution, Rational(1, 3)};
      vector.epsilon = Rational::exactly(epsilon_for(vector, target));
      // theta is rounded to six decimals.
      EXPECT_NEAR(forecast(vector).combined_error, target, std::fmax(tolerance, 1e-5) * target);
    }
    // Whole numbers can be told apart as surely as one likes, so no error is too small for them.
    const double small = distribution == Distribution::geometric ? 0 : 1e-9;
    for (const double bad : {0.0, -1.0, HUGE_VAL, std::nan(""), small, 1e15}) {
      EXPECT_THROW(epsilon_for(TopKQuestion{monotone, 5, 1, distribution}, bad), InvalidParameter)
          << bad;
    }
  }
}

template <class Question>
void expect_largest(Question question, double target) {
  const WinnersFor winners = winners_for(question, target);
  const auto error_at = [&](std::uint64_t k, double Forecast::*which) {
    question.k = k;
    return k == 0 ? 0 : forecast(question).*which;
  };
  EXPECT_LE(error_at(winners.separated, &Forecast::combined_error), target);
  EXPECT_GT(error_at(winners.separated + 1, &Forecast::combined_error), target);
  EXPECT_LE(error_at(winners.whatever_the_data, &Forecast::direct_error), target);
  EXPECT_GT(error_at(winners.whatever_the_data + 1, &Forecast::direct_error), target);
  EXPECT_GE(winners.separated, winners.whatever_the_data);
}

TEST(WinnersFor, IsTheLargestNumberWithinTheTarget) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const Rational& share : {Rational(1, 10), Rational(1, 2)}) {
      for (const double target : {0.1, 2.83, 1234.5}) {
        expect_largest(TopKQuestion{monotone, 7, 1, distribution, share}, target);
        expect_largest(SparseVectorQuestion{general, 7, 1, distribution, share}, target);
      }
    }
  }
  // Measuring alone: k sqrt(2) / (epsilon / 2) <= 50. The exact value of k for separated winners
  // is where k^2 ratio(k) = 17.68^2, with ratio(31) = 0.320 and ratio(32) = 0.319.
  const WinnersFor known = winners_for(TopKQuestion{monotone, 1, 1}, 50);
  EXPECT_EQ(known.whatever_the_data, 17U);
  EXPECT_EQ(known.separated, 31U);
  const SparseVectorQuestion gaps{monotone, 1, 1, Distribution::exponential, Rational(0)};
  const WinnersFor alone = winners_for(gaps, 50);
  EXPECT_EQ(alone.whatever_the_data, 0U);
  EXPECT_EQ(alone.separated, 44U);  // (1 + k^(2/3))^(3/2) <= 50 for k <= 44.6
  EXPECT_EQ(winners_for(TopKQuestion{monotone, 1, 1}, 1e30).separated, most_planned_winners);
  for (const double bad : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    EXPECT_THROW(winners_for(TopKQuestion{monotone, 5}, bad), InvalidParameter) << bad;
    EXPECT_THROW(winners_for(gaps, bad), InvalidParameter) << bad;
  }
}

// With a contribution bound errors fall before they grow.
TEST(WinnersFor, IsTheLargestNumberWithAContributionBound) {
  for (const auto& [most, share] : {std::pair(1U, Rational(1, 2)), {2U, Rational(1, 10)}}) {
    Queries bounded = monotone;
    bounded.max_items = most;
    TopKQuestion question{bounded, 1, 1, Distribution::exponential, share};
    std::vector<double> errors;
    for (question.k = 1; question.k <= 13; ++question.k) {
      errors.push_back(forecast(question).combined_error);
    }
    const double least = *std::min_element(errors.begin(), errors.end());
    ASSERT_LT(least, 0.99 * errors.front());
    for (const double target : {0.999 * least, 1.0001 * least, (errors[9] + errors[10]) / 2}) {
      std::uint64_t largest = 0;
      for (std::uint64_t k = 1; k <= errors.size(); ++k) {
        largest = errors[k - 1] <= target ? k : largest;
      }
      EXPECT_EQ(winners_for(question, target).separated, largest) << most << ' ' << target;
    }
  }
}

// The least error may be beyond the largest number.
TEST(WinnersFor, EndsWhereErrorsFallToTheEnd) {
  Queries bounded = monotone;
  bounded.max_items = 200'000;
  const TopKQuestion question{bounded, 1, 1, Distribution::exponential, Rational(1, 10'000)};
  EXPECT_EQ(winners_for(question, 1e12).separated, most_planned_winners);
  const WinnersFor none = winners_for(question, 1e8);
  EXPECT_LE(none.separated, most_planned_winners);
}

// The best share is found from a few forecasts; its error is that of the best of a fine search.
template <class Question>
void expect_best(Question question, int first) {
  double least = HUGE_VAL;
  for (const int percent : {first, 3, 10, 24, 50, 75, 85, 90}) {
    question.measuring_share = Rational(percent, 100);
    least = std::fmin(least, forecast(question).combined_error);
  }
  question.measuring_share = best_measuring_share(question);
  EXPECT_LE(forecast(question).combined_error, 1.002 * least)
      << question.k << " " << name(question.noise) << " " << question.measuring_share.str();
}

TEST(BestMeasuringShare, IsThatOfBruteForce) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    expect_best(TopKQuestion{general, 10, 1, distribution}, 1);
    expect_best(SparseVectorQuestion{monotone, 10, 1, distribution}, 0);
  }
  expect_best(SparseVectorQuestion{general, 3, 1}, 0);
  expect_best(TopKQuestion{monotone, 60, 1},
              1);  // 24 %, where a linear combination is best at 28 %
  // Measuring saves 1 % of the variance of gaps alone, and with Laplace noise 8 %: there gaps have
  // sqrt(2) (1 + 30^(2/3))^1.5 = 49.2, and measurements alone 30 sqrt(2) / 0.9 = 47.1.
  expect_best(SparseVectorQuestion{monotone, 5, 1}, 0);
  EXPECT_EQ(best_measuring_share(SparseVectorQuestion{monotone, 5, 1}), Rational(9, 10));
  EXPECT_EQ(best_measuring_share(SparseVectorQuestion{monotone, 30, 1, Distribution::laplace}),
            Rational(9, 10));
  // For ten answers or more with exponential noise, gaps alone are best.
  EXPECT_EQ(best_measuring_share(SparseVectorQuestion{monotone, 10}), Rational(0));
  EXPECT_EQ(best_measuring_share(TopKQuestion{monotone, 2}, Rational(2, 5)), Rational(3, 5));
  // Without a minimum the lead of a single winner, which says nothing, gets next to nothing.
  EXPECT_EQ(best_measuring_share(TopKQuestion{monotone, 1}, 0), Rational(999, 1000));
  EXPECT_THROW(best_measuring_share(TopKQuestion{monotone, 2}, Rational(1)), InvalidParameter);
  EXPECT_THROW(best_measuring_share(TopKQuestion{monotone, 2}, Rational(-1)), InvalidParameter);
}

// It is the scale of the noise over that of which the union bound takes a hundred candidates.
TEST(SelectingShareFor, IsThatOfTheUnionBound) {
  const auto share = [](const Queries& queries, Distribution distribution, std::uint64_t k = 3) {
    return selecting_share_for({queries, k, 2, distribution}, 100, 60, 0.9);
  };
  const double least = 3 * std::log(1000) / (60 * 2.0);
  Queries triple = monotone;
  triple.sensitivity = 3;
  Queries broken = monotone;
  broken.sensitivity = Rational(3, 2);
  for (const auto& [distribution, factor] : {std::pair{Distribution::exponential, 1},
                                             {Distribution::laplace, 2},
                                             {Distribution::geometric, 1}}) {
    EXPECT_NEAR(share(monotone, distribution), factor * least, 1e-12);
    EXPECT_NEAR(share(general, distribution), factor * 2 * least, 1e-12);
    EXPECT_NEAR(share(monotone, distribution, 12), factor * 4 * least, 1e-12);
    EXPECT_NEAR(share(triple, distribution), factor * 3 * least, 1e-12);
    // Geometric noise is for whole numbers, which change by whole numbers.
    EXPECT_NEAR(share(broken, distribution),
                factor * (distribution == Distribution::geometric ? 2 : 1.5) * least, 1e-12);
  }
}

// With confidence 0.9 at most a tenth of the runs may select a candidate that far below. By
// Chernoff's bound, each of the 6 checks has a false alarm with probability 1e-10 at most.
TEST(SelectingShareFor, KeepsWhatItPromises) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const std::int64_t crowd : {20, 5000}) {
      const TopKQuestion question{monotone, 3, 2, distribution};
      constexpr std::int64_t separation = 60;
      const double share =
          selecting_share_for(question, static_cast<std::uint64_t>(crowd + 3), separation, 0.9);
      ASSERT_GT(share, 0);
      const auto wrong_at = [&](double factor) {
        Setting setting{Selection::top_k, distribution, 3, {"crowd", {separation, 0}, {3, crowd}}};
        setting.selecting = question.epsilon * Rational::exactly(share * factor);
        Share wrong;
        simulate(setting, scaled(10'000, 1000), 31,
                 [&](const TopKRelease& release, auto&, std::span<const double>) {
                   bool any = false;
                   for (const Item& winner : release.winners) {
                     any = any || winner.id == 1;
                   }
                   wrong.add(any);
                 });
        return wrong;
      };
      const Share kept = wrong_at(1);
      EXPECT_TRUE(kept.value() <= 0.1 ||
                  surprise({"", kept.happened, 0.1}, kept.trials) < std::log(1e10))
          << kept.value();
      EXPECT_GT(wrong_at(0.4).value(), 0.2) << "the check is blind to too small a share";
    }
  }
  EXPECT_THROW(selecting_share_for({monotone, 3}, 10, 0, 0.9), InvalidParameter);
  EXPECT_THROW(selecting_share_for({monotone, 3}, 10, 5, 1), InvalidParameter);
  EXPECT_GT(selecting_share_for({monotone, 3, 1}, 1000, 1, 0.9), 1);
}

/// Mean number of answers above until a sparse vector has used its budget.
Mean simulated_answers(const SparseVectorQuestion& question, double distance, std::size_t runs) {
  const Rational epsilon = question.epsilon * (Rational(1) - question.measuring_share);
  const SparseVectorPlan plan = plan_sparse_vector(question.queries,
                                                   {.k = question.k,
                                                    .epsilon = Epsilon(epsilon),
                                                    .threshold = 0,
                                                    .noise = question.noise,
                                                    .branches = question.branches,
                                                    .theta = question.theta,
                                                    .sigma = question.sigma,
                                                    .stop_rule = question.stop_rule},
                                                   true);
  const auto ticks = static_cast<std::int64_t>(std::round(distance / plan.blank.tick.shown()));
  InsecureSeededNoise noise(6);
  Mean answers;
  for (std::size_t run = 0; run < runs; ++run) {
    SparseVector<InsecureSeededNoise> vector(plan, noise);
    double above = 0;
    while (vector.open()) {
      above += vector.ask_ticks(ticks, Item{}).above ? 1 : 0;
    }
    answers.add(above);
  }
  return answers;
}

// The mean of a correct forecast is off by 7 standard errors with probability 3e-12 (normal
// approximation). The tolerance allows for centring in whole ticks.
TEST(ExpectedAnswers, AgreeWithTheMechanism) {
  const std::size_t runs = scaled(3000, 200);
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    for (const std::size_t branches : {1U, 2U, 3U}) {
      for (const StopRule rule : {StopRule::afford, StopRule::paper}) {
        for (const double distance : {-40.0, 30.0, 150.0}) {
          SparseVectorQuestion question{monotone, 4, Rational(1, 5), distribution};
          question.branches = branches;
          question.stop_rule = rule;
          const Mean seen = simulated_answers(question, distance, runs);
          const double expected = expected_answers(question, distance);
          EXPECT_NEAR(expected, seen.value(), 7 * seen.error() + 0.01)
              << branches << " branches, distance " << distance;
          if (branches == 1) {
            EXPECT_NEAR(expected, 4, 1e-9);
          }
        }
      }
    }
  }
  // Far above the threshold all answers are cheap: twice as many, but for the last by the paper's
  // rule.
  SparseVectorQuestion question{monotone, 4, Rational(1, 5)};
  question.branches = 2;
  EXPECT_NEAR(expected_answers(question, 1e6), 8, 1e-6);
  question.stop_rule = StopRule::paper;
  EXPECT_NEAR(expected_answers(question, 1e6), 7, 1e-6);
}

// Rounding of prices makes no answer more or less, whether 11 and 13 divide the budget or not.
TEST(ExpectedAnswers, AreBranchesTimesKFarAboveTheThreshold) {
  for (const std::size_t branches : {7U, 11U, 13U, 14U, 16U}) {
    for (const std::uint64_t k : {1U, 2U, 9U, 10U, 38U, 39U, 40U, 100U, 5000U}) {
      SparseVectorQuestion question{monotone, k, 1};
      question.branches = branches;
      EXPECT_NEAR(expected_answers(question, 1e9), static_cast<double>(branches * k), 1e-4)
          << branches << " branches, k = " << k;
    }
  }
}

// Branches far above the threshold are seldom passed, so that budgets are long whole numbers of
// full prices. The numbers were computed in 5040 units a price up to the first answer.
TEST(ExpectedAnswers, AreRightWhereCheapBranchesAreSeldomPassed) {
  struct Case {
    std::uint64_t k;
    std::size_t branches;
    double expected;
  };
  for (const Case& c : {Case{20, 16, 22.08}, Case{20, 13, 21.48}, Case{60, 16, 65.14}}) {
    SparseVectorQuestion question{monotone, c.k, Rational(1), Distribution::exponential};
    question.branches = c.branches;
    question.sigma = 6;
    EXPECT_NEAR(expected_answers(question, 30), c.expected, 0.006 * c.expected) << c.branches;
  }
}

// Only the last part of a large budget is computed in steps, and 11 and 13 branches have no common
// step that is small.
TEST(ExpectedAnswers, AgreeWithTheMechanismForLargeBudgetsAndManyBranches) {
  struct Case {
    std::uint64_t k;
    std::size_t branches;
    double distance;
  };
  for (const Case& c : {Case{60, 9, 100}, Case{30, 13, 60}, Case{40, 16, 300}}) {
    SparseVectorQuestion question{monotone, c.k, Rational(1), Distribution::exponential};
    question.branches = c.branches;
    const Mean seen = simulated_answers(question, c.distance, scaled(3000, 200));
    EXPECT_NEAR(expected_answers(question, c.distance), seen.value(), 7 * seen.error() + 0.05)
        << c.branches;
  }
  SparseVectorQuestion question{monotone, 1'000'000, 1};
  question.branches = 16;
  EXPECT_NEAR(expected_answers(question, 1e9), 16e6, 1);
  question.stop_rule = StopRule::paper;
  EXPECT_NEAR(expected_answers(question, 1e9), 16e6 - 15, 1);
  question.branches = 1;
  EXPECT_NEAR(expected_answers(question, 30), 1e6, 1e-3);
}

// Noise that is narrow beside a tick, as in the mechanism: offsets and cut-offs in whole ticks. The
// numbers are sums over all values of the threshold's noise.
TEST(ExpectedAnswers, AgreeWithTheMechanismOnWideTicks) {
  struct Case {
    std::uint64_t k;
    std::size_t branches;
    std::int64_t epsilon;
    double distance;
    double expected;
  };
  for (const Case& c : {Case{5, 2, 16, 4, 6.1156}, Case{5, 2, 16, 2, 5.5506},
                        Case{5, 2, 32, 0, 5.189}, Case{2, 3, 64, 0, 2.273}}) {
    SparseVectorQuestion question{monotone, c.k, c.epsilon, Distribution::geometric};
    question.theta = Rational(1, 2);
    question.branches = c.branches;
    const double expected = expected_answers(question, c.distance);
    EXPECT_NEAR(expected, c.expected, 2e-3) << c.epsilon << " " << c.distance;
    const Mean seen = simulated_answers(question, c.distance, scaled(3000, 200));
    EXPECT_NEAR(expected, seen.value(), 7 * seen.error() + 2e-3) << c.epsilon << " " << c.distance;
  }
}

TEST(Planning, RefusesBadQuestions) {
  EXPECT_THROW(forecast(TopKQuestion{monotone, 0}), InvalidParameter);
  EXPECT_THROW(forecast(SparseVectorQuestion{monotone, 0}), InvalidParameter);
  EXPECT_THROW(forecast(TopKQuestion{{Kind::counts, Neighbours::add_remove, 0}, 2}),
               InvalidParameter);
  EXPECT_THROW(forecast(TopKQuestion{{Kind::counts, Neighbours::add_remove, 1, 0}, 2}),
               InvalidParameter);
  EXPECT_THROW(forecast(TopKQuestion{monotone, 2, 0}), InvalidParameter);
  EXPECT_THROW(forecast(TopKQuestion{monotone, 2, 1001}), InvalidParameter);
  for (const Rational& share : {Rational(0), Rational(1), Rational(-1), Rational(2)}) {
    EXPECT_THROW(forecast(TopKQuestion{monotone, 2, 1, Distribution::laplace, share}),
                 InvalidParameter);
    if (share.sign() != 0) {
      EXPECT_THROW(forecast(SparseVectorQuestion{monotone, 2, 1, Distribution::laplace, share}),
                   InvalidParameter);
    }
    SparseVectorQuestion theta{monotone, 2};
    theta.theta = share;
    EXPECT_THROW(forecast(theta), InvalidParameter);
  }
  SparseVectorQuestion branches{monotone, 2};
  for (const std::size_t bad : {0U, 17U}) {
    branches.branches = bad;
    EXPECT_THROW(expected_answers(branches, 0), InvalidParameter);
    EXPECT_THROW(forecast(branches), InvalidParameter);
  }
  // Without measurements only the gaps determine the error.
  const Forecast gaps =
      forecast(SparseVectorQuestion{monotone, 10, 1, Distribution::exponential, Rational(0)});
  EXPECT_EQ(gaps.direct_error, HUGE_VAL);
  EXPECT_EQ(gaps.combined_error, gaps.gap_error);
}

}  // namespace
}  // namespace freegap::testing

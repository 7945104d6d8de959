// Every sampler has its distribution: 1.5 million draws in at most sixteen cells, with a chi-square
// test whose false-alarm rate is 1e-9. The same draws are also tested against the distribution with
// its scale one per cent off, which must be rejected. For a distribution without a scale, a comment
// says what is one per cent off. Seeds are fixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "freegap/noise.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

constexpr std::size_t full_draws = 1'500'000;
std::size_t draws() { return scaled(full_draws, 50'000); }

/// P(N < x) of a distribution.
using Cumulative = std::function<double(double)>;

/// The cells (-inf, c1), [c1, c2), ..., [cn, inf).
std::vector<double> cells(const std::vector<double>& cuts, const Cumulative& distribution) {
  std::vector<double> probabilities;
  double before = 0;
  for (const double cut : cuts) {
    probabilities.push_back(distribution(cut) - before);
    before = distribution(cut);
  }
  probabilities.push_back(1 - before);
  return probabilities;
}

/// Whole numbers that cut a distribution into about sixteen equal parts, or fewer where single
/// values weigh more.
std::vector<double> sixteenths(const Cumulative& distribution, double low, double high) {
  std::vector<double> cuts;
  for (int i = 1; i < 16; ++i) {
    double from = low;
    double to = high;
    for (int step = 0; step < 100 && to - from > 1; ++step) {
      const double middle = std::floor((from + to) / 2);
      (distribution(middle) < i / 16.0 ? from : to) = middle;
    }
    const double before = cuts.empty() ? 0 : distribution(cuts.back());
    if (distribution(to) - before > 0.004 && 1 - distribution(to) > 0.004) {
      cuts.push_back(to);
    }
  }
  return cuts;
}

/// Draws, and tests the draws against the distribution and against the distribution that is off.
template <class Draw>
void judge(const Cumulative& distribution, const Cumulative& off, double low, double high,
           std::uint64_t seed, const Draw& draw) {
  const std::vector<double> cuts = sixteenths(distribution, low, high);
  ASSERT_FALSE(cuts.empty());
  std::vector<std::uint64_t> counts(cuts.size() + 1);
  InsecureSeededNoise noise(seed);
  for (std::size_t i = 0; i < draws(); ++i) {
    const auto x = static_cast<double>(draw(noise));
    ++counts[static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), x) -
                                      cuts.begin())];
  }
  EXPECT_GT(chi_square_p(counts, cells(cuts, distribution)), false_alarm_rate);
  if (draws() >= full_draws) {
    EXPECT_LT(chi_square_p(counts, cells(cuts, off)), false_alarm_rate) << "no power";
  }
}

/// Failures before the first success: P(N < n) = 1 - q^n with q = e^-a.
Cumulative geometric_distribution(double a) {
  return [a](double n) { return n <= 0 ? 0 : -std::expm1(-a * n); };
}

TEST(Distributions, Geometric) {
  for (const Rational& rate : {Rational(1, 1000), Rational(1, 10), Rational(2)}) {
    const double a = rate.shown();
    judge(geometric_distribution(a), geometric_distribution(a / 1.01), -1, 40 / a, 1,
          [r = Rate(rate)](auto& noise) { return noise.geometric(r); });
  }
}

/// P(N < n) = x^(1-n) / (1 + x) for n <= 0, and 1 - x^n / (1 + x) for n >= 1.
Cumulative laplace_distribution(double a) {
  return [a](double n) {
    const double x = std::exp(-a);
    return n <= 0 ? std::exp(-a * (1 - n)) / (1 + x) : 1 - std::exp(-a * n) / (1 + x);
  };
}

TEST(Distributions, Laplace) {
  for (const Rational& rate : {Rational(1, 1000), Rational(1, 10), Rational(2)}) {
    const double a = rate.shown();
    judge(laplace_distribution(a), laplace_distribution(a / 1.01), -40 / a, 40 / a, 2,
          [r = Rate(rate)](auto& noise) { return noise.laplace(r); });
  }
}

/// One with probability p, else zero.
Cumulative bernoulli_distribution(double p) {
  return [p](double n) { return n <= 0 ? 0 : n <= 1 ? 1 - p : 1; };
}

// At exponent 1.6 one per cent of it moves the probability e^-1.6 by ten standard deviations.
TEST(Distributions, Reaches) {
  const Rate rate(Rational(1, 1000));
  judge(bernoulli_distribution(std::exp(-1.6)), bernoulli_distribution(std::exp(-1.6 / 1.01)), -1,
        2, 3, [&](auto& noise) { return noise.reaches(rate, 1600) ? 1 : 0; });
}

// At rate 2.4 one per cent of it moves the probability 1 / (1 + e^-2.4) by eight standard
// deviations.
TEST(Distributions, AboveZero) {
  const auto p = [](double a) { return 1 / (1 + std::exp(-a)); };
  const Rate rate(Rational(12, 5));
  judge(bernoulli_distribution(p(2.4)), bernoulli_distribution(p(2.4 / 1.01)), -1, 2, 4,
        [&](auto& noise) { return noise.above_zero(rate) ? 1 : 0; });
}

/// Failures before the first success of probability e^-y, at most `limit`.
Cumulative skips_distribution(double y, double limit) {
  const double a = -std::log1p(-std::exp(-y));
  return [a, limit](double n) { return n > limit ? 1 : geometric_distribution(a)(n); };
}

// One per cent off: the probability of a success. From frequent successes to one in 10^11.
TEST(Distributions, Skips) {
  for (const int thousandths : {100, 1'000, 5'000, 25'000}) {
    const double y = thousandths / 1000.0;
    const double high = 60 * std::exp(y) + 60;
    const Rate rate(Rational(1, 1000));
    judge(skips_distribution(y, 1e15), skips_distribution(y + std::log(1.01), 1e15), -1, high, 5,
          [&](auto& noise) {
            return noise.skips(rate, static_cast<Distance>(thousandths), 1'000'000'000'000'000);
          });
  }
  // The limit takes what lies beyond it.
  const Rate rate(Rational(1, 1000));
  judge(skips_distribution(3, 20), skips_distribution(3 + std::log(1.01), 20), -1, 30, 6,
        [&](auto& noise) { return noise.skips(rate, 3000, 20); });
}

// One per cent off: the range.
TEST(Distributions, Below) {
  for (const std::uint64_t n : {std::uint64_t{3}, (std::uint64_t{1} << 63U) + 1}) {
    const auto range = static_cast<double>(n);
    const auto uniform = [](double size) {
      return [size](double x) { return std::clamp(x / size, 0.0, 1.0); };
    };
    judge(uniform(range), uniform(range * 1.01), -1, range + 1, 7,
          [&](auto& noise) { return noise.below(n); });
  }
}

/// Probabilities proportional to multiplicity * exp(rate * ticks).
Cumulative choice_distribution(double rate, const std::vector<WeightedValue>& values) {
  std::vector<double> sums{0};
  for (const WeightedValue& value : values) {
    sums.push_back(sums.back() + static_cast<double>(value.multiplicity) *
                                     std::exp(rate * static_cast<double>(value.ticks)));
  }
  return [sums](double i) {
    return sums[static_cast<std::size_t>(
               std::clamp(i, 0.0, static_cast<double>(sums.size() - 1)))] /
           sums.back();
  };
}

TEST(Distributions, Choose) {
  const std::vector<WeightedValue> values{{0, 20},  {-100, 5}, {-200, 1000}, {100, 3},
                                          {150, 0}, {-50, 40}, {300, 1}};
  const Rate rate(Rational(1, 60));
  judge(choice_distribution(1 / 60.0, values), choice_distribution(1 / 60.6, values), -1, 8, 8,
        [&](auto& noise) { return noise.choose(rate, values); });
}

// The gap between the two largest of w e^(Gumbel): P(gap >= g | the chosen one leads)
// = (w + W) / (w + e^g W).
TEST(Distributions, Lead) {
  const std::vector<WeightedValue> values{{0, 3}, {-100, 5}, {40, 2}};
  const double tick = 1 / 100.0;
  for (const std::size_t chosen : {0U, 1U, 2U}) {
    double w = 0;
    double others = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double each = std::exp(static_cast<double>(values[i].ticks) / 50);
      others += each * static_cast<double>(values[i].multiplicity - (i == chosen ? 1 : 0));
      w = i == chosen ? each : w;
    }
    const auto distribution = [w, others](double size) {
      return [w, others, size](double n) {
        return n <= 0 ? 0 : 1 - (w + others) / (w + std::exp(n * size) * others);
      };
    };
    judge(distribution(tick), distribution(tick / 1.01), -1, 40 / tick, 9 + chosen,
          [&](auto& noise) {
            return noise.lead(Rate(Rational(1, 50)), values, chosen, Rate(Rational(1, 100)));
          });
  }
}

// The test itself: known quantiles of the chi-square distribution.
TEST(Distributions, ChiSquareTail) {
  EXPECT_NEAR(chi_square_tail(3.841458820694124, 1), 0.05, 1e-12);
  EXPECT_NEAR(chi_square_tail(18.307038053275146, 10), 0.05, 1e-12);
  EXPECT_NEAR(chi_square_tail(2 * std::log(1e9), 2), 1e-9, 1e-18);
  EXPECT_NEAR(chi_square_tail(10, 10), 0.44049328506521257, 1e-12);
  EXPECT_NEAR(chi_square_tail(37.32489310996171, 1) / 1e-9, 1, 2e-2);
}

}  // namespace
}  // namespace freegap::testing

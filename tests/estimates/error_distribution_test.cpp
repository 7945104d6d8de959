// The distribution of an estimate's error: CDF and quantiles against closed forms and samples, and
// how far ticks move it.
#include "estimates/error_distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/distribution_check.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

using detail::ErrorDistribution;

/// Noise on a tick too fine to matter.
NoiseDistribution fine(Distribution distribution, const Rational& scale) {
  return {distribution, scale, scale / Rational(1 << 30)};
}

/// A coefficient and the noise it belongs to.
struct Part {
  double coefficient;
  NoiseDistribution noise;
  int copies = 1;
};

ErrorDistribution distribution_of(const std::vector<Part>& parts) {
  ErrorDistribution distribution;
  for (const Part& part : parts) {
    distribution.add(part.coefficient, part.noise, part.copies);
  }
  return distribution;
}

/// P(sum of c_j (N_j - E N_j) <= x) for continuous noise by partial fractions. All scales must
/// differ (two-sided noise is the difference of two one-sided ones).
long double by_partial_fractions(const std::vector<Part>& parts, long double x) {
  std::vector<long double> scales;
  long double mean = 0;
  for (const Part& part : parts) {
    const long double s = static_cast<long double>(part.coefficient) * part.noise.scale.shown();
    scales.push_back(s);
    if (two_sided(part.noise.distribution)) {
      scales.push_back(-s);
    } else {
      mean += s;
    }
  }
  x += mean;
  long double tail = 0;  // beyond x, away from zero
  for (const long double s : scales) {
    if ((s > 0) == (x >= 0)) {
      long double c = 1;
      for (const long double other : scales) {
        c *= other == s ? 1 : s / (s - other);
      }
      tail += c * std::exp(-x / s);
    }
  }
  return x >= 0 ? 1 - tail : tail;
}

std::vector<std::vector<Part>> combinations() {
  const auto exponential = [](int scale) { return fine(Distribution::exponential, scale); };
  const auto laplace = [](int scale) { return fine(Distribution::laplace, scale); };
  return {{{1, exponential(3)}},
          {{-1, exponential(3)}},
          {{0.7, laplace(2)}},
          {{1, exponential(3)}, {-1, exponential(2)}},
          {{-0.5, exponential(3)}, {1, exponential(1)}},
          {{1, laplace(3)}, {1, laplace(1)}},
          {{0.4, laplace(5)}, {0.6, exponential(4)}},
          {{0.4, laplace(5)}, {0.6, exponential(4)}, {-0.6, exponential(1)}},
          {{0.3, laplace(5)}, {0.7, laplace(4)}, {-0.7, laplace(1)}},
          {{1, exponential(5)}, {-0.2, exponential(3)}, {0.3, laplace(7)}, {-0.1, laplace(20)}},
          {{1, laplace(1)}, {0.02, exponential(1)}, {-0.03, exponential(1)}}};
}

TEST(ErrorDistribution, AgreesWithClosedForms) {
  for (const auto& parts : combinations()) {
    const ErrorDistribution distribution = distribution_of(parts);
    const double sd = std::sqrt(distribution.variance());
    for (const double x : {-9.0, -3.0, -1.2, -0.6, -0.1, 0.0, 0.05, 0.5, 1.1, 2.5, 7.0}) {
      EXPECT_NEAR(distribution.below(x * sd),
                  static_cast<double>(by_partial_fractions(parts, x * sd)), 1e-8)
          << parts.size() << " parts, at " << x << " deviations";
    }
    for (const double p : {0.0005, 0.025, 0.3, 0.5, 0.9, 0.975, 0.9995}) {
      const double x = distribution.quantile(p);
      EXPECT_NEAR(static_cast<double>(by_partial_fractions(parts, x)), p, 2e-8);
    }
  }
}

TEST(ErrorDistribution, AddsUpCopies) {
  for (const int n : {1, 2, 3, 10, 100}) {
    const ErrorDistribution erlang = distribution_of({{2, fine(Distribution::exponential, 1), n}});
    for (const double y : {0.3 * n, 0.8 * n, 1.0 * n, 1.4 * n + 1}) {  // in units of the scale
      long double term = std::exp(static_cast<long double>(-y));
      long double sum = 0;
      for (int i = 0; i < n; ++i) {
        sum += term;
        term *= y / (i + 1);
      }
      EXPECT_NEAR(erlang.below(2 * (y - n)), static_cast<double>(1 - sum), 1e-8) << n << ", " << y;
    }
  }
  const ErrorDistribution twice = distribution_of({{1, fine(Distribution::laplace, 3), 2}});
  for (const double t : {0.0, 1.0, 5.0, 20.0}) {
    EXPECT_NEAR(1 - twice.below(t), (2 + t / 3) / 4 * std::exp(-t / 3), 1e-8);
  }
}

TEST(ErrorDistribution, OfNothingIsZero) {
  ErrorDistribution distribution;
  distribution.add(0, fine(Distribution::laplace, 1));
  distribution.add(1, fine(Distribution::laplace, 1), 0);
  EXPECT_EQ(distribution.variance(), 0);
  EXPECT_EQ(distribution.quantile(0.9), 0);
  EXPECT_EQ(distribution.below(-1e-9), 0);
  EXPECT_EQ(distribution.below(0), 1);
}

TEST(ErrorDistribution, LeavesOutOnlyWhatItsSlackAllowsFor) {
  const std::vector<Part> parts = {{1, fine(Distribution::laplace, 3)},
                                   {-1e-6, fine(Distribution::exponential, 2)},
                                   {0.5, fine(Distribution::exponential, 1)},
                                   {2e-6, fine(Distribution::laplace, 1)}};
  const ErrorDistribution whole = distribution_of(parts);
  const ErrorDistribution simple = whole.simplified();
  EXPECT_LT(simple.signature().size(), whole.signature().size());
  EXPECT_EQ(simple.variance(), whole.variance());
  const double slack = simple.slack() - whole.slack();
  EXPECT_GT(slack, 0);
  EXPECT_LT(slack, 1e-3);
  for (const double x : {-8.0, -1.0, 0.3, 5.0}) {
    const auto exact = static_cast<double>(by_partial_fractions(parts, x));
    EXPECT_LE(simple.below(x - slack), exact + 1e-8);
    EXPECT_GE(simple.below(x + slack), exact - 1e-8);
  }
  const ErrorDistribution same = distribution_of(
      {{1, fine(Distribution::laplace, 3)}, {1, fine(Distribution::exponential, 1)}});
  EXPECT_EQ(same.simplified().signature(), same.signature());
}

// Narrow terms that are many are wide together: a bound on their sum, which grows with their
// number, would be much wider than the sum itself.
TEST(ErrorDistribution, LeavesOutNoTermsThatAreWideTogether) {
  const Part wide{1, fine(Distribution::laplace, 3)};
  const ErrorDistribution many =
      distribution_of({wide, {1e-6, fine(Distribution::exponential, 1), 1'000'000}});
  EXPECT_EQ(many.simplified().signature(), many.signature());
  const ErrorDistribution whole =
      distribution_of({wide, {1e-9, fine(Distribution::exponential, 1), 1'000}});
  const ErrorDistribution simple = whole.simplified();
  EXPECT_EQ(simple.signature().size(), 4U);
  EXPECT_NEAR(simple.slack() - whole.slack(), 30 * 1'000 * 1e-9, 1e-9);  // for each copy
}

TEST(ErrorDistribution, TellsLawsApart) {
  const NoiseDistribution noise = fine(Distribution::exponential, 1);
  EXPECT_EQ(distribution_of({{1, noise}}).signature(), distribution_of({{1, noise}}).signature());
  EXPECT_NE(distribution_of({{1, noise}}).signature(), distribution_of({{-1, noise}}).signature());
  EXPECT_NE(distribution_of({{1, noise}}).signature(),
            distribution_of({{1, noise, 2}}).signature());
  EXPECT_NE(distribution_of({{1, noise}}).signature(),
            distribution_of({{1, fine(Distribution::laplace, 1)}}).signature());
  const NoiseDistribution coarse{Distribution::exponential, 1, 1};
  EXPECT_NE(distribution_of({{1, noise}}).signature(), distribution_of({{1, coarse}}).signature());
}

/// The error of one of k winners of a top-k whose noise has scale `scale`, with measurements of
/// scale 1.
std::vector<Part> top_k_parts(int k, Distribution distribution, double lambda, double stretch) {
  const double keep = lambda / (1 + lambda);
  const double share = (1 - keep) / k;
  const NoiseDistribution direct = fine(Distribution::laplace, 1);
  // lambda is the ratio of variances: scale^2 or 2 scale^2, over 2.
  const double scale = std::sqrt(lambda * (two_sided(distribution) ? 1 : 2)) * stretch;
  const NoiseDistribution own = fine(distribution, Rational::exactly(scale));
  return {{keep + share, direct},
          {share, direct, k - 1},
          {1 - keep - share, own},
          {-share, own, k - 1}};
}

TEST(ErrorDistribution, HasTheVarianceOfTheBestTopKEstimate) {
  for (const int k : {1, 2, 10, 100}) {
    for (const double lambda : {0.5, 1.0, 4.0}) {
      const double wanted = 2 * (1 + lambda * k) / (k * (1 + lambda));
      for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
        EXPECT_NEAR(distribution_of(top_k_parts(k, distribution, lambda, 1)).variance(), wanted,
                    1e-9 * wanted);
      }
    }
  }
}

/// Draws of the sum of the parts.
std::vector<double> sample(const std::vector<Part>& parts, std::size_t draws, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::exponential_distribution<double> exponential(1);
  std::vector<double> sums(draws, 0);
  for (double& sum : sums) {
    for (const Part& part : parts) {
      const double s = part.coefficient * part.noise.scale.shown();
      for (int i = 0; i < part.copies; ++i) {
        const double e = exponential(bits);
        sum += s * (e - (two_sided(part.noise.distribution) ? exponential(bits) : 1));
      }
    }
  }
  std::sort(sums.begin(), sums.end());
  return sums;
}

/// Largest distance between the distribution and a sorted sample, looked for at quantiles of the
/// sample.
double distance(const ErrorDistribution& distribution, const std::vector<double>& sorted) {
  double most = 0;
  for (int i = 1; i < 100; ++i) {
    const auto at = static_cast<std::size_t>(static_cast<double>(sorted.size()) * i / 100.0);
    const double share = static_cast<double>(at + 1) / static_cast<double>(sorted.size());
    most = std::fmax(most, std::fabs(distribution.below(sorted[at]) - share));
  }
  return most;
}

// By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart, a right distribution is further
// away than sqrt(ln(2 / alpha) / 2n) with probability alpha at most: 1e-10 for each of 8 samples.
TEST(ErrorDistribution, AgreesWithSamples) {
  for (const int k : {1, 2, 10, 100}) {
    for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
      const std::size_t draws = scaled(k == 100 ? 50'000 : 200'000, 10'000);
      const double limit = std::sqrt(std::log(2e10) / (2.0 * static_cast<double>(draws)));
      const double lambda = two_sided(distribution) ? 1 : 0.5;
      const auto sums = sample(top_k_parts(k, distribution, lambda, 1), draws, 77);
      EXPECT_LE(distance(distribution_of(top_k_parts(k, distribution, lambda, 1)), sums), limit)
          << k;
      if (full_workload() && k > 1) {  // with k = 1 the gap does not enter
        EXPECT_GT(distance(distribution_of(top_k_parts(k, distribution, lambda, 1.2)), sums), limit)
            << k;
      }
    }
  }
}

/// Exact distribution of a sum of c_j (N_j - E N_j) with integer noise, by enumeration: values,
/// rounded to millionths, and probabilities.
std::map<std::int64_t, double> on_ticks(const std::vector<Part>& parts) {
  std::map<std::int64_t, double> distribution{{0, 1}};
  for (const Part& part : parts) {
    const double a = (part.noise.tick / part.noise.scale).shown();
    const double tick = part.noise.tick.shown();
    const bool both = two_sided(part.noise.distribution);
    const double mean = both ? 0 : tick / std::expm1(a);
    const int last = static_cast<int>(25 / a) + 1;
    std::map<std::int64_t, double> next;
    for (const auto& [value, chance] : distribution) {
      for (int m = both ? -last : 0; m <= last; ++m) {
        const double p = std::exp(-a * std::abs(m)) * (both ? std::tanh(a / 2) : -std::expm1(-a));
        next[value + std::llround(1e6 * part.coefficient * (tick * m - mean))] += chance * p;
      }
    }
    distribution = std::move(next);
  }
  return distribution;
}

/// At every step of the distribution on ticks that is a share `width` from the last one looked at,
/// the continuous distribution, moved by the slack, is on the right side.
void expect_slack_suffices(const std::vector<Part>& parts, const std::string& what) {
  constexpr double rounding = 1e-5;
  constexpr double width = 0.03;
  const ErrorDistribution distribution = distribution_of(parts);
  double below = 0;
  double looked_at = 0;
  double variance = 0;
  double least_slack = 0;  // the smallest slack that suffices
  for (const auto& [millionths, chance] : on_ticks(parts)) {
    const double x = static_cast<double>(millionths) / 1e6;
    variance += x * x * chance;
    const bool look = below + chance - looked_at > width && below + chance < 1 - 1e-6;
    if (look && below > 1e-6) {
      EXPECT_LE(distribution.below(x - distribution.slack() - rounding), below + 1e-7)
          << what << ", below " << x;
      least_slack = std::fmax(least_slack, x - distribution.quantile(below));
    }
    below += chance;
    if (look) {
      EXPECT_GE(distribution.below(x + distribution.slack() + rounding), below - 1e-7)
          << what << ", at " << x;
      least_slack = std::fmax(least_slack, distribution.quantile(below) - x);
      looked_at = below;
    }
  }
  EXPECT_NEAR(distribution.variance(), variance, 1e-5 * variance) << what;
  EXPECT_GT(least_slack, 0.2 * distribution.slack()) << what << ": the bound is an idle one";
}

TEST(ErrorDistribution, SlackBoundsWhatTicksDo) {
  for (const Rational& scale : {Rational(8), Rational(2), Rational(1), Rational(1, 3)}) {
    const NoiseDistribution geometric{Distribution::geometric, scale, 1};
    const NoiseDistribution laplace{Distribution::laplace, scale, 1};
    const NoiseDistribution other{Distribution::geometric, scale * Rational(3, 2), 1};
    expect_slack_suffices({{1, geometric}}, "one-sided " + scale.str());
    expect_slack_suffices({{-1, geometric}}, "minus one-sided " + scale.str());
    expect_slack_suffices({{1, laplace}}, "two-sided " + scale.str());
    expect_slack_suffices({{1, geometric}, {-1, other}}, "difference " + scale.str());
    expect_slack_suffices({{0.5, laplace}, {0.5, geometric}}, "mixed " + scale.str());
  }
}

}  // namespace
}  // namespace freegap::testing

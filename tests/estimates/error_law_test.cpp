// The law of an estimate's error: CDF and quantiles against closed forms and samples, and how far
// ticks move it.
#include "estimates/error_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/law_check.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

using detail::ErrorLaw;

/// Noise on a tick too fine to matter.
NoiseLaw fine(Law law, const Rational& scale) { return {law, scale, scale / Rational(1 << 30)}; }

/// A coefficient and the noise it belongs to.
struct Part {
  double coefficient;
  NoiseLaw noise;
  int copies = 1;
};

ErrorLaw law_of(const std::vector<Part>& parts) {
  ErrorLaw law;
  for (const Part& part : parts) {
    law.add(part.coefficient, part.noise, part.copies);
  }
  return law;
}

/// P(sum of c_j (N_j - E N_j) <= x) for continuous noise by partial fractions. All scales must
/// differ (two-sided noise is the difference of two one-sided ones).
long double by_partial_fractions(const std::vector<Part>& parts, long double x) {
  std::vector<long double> scales;
  long double mean = 0;
  for (const Part& part : parts) {
    const long double s = static_cast<long double>(part.coefficient) * part.noise.scale.shown();
    scales.push_back(s);
    if (two_sided(part.noise.law)) {
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
  const auto exponential = [](int scale) { return fine(Law::exponential, scale); };
  const auto laplace = [](int scale) { return fine(Law::laplace, scale); };
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

TEST(ErrorLaw, AgreesWithClosedForms) {
  for (const auto& parts : combinations()) {
    const ErrorLaw law = law_of(parts);
    const double sd = std::sqrt(law.variance());
    for (const double x : {-9.0, -3.0, -1.2, -0.6, -0.1, 0.0, 0.05, 0.5, 1.1, 2.5, 7.0}) {
      EXPECT_NEAR(law.below(x * sd), static_cast<double>(by_partial_fractions(parts, x * sd)), 1e-8)
          << parts.size() << " parts, at " << x << " deviations";
    }
    for (const double p : {0.0005, 0.025, 0.3, 0.5, 0.9, 0.975, 0.9995}) {
      const double x = law.quantile(p);
      EXPECT_NEAR(static_cast<double>(by_partial_fractions(parts, x)), p, 2e-8);
    }
  }
}

TEST(ErrorLaw, AddsUpCopies) {
  for (const int n : {1, 2, 3, 10, 100}) {
    const ErrorLaw erlang = law_of({{2, fine(Law::exponential, 1), n}});
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
  const ErrorLaw twice = law_of({{1, fine(Law::laplace, 3), 2}});
  for (const double t : {0.0, 1.0, 5.0, 20.0}) {
    EXPECT_NEAR(1 - twice.below(t), (2 + t / 3) / 4 * std::exp(-t / 3), 1e-8);
  }
}

TEST(ErrorLaw, OfNothingIsZero) {
  ErrorLaw law;
  law.add(0, fine(Law::laplace, 1));
  law.add(1, fine(Law::laplace, 1), 0);
  EXPECT_EQ(law.variance(), 0);
  EXPECT_EQ(law.quantile(0.9), 0);
  EXPECT_EQ(law.below(-1e-9), 0);
  EXPECT_EQ(law.below(0), 1);
}

TEST(ErrorLaw, LeavesOutOnlyWhatItsSlackAllowsFor) {
  const std::vector<Part> parts = {{1, fine(Law::laplace, 3)},
                                   {-1e-6, fine(Law::exponential, 2)},
                                   {0.5, fine(Law::exponential, 1)},
                                   {2e-6, fine(Law::laplace, 1)}};
  const ErrorLaw whole = law_of(parts);
  const ErrorLaw simple = whole.simplified();
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
  const ErrorLaw same = law_of({{1, fine(Law::laplace, 3)}, {1, fine(Law::exponential, 1)}});
  EXPECT_EQ(same.simplified().signature(), same.signature());
}

TEST(ErrorLaw, TellsLawsApart) {
  const NoiseLaw noise = fine(Law::exponential, 1);
  EXPECT_EQ(law_of({{1, noise}}).signature(), law_of({{1, noise}}).signature());
  EXPECT_NE(law_of({{1, noise}}).signature(), law_of({{-1, noise}}).signature());
  EXPECT_NE(law_of({{1, noise}}).signature(), law_of({{1, noise, 2}}).signature());
  EXPECT_NE(law_of({{1, noise}}).signature(), law_of({{1, fine(Law::laplace, 1)}}).signature());
  const NoiseLaw coarse{Law::exponential, 1, 1};
  EXPECT_NE(law_of({{1, noise}}).signature(), law_of({{1, coarse}}).signature());
}

/// The error of one of k winners of a top-k whose noise has scale `scale`, with measurements of
/// scale 1.
std::vector<Part> top_k_parts(int k, Law law, double lambda, double stretch) {
  const double keep = lambda / (1 + lambda);
  const double share = (1 - keep) / k;
  const NoiseLaw direct = fine(Law::laplace, 1);
  // lambda is the ratio of variances: scale^2 or 2 scale^2, over 2.
  const double scale = std::sqrt(lambda * (two_sided(law) ? 1 : 2)) * stretch;
  const NoiseLaw own = fine(law, Rational::exactly(scale));
  return {{keep + share, direct},
          {share, direct, k - 1},
          {1 - keep - share, own},
          {-share, own, k - 1}};
}

TEST(ErrorLaw, HasTheVarianceOfTheBestTopKEstimate) {
  for (const int k : {1, 2, 10, 100}) {
    for (const double lambda : {0.5, 1.0, 4.0}) {
      const double wanted = 2 * (1 + lambda * k) / (k * (1 + lambda));
      for (const Law law : {Law::exponential, Law::laplace}) {
        EXPECT_NEAR(law_of(top_k_parts(k, law, lambda, 1)).variance(), wanted, 1e-9 * wanted);
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
        sum += s * (e - (two_sided(part.noise.law) ? exponential(bits) : 1));
      }
    }
  }
  std::sort(sums.begin(), sums.end());
  return sums;
}

/// Largest distance between the law and a sorted sample, looked for at quantiles of the sample.
double distance(const ErrorLaw& law, const std::vector<double>& sorted) {
  double most = 0;
  for (int i = 1; i < 100; ++i) {
    const auto at = static_cast<std::size_t>(static_cast<double>(sorted.size()) * i / 100.0);
    const double share = static_cast<double>(at + 1) / static_cast<double>(sorted.size());
    most = std::fmax(most, std::fabs(law.below(sorted[at]) - share));
  }
  return most;
}

// By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart, a right law is further away than
// sqrt(ln(2 / alpha) / 2n) with chance alpha at most: 1e-10 for each of 8 samples.
TEST(ErrorLaw, AgreesWithSamples) {
  for (const int k : {1, 2, 10, 100}) {
    for (const Law law : {Law::exponential, Law::laplace}) {
      const std::size_t draws = scaled(k == 100 ? 50'000 : 200'000, 10'000);
      const double limit = std::sqrt(std::log(2e10) / (2.0 * static_cast<double>(draws)));
      const double lambda = two_sided(law) ? 1 : 0.5;
      const auto sums = sample(top_k_parts(k, law, lambda, 1), draws, 77);
      EXPECT_LE(distance(law_of(top_k_parts(k, law, lambda, 1)), sums), limit) << k;
      if (full_workload() && k > 1) {  // with k = 1 the gap does not enter
        EXPECT_GT(distance(law_of(top_k_parts(k, law, lambda, 1.2)), sums), limit) << k;
      }
    }
  }
}

/// Exact law of a sum of c_j (N_j - E N_j) with integer noise, by enumeration: values, rounded to
/// millionths, and chances.
std::map<std::int64_t, double> on_ticks(const std::vector<Part>& parts) {
  std::map<std::int64_t, double> law{{0, 1}};
  for (const Part& part : parts) {
    const double a = (part.noise.tick / part.noise.scale).shown();
    const double tick = part.noise.tick.shown();
    const bool both = two_sided(part.noise.law);
    const double mean = both ? 0 : tick / std::expm1(a);
    const int last = static_cast<int>(25 / a) + 1;
    std::map<std::int64_t, double> next;
    for (const auto& [value, chance] : law) {
      for (int m = both ? -last : 0; m <= last; ++m) {
        const double p = std::exp(-a * std::abs(m)) * (both ? std::tanh(a / 2) : -std::expm1(-a));
        next[value + std::llround(1e6 * part.coefficient * (tick * m - mean))] += chance * p;
      }
    }
    law = std::move(next);
  }
  return law;
}

/// At every step of the law on ticks that is a share `width` from the last one looked at, the
/// continuous law, moved by the slack, is on the right side.
void expect_slack_suffices(const std::vector<Part>& parts, const std::string& what) {
  constexpr double rounding = 1e-5;
  constexpr double width = 0.03;
  const ErrorLaw law = law_of(parts);
  double below = 0;
  double looked_at = 0;
  double variance = 0;
  double least_slack = 0;  // what would just do
  for (const auto& [millionths, chance] : on_ticks(parts)) {
    const double x = static_cast<double>(millionths) / 1e6;
    variance += x * x * chance;
    const bool look = below + chance - looked_at > width && below + chance < 1 - 1e-6;
    if (look && below > 1e-6) {
      EXPECT_LE(law.below(x - law.slack() - rounding), below + 1e-7) << what << ", below " << x;
      least_slack = std::fmax(least_slack, x - law.quantile(below));
    }
    below += chance;
    if (look) {
      EXPECT_GE(law.below(x + law.slack() + rounding), below - 1e-7) << what << ", at " << x;
      least_slack = std::fmax(least_slack, law.quantile(below) - x);
      looked_at = below;
    }
  }
  EXPECT_NEAR(law.variance(), variance, 1e-5 * variance) << what;
  EXPECT_GT(least_slack, 0.2 * law.slack()) << what << ": the bound is an idle one";
}

TEST(ErrorLaw, SlackBoundsWhatTicksDo) {
  for (const Rational& scale : {Rational(8), Rational(2), Rational(1), Rational(1, 3)}) {
    const NoiseLaw geometric{Law::geometric, scale, 1};
    const NoiseLaw laplace{Law::laplace, scale, 1};
    const NoiseLaw other{Law::geometric, scale * Rational(3, 2), 1};
    expect_slack_suffices({{1, geometric}}, "one-sided " + scale.str());
    expect_slack_suffices({{-1, geometric}}, "minus one-sided " + scale.str());
    expect_slack_suffices({{1, laplace}}, "two-sided " + scale.str());
    expect_slack_suffices({{1, geometric}, {-1, other}}, "difference " + scale.str());
    expect_slack_suffices({{0.5, laplace}, {0.5, geometric}}, "mixed " + scale.str());
  }
}

}  // namespace
}  // namespace freegap::testing

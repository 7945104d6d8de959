// Pearson's chi-square test of counts against probabilities, with its false-alarm rate.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>

namespace freegap::testing {

/// The rate at which a test of a right distribution raises an alarm, over all seeds.
inline constexpr double false_alarm_rate = 1e-9;

/// P(chi-square with k degrees of freedom >= x) by the continued fraction of the incomplete gamma
/// function where x is large, and by its series elsewhere.
inline double chi_square_tail(double x, double k) {
  const double a = k / 2;
  const double z = x / 2;
  if (z <= 0) {
    return 1;
  }
  const double front = std::exp(a * std::log(z) - z - std::lgamma(a));
  if (z < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (int i = 1; i < 10'000; ++i) {
      term *= z / (a + i);
      sum += term;
    }
    return 1 - front * sum;
  }
  double fraction = 0;  // from the inside out
  for (int i = 500; i > 0; --i) {
    fraction = i * (a - i) / (z + 2 * i + 1 - a + fraction);
  }
  return front / (z + 1 - a + fraction);
}

/// The p-value of `counts` under `probabilities`. Every cell must expect at least 100 draws, so
/// that the chi-square distribution holds far into its tail.
inline double chi_square_p(std::span<const std::uint64_t> counts,
                           std::span<const double> probabilities) {
  const auto draws =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  double statistic = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = draws * probabilities[i];
    if (expected < 100) {
      throw std::logic_error("chi-square: a cell expects fewer than 100 draws");
    }
    const double off = static_cast<double>(counts[i]) - expected;
    statistic += off * off / expected;
  }
  return chi_square_tail(statistic, static_cast<double>(counts.size() - 1));
}

}  // namespace freegap::testing

#include "freegap/release.hpp"

#include <algorithm>
#include <cmath>

#include "freegap/errors.hpp"

namespace freegap {

double NoiseLaw::shown(std::int64_t ticks) const {
  return static_cast<double>(ticks) * tick.shown();
}

double NoiseLaw::variance() const {
  // V(a) = 1 / (4 sinh²(a/2)) is the variance of the one-sided law with exponent a per tick.
  const double exponent = (tick / scale).shown();
  const double sinh_half = std::sinh(exponent / 2);
  const double one_sided = 1 / (4 * sinh_half * sinh_half);
  const double size = tick.shown();
  return (two_sided(law) ? 2 : 1) * one_sided * size * size;
}

std::optional<std::int64_t> TopKRelease::gap_ticks(std::size_t i) const {
  if (lead_ticks.empty()) {
    return std::nullopt;
  }
  if (i + 1 < winners.size()) {
    return lead_ticks[i] - lead_ticks[i + 1];
  }
  return has_runner_up ? std::optional(lead_ticks.at(i)) : std::nullopt;
}

std::int64_t TopKRelease::pairwise_gap_ticks(std::size_t i, std::size_t j) const {
  if (lead_ticks.empty()) {
    throw InvalidParameter("release", "it has no gaps: it is from the classic mechanism");
  }
  return lead_ticks.at(i) - lead_ticks.at(j);
}

std::uint64_t SparseVectorRelease::above() const {
  return static_cast<std::uint64_t>(std::count_if(
      answers.begin(), answers.end(), [](const SparseVectorAnswer& a) { return a.above; }));
}

std::optional<double> ExponentialRelease::gap() const {
  if (!gap_ticks) {
    return std::nullopt;
  }
  return static_cast<double>(*gap_ticks) * gap_tick.shown();
}

std::optional<double> ExponentialRelease::gap_in_utility() const {
  if (!gap_ticks) {
    return std::nullopt;
  }
  return *gap() / rate.shown();
}

}  // namespace freegap

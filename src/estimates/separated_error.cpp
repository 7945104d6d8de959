#include "estimates/separated_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "estimates/level_posterior.hpp"

namespace freegap::detail {
namespace {

constexpr double infinity = HUGE_VAL;

// Sizes chosen for an error of about 1 % at a cost of some milliseconds.
constexpr int level_known_points = 2048;
constexpr std::uint64_t simulated_winners = 1500;  // in all runs together
constexpr std::uint64_t fewest_runs = 12;
constexpr std::uint64_t most_winners = 100;  // of a run; the error of more is extrapolated
constexpr double least_tail = 1e-4;          // of the level, that matters to the variance

/// Points in a cube of many dimensions: additive recurrences by square roots of primes
/// (Richtmyer's), which fill each dimension evenly.
class FixedNumbers {
 public:
  explicit FixedNumbers(std::uint64_t dimensions) {
    for (int number = 2; roots_.size() < dimensions; ++number) {
      bool prime = true;
      for (int factor = 2; prime && factor * factor <= number; ++factor) {
        prime = number % factor != 0;
      }
      if (prime) {
        roots_.push_back(std::sqrt(number));
      }
    }
  }

  void next_point() {
    ++point_;
    dimension_ = 0;
  }
  /// The next coordinate of the point, in (0, 1).
  double next() {
    const double multiple = (static_cast<double>(point_) + 0.5) * roots_[dimension_++];
    return std::clamp(multiple - std::floor(multiple), 1e-15, 1 - 1e-15);
  }

 private:
  std::vector<double> roots_;
  std::uint64_t point_ = 0;
  std::size_t dimension_ = 0;
};

/// The point with share u of a noise distribution below it.
double quantile(bool two_sided, double scale, double tick, double u) {
  const double tail = two_sided && u >= 0.5 ? 2 * (1 - u) : two_sided ? 2 * u : 1 - u;
  const double size = -scale * std::log(tail);
  return two_sided && u < 0.5 ? -size : tick > 0 ? std::floor(size / tick) * tick : size;
}

/// What is known of a winner whose answer is 0, from its lead over the level and its measurement.
WinnerProduct winner_of(const SeparatedCase& separated, double lead, double measured) {
  const double rate = 1 / separated.selecting;
  WinnerTerms winner{{}, {measured, 1 / separated.measuring}, rate};
  const double end = separated.two_sided ? lead : lead + separated.tick;
  winner.terms.push_back({-infinity, end, rate, lead, 0, 1});
  if (separated.two_sided) {
    winner.terms.push_back({end, infinity, -rate, lead, 0, 1});
  }
  return {winner, separated.tick};
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

/// Moments of a winner's answer given the level.
Moments given_level(const WinnerProduct& winner, double level) {
  std::vector<ProductPart> parts;
  winner.posterior(level, parts);
  double first = 0;
  double second = 0;
  for (const ProductPart& part : parts) {
    first += part.weight * part.moments.mean;
    second += part.weight * (std::pow(part.moments.mean, 2) + part.moments.variance);
  }
  return {first, std::fmax(0, second - first * first)};
}

/// Mean squared error if the level were known: the mean of the variance given the level, over an
/// additive recurrence in two dimensions.
double variance_given_level(const SeparatedCase& separated) {
  constexpr double plastic = 1.3247179572447460;  // the recurrence with the least discrepancy known
  double sum = 0;
  for (int i = 0; i < level_known_points; ++i) {
    double whole = 0;
    const double u = std::modf(0.5 + i / plastic, &whole);
    const double v = std::modf(0.5 + i / (plastic * plastic), &whole);
    const double noise = quantile(separated.two_sided, separated.selecting, separated.tick, u);
    const double error = quantile(true, separated.measuring, 0, v);
    sum += given_level(winner_of(separated, noise, error), 0).variance;
  }
  return sum / level_known_points;
}

/// One run: the mean over its winners of what the level adds to the variance.
double variance_from_level(const SeparatedCase& separated, FixedNumbers& numbers) {
  LevelPrior prior;
  double level = 0;
  if (separated.threshold > 0) {
    prior.rate_above = 1 / separated.threshold;
    prior.rate_below = infinity;
    if (separated.two_sided) {
      prior.rate_below = prior.rate_above;
    }
    level = quantile(separated.two_sided, separated.threshold, separated.tick, numbers.next());
  }
  std::vector<WinnerProduct> winners;
  for (std::uint64_t i = 0; i < separated.winners; ++i) {
    const double noise =
        quantile(separated.two_sided, separated.selecting, separated.tick, numbers.next());
    const double error = quantile(true, separated.measuring, 0, numbers.next());
    winners.push_back(winner_of(separated, noise - level, error));
  }
  const std::vector<LevelNode> nodes = level_posterior(winners, prior, separated.tick, least_tail);
  double sum = 0;
  for (const WinnerProduct& winner : winners) {
    double first = 0;
    double second = 0;
    for (const LevelNode& node : nodes) {
      const double at = given_level(winner, node.level).mean;
      first += node.weight * at;
      second += node.weight * at * at;
    }
    sum += std::fmax(0, second - first * first);
  }
  return sum / static_cast<double>(separated.winners);
}

/// What the level adds to the variance of the best linear estimate, up to a factor that does not
/// depend on the number of winners.
double linear_from_level(const SeparatedCase& separated, std::uint64_t winners) {
  const double times = separated.two_sided ? 2 : 1;
  const double each =
      times * std::pow(separated.selecting, 2) + 2 * std::pow(separated.measuring, 2);
  const double known = separated.threshold > 0 ? 1 / (times * std::pow(separated.threshold, 2)) : 0;
  return 1 / (static_cast<double>(winners) / each + known);
}

}  // namespace

// The variance of an answer is the mean of its variance given the level, plus the variance of its
// mean given the level. On average over runs the first does not depend on the number of winners, as
// if the level were known. The second is a small part if there are many winners, so few runs are
// enough.
double separated_variance(const SeparatedCase& separated) {
  SeparatedCase run = separated;
  run.winners = std::min(separated.winners, most_winners);
  const std::uint64_t runs = std::max(fewest_runs, simulated_winners / run.winners);
  FixedNumbers numbers(2 * run.winners + 1);
  double sum = 0;
  for (std::uint64_t i = 0; i < runs; ++i) {
    sum += variance_from_level(run, numbers);
    numbers.next_point();
  }
  const double from_level = sum / static_cast<double>(runs) *
                            linear_from_level(separated, separated.winners) /
                            linear_from_level(separated, run.winners);
  return variance_given_level(separated) + from_level;
}

}  // namespace freegap::detail

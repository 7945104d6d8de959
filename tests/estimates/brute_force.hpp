// The posterior of docs/proofs/likelihood.md by sums over a grid of levels and answers, written
// from the formulas and not from the library's closed forms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace freegap::testing {

/// Noise of scale `scale`, continuous or on the whole numbers.
struct BruteNoise {
  bool two_sided = false;
  double scale = 1;
};

/// One winner. Positions are in steps of the grid; its noisy value is `cut + lead` above the level.
struct BruteWinner {
  BruteNoise noise;
  std::int64_t cut = 0;
  std::int64_t lead = 0;
  double measured = 0;  ///< in units
  struct Failed {
    BruteNoise noise;
    std::int64_t cut = 0;
  };
  std::vector<Failed> failed;
};

/// A release with its measurements.
struct BruteProblem {
  std::vector<BruteWinner> winners;
  std::optional<BruteNoise> threshold;  ///< noise of a threshold at 0
  double measuring = 1;                 ///< scale of the measurements; 0: there are none
  bool selected = true;
  double log_candidates = 0;
  double step = 1;       ///< of the grid
  bool lattice = false;  ///< the grid is that of the ticks
  std::int64_t first_level = 0;
  std::int64_t last_level = 0;
  std::int64_t first_answer = 0;
  std::int64_t last_answer = 0;

  // Deliberate mistakes.
  double luck_weight = -1;  ///< instead of Jeffreys' factor, unless negative
  bool luck_ends = true;    ///< beyond the reach
  bool forget_failed = false;
};

/// A posterior on the grid.
struct BrutePosterior {
  std::vector<double> mass;
  double first = 0;  ///< position of the first cell
  double step = 0;
  double luck = 0;
  double mean = 0;
  double deviation = 0;

  /// Mass below t; a cell's mass is spread over the cell, on a lattice over the tick above.
  [[nodiscard]] double below(double t) const {
    double sum = 0;
    for (std::size_t j = 0; j < mass.size(); ++j) {
      const double low = first + static_cast<double>(j) * step;
      sum += mass[j] * std::clamp((t - low) / step, 0.0, 1.0);
    }
    return sum;
  }
  /// Mass of whole cells below t.
  [[nodiscard]] double cells_below(double t) const {
    double sum = 0;
    for (std::size_t j = 0; j < mass.size(); ++j) {
      sum += first + static_cast<double>(j) * step < t - 1e-9 * step ? mass[j] : 0;
    }
    return sum;
  }
};

/// The end of luck below a level (docs/proofs/likelihood.md).
inline double brute_reach(const BruteProblem& problem, const BruteNoise& noise, bool wide) {
  const auto k = static_cast<double>(problem.winners.size());
  const double deeper = problem.threshold ? 2 * noise.scale : 0;
  if (!wide) {
    return noise.scale * (problem.log_candidates + 1) + deeper;
  }
  const double m = std::fmax(noise.scale, problem.measuring);
  return noise.scale * std::fmax(0, problem.log_candidates - std::log(k)) +
         m * (1 + std::log(k * m / noise.scale)) + deeper;
}

/// Density, or probability, of noise at x.
inline double brute_density(const BruteNoise& noise, double x, double step, bool lattice) {
  if (!noise.two_sided && x < (lattice ? -step / 2 : 0)) {
    return 0;
  }
  return std::exp(-std::fabs(x) / noise.scale);
}

/// P(noise >= x).
inline double brute_survival(const BruteNoise& noise, double x, double step, bool lattice) {
  if (!noise.two_sided) {
    return x > 0 ? std::exp(-x / noise.scale) : 1;
  }
  const double ratio = lattice ? std::exp(-step / noise.scale) : 1;
  return x >= 0 ? std::exp(-x / noise.scale) / (1 + ratio)
                : 1 - ratio * std::exp(x / noise.scale) / (1 + ratio);
}

inline std::vector<BrutePosterior> brute_force(const BruteProblem& problem, bool wide_reach) {
  const auto levels = static_cast<std::size_t>(problem.last_level - problem.first_level + 1);
  const auto answers = static_cast<std::size_t>(problem.last_answer - problem.first_answer + 1);
  const double half = problem.lattice ? 0 : 0.5;  // answers in the middle of cells
  const auto place = [&](std::size_t j) {
    return (static_cast<double>(problem.first_answer) + static_cast<double>(j) + half) *
           problem.step;
  };
  const std::size_t k = problem.winners.size();
  // Likelihoods by the difference of answer and level, and kernels by answer.
  std::vector<std::vector<double>> likelihood(k);
  std::vector<std::vector<double>> kernel(k);
  for (std::size_t i = 0; i < k; ++i) {
    const BruteWinner& winner = problem.winners[i];
    const double scale = winner.noise.scale;
    double reach = brute_reach(problem, winner.noise, wide_reach);
    if (problem.lattice) {
      reach = std::ceil(reach / problem.step) * problem.step;
    }
    const double jeffreys = problem.luck_weight >= 0
                                ? problem.luck_weight
                                : 1 / std::sqrt(1 + std::pow(problem.measuring / scale, 2));
    for (std::size_t n = 0; n < levels + answers - 1; ++n) {
      const double difference = (static_cast<double>(problem.first_answer - problem.last_level) +
                                 static_cast<double>(n) + half) *
                                problem.step;
      const double u = difference - static_cast<double>(winner.cut) * problem.step;
      const double lead = static_cast<double>(winner.lead) * problem.step;
      double value = brute_density(winner.noise, lead - u, problem.step, problem.lattice);
      if (problem.selected) {
        value /= brute_survival(winner.noise, -u, problem.step, problem.lattice);
        value *= u < 0 ? jeffreys : 1;
        value *= problem.luck_ends && u < -reach ? std::exp((u + reach) / scale) : 1;
      }
      for (const BruteWinner::Failed& failed : winner.failed) {
        const double short_of = static_cast<double>(failed.cut) * problem.step - difference;
        value *= problem.forget_failed
                     ? 1
                     : 1 - brute_survival(failed.noise, short_of, problem.step, problem.lattice);
      }
      likelihood[i].push_back(value);
    }
    for (std::size_t j = 0; j < answers; ++j) {
      const double off = place(j) - winner.measured;
      kernel[i].push_back(problem.measuring > 0 ? std::exp(-std::fabs(off) / problem.measuring)
                                                : 1);
    }
  }
  const auto offset = [&](std::size_t level) { return levels - 1 - level; };

  std::vector<std::vector<double>> integral(k, std::vector<double>(levels, 0));
  std::vector<double> log_density(levels, 0);
  double largest = -HUGE_VAL;
  for (std::size_t t = 0; t < levels; ++t) {
    const double level =
        (static_cast<double>(problem.first_level) + static_cast<double>(t)) * problem.step;
    if (problem.threshold) {
      const bool never = !problem.threshold->two_sided && level < -problem.step / 2;
      log_density[t] = never ? -HUGE_VAL : -std::fabs(level) / problem.threshold->scale;
      // The first point of a one-sided density stands for half a cell.
      if (!problem.lattice && !problem.threshold->two_sided && level < problem.step / 2) {
        log_density[t] += std::log(0.5);
      }
    }
    for (std::size_t i = 0; i < k && log_density[t] > -HUGE_VAL; ++i) {
      const double* from = likelihood[i].data() + offset(t);
      double sum = 0;
      for (std::size_t j = 0; j < answers; ++j) {
        sum += from[j] * kernel[i][j];
      }
      integral[i][t] = sum;
      log_density[t] += std::log(sum);
    }
    largest = std::fmax(largest, log_density[t]);
  }
  double all = 0;
  for (double& value : log_density) {
    value = std::exp(value - largest);
    all += value;
  }

  std::vector<BrutePosterior> result(k);
  for (std::size_t i = 0; i < k; ++i) {
    BrutePosterior& posterior = result[i];
    posterior.mass.assign(answers, 0);
    posterior.step = problem.step;
    posterior.first = static_cast<double>(problem.first_answer) * problem.step;
    for (std::size_t t = 0; t < levels; ++t) {
      if (!(log_density[t] > 1e-14)) {
        continue;
      }
      const double weight = log_density[t] / all / integral[i][t];
      const double* from = likelihood[i].data() + offset(t);
      const std::int64_t cut = problem.first_level + static_cast<std::int64_t>(t) +
                               problem.winners[i].cut - problem.first_answer;
      for (std::size_t j = 0; j < answers; ++j) {
        const double mass = weight * from[j] * kernel[i][j];
        posterior.mass[j] += mass;
        posterior.luck += problem.selected && static_cast<std::int64_t>(j) < cut ? mass : 0;
      }
    }
    double second = 0;
    for (std::size_t j = 0; j < answers; ++j) {
      posterior.mean += posterior.mass[j] * place(j);
      second += posterior.mass[j] * place(j) * place(j);
    }
    posterior.deviation = std::sqrt(second - posterior.mean * posterior.mean);
  }
  return result;
}

}  // namespace freegap::testing

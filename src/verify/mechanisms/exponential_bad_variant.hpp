#pragma once

/// @file
/// The paper's "black-box" exponential mechanism with gap as printed: the location of the gap's
/// logistic distribution lacks ε (docs/errata.md, 2).

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace freegap::verify::bad {

/// Choice by weights exp(ε u / (2Δ)), gap from a logistic distribution at u_s/(2Δ) - ln Σ
/// exp(u_i/(2Δ)), given that it is positive; Δ = 1. Whatever ε is, the gap's distribution moves by
/// up to 1 between neighbours. There is no noise to align; caught by its joint density in closed
/// form.
struct BlackBoxExponential {
  std::string name = "exponential mechanism: black box without ε";  ///< what is wrong
  double epsilon = 0.1;                                             ///< claimed

  /// ln of the joint density of choice s and gap g.
  [[nodiscard]] double log_density(const std::vector<double>& u, std::size_t s, double g) const {
    double weights = 0;
    double others = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      weights += std::exp(epsilon * u[i] / 2);
      others += i == s ? 0 : std::exp(u[i] / 2);
    }
    const double choice = epsilon * u[s] / 2 - std::log(weights);
    const double location = u[s] / 2 - std::log(others);
    const double t = g - location;
    const double positive = -std::log1p(std::exp(-location));
    return choice + t - 2 * std::log1p(std::exp(t)) - positive;
  }
  /// The largest loss that a small search finds: the chosen candidate falls by Δ, the others rise.
  [[nodiscard]] double worst_loss() const {
    double worst = 0;
    for (int lead = -20; lead <= 20; ++lead) {
      for (int g = 0; g <= 40; ++g) {
        const std::vector<double> d{static_cast<double>(lead), 0, 0};
        const std::vector<double> d2{static_cast<double>(lead) - 1, 1, 1};
        worst = std::max(worst, std::fabs(log_density(d, 0, g) - log_density(d2, 0, g)));
      }
    }
    return worst;
  }
};

}  // namespace freegap::verify::bad

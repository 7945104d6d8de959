#pragma once

/// @file
/// The posterior of the level that all winners of a release had to beat: the noisy value of the
/// runner-up, or the noisy threshold. Given the level the winners are independent, so that one
/// integral over the level gives the posterior of every winner (docs/proofs/likelihood.md).

#include <span>
#include <vector>

#include "estimates/winner_product.hpp"

namespace freegap::detail {

/// What is known of the level beforehand: its density falls by these rates on both sides of a
/// location. Rates of 0: nothing is known. An infinite rate below: the level is never below it.
struct LevelPrior {
  double location = 0;
  double rate_below = 0;
  double rate_above = 0;

  [[nodiscard]] double log_density(double level) const;
};

/// A node of the integral over the level.
struct LevelNode {
  double level = 0;
  double weight = 0;  ///< all weights add up to 1
};

/// Nodes and weights for integrals over the posterior of the level. If `tick` is not 0, answers and
/// levels are whole multiples of it, and integrals are sums.
///
/// The integral is cut into panels on which the log density changes by at most 7 and departs from a
/// line by at most 0.8, and each gets a Gauss rule. Probabilities computed from the nodes are
/// within 0.01 of the exact ones, and mostly within 0.001. What is left out as negligible weighs
/// little beside `tail`, the smallest probability that will be asked for: probabilities between
/// `tail` and a half are mostly within 2 % of themselves
/// (tests/estimates/level_posterior_test.cpp).
std::vector<LevelNode> level_posterior(std::span<const WinnerProduct> winners,
                                       const LevelPrior& prior, double tick, double tail);

}  // namespace freegap::detail

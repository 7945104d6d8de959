// The integral over the level, compared with one in tiny steps that leaves out nothing that could
// matter.
#include "estimates/level_posterior.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "estimates/share_below.hpp"

namespace freegap::testing {
namespace {

using detail::Kernel;
using detail::LevelNode;
using detail::LevelPrior;
using detail::Segment;
using detail::WinnerProduct;
using detail::WinnerTerms;

constexpr double infinity = HUGE_VAL;
constexpr double tail = 0.001;  // the smallest probability that is asked for

/// A problem: winners, a prior and a lattice.
struct Problem {
  std::string name;
  std::vector<WinnerTerms> winners;
  LevelPrior prior;
  double tick = 0;
};

/// A winner whose lead has this rate: by luck from at most `reach` below the level, or by merit.
WinnerTerms winner(double rate, double lead, double reach, double tick, const Kernel& measured) {
  WinnerTerms made{{}, measured, rate};
  made.terms.push_back({-infinity, -reach, rate, -reach, -lead * rate, 1});
  made.terms.push_back({-reach, 0, 0, 0, -lead * rate, 1});
  made.terms.push_back({0, lead + tick, rate, lead, 0, 1});
  return made;
}

/// log of the integral of a winner's likelihood times its kernel, given the level, segment by
/// segment.
double log_integral(const WinnerTerms& winner, double level, double tick) {
  double largest = -infinity;
  detail::for_each_segment(winner.terms, level, winner.measured, tick, [&](const Segment& part) {
    largest = std::fmax(largest, part.log_peak);
  });
  double sum = 0;
  detail::for_each_segment(winner.terms, level, winner.measured, tick, [&](const Segment& part) {
    sum += part.sign * std::exp(part.log_peak - largest) * extent(part);
  });
  return largest + std::log(sum);
}

/// The problem's winners, prepared.
std::vector<WinnerProduct> products(const std::vector<WinnerTerms>& winners, double tick) {
  std::vector<WinnerProduct> result;
  for (const WinnerTerms& winner : winners) {
    result.emplace_back(winner, tick);
  }
  return result;
}

/// P(answer < t), given the level.
double below(const WinnerTerms& winner, double level, double tick, double t) {
  const double whole = log_integral(winner, level, tick);
  double sum = 0;
  detail::for_each_segment(winner.terms, level, winner.measured, tick, [&](const Segment& part) {
    sum += part.sign * std::exp(part.log_peak - whole) * extent(part) * share_below(part, t);
  });
  return sum;
}

/// The same integral in tiny steps. The log density changes by at most `steepest` per unit, because
/// moving the level is the same as moving all measurements and the prior. So an interval can be
/// left out if what its ends have, plus what it can gain, is negligible.
class Exhaustive {
 public:
  explicit Exhaustive(const Problem& problem) : problem_(&problem) {
    steepest_ = problem.prior.rate_above;
    double least = problem.prior.location;
    double most = problem.prior.location;
    for (const WinnerTerms& winner : problem.winners) {
      steepest_ += winner.measured.rate;
      for (const auto& term : winner.terms) {
        for (const double end : {term.low, term.high}) {
          if (std::isfinite(end)) {
            least = std::min(least, winner.measured.centre - end);
            most = std::max(most, winner.measured.centre - end);
            density(winner.measured.centre - end);
          }
        }
      }
    }
    const double margin = 1000;
    least = std::isinf(problem.prior.rate_below) ? problem.prior.location : least - margin;
    if (problem.tick > 0) {
      for (double level = std::ceil(least / problem.tick) * problem.tick; level < most + margin;
           level += problem.tick) {
        nodes_.push_back({level, density(level)});
      }
    } else {
      split({least, density(least)}, {most + margin, density(most + margin)});
    }
    double sum = 0;
    for (LevelNode& node : nodes_) {
      node.weight = std::exp(node.weight - largest_) * (sizes_.empty() ? 1 : sizes_[sum_of_++]);
      sum += node.weight;
    }
    for (LevelNode& node : nodes_) {
      node.weight /= sum;
    }
    std::erase_if(nodes_, [](const LevelNode& node) { return node.weight < 1e-12; });
  }
  [[nodiscard]] const std::vector<LevelNode>& nodes() const { return nodes_; }

 private:
  double density(double level) {
    double sum = problem_->prior.log_density(level);
    for (const WinnerTerms& winner : problem_->winners) {
      sum += log_integral(winner, level, problem_->tick);
    }
    largest_ = std::max(largest_, sum);
    return sum;
  }
  void split(const LevelNode& from, const LevelNode& to) {  // the weights are log densities here
    const double length = to.level - from.level;
    if (std::max(from.weight, to.weight) + steepest_ * length / 2 < largest_ - 25) {
      return;
    }
    const double middle = from.level + length / 2;
    const LevelNode half{middle, density(middle)};
    if (length * steepest_ <= 0.2 || !(from.level < middle && middle < to.level)) {
      nodes_.push_back(half);
      sizes_.push_back(length);
      return;
    }
    split(from, half);
    split(half, to);
  }

  const Problem* problem_;
  double steepest_ = 0;
  double largest_ = -infinity;
  std::vector<LevelNode> nodes_;
  std::vector<double> sizes_;
  std::size_t sum_of_ = 0;
};

double mean_of(const std::vector<LevelNode>& nodes, const std::function<double(double)>& f) {
  double sum = 0;
  for (const LevelNode& node : nodes) {
    sum += node.weight * f(node.level);
  }
  return sum;
}

/// The largest errors of probabilities computed from the nodes.
struct Errors {
  double largest = 0;
  double relative = 0;  ///< over the probability or its complement, where neither is below `tail`
};
Errors errors_of(const Problem& problem) {
  const std::vector<LevelNode> nodes =
      level_posterior(products(problem.winners, problem.tick), problem.prior, problem.tick, tail);
  EXPECT_NEAR(mean_of(nodes, [](double) { return 1; }), 1, 1e-12) << problem.name;
  const Exhaustive exhaustive(problem);
  Errors most;
  const std::size_t step = std::max<std::size_t>(1, problem.winners.size() / 4);
  for (std::size_t i = 0; i < problem.winners.size(); i += step) {
    const WinnerTerms& winner = problem.winners[i];
    for (const double scales : {-4.0, -2.0, -1.0, -0.3, 0.0, 0.4, 1.0, 2.0, 4.0}) {
      const double at = winner.measured.centre + scales / winner.measured.rate;
      const auto f = [&](double level) { return below(winner, level, problem.tick, at); };
      const double exact = mean_of(exhaustive.nodes(), f);
      const double error = std::fabs(mean_of(nodes, f) - exact);
      const double smaller = std::fmin(exact, 1 - exact);
      most.largest = std::fmax(most.largest, error);
      most.relative = std::fmax(most.relative, smaller >= tail ? error / smaller : 0);
    }
  }
  return most;
}

/// Answers of k winners above a level at 0, all in scales of the selection noise.
std::vector<double> answers(const std::string& shape, std::size_t k) {
  std::vector<double> list;
  for (std::size_t i = 0; i < k; ++i) {
    const auto place = static_cast<double>(k - i);
    list.push_back(shape == "separated"   ? 40 * place
                   : shape == "steps"     ? place
                   : shape == "half"      ? (2 * i < k ? 30 * place : -2)
                   : shape == "one ahead" ? (i == 0 ? 30 : -4)
                   : shape == "far"       ? 1e6 * place
                                          : -3);
  }
  return list;
}

std::vector<Problem> problems() {
  std::vector<Problem> list;
  std::mt19937_64 bits(5);
  std::exponential_distribution<double> exponential(1);
  for (const std::size_t k : {1U, 2U, 10U, 60U}) {
    for (const char* shape : {"separated", "steps", "half", "one ahead", "far", "crowd"}) {
      for (const double rate : {0.2, 1.0, 5.0}) {  // of the selection noise; measurements have 1
        for (const double tick : {0.0, 1.0}) {
          if (tick > 0 && (std::string(shape) == "far" || std::string(shape) == "separated")) {
            continue;
          }
          for (const int known : {0, 1, 2}) {
            if (known == 0 ? k == 1 : k == 60) {
              continue;
            }
            Problem problem{std::to_string(k) + " " + shape + ", rate " + std::to_string(rate) +
                                ", tick " + std::to_string(tick) + ", prior " +
                                std::to_string(known),
                            {},
                            {},
                            tick};
            if (known > 0) {
              problem.prior = {0, known == 1 ? infinity : 0.7, 0.7};
            }
            const double reach = tick > 0 ? 8 : 7 / rate;
            for (const double scales : answers(shape, k)) {
              double answer = scales / rate;
              double lead = std::fmax(answer, 0) + exponential(bits) / rate;
              if (tick > 0) {
                lead = std::floor(lead);
              }
              const double measured = answer + exponential(bits) - exponential(bits);
              problem.winners.push_back(winner(rate, lead, reach, tick, {measured, 1}));
            }
            list.push_back(std::move(problem));
          }
        }
      }
    }
  }
  return list;
}

// The bound that level_posterior.hpp states.
TEST(LevelPosterior, ProbabilitiesAreWithinTheStatedBound) {
  std::size_t close = 0;
  std::size_t close_in_tails = 0;
  const std::vector<Problem> all = problems();
  for (const Problem& problem : all) {
    const Errors errors = errors_of(problem);
    EXPECT_LT(errors.largest, 0.01) << problem.name;
    close += errors.largest < 0.001 ? 1 : 0;
    close_in_tails += errors.relative < 0.02 ? 1 : 0;
  }
  EXPECT_GT(close, all.size() * 3 / 4);
  EXPECT_GT(close_in_tails, all.size() * 3 / 4);
}

// Measurements that contradict the leads leave a density with several peaks.
TEST(LevelPosterior, HoldsForReleasesThatContradictMeasurements) {
  std::mt19937_64 bits(6);
  std::uniform_real_distribution<double> anywhere(-60, 60);
  std::uniform_real_distribution<double> lead(0, 60);
  for (int round = 0; round < 30; ++round) {
    Problem problem{"contradiction " + std::to_string(round), {}, {}, 0};
    const std::size_t k = round % 3 == 0 ? 2 : round % 3 == 1 ? 5 : 30;
    for (std::size_t i = 0; i < k; ++i) {
      problem.winners.push_back(winner(1, lead(bits), 6, 0, {anywhere(bits), 1}));
    }
    EXPECT_LT(errors_of(problem).largest, 0.01) << problem.name;
  }
}

// Panels with more points of the lattice than are looked at, beside panels with fewer.
TEST(LevelPosterior, HoldsOnFineLattices) {
  for (const double rate : {0.004, 0.02}) {
    Problem problem{"fine lattice, rate " + std::to_string(rate), {}, {}, 1};
    for (const double scales : {6.0, 2.5, 0.5}) {
      problem.winners.push_back(winner(rate, std::floor(scales / rate), std::ceil(5 / rate), 1,
                                       {scales / rate + 20, rate}));
    }
    EXPECT_LT(errors_of(problem).largest, 0.01) << problem.name;
  }
}

// With the same lead for all and no luck the level's density is known: the product of k densities
// of a measurement's error plus noise.
TEST(LevelPosterior, NodesIntegrateKnownFunctions) {
  // One winner whose answer is exactly the level plus 5: the level is the measurement minus 5, with
  // the measurement's Laplace error.
  const auto winners = products({{{{5, 5 + 1e-9, 0, 5, 0, 1}}, {12, 0.5}, 1}}, 0);
  const auto nodes = level_posterior(winners, {}, 0, tail);
  EXPECT_NEAR(mean_of(nodes, [](double level) { return level; }), 7, 1e-3);
  EXPECT_NEAR(mean_of(nodes, [](double level) { return (level - 7) * (level - 7); }), 8, 0.01);
  EXPECT_NEAR(mean_of(nodes, [](double level) { return std::cos(level - 7); }), 0.2, 1e-4);
  EXPECT_NEAR(mean_of(nodes, [](double level) { return std::exp(-std::fabs(level - 7) / 2); }), 0.5,
              1e-4);
  // With a threshold's noise as a prior, and one-sided: the density from 8 on is e^-(0.5 + 0.25) x.
  const auto above = level_posterior(winners, {8, infinity, 0.25}, 0, tail);
  EXPECT_NEAR(mean_of(above, [](double level) { return level; }), 8 + 1 / 0.75, 1e-3);
  for (const LevelNode& node : above) {
    EXPECT_GE(node.level, 8);
  }
  // On a lattice, the same from 8, 9, 10, ...
  const auto on_lattice = products({{{{5, 6, 0, 5, 0, 1}}, {12, 0.5}, 1}}, 1);
  const auto points = level_posterior(on_lattice, {8, infinity, 0.25}, 1, 1e-4);
  EXPECT_NEAR(mean_of(points, [](double level) { return level; }), 8 + 1 / std::expm1(0.75), 1e-5);
}

TEST(LevelPosterior, PriorsAreWhatTheySay) {
  const LevelPrior flat;
  EXPECT_EQ(flat.log_density(-1e9), 0);
  EXPECT_EQ(flat.log_density(1e9), 0);
  const LevelPrior two{3, 0.5, 2};
  EXPECT_EQ(two.log_density(1), -1);
  EXPECT_EQ(two.log_density(3), 0);
  EXPECT_EQ(two.log_density(4), -2);
  const LevelPrior one{3, infinity, 2};
  EXPECT_EQ(one.log_density(2.999), -infinity);
  EXPECT_EQ(one.log_density(3), 0);
  EXPECT_EQ(one.log_density(4), -2);
}

// The integral of one winner's likelihood, by steps.
TEST(LevelPosterior, IntegratesOneWinner) {
  const WinnerTerms one = winner(0.7, 3, 5, 0, {1.3, 0.4});
  for (const double level : {-40.0, -3.0, 0.0, 1.3, 2.0, 50.0}) {
    double sum = 0;
    constexpr double step = 1e-3;
    for (double q = -150 + step / 2; q < 150; q += step) {
      const double u = q - level;
      const double likelihood = u < -5  ? std::exp(-3 * 0.7 + 0.7 * (u + 5))
                                : u < 0 ? std::exp(-3 * 0.7)
                                : u < 3 ? std::exp(0.7 * (u - 3))
                                        : 0;
      sum += likelihood * std::exp(-0.4 * std::fabs(q - 1.3)) * step;
    }
    EXPECT_NEAR(std::exp(log_integral(one, level, 0)) / sum, 1, 1e-5) << level;
  }
}

}  // namespace
}  // namespace freegap::testing

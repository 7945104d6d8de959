#pragma once

/// @file
/// Means over many runs, with their standard errors.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace freegap::experiments {

/// The mean of one number divided by the mean of another, with the standard error of that ratio. If
/// every denominator `below` is 1, this is a mean.
class Ratio {
 public:
  /// Adds one run.
  void add(double above, double below = 1) {
    above_ += above;
    below_ += below;
    above_squares_ += above * above;
    below_squares_ += below * below;
    products_ += above * below;
    ++runs_;
  }

  /// The number of runs.
  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  /// The ratio; NaN if there were no runs.
  [[nodiscard]] double value() const { return above_ / below_; }
  /// Its standard error, by linearisation; infinite for fewer than two runs.
  [[nodiscard]] double error() const {
    if (runs_ < 2) {
      return std::numeric_limits<double>::infinity();
    }
    const double r = value();
    const double squares = above_squares_ - 2 * r * products_ + r * r * below_squares_;
    const auto n = static_cast<double>(runs_);
    return std::sqrt(std::max(0.0, squares) * n / (n - 1)) / std::fabs(below_);
  }

 private:
  double above_ = 0;
  double below_ = 0;
  double above_squares_ = 0;
  double below_squares_ = 0;
  double products_ = 0;
  std::uint64_t runs_ = 0;
};

}  // namespace freegap::experiments

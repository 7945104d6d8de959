#pragma once

/// @file
/// The exact distribution of an estimate's error: a weighted sum of independent noise terms, each
/// centred on its mean. For few winners it is far from normal, so quantiles are computed from its
/// characteristic function.

#include <cstdint>
#include <optional>
#include <vector>

#include "freegap/distribution.hpp"

namespace freegap::detail {

/// Distribution of a sum of c_j (N_j - E N_j) with independent N_j of exponential or Laplace shape.
///
/// Noise on ticks is treated as the continuous noise of the same scale; the two can be coupled so
/// that, centred, they differ by little more than half a tick (one-sided) or a tick (two-sided).
/// `slack()` adds that up, so that an interval widened by it is valid on any tick. On fine ticks it
/// is about a thousandth of the scale.
class ErrorDistribution {
 public:
  /// Adds `copies` independent terms with the same coefficient.
  void add(double coefficient, const NoiseDistribution& noise, double copies = 1);

  /// The same distribution without terms that are too narrow to matter, which would slow quantiles
  /// down. The slack grows by what they can contribute.
  [[nodiscard]] ErrorDistribution simplified() const;
  /// Variance of the sum, with the noise on its true ticks.
  [[nodiscard]] double variance() const { return variance_; }
  /// P(sum <= x), to about 1e-9.
  [[nodiscard]] double below(double x) const;
  /// The x with P(sum <= x) = p, 0 < p < 1.
  [[nodiscard]] double quantile(double p) const;
  /// Numbers that identify this distribution, as a key for a cache.
  [[nodiscard]] std::vector<double> signature() const;
  /// How far ticks may move the sum from its continuous version.
  [[nodiscard]] double slack() const { return slack_; }

 private:
  struct Term {
    double scale;  // coefficient times scale of the noise; its sign matters for one-sided noise
    bool two_sided;
    double copies;
  };
  /// The characteristic function at t = (j + 1/2) h, for j = 0, 1, ...
  struct Spectrum {
    double step = 0;              // h
    double range = 0;             // P(|sum| > range) < 1e-12
    std::vector<double> modulus;  // divided by pi (j + 1/2)
    std::vector<double> argument;
  };
  [[nodiscard]] Spectrum spectrum() const;
  [[nodiscard]] double below(double x, const Spectrum& spectrum) const;
  /// P(sum <= x) for sums of one or two terms, whose characteristic function falls too slowly for a
  /// spectrum. Nothing for other sums.
  [[nodiscard]] std::optional<double> below_in_closed_form(double x) const;

  std::vector<Term> terms_;
  double variance_ = 0;
  double slack_ = 0;
};

}  // namespace freegap::detail

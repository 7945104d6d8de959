#pragma once

/// @file
/// The likelihood of a winner's answer times the kernel of its measurement, prepared for many
/// levels. A term that lies on one side of the kernel's centre keeps its shape when the level
/// moves: only its weight changes, by a factor e^(rate level). So all but the terms around the
/// centre are integrated once.

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "estimates/exponential_terms.hpp"

namespace freegap::detail {

/// One winner: the likelihood of its answer relative to the level, and its measurement. Terms that
/// overlap have the same ends.
struct WinnerTerms {
  std::vector<ExponentialTerm> terms;
  Kernel measured;
  double rate = 0;  ///< of the noise that selected it: its likelihood bends within 1 / rate
};

/// A part of a winner's posterior, given the level.
struct ProductPart {
  /// Copies member by member. A copy of whole structs is slower: it loads more bytes at once than
  /// were just stored, and waits for them.
  ProductPart(const Segment& s, const SegmentMoments& m)
      : segment{s.low, s.high, s.rate, s.log_peak, s.sign, s.tick},
        moments{m.extent, m.mean, m.variance, m.decay} {}

  Segment segment;
  SegmentMoments moments;
  double weight = 0;  ///< all weights add up to 1
};

/// A product of positive numbers, kept as a logarithm and a factor near 1, so that many are
/// multiplied without a logarithm each.
class LogProduct {
 public:
  explicit LogProduct(double log) : log_(log) {}

  /// Multiplies by factor * e^log. Without a positive factor the product is 0.
  void multiply(double log, double factor) {
    log_ += log;
    factor_ *= std::fmax(factor, 0);
    if (!(factor_ > 1e-100 && factor_ < 1e100)) {
      log_ = this->log();
      factor_ = 1;
    }
  }
  [[nodiscard]] double log() const { return log_ + std::log(factor_); }

 private:
  double log_;
  double factor_ = 1;
};

class WinnerProduct {
 public:
  /// If `tick` is not 0, answers and levels are whole multiples of it, and integrals are sums.
  WinnerProduct(const WinnerTerms& winner, double tick);

  [[nodiscard]] std::span<const ExponentialTerm> terms() const { return terms_; }
  [[nodiscard]] const Kernel& measured() const { return measured_; }
  [[nodiscard]] double rate() const { return rate_; }

  /// Multiplies `product` by the integral over all answers, given the level.
  void multiply_integral(double level, LogProduct& product) const;

  /// The posterior given the level, without parts whose weight is below e^-40. It is valid until
  /// `parts` changes.
  void posterior(double level, std::vector<ProductPart>& parts) const;

 private:
  /// A term on one side of the kernel's centre, at level 0: there its weight has to be multiplied
  /// by the kernel's value at the level.
  struct OneSided {
    Segment segment;
    SegmentMoments moments;
  };
  /// Terms with the same ends.
  struct Cell {
    double low;
    double high;
    std::size_t begin;  ///< its terms
    std::size_t end;
    double log_below;   ///< mass of this cell and those before, if the centre is above
    double log_above;   ///< mass of this cell and those behind, if the centre is below
    double peak_below;  ///< largest value in this cell and those before, as a logarithm
    double peak_above;
  };

  [[nodiscard]] OneSided one_sided(const ExponentialTerm& term, double slope) const;
  /// The kernel's centre relative to the level.
  [[nodiscard]] double centre(double level) const;
  /// The first cell that is not below the centre.
  [[nodiscard]] std::size_t cell_at(double centre) const;
  [[nodiscard]] std::span<const ExponentialTerm> terms_of(const Cell& cell) const {
    return std::span(terms_).subspan(cell.begin, cell.end - cell.begin);
  }
  [[nodiscard]] double log_kernel(double level) const {
    return measured_.rate * (level - measured_.centre);
  }

  std::vector<ExponentialTerm> terms_;  // by cell
  Kernel measured_;
  double rate_;
  double tick_;
  std::vector<OneSided> below_;  // one per term
  std::vector<OneSided> above_;
  std::vector<Cell> cells_;
};

}  // namespace freegap::detail

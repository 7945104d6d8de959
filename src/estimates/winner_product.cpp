#include "estimates/winner_product.hpp"

#include <algorithm>
#include <cmath>

namespace freegap::detail {
namespace {

constexpr double infinity = HUGE_VAL;
constexpr double negligible = -40;  // logarithm

/// A sum of numbers given by their logarithms, relative to the largest so far.
class LogSum {
 public:
  /// Adds factor * e^log.
  void add(double log, double factor) {
    const double relative = log - largest_;
    if (relative > 0) {
      sum_ = (relative < -negligible ? sum_ * std::exp(-relative) : 0) + factor;
      largest_ = log;
    } else if (relative > negligible) {
      sum_ += std::exp(relative) * factor;
    }
  }
  [[nodiscard]] double log() const { return sum_ > 0 ? largest_ + std::log(sum_) : -infinity; }
  void multiply_to(LogProduct& product) const { product.multiply(largest_, sum_); }

 private:
  double largest_ = -infinity;
  double sum_ = 0;
};

}  // namespace

WinnerProduct::WinnerProduct(const WinnerTerms& winner, double tick)
    : terms_(winner.terms), measured_(winner.measured), rate_(winner.rate), tick_(tick) {
  std::erase_if(terms_, [](const ExponentialTerm& term) { return !(term.low < term.high); });
  std::stable_sort(
      terms_.begin(), terms_.end(),
      [](const ExponentialTerm& a, const ExponentialTerm& b) { return a.low < b.low; });
  below_.reserve(terms_.size());
  above_.reserve(terms_.size());
  cells_.reserve(terms_.size());
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (i == 0 || terms_[i].low != cells_.back().low) {
      cells_.push_back({terms_[i].low, terms_[i].high, i, i, 0, 0, 0, 0});
    }
    cells_.back().end = i + 1;
    below_.push_back(one_sided(terms_[i], measured_.rate));
    above_.push_back(one_sided(terms_[i], -measured_.rate));
  }
  const auto accumulate = [](const std::vector<OneSided>& parts, const Cell& cell, LogSum& sum,
                             double& peak) {
    for (std::size_t i = cell.begin; i < cell.end; ++i) {
      sum.add(parts[i].segment.log_peak, parts[i].segment.sign * parts[i].moments.extent);
      peak = std::fmax(peak, parts[i].segment.log_peak);
    }
  };
  LogSum below;
  LogSum above;
  double peak_below = -infinity;
  double peak_above = -infinity;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    Cell& up = cells_[c];
    accumulate(below_, up, below, peak_below);
    up.log_below = below.log();
    up.peak_below = peak_below;
    Cell& down = cells_[cells_.size() - 1 - c];
    accumulate(above_, down, above, peak_above);
    down.log_above = above.log();
    down.peak_above = peak_above;
  }
}

WinnerProduct::OneSided WinnerProduct::one_sided(const ExponentialTerm& term, double slope) const {
  Segment segment{term.low, term.high, term.rate + slope, 0, term.sign, tick_};
  // Terms without end on the other side of the centre do not occur.
  const double heavy = segment.heavy_end();
  if (!std::isfinite(heavy)) {
    segment.log_peak = -infinity;
    return {segment, {0, 0, 0, 0}};
  }
  segment.log_peak = term.log_weight + term.rate * (heavy - term.anchor) + slope * heavy;
  return {segment, moments(segment)};
}

double WinnerProduct::centre(double level) const {
  if (measured_.rate == 0) {
    return infinity;
  }
  const double centre = measured_.centre - level;
  return tick_ > 0 ? std::ceil(centre / tick_) * tick_ : centre;
}

std::size_t WinnerProduct::cell_at(double centre) const {
  std::size_t c = 0;
  while (c < cells_.size() && cells_[c].high <= centre) {
    ++c;
  }
  return c;
}

void WinnerProduct::multiply_integral(double level, LogProduct& product) const {
  const double turn = centre(level);
  const double log_value = log_kernel(level);
  LogSum sum;
  std::size_t c = cell_at(turn);
  if (c > 0) {
    sum.add(cells_[c - 1].log_below + log_value, 1);
  }
  if (c < cells_.size() && cells_[c].low < turn) {
    for_each_segment(terms_of(cells_[c]), level, measured_, tick_, [&](const Segment& segment) {
      sum.add(segment.log_peak, segment.sign * extent(segment));
    });
    ++c;
  }
  if (c < cells_.size()) {
    sum.add(cells_[c].log_above - log_value, 1);
  }
  sum.multiply_to(product);
}

void WinnerProduct::posterior(double level, std::vector<ProductPart>& parts) const {
  const double turn = centre(level);
  const double log_value = log_kernel(level);
  parts.clear();
  double largest = -infinity;
  // Whether a part matters beside earlier ones.
  const auto counts = [&](double log_peak) {
    largest = std::max(largest, log_peak);
    return log_peak > largest + negligible;
  };
  const auto take_known = [&](const OneSided& known, double log_factor) {
    const Segment& s = known.segment;
    const SegmentMoments& m = known.moments;
    if (counts(s.log_peak + log_factor)) {
      parts.emplace_back(
          Segment{s.low + level, s.high + level, s.rate, s.log_peak + log_factor, s.sign, s.tick},
          SegmentMoments{m.extent, m.mean + level, m.variance, m.decay});
    }
  };
  // The cell around the centre comes first: beside it most others are negligible.
  const std::size_t at = cell_at(turn);
  std::size_t next = at;
  if (at < cells_.size() && cells_[at].low < turn) {
    for_each_segment(terms_of(cells_[at]), level, measured_, tick_, [&](const Segment& segment) {
      if (counts(segment.log_peak)) {
        parts.emplace_back(segment, moments(segment));
      }
    });
    ++next;
  }
  for (std::size_t c = at; c > 0 && cells_[c - 1].peak_below + log_value > largest + negligible;
       --c) {
    for (std::size_t i = cells_[c - 1].begin; i < cells_[c - 1].end; ++i) {
      take_known(below_[i], log_value);
    }
  }
  for (std::size_t c = next;
       c < cells_.size() && cells_[c].peak_above - log_value > largest + negligible; ++c) {
    for (std::size_t i = cells_[c].begin; i < cells_[c].end; ++i) {
      take_known(above_[i], -log_value);
    }
  }
  double sum = 0;
  for (ProductPart& part : parts) {
    const double relative = part.segment.log_peak - largest;
    part.weight =
        relative > negligible ? part.segment.sign * std::exp(relative) * part.moments.extent : 0;
    sum += part.weight;
  }
  for (ProductPart& part : parts) {
    part.weight /= sum;
  }
}

}  // namespace freegap::detail

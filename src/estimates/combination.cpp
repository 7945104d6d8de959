#include "estimates/combination.hpp"

#include <cmath>

#include "freegap/errors.hpp"

namespace freegap::detail {
namespace {

Margins margins(const ErrorDistribution& whole, double confidence) {
  const ErrorDistribution distribution = whole.simplified();
  const double tail = (1 - confidence) / 2;
  return {-distribution.quantile(tail) + distribution.slack(),
          distribution.quantile(1 - tail) + distribution.slack()};
}

/// The interval of the answer, which is the estimate minus its error.
Interval around(double value, const Margins& margins) {
  return {value - margins.above, value + margins.below};
}

/// Confidence of each of n intervals that together have the given confidence (union bound).
double each_of(std::size_t n, double confidence) {
  return 1 - (1 - confidence) / static_cast<double>(n);
}

Estimate with_bars(const Item& item, double value, const ErrorBars& bars, bool used_gap) {
  return {item,
          value,
          bars.deviation,
          around(value, bars.marginal),
          around(value, bars.simultaneous),
          used_gap};
}

ErrorDistribution direct_error(const MeasureRelease& direct) {
  ErrorDistribution distribution;
  distribution.add(1, direct.noise);
  return distribution;
}

/// Share of a measurement in its average with a gap, by inverse variances. Of noise far below a
/// tick both variances may underflow; then both are exact.
double share_of_measurement(double gap_variance, double direct_variance) {
  const double sum = gap_variance + direct_variance;
  return sum > 0 ? gap_variance / sum : 1;
}

/// Leads over a runner-up, of whose noisy value nothing is known.
///
/// Let a be the variance of a measurement and v that of a lead's own noise. The common constant is
/// estimated by the mean h of alpha_i - y_i, for measurements alpha_i and leads y_i, and the answer
/// by the average of alpha_i and y_i + h with weights 1/a and 1/v.
struct LeadEstimate {
  LeadEstimate(const Gaps& gaps, const MeasureRelease& direct)
      : gaps_(&gaps),
        direct_(&direct),
        winners_(static_cast<double>(gaps.winners.size())),
        keep_(share_of_measurement(gaps.noise.front().variance(), direct.noise.variance())) {
    for (std::size_t i = 0; i < gaps.winners.size(); ++i) {
      shared_ += (direct.value(i) - gaps.winners[i].value) / winners_;
    }
  }
  [[nodiscard]] double value(std::size_t i) const {
    return keep_ * direct_->value(i) + (1 - keep_) * (gaps_->winners[i].value + shared_);
  }
  [[nodiscard]] ErrorDistribution error(std::size_t noise) const {
    const double share = (1 - keep_) / winners_;
    ErrorDistribution distribution;
    distribution.add(share, direct_->noise, winners_ - 1);
    distribution.add(-share, gaps_->noise[noise], winners_ - 1);
    distribution.add(keep_ + share, direct_->noise);
    distribution.add(1 - keep_ - share, gaps_->noise[noise]);
    return distribution;
  }

 private:
  const Gaps* gaps_;
  const MeasureRelease* direct_;
  double winners_;
  double keep_;  // share of a winner's own measurement
  double shared_ = 0;
};

/// Gaps over a threshold: each winner by itself, weighted by inverse variances.
struct SingleEstimate {
  const Gaps* gaps;
  const MeasureRelease* direct;

  [[nodiscard]] double keep(std::size_t noise) const {
    const double v = gaps->noise[noise].variance() + gaps->threshold->variance();
    return share_of_measurement(v, direct->noise.variance());
  }
  [[nodiscard]] double value(std::size_t i) const {
    const double own = keep(gaps->winners[i].noise);
    return own * direct->value(i) + (1 - own) * gaps->winners[i].value;
  }
  [[nodiscard]] ErrorDistribution error(std::size_t noise) const {
    ErrorDistribution distribution;
    distribution.add(keep(noise), direct->noise);
    distribution.add(1 - keep(noise), gaps->noise[noise]);
    distribution.add(keep(noise) - 1, *gaps->threshold);
    return distribution;
  }
};

template <class Way>
std::vector<Estimate> present(const Way& way, const Gaps& gaps, const MeasureRelease& direct,
                              double confidence, ErrorBarCache& cache) {
  const std::size_t k = gaps.winners.size();
  const bool used_gap = k > 1 || gaps.threshold;  // the lead of a single winner cancels
  std::vector<Estimate> estimates;
  estimates.reserve(k);
  for (std::size_t i = 0; i < k; ++i) {
    estimates.push_back(with_bars(direct.items[i], way.value(i),
                                  cache.bars(way.error(gaps.winners[i].noise), k, confidence),
                                  used_gap));
  }
  return estimates;
}

}  // namespace

const ErrorBars& ErrorBarCache::bars(const ErrorDistribution& distribution, std::size_t winners,
                                     double confidence) {
  std::vector<double> key = distribution.signature();
  key.push_back(static_cast<double>(winners));
  key.push_back(confidence);
  const auto found = known_.find(key);
  if (found != known_.end()) {
    return found->second;
  }
  const ErrorBars fresh{std::sqrt(distribution.variance()), margins(distribution, confidence),
                        margins(distribution, each_of(winners, confidence))};
  return known_.emplace(std::move(key), fresh).first->second;
}

void check_confidence(double confidence) {
  if (!(confidence > 0 && confidence < 1)) {
    throw InvalidParameter("confidence", "it must be above 0 and below 1");
  }
}

std::vector<Estimate> linear_estimates(const Gaps& gaps, const MeasureRelease& direct,
                                       double confidence, ErrorBarCache& cache) {
  if (gaps.threshold) {
    return present(SingleEstimate{&gaps, &direct}, gaps, direct, confidence, cache);
  }
  return present(LeadEstimate(gaps, direct), gaps, direct, confidence, cache);
}

std::vector<Estimate> linear_estimates(const Gaps& gaps, const std::vector<Item>& items,
                                       double confidence, ErrorBarCache& cache) {
  std::vector<Estimate> estimates;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Gap& gap = gaps.winners[i];
    ErrorDistribution distribution;
    distribution.add(1, gaps.noise[gap.noise]);
    distribution.add(-1, *gaps.threshold);
    estimates.push_back(
        with_bars(items[i], gap.value, cache.bars(distribution, items.size(), confidence), true));
  }
  return estimates;
}

std::vector<Estimate> measured_estimates(const MeasureRelease& direct, double confidence,
                                         ErrorBarCache& cache) {
  std::vector<Estimate> estimates;
  for (std::size_t i = 0; i < direct.items.size(); ++i) {
    estimates.push_back(with_bars(direct.items[i], direct.value(i),
                                  cache.bars(direct_error(direct), direct.items.size(), confidence),
                                  false));
  }
  return estimates;
}

}  // namespace freegap::detail

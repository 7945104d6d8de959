#include "estimates/combination.hpp"

#include <algorithm>
#include <cmath>

#include "freegap/errors.hpp"

namespace freegap::detail {
namespace {

// A lead certifies that a winner was not selected by luck. A winner whose answer is below what it
// had to beat has a lead of Exp(1) scales, whatever that answer is. So a lead above ln(k /
// tolerated) is a false certificate for any of k winners with probability at most `tolerated`.
constexpr double tolerated_false_certificates = 0.001;
// Leads just above that limit owe something to luck. Up to so many scales beyond it, the gap
// improves the estimate, but the interval is that of a measurement at half the error rate.
constexpr double doubtful_scales = 4;

// Winners closer than this owe their ranks partly to luck, which biases the first upwards and the
// last downwards.
constexpr double close_scales = 3;

/// How far a gap is trusted.
enum class Use : std::uint8_t { none, doubtful, full };

std::vector<Use> uses_of(const Gaps& gaps, const EstimateOptions& options) {
  const double limit =
      std::log(static_cast<double>(gaps.evidence.size()) / tolerated_false_certificates);
  std::vector<Use> uses;
  uses.reserve(gaps.evidence.size());
  for (const GapEvidence& gap : gaps.evidence) {
    const bool sure = options.trust == Trust::all ||
                      (gap.lead >= limit + doubtful_scales && gap.apart >= close_scales);
    uses.push_back(sure ? Use::full : gap.lead >= limit ? Use::doubtful : Use::none);
  }
  return uses;
}

Margins margins(const ErrorDistribution& whole, double confidence) {
  const ErrorDistribution distribution = whole.simplified();
  const double tail = (1 - confidence) / 2;
  return {-distribution.quantile(tail) + distribution.slack(),
          distribution.quantile(1 - tail) + distribution.slack()};
}

Margins wider(const Margins& a, const Margins& b) {
  return {std::max(a.below, b.below), std::max(a.above, b.above)};
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

/// Measured values in the unit of the answers.
std::vector<double> values_of(const MeasureRelease& direct) {
  const double tick = direct.noise.tick.shown();
  std::vector<double> values;
  values.reserve(direct.value_ticks.size());
  for (const std::int64_t ticks : direct.value_ticks) {
    values.push_back(static_cast<double>(ticks) * tick);
  }
  return values;
}

ErrorDistribution direct_error(const MeasureRelease& direct) {
  ErrorDistribution distribution;
  distribution.add(1, direct.noise);
  return distribution;
}

/// The joint estimate of the winners whose gaps are used, and the distribution of its error.
///
/// Let a be the variance of a measurement, v_i that of gap i's own noise and v0 that of the shared
/// part. With w_i = 1/(a + v_i) and W = sum w_i + 1/v0, the shared part is estimated by h = sum w_i
/// (alpha_i - y_i) / W for measurements alpha_i and gaps y_i. The answer is estimated by the
/// average of alpha_i and y_i + h with weights 1/a and 1/v_i. If nothing is known of the shared
/// part, 1/v0 = 0. Derivation: docs/estimates.md.
class JointEstimate {
 public:
  JointEstimate(const Gaps& gaps, const MeasureRelease& direct, const std::vector<Use>& uses,
                bool know_shared)
      : gaps_(&gaps), direct_(&direct), measured_(values_of(direct)) {
    const double a = direct.noise.variance();
    for (const NoiseDistribution& noise : gaps.noise) {
      const double v = noise.variance();
      weights_.push_back(1 / (a + v));
      keep_.push_back(v / (a + v));
    }
    counts_.assign(gaps.noise.size(), 0);
    double difference = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (uses[i] != Use::none) {
        const GapEvidence& gap = gaps.evidence[i];
        sum_ += weights_[gap.noise];
        difference += weights_[gap.noise] * (measured_[i] - gap.value);
        ++counts_[gap.noise];
      }
    }
    know_shared_ = know_shared && gaps.threshold.has_value();
    total_ = sum_ + (know_shared_ ? 1 / gaps.threshold->variance() : 0);
    shared_ = sum_ > 0 ? difference / total_ : 0;
  }

  [[nodiscard]] double value(std::size_t i) const {
    const GapEvidence& gap = gaps_->evidence[i];
    const double keep = keep_[gap.noise];
    return keep * measured_[i] + (1 - keep) * (gap.value + shared_);
  }

  /// The distribution of the error for a winner whose own noise is gaps.noise[noise].
  [[nodiscard]] ErrorDistribution error(std::size_t noise) const {
    const double keep = keep_[noise];
    ErrorDistribution distribution;
    for (std::size_t j = 0; j < counts_.size(); ++j) {
      const double share = (1 - keep) * weights_[j] / total_;
      const double others = counts_[j] - (j == noise ? 1 : 0);
      distribution.add(share, direct_->noise, others);
      distribution.add(-share, gaps_->noise[j], others);
    }
    const double own = (1 - keep) * weights_[noise] / total_;
    distribution.add(keep + own, direct_->noise);
    distribution.add(1 - keep - own, gaps_->noise[noise]);
    if (know_shared_) {
      distribution.add((1 - keep) * (sum_ / total_ - 1), *gaps_->threshold);
    }
    return distribution;
  }

 private:
  const Gaps* gaps_;
  const MeasureRelease* direct_;
  std::vector<double> measured_;
  std::vector<double> weights_;  // by noise
  std::vector<double>
      keep_;  // by noise: share of a winner's own measurement before the shared part is known
  std::vector<double> counts_;  // by noise: gaps used
  double sum_ = 0;
  double total_ = 0;
  double shared_ = 0;
  bool know_shared_ = false;
};

/// The paper's estimate: each winner by itself, weighted by inverse variances.
struct SingleEstimate {
  const Gaps* gaps;
  const MeasureRelease* direct;

  [[nodiscard]] double keep(std::size_t noise) const {
    const double v = gaps->noise[noise].variance() + gaps->threshold->variance();
    return v / (v + direct->noise.variance());
  }
  [[nodiscard]] double value(std::size_t i) const {
    const double own = keep(gaps->evidence[i].noise);
    return own * direct->value(i) + (1 - own) * gaps->evidence[i].value;
  }
  [[nodiscard]] ErrorDistribution error(std::size_t noise) const {
    ErrorDistribution distribution;
    distribution.add(keep(noise), direct->noise);
    distribution.add(1 - keep(noise), gaps->noise[noise]);
    distribution.add(keep(noise) - 1, *gaps->threshold);
    return distribution;
  }
};

template <class Method>
std::vector<Estimate> present(const Method& method, const Gaps& gaps, const MeasureRelease& direct,
                              const std::vector<Use>& uses, double confidence,
                              ErrorBarCache& cache) {
  const std::size_t k = uses.size();
  const ErrorBars& plain = cache.bars(direct_error(direct), k, confidence);
  const ErrorBars& cautious = cache.bars(direct_error(direct), k, each_of(2, confidence));
  std::vector<Estimate> estimates;
  estimates.reserve(k);
  for (std::size_t i = 0; i < k; ++i) {
    if (uses[i] == Use::none) {
      estimates.push_back(with_bars(direct.items[i], direct.value(i), plain, false));
      continue;
    }
    ErrorBars bars = cache.bars(method.error(gaps.evidence[i].noise), k, confidence);
    if (uses[i] == Use::doubtful) {
      bars = {std::max(bars.deviation, plain.deviation), wider(bars.marginal, cautious.marginal),
              wider(bars.simultaneous, cautious.simultaneous)};
    }
    estimates.push_back(with_bars(direct.items[i], method.value(i), bars, true));
  }
  return estimates;
}

}  // namespace

void Gaps::note_ranks() {
  for (std::size_t i = 0; i + 1 < evidence.size(); ++i) {
    const double gap = evidence[i].lead - evidence[i + 1].lead;
    evidence[i].apart = std::fmin(evidence[i].apart, gap);
    evidence[i + 1].apart = gap;
  }
}

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

std::vector<Estimate> combine(const Gaps& gaps, const MeasureRelease& direct,
                              const EstimateOptions& options, ErrorBarCache& cache) {
  if (direct.items.empty()) {
    return {};
  }
  std::vector<Use> uses = uses_of(gaps, options);
  if (options.combination == Combination::per_query && gaps.threshold) {
    return present(SingleEstimate{&gaps, &direct}, gaps, direct, uses, options.confidence, cache);
  }
  // A winner that passed by luck indicates that the noisy threshold was low. Then the distribution
  // of the shared part, given the selection, is not known.
  const bool know_shared = std::find(uses.begin(), uses.end(), Use::none) == uses.end();
  const JointEstimate joint(gaps, direct, uses, know_shared);
  return present(joint, gaps, direct, uses, options.confidence, cache);
}

std::vector<Estimate> gaps_alone(const Gaps& gaps, const std::vector<Claim>& lower,
                                 const std::vector<Claim>& lower_of_all,
                                 const EstimateOptions& options, ErrorBarCache& cache) {
  // A query that passed has larger noise of its own than one that did not, so for its own noise the
  // upper ends of the plain intervals hold after selection. The threshold's noise may be large for
  // other reasons. Over all selected winners this stays within the confidence: measured, not proven
  // (docs/proofs/confidence.md).
  const auto raised = [&](const std::optional<Interval>& interval,
                          const Claim& claim) -> std::optional<Interval> {
    if (options.trust == Trust::all) {
      return interval;
    }
    return claim.at_least ? std::optional(Interval{*claim.at_least,
                                                   std::fmax(*claim.at_least, interval->high)})
                          : std::nullopt;
  };
  std::vector<Estimate> estimates;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const GapEvidence& gap = gaps.evidence[i];
    ErrorDistribution distribution;
    distribution.add(1, gaps.noise[gap.noise]);
    distribution.add(-1, *gaps.threshold);
    Estimate result = with_bars(lower[i].item, gap.value,
                                cache.bars(distribution, lower.size(), options.confidence), true);
    result.interval = raised(result.interval, lower[i]);
    result.simultaneous = raised(result.simultaneous, lower_of_all[i]);
    estimates.push_back(result);
  }
  return estimates;
}

}  // namespace freegap::detail

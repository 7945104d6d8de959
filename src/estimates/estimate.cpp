#include "freegap/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimates/combination.hpp"
#include "estimates/consistency.hpp"
#include "estimates/likelihood.hpp"
#include "estimates/noise_moments.hpp"
#include "freegap/confidence.hpp"
#include "freegap/errors.hpp"

namespace freegap {
namespace {

// A gap counts unless its winner was more probably selected by luck than not.
constexpr double probable_luck = 0.5;

// Where the number of candidates is not part of the release: as many as there can be.
const double log_most_candidates = 63 * std::log(2.0);

void check_same_items(const std::vector<Item>& winners, const MeasureRelease& direct) {
  if (winners != direct.items) {
    throw InvalidParameter("direct",
                           "it must measure the winners of the release, in the same order");
  }
  detail::check_consistent(direct);
}

/// Winners with their gaps, for either method.
struct Winners {
  std::vector<Item> items;
  detail::Gaps gaps;
  detail::Evidence evidence;
};

// ---- Leads over a runner-up ---------------------------------------------------------------------

Winners with_leads(const std::vector<Item>& items, const NoiseDistribution& noise,
                   const std::vector<std::int64_t>& lead_ticks) {
  Winners result{items, {{noise}, std::nullopt, {}}, {}};
  for (const std::int64_t ticks : lead_ticks) {
    result.gaps.winners.push_back({noise.shown(ticks), 0});
    result.evidence.winners.push_back({noise, 0, ticks, {}, false});
  }
  // The lead of a single winner over a level of which nothing is known says nothing.
  if (items.size() == 1) {
    result.evidence.winners.clear();
  }
  return result;
}

Winners winners_of(const TopKRelease& release) {
  detail::check_consistent(release);
  if (release.lead_ticks.empty()) {
    throw InvalidParameter("release", "it has no gaps: it is from the classic mechanism");
  }
  Winners result = with_leads(release.winners, release.noise, release.lead_ticks);
  result.evidence.selected = release.has_runner_up;
  result.evidence.log_candidates = std::log(static_cast<double>(release.candidates));
  return result;
}

// ---- Gaps over a threshold ----------------------------------------------------------------------

/// Adds a winner that passed `branch`, whose noise is number `number` of `result.gaps.noise`.
/// Mechanisms centre gaps by an offset in whole ticks; the linear method subtracts the exact means
/// instead.
void add_passed(Winners& result, const Threshold& threshold, const Branch& branch,
                std::int64_t gap_ticks, std::size_t number) {
  const NoiseDistribution& noise = result.gaps.noise[number];
  const double raw = noise.shown(gap_ticks + branch.offset_ticks);
  const double centred = raw - detail::mean(noise) + detail::mean(*result.gaps.threshold);
  result.gaps.winners.push_back({threshold.used.shown() + centred, number});
  result.evidence.winners.push_back(
      {noise, branch.offset_ticks + branch.cut_ticks, gap_ticks - branch.cut_ticks, {}, false});
}

bool lists_below(const SparseVectorRelease& release) {
  return std::any_of(release.answers.begin(), release.answers.end(),
                     [](const SparseVectorAnswer& answer) { return !answer.above; });
}

/// Whether a winner may have been asked only because few passed before it: at least k queries were
/// asked before, k the number of answers after which it stops, and with it half of k passed. Of the
/// first k queries each is asked whatever the threshold's noise.
class Lateness {
 public:
  explicit Lateness(const SparseVectorRelease& release)
      : all_listed_(lists_below(release) || release.asked == release.answers.size()) {
    if (!release.branches.empty() && release.branches.back().epsilon > Rational(0)) {
      const Rational each = release.branches.back().epsilon;  // the dearest
      k_ = std::floor(((release.cost.reserved - release.threshold_epsilon) / each).shown() + 1e-9);
    }
    if (release.stop_after) {
      k_ = std::fmin(k_, static_cast<double>(*release.stop_after));
    }
  }
  /// Of the answer at this place of the release, after so many that passed.
  [[nodiscard]] bool of(std::size_t place, std::size_t passed) const {
    return k_ >= 1 && 2 * static_cast<double>(passed + 1) >= k_ &&
           (!all_listed_ || static_cast<double>(place) >= k_);
  }

 private:
  bool all_listed_;
  double k_ = 0;
};

/// Logarithm of the number of queries that were asked, where the release tells it: by a number, or
/// by listing those below, too.
double log_asked(const SparseVectorRelease& release) {
  const bool lists_all = lists_below(release);
  const std::uint64_t asked = release.asked ? *release.asked : release.answers.size();
  return release.asked || lists_all
             ? std::log(static_cast<double>(std::max<std::uint64_t>(asked, 1)))
             : log_most_candidates;
}

Winners winners_of(const SparseVectorRelease& release) {
  detail::check_consistent(release);
  Winners result{{}, {{}, release.threshold_noise(), {}}, {}};
  result.evidence.level = {release.threshold.used, release.threshold_noise()};
  result.evidence.log_candidates = log_asked(release);
  for (std::size_t b = 1; b <= release.branches.size(); ++b) {
    result.gaps.noise.push_back(release.branch_noise(b));
  }
  const Lateness lateness(release);
  for (std::size_t place = 0; place < release.answers.size(); ++place) {
    const SparseVectorAnswer& answer = release.answers[place];
    if (!answer.above) {
      continue;
    }
    if (!answer.gap_ticks) {
      throw InvalidParameter("release", "it has no gaps: it is from the classic mechanism");
    }
    const std::size_t number = answer.branch - 1;
    result.items.push_back(answer.item);
    add_passed(result, release.threshold, release.branches[number], *answer.gap_ticks, number);
    result.evidence.winners.back().late = lateness.of(place, result.items.size() - 1);
    // Branches that cannot be paid for are not tried; those before one that passed are cheaper, so
    // they were.
    for (std::size_t b = 0; b < number; ++b) {
      const Branch& failed = release.branches[b];
      result.evidence.winners.back().failed.push_back(
          {result.gaps.noise[b], failed.offset_ticks + failed.cut_ticks});
    }
  }
  return result;
}

Winners winners_of(const HybridRelease& release) {
  detail::check_consistent(release);
  if (release.gap_to == GapTo::next) {
    Winners result = with_leads(release.winners, release.noise, release.gap_ticks);
    result.evidence.log_candidates = log_most_candidates;
    return result;
  }
  const Branch branch =
      release.estimates ? release.estimates->branch : Branch{0, release.noise.scale, 0, 0};
  Winners result{release.winners, {{release.noise}, release.threshold_noise, {}}, {}};
  result.evidence.level = {release.threshold.used, release.threshold_noise};
  result.evidence.log_candidates = log_most_candidates;
  for (const std::int64_t ticks : release.gap_ticks) {
    add_passed(result, release.threshold, branch, ticks, 0);
  }
  // With k winners the estimates-first hybrid may have cut off further candidates above the
  // threshold. What the others had to beat is then at most the value of the last winner, which
  // takes the place of the cut; the last winner is left to its measurement.
  if (release.estimates && release.winners.size() == release.k && !release.winners.empty()) {
    std::vector<detail::Selected>& winners = result.evidence.winners;
    const std::int64_t last = winners.back().lead_ticks;
    winners.pop_back();
    for (detail::Selected& winner : winners) {
      winner.cut_ticks += last;
      winner.lead_ticks -= last;
    }
  }
  return result;
}

/// Puts posteriors in the place of measurements, as far as there are some.
void improve(std::vector<Estimate>& estimates,
             const std::vector<detail::LikelihoodEstimate>& posteriors) {
  for (std::size_t i = 0; i < posteriors.size(); ++i) {
    const detail::LikelihoodEstimate& found = posteriors[i];
    estimates[i] = {estimates[i].item, found.value,        found.deviation,
                    found.interval,    found.simultaneous, found.luck <= probable_luck};
  }
}

}  // namespace

const char* name(Method method) {
  switch (method) {
    case Method::likelihood:
      return "likelihood";
    case Method::linear:
      return "linear";
    case Method::measured:
      return "measured";
  }
  return "";
}

struct Estimator::State {
  EstimateOptions options;
  detail::ErrorBarCache cache;

  std::vector<Estimate> with(const Winners& winners, const MeasureRelease& direct) {
    check_same_items(winners.items, direct);
    if (options.method == Method::linear && !winners.items.empty()) {
      return detail::linear_estimates(winners.gaps, direct, options.confidence, cache);
    }
    std::vector<Estimate> estimates = detail::measured_estimates(direct, options.confidence, cache);
    if (options.method == Method::likelihood) {
      improve(estimates,
              detail::likelihood_estimates(winners.evidence, direct, options.confidence));
    }
    return estimates;
  }

  /// Without measurements. A gap alone cannot tell a query that is far below the threshold and
  /// passed by luck from one that is near, so the likelihood is that of queries picked beforehand;
  /// the lower ends of intervals are claims that hold after selection.
  std::vector<Estimate> without(Winners winners, const std::vector<Claim>& lower,
                                const std::vector<Claim>& lower_of_all) {
    if (options.method == Method::measured) {
      return {};
    }
    std::vector<Estimate> estimates =
        detail::linear_estimates(winners.gaps, winners.items, options.confidence, cache);
    if (options.method == Method::linear) {
      return estimates;
    }
    winners.evidence.selected = false;
    const auto posteriors = detail::likelihood_estimates(winners.evidence, options.confidence);
    for (std::size_t i = 0; i < posteriors.size(); ++i) {
      estimates[i].value = posteriors[i].value;
      estimates[i].standard_error = posteriors[i].deviation;
      estimates[i].interval->high = posteriors[i].interval.high;
      estimates[i].simultaneous->high = posteriors[i].simultaneous.high;
    }
    const auto raise = [](std::optional<Interval>& interval, const Claim& claim) {
      if (!claim.at_least) {
        interval.reset();
        return;
      }
      interval = Interval{*claim.at_least, std::fmax(*claim.at_least, interval->high)};
    };
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      raise(estimates[i].interval, lower[i]);
      raise(estimates[i].simultaneous, lower_of_all[i]);
    }
    return estimates;
  }
};

Estimator::Estimator(const EstimateOptions& options) : state_(new State{options, {}}) {
  detail::check_confidence(options.confidence);
}
Estimator::~Estimator() = default;
Estimator::Estimator(Estimator&&) noexcept = default;
Estimator& Estimator::operator=(Estimator&&) noexcept = default;

std::vector<Estimate> Estimator::operator()(const TopKRelease& release,
                                            const MeasureRelease& direct) {
  return state_->with(winners_of(release), direct);
}

std::vector<Estimate> Estimator::operator()(const SparseVectorRelease& release,
                                            const MeasureRelease& direct) {
  return state_->with(winners_of(release), direct);
}

std::vector<Estimate> Estimator::operator()(const SparseVectorRelease& release) {
  Winners winners = winners_of(release);
  const double tail = (1 - state_->options.confidence) / 2;  // the other half is for the upper ends
  const double each = tail / static_cast<double>(std::max<std::size_t>(winners.items.size(), 1));
  return state_->without(std::move(winners), claims_above(release, 1 - tail),
                         claims_above(release, 1 - each));
}

std::vector<Estimate> Estimator::operator()(const HybridRelease& release,
                                            const MeasureRelease& direct) {
  return state_->with(winners_of(release), direct);
}

std::vector<Estimate> Estimator::operator()(const HybridRelease& release) {
  Winners winners = winners_of(release);
  if (release.gap_to == GapTo::next) {
    return {};
  }
  const std::vector<Claim> claims =
      claims_above(release, (1 + state_->options.confidence) / 2);  // for all at once
  std::vector<Estimate> estimates = state_->without(std::move(winners), claims, claims);
  if (!release.estimates && state_->options.method != Method::linear) {
    // If many candidates are above the threshold and it still ranked among the winners, its noise
    // was probably large. Then gaps are too small and no upper end is valid. The lower ends are.
    for (Estimate& result : estimates) {
      result.interval.reset();
      result.simultaneous.reset();
    }
  }
  return estimates;
}

std::vector<Estimate> Estimator::operator()(const MeasureRelease& direct) {
  detail::check_consistent(direct);
  return detail::measured_estimates(direct, state_->options.confidence, state_->cache);
}

}  // namespace freegap

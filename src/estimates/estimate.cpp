#include "freegap/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "estimates/combination.hpp"
#include "estimates/noise_moments.hpp"
#include "freegap/errors.hpp"

namespace freegap {
namespace {

void check_same_items(const std::vector<Item>& winners, const MeasureRelease& direct) {
  if (winners != direct.items) {
    throw InvalidParameter("direct",
                           "it must measure the winners of the release, in the same order");
  }
}

double in_scales(const NoiseDistribution& noise, std::int64_t ticks) {
  return noise.shown(ticks) / noise.scale.shown();
}

/// The gaps of a top-k: leads over the runner-up, so known up to a common constant.
detail::Gaps leads(const NoiseDistribution& noise, const std::vector<std::int64_t>& lead_ticks,
                   bool has_runner_up) {
  detail::Gaps gaps{{noise}, std::nullopt, {}};
  for (const std::int64_t ticks : lead_ticks) {
    gaps.evidence.push_back({noise.shown(ticks), 0, in_scales(noise, ticks)});
  }
  gaps.note_ranks();
  if (!has_runner_up) {  // all candidates won: selection was certain and biases nothing
    for (detail::GapEvidence& gap : gaps.evidence) {
      gap.lead = HUGE_VAL;
    }
  }
  return gaps;
}

/// The queries that were answered "above", with their gaps.
struct Passed {
  std::vector<Item> items;
  detail::Gaps gaps;
};

/// A gap over a noisy threshold. Mechanisms centre gaps by an offset in whole ticks; here the exact
/// means are subtracted instead.
detail::GapEvidence over_threshold(const Threshold& threshold, const Branch& branch,
                                   const NoiseDistribution& noise,
                                   const NoiseDistribution& threshold_noise, std::int64_t gap_ticks,
                                   std::size_t number) {
  const double raw = noise.shown(gap_ticks + branch.offset_ticks);
  const double centred = raw - detail::mean(noise) + detail::mean(threshold_noise);
  return {threshold.used.shown() + centred, number, in_scales(noise, gap_ticks - branch.cut_ticks)};
}

Passed passed(const SparseVectorRelease& release) {
  Passed result{{}, {{}, release.threshold_noise(), {}}};
  for (std::size_t b = 1; b <= release.branches.size(); ++b) {
    result.gaps.noise.push_back(release.branch_noise(b));
  }
  for (const SparseVectorAnswer& answer : release.answers) {
    if (!answer.above) {
      continue;
    }
    if (!answer.gap_ticks) {
      throw InvalidParameter("release", "it has no gaps: it is from the classic mechanism");
    }
    const std::size_t number = answer.branch - 1;
    result.items.push_back(answer.item);
    result.gaps.evidence.push_back(over_threshold(release.threshold, release.branches[number],
                                                  result.gaps.noise[number], *result.gaps.threshold,
                                                  *answer.gap_ticks, number));
  }
  return result;
}

detail::Gaps gaps_of(const HybridRelease& release) {
  if (release.gap_to == GapTo::next) {
    return leads(release.noise, release.gap_ticks, true);
  }
  const Branch branch =
      release.estimates ? release.estimates->branch : Branch{0, release.noise.scale, 0, 0};
  detail::Gaps gaps{{release.noise}, release.threshold_noise, {}};
  for (const std::int64_t ticks : release.gap_ticks) {
    gaps.evidence.push_back(over_threshold(release.threshold, branch, release.noise,
                                           release.threshold_noise, ticks, 0));
  }
  gaps.note_ranks();
  // If the estimates-first hybrid has k winners, a gap over the threshold may be large because the
  // next candidate's was large too. Then only the lead over the last winner certifies anything.
  if (release.estimates && release.winners.size() == release.k) {
    const double last = gaps.evidence.back().lead;
    for (detail::GapEvidence& gap : gaps.evidence) {
      gap.lead -= last;
    }
  }
  return gaps;
}

}  // namespace

struct Estimator::State {
  EstimateOptions options;
  detail::ErrorBarCache cache;
};

Estimator::Estimator(const EstimateOptions& options) : state_(new State{options, {}}) {
  detail::check_confidence(options.confidence);
}
Estimator::~Estimator() = default;
Estimator::Estimator(Estimator&&) noexcept = default;
Estimator& Estimator::operator=(Estimator&&) noexcept = default;

std::vector<Estimate> Estimator::operator()(const TopKRelease& release,
                                            const MeasureRelease& direct) {
  check_same_items(release.winners, direct);
  if (release.lead_ticks.empty()) {
    throw InvalidParameter("release", "it has no gaps: it is from the classic mechanism");
  }
  return detail::combine(leads(release.noise, release.lead_ticks, release.has_runner_up), direct,
                         state_->options, state_->cache);
}

std::vector<Estimate> Estimator::operator()(const SparseVectorRelease& release,
                                            const MeasureRelease& direct) {
  const Passed answers = passed(release);
  check_same_items(answers.items, direct);
  return detail::combine(answers.gaps, direct, state_->options, state_->cache);
}

std::vector<Estimate> Estimator::operator()(const SparseVectorRelease& release) {
  const Passed answers = passed(release);
  const double tail = (1 - state_->options.confidence) / 2;  // the other half is for the upper ends
  const double each = tail / static_cast<double>(std::max<std::size_t>(answers.items.size(), 1));
  return detail::gaps_alone(answers.gaps, claims_above(release, 1 - tail),
                            claims_above(release, 1 - each), state_->options, state_->cache);
}

std::vector<Estimate> Estimator::operator()(const HybridRelease& release,
                                            const MeasureRelease& direct) {
  check_same_items(release.winners, direct);
  return detail::combine(gaps_of(release), direct, state_->options, state_->cache);
}

std::vector<Estimate> Estimator::operator()(const HybridRelease& release) {
  if (release.gap_to == GapTo::next) {
    return {};
  }
  const std::vector<Claim> claims =
      claims_above(release, (1 + state_->options.confidence) / 2);  // for all at once
  std::vector<Estimate> estimates =
      detail::gaps_alone(gaps_of(release), claims, claims, state_->options, state_->cache);
  if (!release.estimates && state_->options.trust == Trust::certified) {
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
  detail::Gaps none{{direct.noise}, std::nullopt, {}};
  none.evidence.resize(direct.items.size());
  const EstimateOptions plain{state_->options.confidence, Trust::certified, Combination::joint};
  return detail::combine(none, direct, plain, state_->cache);
}

}  // namespace freegap

#include "experiments/squared_errors.hpp"

#include "estimates/noise_moments.hpp"

namespace freegap::experiments {
namespace {

double square(double x) { return x * x; }

double truth_of(const Item& item, std::span<const std::int64_t> counts) {
  return static_cast<double>(counts[static_cast<std::size_t>(item.id)]);
}

}  // namespace

double squared_error(const std::vector<Estimate>& estimates, std::span<const std::int64_t> counts) {
  double sum = 0;
  for (const Estimate& estimate : estimates) {
    sum += square(estimate.value - truth_of(estimate.item, counts));
  }
  return sum / static_cast<double>(estimates.size());
}

ShownNoise::ShownNoise(const NoiseDistribution& noise)
    : tick(noise.tick.shown()), mean(detail::mean(noise)), variance(noise.variance()) {}

SquaredErrors TopKErrors::of(const TopKRelease& release, const MeasureRelease& direct,
                             std::span<const std::int64_t> counts) const {
  const std::size_t k = release.winners.size();
  double mean_measured = 0;
  double mean_lead = 0;
  for (std::size_t i = 0; i < k; ++i) {
    mean_measured += direct_.tick * static_cast<double>(direct.value_ticks[i]);
    mean_lead += noise_.tick * static_cast<double>(release.lead_ticks[i]);
  }
  mean_measured /= static_cast<double>(k);
  mean_lead /= static_cast<double>(k);
  const double keep = noise_.variance / (noise_.variance + direct_.variance);
  SquaredErrors errors;
  for (std::size_t i = 0; i < k; ++i) {
    const double truth = truth_of(release.winners[i], counts);
    const double measured = direct_.tick * static_cast<double>(direct.value_ticks[i]);
    const double from_gaps =
        mean_measured + noise_.tick * static_cast<double>(release.lead_ticks[i]) - mean_lead;
    errors.direct += square(measured - truth);
    errors.linear += square(keep * measured + (1 - keep) * from_gaps - truth);
  }
  errors.direct /= static_cast<double>(k);
  errors.linear /= static_cast<double>(k);
  return errors;
}

SparseVectorErrors::SparseVectorErrors(const SparseVectorRelease& release)
    : threshold_(release.threshold_noise()) {
  for (std::size_t b = 1; b <= release.branches.size(); ++b) {
    branches_.emplace_back(release.branch_noise(b));
  }
}

double SparseVectorErrors::from_gap(const SparseVectorRelease& release,
                                    const SparseVectorAnswer& answer) const {
  const ShownNoise& noise = branches_[answer.branch - 1];
  const std::int64_t raw = *answer.gap_ticks + release.branches[answer.branch - 1].offset_ticks;
  return release.threshold.used.shown() + noise.tick * static_cast<double>(raw) - noise.mean +
         threshold_.mean;
}

SquaredErrors SparseVectorErrors::of_gaps(const SparseVectorRelease& release,
                                          std::span<const std::int64_t> counts) const {
  double sum = 0;
  double number = 0;
  for (const SparseVectorAnswer& answer : release.answers) {
    if (answer.above) {
      sum += square(from_gap(release, answer) - truth_of(answer.item, counts));
      ++number;
    }
  }
  return {.linear = sum / number};
}

SquaredErrors SparseVectorErrors::of(const SparseVectorRelease& release,
                                     const MeasureRelease& direct,
                                     std::span<const std::int64_t> counts) const {
  const double tick = direct.noise.tick.shown();
  const double direct_variance = direct.noise.variance();
  SquaredErrors errors;
  std::size_t i = 0;
  for (const SparseVectorAnswer& answer : release.answers) {
    if (!answer.above) {
      continue;
    }
    const double truth = truth_of(answer.item, counts);
    const double measured = tick * static_cast<double>(direct.value_ticks[i++]);
    const double variance = branches_[answer.branch - 1].variance + threshold_.variance;
    const double keep = variance / (variance + direct_variance);
    errors.direct += square(measured - truth);
    errors.linear += square(keep * measured + (1 - keep) * from_gap(release, answer) - truth);
  }
  const auto winners = static_cast<double>(direct.items.size());
  return {errors.direct / winners, errors.linear / winners};
}

}  // namespace freegap::experiments

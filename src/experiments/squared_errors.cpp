#include "experiments/squared_errors.hpp"

#include "estimates/noise_moments.hpp"

namespace freegap::experiments {
namespace {

double square(double x) { return x * x; }

double truth_of(const Item& item, std::span<const std::int64_t> counts) {
  return static_cast<double>(counts[static_cast<std::size_t>(item.id)]);
}

}  // namespace

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
    errors.joint += square(keep * measured + (1 - keep) * from_gaps - truth);
  }
  errors.direct /= static_cast<double>(k);
  errors.joint /= static_cast<double>(k);
  errors.per_query = errors.joint;
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
  return {.per_query = sum / number, .joint = sum / number};
}

SquaredErrors SparseVectorErrors::of(const SparseVectorRelease& release,
                                     const MeasureRelease& direct,
                                     std::span<const std::int64_t> counts) const {
  const double tick = direct.noise.tick.shown();
  const double direct_variance = direct.noise.variance();
  const auto for_each_winner = [&](const auto& visit) {
    std::size_t i = 0;
    for (const SparseVectorAnswer& answer : release.answers) {
      if (answer.above) {
        visit(answer, tick * static_cast<double>(direct.value_ticks[i++]),
              from_gap(release, answer));
      }
    }
  };
  // Estimate of the threshold's noise from all measurements together.
  double weights = 1 / threshold_.variance;
  double shared = 0;
  for_each_winner([&](const SparseVectorAnswer& answer, double measured, double gap) {
    const double weight = 1 / (direct_variance + branches_[answer.branch - 1].variance);
    weights += weight;
    shared += weight * (measured - gap);
  });
  shared /= weights;

  SquaredErrors errors;
  for_each_winner([&](const SparseVectorAnswer& answer, double measured, double gap) {
    const double truth = truth_of(answer.item, counts);
    const double own = branches_[answer.branch - 1].variance;
    const double whole = own + threshold_.variance;
    const double keep_alone = whole / (whole + direct_variance);
    const double keep_joint = own / (own + direct_variance);
    errors.direct += square(measured - truth);
    errors.per_query += square(keep_alone * measured + (1 - keep_alone) * gap - truth);
    errors.joint += square(keep_joint * measured + (1 - keep_joint) * (gap + shared) - truth);
  });
  const auto winners = static_cast<double>(direct.items.size());
  return {errors.direct / winners, errors.per_query / winners, errors.joint / winners};
}

}  // namespace freegap::experiments

#include "freegap/estimate.hpp"

#include <cmath>
#include <numeric>

#include "freegap/errors.hpp"

namespace freegap {

std::vector<Estimate> estimate(const TopKRelease& release, const MeasureRelease& direct) {
  if (release.winners != direct.items) {
    throw InvalidParameter("direct",
                           "it must measure the winners of the release, in the same order");
  }
  if (release.lead_ticks.empty()) {
    throw InvalidParameter("release", "it has no gaps: it is from the classic mechanism");
  }
  // Measurements have independent errors of variance s², noisy values of the selection have
  // independent errors of variance λ s² and are known up to a common constant. The best linear
  // unbiased estimate takes the mean from the measurements and weighs deviations from it by
  // 1/variance.
  const std::size_t k = release.winners.size();
  const auto count = static_cast<double>(k);
  const double variance = direct.noise.variance();
  const double lambda = release.noise.variance() / variance;
  std::vector<double> leads;
  leads.reserve(k);
  for (const std::int64_t ticks : release.lead_ticks) {
    leads.push_back(release.noise.shown(ticks));
  }
  double mean_direct = 0;
  for (std::size_t i = 0; i < k; ++i) {
    mean_direct += direct.value(i) / count;
  }
  const double mean_lead = std::accumulate(leads.begin(), leads.end(), 0.0) / count;
  const double error = std::sqrt(variance * (1 + lambda * count) / (count * (1 + lambda)));
  std::vector<Estimate> estimates;
  estimates.reserve(k);
  for (std::size_t i = 0; i < k; ++i) {
    const double deviation =
        (lambda * (direct.value(i) - mean_direct) + (leads[i] - mean_lead)) / (1 + lambda);
    estimates.push_back({release.winners[i], mean_direct + deviation, error});
  }
  return estimates;
}

}  // namespace freegap

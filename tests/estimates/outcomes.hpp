// Results of many runs: errors, coverage and claims, over all winners and for each rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "estimates/simulation.hpp"
#include "experiments/ratio.hpp"
#include "freegap/confidence.hpp"
#include "freegap/estimate.hpp"

namespace freegap::testing {

/// The share of trials in which something happened.
struct Share {
  std::uint64_t happened = 0;
  std::uint64_t trials = 0;

  void add(bool did) {
    happened += did ? 1 : 0;
    ++trials;
  }
  void operator+=(const Share& other) {
    happened += other.happened;
    trials += other.trials;
  }
  [[nodiscard]] double value() const {
    return trials == 0 ? 0 : static_cast<double>(happened) / static_cast<double>(trials);
  }
  /// Standard error if the true share is p.
  [[nodiscard]] double error_if(double p) const {
    return trials == 0 ? 1 : std::sqrt(p * (1 - p) / static_cast<double>(trials));
  }
};

using experiments::Ratio;
/// A mean with its standard error: a Ratio whose denominators are all 1.
using Mean = Ratio;

/// Mean squared error of a run.
inline double squared_error(const std::vector<Estimate>& estimates,
                            std::span<const double> answers) {
  double sum = 0;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    sum += std::pow(estimates[i].value - answers[i], 2);
  }
  return sum / static_cast<double>(estimates.size());
}

/// The same for measurements alone.
inline double squared_error(const MeasureRelease& direct, std::span<const double> answers) {
  const double tick = direct.noise.tick.shown();
  double sum = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    sum += std::pow(static_cast<double>(direct.value_ticks[i]) * tick - answers[i], 2);
  }
  return sum / static_cast<double>(answers.size());
}

/// Errors and coverage of one kind of estimate. Winners of one run share noise, so standard errors
/// are computed from means over runs.
struct EstimateOutcomes {
  std::vector<Mean> squared;    ///< by rank: squared error
  std::vector<Mean> bias;       ///< by rank: error
  std::vector<Share> covered;   ///< by rank: the interval contains the answer, if there is one
  Mean run_squared;             ///< mean squared error of a run
  Mean run_covered;             ///< share of a run's intervals that contain their answers
  Share simultaneous;           ///< all intervals of a run contain their answers
  std::uint64_t used_gaps = 0;  ///< winners whose gap was used

  void add(const std::vector<Estimate>& estimates, std::span<const double> answers) {
    const std::size_t n = estimates.size();
    if (squared.size() < n) {
      squared.resize(n);
      bias.resize(n);
      covered.resize(n);
    }
    double sum = 0;
    Share held;
    bool all = true;
    for (std::size_t i = 0; i < n; ++i) {
      const double error = estimates[i].value - answers[i];
      sum += error * error;
      squared[i].add(error * error);
      bias[i].add(error);
      used_gaps += estimates[i].used_gap ? 1U : 0U;
      if (estimates[i].interval) {
        const bool holds =
            estimates[i].interval->low <= answers[i] && answers[i] <= estimates[i].interval->high;
        covered[i].add(holds);
        held.add(holds);
        all = all && estimates[i].simultaneous->low <= answers[i] &&
              answers[i] <= estimates[i].simultaneous->high;
      }
    }
    if (n > 0) {
      run_squared.add(sum / static_cast<double>(n));
      simultaneous.add(all);
    }
    if (held.trials > 0) {
      run_covered.add(held.value());
    }
  }
  [[nodiscard]] Share covered_at_all() const {
    Share sum;
    for (const Share& share : covered) {
      sum += share;
    }
    return sum;
  }
};

/// Claims after selection, compared with the truth.
struct ClaimOutcomes {
  std::vector<Share> false_claims;            ///< by rank, among all winners of that rank
  Share all_false;                            ///< over all winners
  Ratio all_false_by_run;                     ///< the same; its error allows for shared noise
  Share any_false;                            ///< by run: some claim is false
  Share made;                                 ///< winners with a claim
  std::map<std::int64_t, Share> low_p_value;  ///< by false winner: p-value <= limit
  Ratio low_p_value_by_run;                   ///< of all false winners; allows for shared noise

  /// `truth[i]` is the quantity of claim i. A winner with `truth[i] <= bar` is a false one.
  void add(const std::vector<Claim>& claims, std::span<const double> truth, double bar,
           double p_limit) {
    if (false_claims.size() < claims.size()) {
      false_claims.resize(claims.size());
    }
    double wrong_claims = 0;
    double low = 0;
    double false_winners = 0;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const bool wrong = claims[i].at_least && *claims[i].at_least > truth[i];
      wrong_claims += wrong ? 1 : 0;
      false_claims[i].add(wrong);
      all_false.add(wrong);
      made.add(claims[i].at_least.has_value());
      if (truth[i] <= bar) {
        const bool is_low = claims[i].p_value <= p_limit;
        low_p_value[claims[i].item.id].add(is_low);
        low += is_low ? 1 : 0;
        ++false_winners;
      }
    }
    if (!claims.empty()) {
      any_false.add(wrong_claims > 0);
      all_false_by_run.add(wrong_claims, static_cast<double>(claims.size()));
    }
    if (false_winners > 0) {
      low_p_value_by_run.add(low, false_winners);
    }
  }
  [[nodiscard]] Share low_p_values() const {
    Share sum;
    for (const auto& [id, share] : low_p_value) {
      sum += share;
    }
    return sum;
  }
};

/// The largest answer of a shape that was not selected.
inline double best_left_out(const Shape& shape, std::span<const double> selected) {
  double best = -HUGE_VAL;
  for (std::size_t g = 0; g < shape.values.size(); ++g) {
    const auto value = static_cast<double>(simulated_threshold + shape.values[g]);
    if (value > best &&
        std::count(selected.begin(), selected.end(), value) < shape.multiplicities[g]) {
      best = value;
    }
  }
  return best;
}

/// Claims about the winners of a release, with the true quantities.
struct Claimed {
  std::vector<Claim> claims;
  std::vector<double> truth;
  double bar;  ///< a winner at or below it is a false one
};

inline Claimed claimed(const TopKRelease& release, const Setting& setting,
                       std::span<const double> answers, double confidence) {
  Claimed result{claims_ahead(release, confidence), {}, 0};
  const double left = best_left_out(setting.shape, answers);
  for (const double answer : answers) {
    result.truth.push_back(answer - left);
  }
  return result;
}

template <class Release>
Claimed claimed(const Release& release, const Setting& /*setting*/, std::span<const double> answers,
                double confidence) {
  return {claims_above(release, confidence), {answers.begin(), answers.end()}, simulated_threshold};
}

}  // namespace freegap::testing

#include "freegap/confidence.hpp"

#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"
#include "estimates/combination.hpp"
#include "estimates/consistency.hpp"
#include "estimates/noise_moments.hpp"
#include "estimates/tails.hpp"
#include "freegap/errors.hpp"

namespace freegap {
namespace {

using detail::exponent;

/// What follows from a lead over a noisy limit that the winner had to reach.
struct LeadClaim {
  std::optional<std::int64_t> ticks;  // the answer is at least so far above the limit
  double p_value;                     // of the answer being below the limit
};

/// The claim for one-sided noise. Given everything else, the lead of an answer D ticks above the
/// limit is D + Geo, and Geo if D < 0. So a lead beyond the 1 - alpha quantile of Geo shows that D
/// is above the lead minus the quantile. A smaller lead shows nothing. Proof:
/// docs/proofs/confidence.md.
LeadClaim claim_from_lead(const NoiseDistribution& noise, std::int64_t lead_ticks, double alpha) {
  const double a = exponent(noise);
  const double quantile = std::ceil(std::log(1 / alpha) / a);
  const auto lead = static_cast<double>(std::max<std::int64_t>(lead_ticks, 0));
  LeadClaim claim{std::nullopt, std::exp(-a * lead)};
  if (lead >= quantile) {
    claim.ticks = lead_ticks - static_cast<std::int64_t>(quantile) + 1;
  }
  return claim;
}

/// The claim for two-sided noise, given that the answer passed at `pass` ticks: the largest L such
/// that an answer L - 1 ticks above the threshold would have had a raw difference of `raw` or more
/// with probability at most alpha. That probability rises with the answer, because the tail is
/// log-concave, so bisection finds L.
LeadClaim claim_two_sided(double a, double b, std::int64_t raw, std::int64_t pass, double alpha) {
  const auto chance = [&](double above) {
    const double passed =
        detail::two_sided_difference_tail(a, b, static_cast<double>(pass) - above);
    return passed > 0
               ? detail::two_sided_difference_tail(a, b, static_cast<double>(raw) - above) / passed
               : 1;  // too small for a double: claim nothing
  };
  LeadClaim claim{std::nullopt, chance(0)};
  // Bracket L between an answer with a probability of at most alpha, if there is one, and one with
  // a larger probability.
  std::int64_t high = raw;  // chance(raw) > 1/2
  std::int64_t step = 1;
  std::int64_t low = raw - step;
  const std::int64_t lowest = pass - static_cast<std::int64_t>(40 / std::min(a, b));
  while (low > lowest && chance(static_cast<double>(low)) > alpha) {
    high = low;
    step *= 2;
    low = raw - step;
  }
  if (chance(static_cast<double>(low)) > alpha) {
    return claim;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (chance(static_cast<double>(middle)) > alpha ? high : low) = middle;
  }
  claim.ticks = high;
  return claim;
}

/// p-value of one of n winners that are identified by rank: any of them could have been the one
/// that the reader picks.
double by_rank(double p_value, std::size_t n) {
  return std::min(1.0, p_value * static_cast<double>(n));
}

/// Claims for winners ranked by their leads over one limit at `base` or above. A lead other than
/// the last may owe one tick to the order of ties, which is not known, so one tick is subtracted.
std::vector<Claim> ranked_claims(const std::vector<Item>& winners,
                                 const std::vector<std::int64_t>& lead_ticks,
                                 const NoiseDistribution& noise, double base, bool last_is_sure,
                                 double confidence) {
  const std::size_t n = winners.size();
  const double alpha = (1 - confidence) / static_cast<double>(std::max<std::size_t>(n, 1));
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t sure = lead_ticks[i] - (last_is_sure && i + 1 == n ? 0 : 1);
    const LeadClaim found = claim_from_lead(noise, sure, alpha);
    Claim claim{winners[i], std::nullopt, by_rank(found.p_value, n)};
    if (found.ticks) {
      claim.at_least = base + noise.shown(*found.ticks);
    }
    claims.push_back(claim);
  }
  return claims;
}

std::vector<Claim> no_claims(const std::vector<Item>& winners) {
  std::vector<Claim> claims;
  claims.reserve(winners.size());
  for (const Item& item : winners) {
    claims.push_back({item, std::nullopt, 1});
  }
  return claims;
}

/// The claim about an answer that passed `branch`. One-sided noise of the threshold is never
/// negative, so an answer that is above the noisy limit by some ticks is above the limit without
/// noise by at least as many.
Claim passed_claim(const Item& item, const Threshold& threshold, const Branch& branch,
                   const NoiseDistribution& noise, const NoiseDistribution& threshold_noise,
                   std::int64_t gap_ticks, double alpha) {
  const std::int64_t pass = branch.offset_ticks + branch.cut_ticks;
  const bool both = two_sided(noise.distribution);
  const LeadClaim found = both ? claim_two_sided(exponent(noise), exponent(threshold_noise),
                                                 gap_ticks + branch.offset_ticks, pass, alpha)
                               : claim_from_lead(noise, gap_ticks - branch.cut_ticks, alpha);
  Claim claim{item, std::nullopt, found.p_value};
  if (found.ticks) {
    claim.at_least = threshold.used.shown() + noise.shown(*found.ticks + (both ? 0 : pass));
  }
  if (!both && pass < 0) {  // a query at the threshold is above the limit by up to -pass
    claim.p_value =
        std::min(1.0, claim.p_value * std::exp(-exponent(noise) * static_cast<double>(pass)));
  }
  return claim;
}

}  // namespace

std::vector<Claim> claims_above(const SparseVectorRelease& release, double confidence) {
  detail::check_confidence(confidence);
  detail::check_consistent(release);
  std::vector<Claim> claims;
  for (const SparseVectorAnswer& answer : release.answers) {
    if (!answer.above) {
      continue;
    }
    if (!answer.gap_ticks) {
      claims.push_back({answer.item, std::nullopt, 1});
      continue;
    }
    claims.push_back(passed_claim(answer.item, release.threshold,
                                  release.branches[answer.branch - 1],
                                  release.branch_noise(answer.branch), release.threshold_noise(),
                                  *answer.gap_ticks, 1 - confidence));
  }
  return claims;
}

std::vector<Claim> claims_above(const HybridRelease& release, double confidence) {
  detail::check_confidence(confidence);
  detail::check_consistent(release);
  if (two_sided(release.noise.distribution)) {
    return no_claims(release.winners);
  }
  const double base = release.threshold.used.shown();
  if (!release.estimates) {
    return ranked_claims(release.winners, release.gap_ticks, release.noise, base,
                         release.gap_to == GapTo::next, confidence);
  }
  if (release.winners.size() == release.k) {
    return no_claims(release.winners);
  }
  const std::size_t n = release.winners.size();
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < n; ++i) {
    claims.push_back(passed_claim(release.winners[i], release.threshold, release.estimates->branch,
                                  release.noise, release.threshold_noise, release.gap_ticks[i],
                                  (1 - confidence) / static_cast<double>(n)));
    claims.back().p_value = by_rank(claims.back().p_value, n);
  }
  return claims;
}

std::vector<Claim> claims_ahead(const TopKRelease& release, double confidence) {
  detail::check_confidence(confidence);
  detail::check_consistent(release);
  if (two_sided(release.noise.distribution) || release.lead_ticks.empty() ||
      !release.has_runner_up) {
    return no_claims(release.winners);
  }
  // If answers were floored to ticks, a true difference may be smaller by up to a tick.
  const double floored = release.exact_answers ? 0 : -release.noise.tick.shown();
  return ranked_claims(release.winners, release.lead_ticks, release.noise, floored, true,
                       confidence);
}

// Given the choice, the gap exceeds g with probability (1 + e^-m) / (1 + e^(g-m)), where m is the
// scaled lead over all others together. That is at most the lead over the best of them. Flooring
// the gap to a tick only weakens the claim.
std::optional<Claim> claim_best(const ExponentialRelease& release, double confidence) {
  detail::check_confidence(confidence);
  const std::optional<double> gap = release.gap();
  if (!gap) {
    return std::nullopt;
  }
  const double alpha = 1 - confidence;
  Claim claim{release.chosen, std::nullopt, 2 / (1 + std::exp(*gap))};
  // ln((alpha e^g - 1) / (1 - alpha)), without overflow.
  const double excess = -detail::expm1(-(*gap + std::log(alpha)));  // 1 - e^-g / alpha
  if (excess > 0) {
    const double lead = *gap + std::log(alpha) + std::log(excess) - detail::log1p(-alpha);
    if (lead >= 0) {
      const double floored = release.exact_answers ? 0 : release.tick.shown();
      claim.at_least = lead / release.rate.shown() - floored;
    }
  }
  return claim;
}

std::optional<double> estimate_lead(const ExponentialRelease& release) {
  const std::optional<double> gap = release.gap();
  if (!gap || *gap <= std::log(2)) {
    return std::nullopt;
  }
  return (*gap + detail::log1p(-2 * std::exp(-*gap))) / release.rate.shown();  // ln(e^g - 2)
}

namespace {

/// The smallest r, in ticks, with P(noise of a query - noise of the threshold > r) <= chance.
std::int64_t upper_noise_bound(const NoiseDistribution& noise,
                               const NoiseDistribution& threshold_noise, double chance) {
  const double a = exponent(noise);
  const double b = exponent(threshold_noise);
  const auto tail = two_sided(noise.distribution) ? &detail::two_sided_difference_tail
                                                  : &detail::one_sided_difference_tail;
  const auto range =
      static_cast<std::int64_t>(std::ceil((std::log(1 / chance) + 40) / std::min(a, b)));
  std::int64_t low = -range;
  std::int64_t high = range;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (tail(a, b, static_cast<double>(middle + 1)) > chance ? low : high) = middle;
  }
  return high;
}

}  // namespace

double lower_bound_before_selection(const SparseVectorRelease& release,
                                    const SparseVectorAnswer& answer, double confidence) {
  detail::check_confidence(confidence);
  if (!answer.above || !answer.gap_ticks || answer.branch < 1 ||
      answer.branch > release.branches.size()) {
    throw InvalidParameter(
        "answer", "it must be above the threshold, with a gap and a branch of the release");
  }
  const std::int64_t noise = upper_noise_bound(release.branch_noise(answer.branch),
                                               release.threshold_noise(), 1 - confidence);
  const std::int64_t raw = *answer.gap_ticks + release.branches[answer.branch - 1].offset_ticks;
  return release.threshold.used.shown() + release.shown(raw - noise);
}

}  // namespace freegap

#pragma once

/// @file
/// Small selection problems on which every way to find the noisy top m is compared with the
/// reference, which adds noise to every candidate and sorts (docs/proofs/noisy_top_m.md).
/// Distributions are power series, compared coefficient by coefficient.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "freegap/detail/mechanisms/ranking.hpp"
#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/power_series.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "verify/named_order.hpp"
#include "verify/small_candidates.hpp"

namespace freegap::verify {

/// The noise source that distributions are enumerated with.
using SeriesNoise = EnumeratingNoise<PowerSeries>;

/// One small selection problem.
struct TopMCase {
  std::vector<std::int64_t> counts;  ///< answers
  std::size_t m;                     ///< how many are found
  Distribution distribution;         ///< of the noise
  std::int64_t subticks;             ///< fractions of a tick
  std::vector<int> order;            ///< of ties, best first
  std::uint64_t cut;                 ///< all coefficients up to this order are compared
};

/// For messages.
std::string text(const TopMCase& c);

/// Which cases are asked for: every list with every m, both distributions, one or two fractions.
struct TopMCases {
  std::vector<std::vector<std::int64_t>> lists;  ///< answers
  std::vector<std::size_t> ms;                   ///< numbers to find
  bool every_order;             ///< the order of the list and its reverse besides a mixed one
  std::uint64_t one_sided_cut;  ///< for lists of four and one-sided noise
  std::uint64_t two_sided_cut;  ///< for lists of four and two-sided noise
  std::uint64_t more_for_short_lists;  ///< added to the cut of shorter lists
};
/// The cases themselves.
std::vector<TopMCase> all_cases(const TopMCases& which);

/// Rate 2 per tick, so that half a tick is one unit.
inline detail::TickNoise noise_of(const TopMCase& c) { return {c.distribution, 2, c.subticks}; }

/// Common names and noisy values of those found, in order.
using TopM = std::vector<std::pair<int, std::int64_t>>;
/// Their distribution.
using TopMDistribution = std::map<TopM, PowerSeries>;

/// The distribution of `find(noise, order)`, under common names.
template <class Find>
TopMDistribution distribution_of_top_m(const TopMCase& c, const Name& name, const Find& find) {
  const SeriesNoise start(noise_of(c).rate().exponent(), PowerSeries(c.cut, 1), c.cut);
  return distribution_of(start, [&](SeriesNoise& noise) {
    NamedOrder order(c.order, name);
    TopM result;
    for (const detail::NoisyCandidate& found : find(noise, order)) {
      result.emplace_back(name(found.item), static_cast<std::int64_t>(found.position));
    }
    return result;
  });
}

/// The distribution of the reference.
TopMDistribution reference_distribution(const TopMCase& c);

}  // namespace freegap::verify

#include "verify/mechanisms/exponential_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <vector>

#include "freegap/verify/tape.hpp"

namespace freegap::verify {
namespace {

using Real = long double;

/// Candidates with scaled utilities r u, of which ln(how many) is kept apart.
struct Groups {
  std::vector<Real> utility;
  std::vector<Real> count;
};

/// ln(1 + e^t).
Real softplus(Real t) { return t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t)); }

/// μ = ln(w / W): one member of group s against all other candidates.
Real advantage(const Groups& groups, std::size_t s) {
  const Real most = *std::max_element(groups.utility.begin(), groups.utility.end());
  Real others = 0;
  for (std::size_t i = 0; i < groups.utility.size(); ++i) {
    const Real members = groups.count[i] - (i == s ? 1 : 0);
    others += members * std::exp(groups.utility[i] - most);
  }
  return groups.utility[s] - most - std::log(others);
}

/// ln P(s, gap from a to b), but for a term that neighbours share: P = S(a) - S(b) with
/// S(γ) = 1 / (1 + e^(γ-μ)), so ln P = a - μ + ln(e^(b-a) - 1) - softplus(a-μ) - softplus(b-μ).
Real log_probability(Real mu, Real a, Real b) { return -mu - softplus(a - mu) - softplus(b - mu); }

/// Most that rounding adds to a loss: a few dozen operations, each off by half a unit in the last
/// place of numbers no larger than the sum of the sizes that occur.
Real rounding(Real mu, Real mu2, Real b) {
  return 64 * std::numeric_limits<Real>::epsilon() *
         (1 + std::fabs(mu) + std::fabs(mu2) + std::fabs(b));
}

Groups random_groups(TapeSource& tapes) {
  constexpr std::array<Real, 4> widths{0, 1, 10, 60};
  constexpr std::array<std::uint64_t, 3> counts{1, 3, 1000000};
  const std::size_t n = 2 + tapes.below(5);
  const Real width = widths[tapes.below(widths.size())];
  const std::uint64_t most = counts[tapes.below(counts.size())];
  Groups groups;
  for (std::size_t i = 0; i < n; ++i) {
    groups.utility.push_back(width * static_cast<Real>(tapes.below(1000)) / 1000);
    groups.count.push_back(static_cast<Real>(1 + tapes.below(most)));
  }
  return groups;
}

/// A neighbour: each group moves by at most `step`.
Groups random_neighbour(const Groups& groups, Real step, bool monotone, TapeSource& tapes) {
  const Real direction = tapes.below(2) == 0 ? step : -step;
  Groups moved = groups;
  for (Real& utility : moved.utility) {
    const std::uint64_t choice = tapes.below(3);
    utility += choice == 0 ? 0 : choice == 1 || monotone ? direction : -direction;
  }
  return moved;
}

/// Takes in the losses of all choices and several gaps.
void compare(const Groups& d, const Groups& d2, Real epsilon, Real tick, ExponentialLoss& found) {
  constexpr std::array<Real, 4> gaps{0, 1, 30, 100000};
  for (std::size_t s = 0; s < d.utility.size(); ++s) {
    const Real mu = advantage(d, s);
    const Real mu2 = advantage(d2, s);
    for (const Real gap : gaps) {
      const Real a = gap * tick;
      const Real b = a + tick;
      const Real loss = std::fabs(log_probability(mu, a, b) - log_probability(mu2, a, b));
      const auto share = static_cast<double>((loss - rounding(mu, mu2, b)) / epsilon);
      found.worst_share = std::max(found.worst_share, share);
      if (share > 1 && found.problem.empty()) {
        std::ostringstream text;
        text << "choice and gap lose " << share << " times the budget " << epsilon
             << " at advantages " << mu << " and " << mu2 << ", gap " << a;
        found.problem = text.str();
      }
    }
  }
}

}  // namespace

ExponentialLoss exponential_loss(bool monotone, std::uint64_t pairs, std::uint64_t seed) {
  constexpr std::array<Real, 4> epsilons{0.125L, 0.5L, 1, 8};
  constexpr std::array<Real, 3> ticks{0x1p-10L, 0.25L, 1};
  constexpr std::uint64_t neighbours = 32;
  TapeSource tapes(seed);
  ExponentialLoss found;
  while (found.pairs < pairs) {
    const Groups groups = random_groups(tapes);
    const Real epsilon = epsilons[tapes.below(epsilons.size())];
    const Real step = monotone ? epsilon : epsilon / 2;  // r Δ = ε / c
    const Real tick = ticks[tapes.below(ticks.size())];
    for (std::uint64_t i = 0; i < neighbours && found.pairs < pairs; ++i, ++found.pairs) {
      compare(groups, random_neighbour(groups, step, monotone, tapes), epsilon, tick, found);
    }
  }
  return found;
}

}  // namespace freegap::verify

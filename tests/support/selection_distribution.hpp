// Distributions of noisy selection in closed form, for comparison with samples: who comes first or
// second, and by how much. One sum over all noisy values, in doubles: errors of 1e-9 against
// samples that are good to 1e-3.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "freegap/detail/mechanisms/noisy_top_m.hpp"

namespace freegap::testing {

/// The distribution of one draw of TickNoise, in fractions of a tick.
class PositionDistribution {
 public:
  /// The noise with all scales multiplied by `stretch`.
  explicit PositionDistribution(const detail::TickNoise& noise, double stretch = 1)
      : two_sided_(noise.two_sided()), s_(noise.subticks()) {
    const double a = noise.tick_rate().exponent().shown() / stretch;
    rate_ = a / static_cast<double>(s_);
    x_ = std::exp(-a);
  }

  /// P(N = p).
  [[nodiscard]] double at(std::int64_t p) const {
    if (!two_sided_ && p < 0) {
      return 0;
    }
    const double size = -std::expm1(-rate_) * power(magnitude(p));
    return two_sided_ ? size / (1 + x_) : size;
  }
  /// P(N >= p), accurate where it is small.
  [[nodiscard]] double from(std::int64_t p) const {
    if (p >= 0) {
      return two_sided_ ? power(p) / (1 + x_) : power(p);
    }
    if (!two_sided_) {
      return 1;
    }
    const std::int64_t fraction = fraction_of(p);
    const std::int64_t whole = (fraction - p) / s_;  // ticks below zero
    return 1 - (power((whole + 1) * s_) + power(whole * s_) * (1 - power(fraction))) / (1 + x_);
  }
  /// One of `count` draws is beyond this many fractions, either way, with probability below 1e-12.
  [[nodiscard]] std::int64_t reach(double count) const {
    return static_cast<std::int64_t>((28 + std::log(count)) / rate_) + 2 * s_;
  }
  [[nodiscard]] bool two_sided() const { return two_sided_; }
  [[nodiscard]] std::int64_t subticks() const { return s_; }

 private:
  [[nodiscard]] double power(std::int64_t e) const {
    return std::exp(-rate_ * static_cast<double>(e));
  }
  [[nodiscard]] std::int64_t fraction_of(std::int64_t p) const { return ((p % s_) + s_) % s_; }
  /// The fraction belongs to the magnitude, whatever the sign.
  [[nodiscard]] std::int64_t magnitude(std::int64_t p) const {
    return p >= 0 ? p : 2 * fraction_of(p) - p;
  }

  bool two_sided_;
  std::int64_t s_;
  double rate_ = 0;
  double x_ = 0;
};

/// Independent noise on groups of candidates with values in ticks; ties in a uniformly random
/// order. A lead of at least g ticks means that the winner would also win if it were g ticks lower:
/// the fraction of a tick and the key stay, so borrow and tie order need no separate treatment.
class SelectionDistribution {
 public:
  /// One candidate a value.
  SelectionDistribution(std::vector<std::int64_t> ticks, const detail::TickNoise& noise,
                        double stretch = 1)
      : SelectionDistribution(ticks, std::vector<double>(ticks.size(), 1), noise, stretch) {}
  /// So many candidates a value.
  SelectionDistribution(std::vector<std::int64_t> ticks, std::vector<double> multiplicities,
                        const detail::TickNoise& noise, double stretch)
      : q_(std::move(ticks)), m_(std::move(multiplicities)), distribution_(noise, stretch) {}

  /// P(one of group j first, with a lead of at least g), times `weight(noisy value in ticks)` where
  /// given.
  [[nodiscard]] double first(std::size_t j, std::int64_t g,
                             const std::function<double(std::int64_t)>& weight = nullptr) const {
    const std::int64_t s = distribution_.subticks();
    return sum(j, [&](std::int64_t p, double u) {
      return (weight ? weight(floor_tick(p)) : 1) * all_lose(p - g * s, u, j, j);
    });
  }
  /// P(first lead at least g), for any winner.
  [[nodiscard]] double first(std::int64_t g) const {
    double total = 0;
    for (std::size_t j = 0; j < q_.size(); ++j) {
      total += first(j, g);
    }
    return total;
  }
  /// P(b second, with a lead of at least g over the third), for groups of one.
  [[nodiscard]] double second(std::size_t b, std::int64_t g) const {
    double total = 0;
    for (std::size_t a = 0; a < q_.size(); ++a) {
      total += a == b ? 0 : second_behind(b, a, g);
    }
    return total;
  }
  /// The same, with a first.
  [[nodiscard]] double second_behind(std::size_t b, std::size_t a, std::int64_t g = 0) const {
    const std::int64_t s = distribution_.subticks();
    return sum(
        b, [&](std::int64_t p, double u) { return beats(a, p, u) * all_lose(p - g * s, u, a, b); });
  }

 private:
  [[nodiscard]] std::int64_t floor_tick(std::int64_t p) const {
    const std::int64_t s = distribution_.subticks();
    return (p - ((p % s) + s) % s) / s;
  }
  /// P(one of group i ranks before a value p with key u in [0,1]).
  [[nodiscard]] double beats(std::size_t i, std::int64_t p, double u) const {
    const std::int64_t n = p - q_[i] * distribution_.subticks();
    return distribution_.from(n + 1) + (1 - u) * distribution_.at(n);
  }
  /// P(all rank after it), but for one each of groups a and b (one in all, where they are the
  /// same).
  [[nodiscard]] double all_lose(std::int64_t p, double u, std::size_t a, std::size_t b) const {
    double product = 1;
    for (std::size_t i = 0; i < q_.size() && product > 0; ++i) {
      const double others = m_[i] - (i == a || i == b ? 1 : 0);
      const double beaten = beats(i, p, u);
      if (others > 0) {
        product *= others == 1 ? 1 - beaten : std::exp(others * std::log1p(-beaten));
      }
    }
    return product;
  }
  /// E over the value and the key of a member of group j, times its size; Simpson's rule in the
  /// key, whose effect is nearly linear.
  template <class Function>
  double sum(std::size_t j, const Function& f) const {
    const std::int64_t centre = q_[j] * distribution_.subticks();
    const std::int64_t reach = distribution_.reach(m_[j]);
    double total = 0;
    for (std::int64_t n = distribution_.two_sided() ? -reach : 0; n <= reach; ++n) {
      const std::int64_t p = centre + n;
      total += distribution_.at(n) * (f(p, 0) + 4 * f(p, 0.5) + f(p, 1)) / 6;
    }
    return total * m_[j];
  }

  std::vector<std::int64_t> q_;
  std::vector<double> m_;
  PositionDistribution distribution_;
};

}  // namespace freegap::testing

#pragma once

/// @file
/// Worst-case privacy loss of a mechanism on small inputs, from exact enumeration.
///
/// Losses are counted in units ln(1/x), where x = exp(-base) is the formal variable of the
/// enumeration. The claim "the loss is at most `spent`" is made for every x. It is evaluated at one
/// small x, where few terms come near the worst case.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "freegap/detail/mechanisms/noisy_top_m.hpp"
#include "freegap/rational.hpp"
#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/interval_at.hpp"

namespace freegap::verify {

/// The point of evaluation.
inline constexpr long double loss_point = 1.0L / 64;

/// The noise source that losses are enumerated with.
using LossNoise = EnumeratingNoise<IntervalAt>;
/// A list of whole numbers, such as answers.
using Vector = std::vector<std::int64_t>;

/// What an observer sees, with the cost that the release itself states.
struct Seen {
  Vector shown;                  ///< everything released
  std::int64_t spent_units = 0;  ///< the cost that the release states
  /// For use as a key; the order has no meaning.
  friend auto operator<=>(const Seen&, const Seen&) = default;  // NOLINT(modernize-use-nullptr)
};

/// `value` in units of `base`; must be whole.
inline std::int64_t in_units(const Rational& value, const Rational& base) {
  const Rational count = value / base;
  if (count.floor() != count.ceil()) {
    throw std::logic_error("privacy loss: a cost is no multiple of the base");
  }
  return count.floor().get_si();
}

/// The distribution of what is seen. Each probability is at most `missing` too small.
struct SeenDistribution {
  std::map<Seen, IntervalAt> probability;  ///< of each outcome
  long double missing = 0;                 ///< most that any probability may be too small
};

/// Probability that `draws` noises have a total order above `cut`: each has order j with
/// probability at most 2 x^j, so at most sum over i > cut of 2^draws C(i + draws - 1, draws - 1)
/// x^i.
inline long double missing_mass(std::uint64_t draws, std::uint64_t cut) {
  const auto n = static_cast<long double>(draws);
  long double term = 1;  // for i = 0
  long double sum = 0;
  for (std::uint64_t i = 1; i <= cut + 200; ++i) {
    const auto order = static_cast<long double>(i);
    term *= loss_point * (order + n - 1) / order;
    sum += i > cut ? term : 0;
  }
  return 2 * std::exp2(n) * sum;  // twice: what lies beyond cut + 200 is far less than the rest
}

/// How to enumerate a mechanism.
struct Enumeration {
  Rational base;        ///< unit of all rates and costs
  std::uint64_t draws;  ///< no branch draws more noises than this
  std::uint64_t cut;    ///< orders up to here are walked
};

/// Draws for so many noisy values: two-sided noise draws its fraction of a tick separately.
inline std::uint64_t draws_of(const detail::TickNoise& distribution, std::uint64_t values) {
  return distribution.two_sided() && distribution.subticks() > 1 ? 2 * values : values;
}

/// The distribution of `run(noise)`, which returns Seen.
template <class Run>
SeenDistribution seen_distribution(const Enumeration& how, const Run& run) {
  const LossNoise noise(how.base, IntervalAt(loss_point, 1), how.cut);
  return {distribution_of(noise, run), missing_mass(how.draws, how.cut)};
}

/// The same for a run whose number of draws is not known beforehand, such as one that skips. What
/// is left out is added up branch by branch.
template <class Run>
SeenDistribution seen_distribution(const Rational& base, std::uint64_t cut, const Run& run) {
  SeenDistribution result;
  result.probability =
      distribution_of(LossNoise(base, IntervalAt(loss_point, 1), cut), [&](LossNoise& noise) {
        Seen seen = run(noise);
        result.missing = noise.left_out() ? noise.left_out()->high() : 0;
        return seen;
      });
  return result;
}

/// Worst cases over pairs of neighbours.
struct Worst {
  double loss = -1e9;                            ///< largest loss, in units
  double excess = -1e9;                          ///< largest loss beyond the stated cost, in units
  std::string where;                             ///< of the largest excess
  std::size_t outcomes = 0;                      ///< compared
  std::map<std::int64_t, double> loss_by_spent;  ///< largest loss of the outcomes of each price

  /// Takes in other worst cases.
  void merge(const Worst& other) {
    outcomes += other.outcomes;
    loss = std::max(loss, other.loss);
    for (const auto& [spent, most] : other.loss_by_spent) {
      note(spent, most);
    }
    if (other.excess > excess) {
      excess = other.excess;
      where = other.where;
    }
  }
  /// Takes in a loss of an outcome of this price.
  void note(std::int64_t spent, double most) {
    const auto [place, fresh] = loss_by_spent.try_emplace(spent, most);
    place->second = std::max(place->second, most);
  }
};

/// Outcomes whose probability is known to a relative error of 1e-7; losses then to 1e-7 / ln 64.
inline constexpr long double resolution = 1e-7L;
/// Slack for a claim "not above": the resolution of both probabilities.
inline constexpr double slack = 1e-7;

/// For messages.
inline std::string text(const Vector& values) {
  std::string result = "(";
  for (const std::int64_t value : values) {
    result += result.size() > 1 ? "," : "";
    result += std::to_string(value);
  }
  return result + ")";
}

/// From `d` to `d2` over all outcomes that the enumeration resolves on both sides, and, where an
/// outcome is resolved under `d` alone, with the most that its probability under `d2` can be.
inline Worst worst_loss(const SeenDistribution& d, const SeenDistribution& d2) {
  Worst worst;
  for (const auto& [seen, p] : d.probability) {
    if (p.low() * resolution < d.missing) {
      continue;
    }
    const auto found = d2.probability.find(seen);
    const long double other = found == d2.probability.end() ? 0 : found->second.high();
    if (other * resolution < d2.missing && other + d2.missing > p.low()) {
      continue;  // nothing is known about it
    }
    const bool resolved = other * resolution >= d2.missing;
    const long double most = resolved ? other : other + d2.missing;
    const auto loss = static_cast<double>(std::log(p.low() / most) / -std::log(loss_point));
    const double excess = loss - static_cast<double>(seen.spent_units);
    ++worst.outcomes;
    worst.note(seen.spent_units, loss);
    worst.loss = std::max(worst.loss, loss);
    if (excess > worst.excess) {
      worst.excess = excess;
      worst.where = "outcome " + text(seen.shown) + ", spent " + std::to_string(seen.spent_units);
    }
  }
  return worst;
}

/// How answers may move between neighbours.
enum class Moves { either_way, together };

/// All vectors of length n with entries from lo to hi.
inline std::vector<Vector> all_vectors(std::size_t n, std::int64_t lo, std::int64_t hi) {
  std::vector<Vector> result{{}};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Vector> longer;
    for (const Vector& head : result) {
      for (std::int64_t value = lo; value <= hi; ++value) {
        longer.push_back(head);
        longer.back().push_back(value);
      }
    }
    result = std::move(longer);
  }
  return result;
}

/// Neighbours of `q`, at most one off in each entry; `together`: all up or all down.
inline std::vector<Vector> neighbours_of(const Vector& q, Moves moves) {
  std::vector<Vector> result;
  for (const Vector& step : all_vectors(q.size(), -1, 1)) {
    const auto [least, most] = std::minmax_element(step.begin(), step.end());
    if (moves == Moves::together && *least < 0 && *most > 0) {
      continue;
    }
    Vector other = q;
    for (std::size_t i = 0; i < q.size(); ++i) {
      other[i] += step[i];
    }
    result.push_back(other);
  }
  return result;
}

/// Distributions by input, each enumerated once.
class Distributions {
 public:
  /// `enumerate` gives the distribution for an input.
  explicit Distributions(std::function<SeenDistribution(const Vector&)> enumerate)
      : enumerate_(std::move(enumerate)) {}

  /// The distribution for an input.
  const SeenDistribution& at(const Vector& q) {
    const auto found = distributions_.find(q);
    return found != distributions_.end() ? found->second
                                         : distributions_.emplace(q, enumerate_(q)).first->second;
  }
  /// From one input to another.
  Worst worst(const Vector& from, const Vector& to) {
    Worst result = worst_loss(at(from), at(to));
    result.where += " from " + text(from) + " to " + text(to);
    return result;
  }
  /// Over all `inputs` and their neighbours.
  Worst worst(const std::vector<Vector>& inputs, Moves moves) {
    Worst result;
    for (const Vector& q : inputs) {
      for (const Vector& other : neighbours_of(q, moves)) {
        result.merge(worst(q, other));
      }
    }
    return result;
  }

 private:
  std::function<SeenDistribution(const Vector&)> enumerate_;
  std::map<Vector, SeenDistribution> distributions_;
};

}  // namespace freegap::verify

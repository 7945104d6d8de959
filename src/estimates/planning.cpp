#include "freegap/planning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/elementary.hpp"
#include "core/integers.hpp"
#include "estimates/noise_moments.hpp"
#include "estimates/separated_error.hpp"
#include "freegap/allocation.hpp"
#include "freegap/errors.hpp"

namespace freegap {
namespace {

/// Noise of this scale. The tick is 1 for geometric noise, and otherwise too fine to matter.
NoiseDistribution noise_of(Distribution distribution, const Rational& scale) {
  return {distribution, scale,
          distribution == Distribution::geometric ? Rational(1) : scale / Rational(1 << 20)};
}

/// The sensitivity on the grid of the selection: a whole number for geometric noise.
Rational sensitivity_of(const Queries& queries, Distribution distribution) {
  return distribution == Distribution::geometric ? Rational(mpq_class(queries.sensitivity.ceil()))
                                                 : queries.sensitivity;
}

template <class Question>
void check(const Question& question, bool may_skip_measuring) {
  if (question.k == 0) {
    throw InvalidParameter("k", "it must be at least 1");
  }
  if (question.queries.sensitivity.sign() <= 0) {
    throw InvalidParameter("sensitivity", "it must be above 0");
  }
  if (question.queries.max_items == 0) {
    throw InvalidParameter("max_items", "it must be at least 1");
  }
  const int sign = question.measuring_share.sign();
  if (sign < 0 || (sign == 0 && !may_skip_measuring) || question.measuring_share >= Rational(1)) {
    throw InvalidParameter("measuring_share", may_skip_measuring
                                                  ? "it must be 0 or more and below 1"
                                                  : "it must be above 0 and below 1");
  }
  (void)Epsilon(question.epsilon);
}

template <class Question>
NoiseDistribution direct_noise(const Question& question) {
  const Queries& queries = question.queries;
  return noise_of(Distribution::laplace, Rational(queries.most_changed(question.k)) *
                                             queries.sensitivity /
                                             (question.measuring_share * question.epsilon));
}

template <class Question>
Rational selecting_epsilon(const Question& question) {
  return (Rational(1) - question.measuring_share) * question.epsilon;
}

/// The noise of a sparse vector's threshold and of its branches, cheapest first.
struct SparseVectorNoise {
  NoiseDistribution threshold;
  std::vector<NoiseDistribution> branches;
};

SparseVectorNoise noise_of(const SparseVectorQuestion& question) {
  if (question.branches == 0 || question.branches > 16) {
    throw InvalidParameter("branches", "there must be from 1 (plain) to 16");
  }
  const Queries& queries = question.queries;
  const Rational epsilon = selecting_epsilon(question);
  const Rational sensitivity = sensitivity_of(queries, question.noise);
  const std::int64_t sensitivity_ticks = detail::small_word(sensitivity.ceil()).value_or(INT64_MAX);
  const Rational theta =
      question.theta
          ? *question.theta
          : best_threshold_share({question.noise, queries.noise_factor(), question.k, epsilon,
                                  std::max<std::int64_t>(sensitivity_ticks, 1)});
  if (theta.sign() <= 0 || theta >= Rational(1)) {
    throw InvalidParameter("theta", "it must be above 0 and below 1");
  }
  const Rational price = (Rational(1) - theta) * epsilon / Rational(question.k);
  SparseVectorNoise noise{noise_of(question.noise, sensitivity / (theta * epsilon)), {}};
  for (std::size_t r = question.branches; r >= 1; --r) {
    noise.branches.push_back(noise_of(
        question.noise, Rational(queries.noise_factor()) * sensitivity * Rational(r) / price));
  }
  return noise;
}

/// Variances by closed forms, and what the rest of a forecast depends on.
struct Variances {
  double gap = 0;
  double direct = 0;  ///< infinite where nothing is measured
  double linear = 0;
  double per_query = 0;
  detail::SeparatedCase separated;
};

/// The case that estimates by likelihood see. They treat noise on its ticks where these are wide.
detail::SeparatedCase separated_case(std::uint64_t k, const NoiseDistribution& selecting,
                                     const NoiseDistribution& direct) {
  constexpr double fine_ticks = 8;  // as in likelihood.cpp
  return {k,
          two_sided(selecting.distribution),
          selecting.scale.shown(),
          detail::exponent(selecting) * fine_ticks > 1 ? selecting.tick.shown() : 0,
          0,
          direct.scale.shown()};
}

Variances variances_of(const TopKQuestion& question) {
  check(question, false);
  const auto k = static_cast<double>(question.k);
  const NoiseDistribution selecting =
      noise_of(question.noise, Rational(question.queries.noise_factor()) * Rational(question.k) *
                                   sensitivity_of(question.queries, question.noise) /
                                   selecting_epsilon(question));
  const NoiseDistribution measuring = direct_noise(question);
  const double noise = selecting.variance();
  const double direct = measuring.variance();
  const double lambda = noise / direct;
  return {2 * noise, direct, direct * (1 + lambda * k) / (k * (1 + lambda)), direct,
          separated_case(question.k, selecting, measuring)};
}

Variances variances_of(const SparseVectorQuestion& question) {
  check(question, true);
  const auto k = static_cast<double>(question.k);
  const SparseVectorNoise noise = noise_of(question);
  const double v = noise.branches.back().variance();
  const double v0 = noise.threshold.variance();
  if (question.measuring_share.sign() == 0) {
    return {v + v0, HUGE_VAL, v + v0, v + v0, {}};
  }
  const NoiseDistribution measuring = direct_noise(question);
  const double a = measuring.variance();
  const double share = a / (a + v);
  const double joint = a * v / (a + v) + share * share / (k / (a + v) + 1 / v0);
  detail::SeparatedCase separated = separated_case(question.k, noise.branches.back(), measuring);
  separated.threshold = noise.threshold.scale.shown();
  if (detail::exponent(noise.threshold) > detail::exponent(noise.branches.back())) {
    separated.tick = separated_case(question.k, noise.threshold, measuring).tick;
  }
  return {v + v0, a, joint, a * (v + v0) / (a + v + v0), separated};
}

/// Mean squared error of estimates by likelihood if the winners stand apart. No estimate that moves
/// along with the answers has less, and the linear one is such an estimate.
double combined_variance(const Variances& variances) {
  if (std::isinf(variances.direct)) {
    return variances.linear;  // gaps alone are combined with nothing
  }
  const bool lead_of_one = variances.separated.winners == 1 && variances.separated.threshold == 0;
  return lead_of_one ? variances.direct
                     : std::fmin(variances.linear, detail::separated_variance(variances.separated));
}

Forecast forecast_of(const Variances& variances) {
  const double combined = combined_variance(variances);
  return {std::sqrt(variances.gap),    std::sqrt(variances.direct),
          std::sqrt(combined),         1 - combined / variances.direct,
          std::sqrt(variances.linear), std::sqrt(variances.per_query)};
}

void check_target(double target) {
  if (!(target > 0) || !std::isfinite(target)) {
    throw InvalidParameter("target", "it must be a finite number above 0");
  }
}

template <class Question>
double epsilon_for_question(Question question, double target) {
  check_target(target);
  constexpr double least = 1e-9;
  constexpr double most = Epsilon::largest;
  const auto error_at = [&](double epsilon) {
    question.epsilon = Rational::exactly(epsilon);
    return std::sqrt(combined_variance(variances_of(question)));
  };
  const auto refuse_unless = [](bool possible) {
    if (!possible) {
      throw InvalidParameter("target", "no budget from 1e-9 to 1000 gives this error");
    }
  };
  // All scales are inversely proportional to the budget, except on ticks.
  double high = error_at(1) / target;
  if (question.noise != Distribution::geometric) {
    refuse_unless(high >= least && high <= most);
    return high;
  }
  high = std::clamp(high, least, most);
  double widen = 1.01;
  while (error_at(high) > target) {
    refuse_unless(high < most);
    high = std::fmin(high * widen, most);
    widen *= widen;
  }
  double low = high;
  do {
    refuse_unless(low > least);
    low = std::fmax(low / widen, least);
    widen *= widen;
  } while (error_at(low) < target);
  while (high > low * (1 + 1e-6)) {
    const double middle = std::sqrt(low * high);
    (error_at(middle) > target ? low : high) = middle;
  }
  return high;
}

/// The largest k below `high` for which error_at(k) <= target, if errors grow from `low` on; `low`
/// itself if there is none. They are nearly proportional to k, so a few steps are enough; with a
/// contribution bound they may hardly grow, so every second step halves what is left.
template <class ErrorAt>
std::uint64_t largest_winners(std::uint64_t low, std::uint64_t high, double target,
                              ErrorAt error_at) {
  constexpr std::uint64_t most = most_planned_winners;
  std::uint64_t at = std::max<std::uint64_t>(low, 1);
  for (bool halve = false; high - low > 1; halve = !halve) {
    const double error = error_at(at);
    (error <= target ? low : high) = at;
    const std::uint64_t middle = low + (high - low) / 2;
    const double guess =
        halve ? static_cast<double>(middle) : static_cast<double>(at) * target / error;
    at = guess < static_cast<double>(most) ? static_cast<std::uint64_t>(guess) : most;
    at = std::clamp(at, low + 1, std::max(low + 1, high - 1));
  }
  return low;
}

/// Where errors are least, if they fall from `first` on before they grow. `nearly` is a function
/// like `error_at` that takes less time.
template <class Nearly, class ErrorAt>
std::uint64_t least_error(std::uint64_t first, Nearly nearly, ErrorAt error_at) {
  std::uint64_t at = first;
  for (std::uint64_t k = first; k <= most_planned_winners; k += 1 + k / 8) {
    at = nearly(k) < nearly(at) ? k : at;
  }
  const std::uint64_t step = 1 + at / 16;
  while (at >= first + step && error_at(at - step) < error_at(at)) {
    at -= step;
  }
  while (at + step <= most_planned_winners && error_at(at + step) < error_at(at)) {
    at += step;
  }
  return at;
}

template <class Question>
WinnersFor winners_for_question(Question question, double target) {
  check_target(target);
  constexpr std::uint64_t end = most_planned_winners + 1;
  const auto with = [&](std::uint64_t k) {
    question.k = k;
    return variances_of(question);
  };
  WinnersFor winners;
  if (question.measuring_share.sign() > 0) {
    winners.whatever_the_data =
        largest_winners(0, end, target, [&](std::uint64_t k) { return std::sqrt(with(k).direct); });
  }
  const auto combined = [&](std::uint64_t k) { return std::sqrt(combined_variance(with(k))); };
  std::uint64_t low = winners.whatever_the_data;
  std::uint64_t high = end;
  if (const auto& most = question.queries.max_items; most && low < *most && *most < end) {
    // More winners than the bound are measured as precisely, and share the noise of their level.
    const auto linear = [&](std::uint64_t k) { return with(k).linear; };
    const std::uint64_t least = least_error(*most, linear, combined);
    (combined(least) <= target ? low : high) = least;
  }
  winners.separated = largest_winners(low, high, target, combined);
  return winners;
}

/// A function of shares in (0, 1), known at shares whose log odds are equally spaced: the cubic
/// through neighbours.
class BetweenShares {
 public:
  template <class Function>
  BetweenShares(double first, double last, Function function)
      : first_(log_odds(first)), step_((log_odds(last) - first_) / (points - 1)) {
    for (int i = 0; i < points; ++i) {
      known_.push_back(function(1 / (1 + std::exp(-first_ - i * step_))));
    }
  }

  double operator()(double share) const {
    const double place = step_ > 0 ? (log_odds(share) - first_) / step_ : 0;
    const int left = std::clamp(static_cast<int>(place), 0, points - 2);
    const double t = place - left;
    const auto at = [&](int i) { return known_[static_cast<std::size_t>(i)]; };
    const double y0 = at(left);
    const double y1 = at(left + 1);
    const double before = left > 0 ? (y1 - at(left - 1)) / 2 : y1 - y0;
    const double after = left + 2 < points ? (at(left + 2) - y0) / 2 : y1 - y0;
    const double bend = (1 - t) * (before - (y1 - y0)) - t * (after - (y1 - y0));
    return y0 + t * (y1 - y0) + t * (1 - t) * bend;
  }

 private:
  static constexpr int points = 9;
  static double log_odds(double share) { return std::log(share / (1 - share)); }

  double first_;
  double step_;
  std::vector<double> known_;
};

template <class Question>
Rational best_share(Question question, std::int64_t first, const Rational& least_selecting) {
  if (least_selecting.sign() < 0 || least_selecting >= Rational(1)) {
    throw InvalidParameter("least_selecting", "it must be 0 or more and below 1");
  }
  const auto at = [&](const Rational& share) {
    question.measuring_share = share;
    return variances_of(question);
  };
  const Rational most = Rational(1) - least_selecting;
  const auto last = std::clamp(static_cast<std::int64_t>(std::floor(most.shown() * 1000 + 1e-9)),
                               std::int64_t{1}, std::int64_t{999});
  // What the likelihood saves over the linear combination changes slowly with the share, so that a
  // few points are enough.
  const BetweenShares saved(0.001, static_cast<double>(last) / 1000, [&](double share) {
    const Variances variances = at(Rational::exactly(share));
    return combined_variance(variances) / variances.linear;
  });
  // Gaps alone are best unless measuring saves more than the rounding of these numbers.
  constexpr double noticeable = 0.999;
  Rational best;
  double least = HUGE_VAL;
  for (std::int64_t thousandths = first; thousandths <= std::max(first, last); ++thousandths) {
    const Rational share(thousandths, 1000);
    const double variance =
        at(share).linear * (thousandths == 0 ? noticeable : saved(share.shown()));
    if (variance < least) {
      least = variance;
      best = share;
    }
  }
  return best;
}

/// P(N >= x) for noise on its tick.
double reach_probability(const NoiseDistribution& noise, double x) {
  const double a = detail::exponent(noise);
  const double ticks = std::ceil(x / noise.tick.shown());
  if (!two_sided(noise.distribution)) {
    return ticks <= 0 ? 1 : std::exp(-a * ticks);
  }
  const double zero = 1 / (1 + std::exp(-a));  // P(N >= 0)
  return ticks >= 0 ? zero * std::exp(-a * ticks) : 1 - zero * std::exp(-a * (1 - ticks));
}

/// The value that noise is below with probability u.
double quantile(const NoiseDistribution& noise, double u) {
  const double scale = noise.scale.shown();
  const double tick = noise.tick.shown();
  double x = 0;
  if (two_sided(noise.distribution)) {
    x = u < 0.5 ? scale * std::log(2 * u) : -scale * std::log(2 * (1 - u));
  } else {
    x = -scale * detail::log1p(-u);
  }
  return std::floor(x / tick) * tick;
}

/// A sparse vector's budget of k full prices in small units.
struct BudgetInUnits {
  std::uint64_t price = 1;             ///< of a branch at full price
  std::vector<std::uint64_t> weights;  ///< of each branch: rounded down, by less than 0.2 %
  std::uint64_t exact = 0;   ///< full prices at the end of the budget that are computed in units
  std::uint64_t before = 0;  ///< those before, where an answer costs what it costs on average
};

/// Exact for up to ten branches. The prices of some later ones are rounded down, so that the end of
/// the budget may pay for one answer too many.
BudgetInUnits in_units(std::size_t branches, std::uint64_t k) {
  constexpr std::uint64_t most_units = 200'000;
  BudgetInUnits budget;
  for (std::uint64_t r = 2; r <= branches; ++r) {
    budget.price = std::min<std::uint64_t>(std::lcm(budget.price, r), 5040);
  }
  for (std::size_t r = branches; r >= 1; --r) {
    budget.weights.push_back(budget.price / r);
  }
  budget.exact = std::min(k, most_units / budget.price);
  budget.before = k - budget.exact;
  return budget;
}

/// Expected number of answers until a budget is spent. `passes[b]` is the probability that a query
/// passes branch b, given that it failed the branches before. Dynamic programming over the units
/// left.
double answers_until_spent(const std::vector<double>& passes, const BudgetInUnits& budget,
                           StopRule rule) {
  const std::size_t m = passes.size();
  std::vector<double> chances;  // of passing at this branch
  double missed = 1;
  double answered = 0;  // by a query
  double spent = 0;     // on it, in full prices
  for (std::size_t b = 0; b < m; ++b) {
    chances.push_back(missed * passes[b]);
    missed *= 1 - passes[b];
    answered += chances[b];
    spent += chances[b] / static_cast<double>(m - b);
  }
  if (answered == 0) {
    return 0;
  }
  // Answers still to come, by units left.
  std::vector<double> expected(budget.exact * budget.price + 1, 0);
  for (std::uint64_t left = 1; left < expected.size(); ++left) {
    double affordable = 0;
    double sum = 0;
    for (std::size_t b = 0; b < m; ++b) {
      if ((rule == StopRule::paper ? budget.price : budget.weights[b]) > left) {
        break;
      }
      affordable += chances[b];
      sum += chances[b] * (1 + expected[left - budget.weights[b]]);
    }
    expected[left] = affordable > 0 ? sum / affordable : 0;
  }
  return expected.back() + static_cast<double>(budget.before) * answered / spent;
}

}  // namespace

Forecast forecast(const TopKQuestion& question) { return forecast_of(variances_of(question)); }

Forecast forecast(const SparseVectorQuestion& question) {
  return forecast_of(variances_of(question));
}

double epsilon_for(const TopKQuestion& question, double target) {
  return epsilon_for_question(question, target);
}

double epsilon_for(const SparseVectorQuestion& question, double target) {
  return epsilon_for_question(question, target);
}

WinnersFor winners_for(const TopKQuestion& question, double target) {
  return winners_for_question(question, target);
}

WinnersFor winners_for(const SparseVectorQuestion& question, double target) {
  return winners_for_question(question, target);
}

Rational best_measuring_share(const TopKQuestion& question, const Rational& least_selecting) {
  return best_share(question, 1, least_selecting);
}

Rational best_measuring_share(const SparseVectorQuestion& question,
                              const Rational& least_selecting) {
  return best_share(question, 0, least_selecting);
}

double selecting_share_for(const TopKQuestion& question, std::uint64_t candidates,
                           double separation, double confidence) {
  check(question, false);
  if (!(separation > 0) || !(confidence > 0 && confidence < 1)) {
    throw InvalidParameter("separation",
                           "it must be above 0, and the confidence above 0 and below 1");
  }
  // One-sided: only noise of a loser above the separation can lift it past the k-th winner.
  // Two-sided: noise of a winner below minus half of it, or of a loser above half of it. Either has
  // chance at most e^(-t / scale) for each candidate.
  const double distance = two_sided(question.noise) ? separation / 2 : separation;
  const double scales = std::log(static_cast<double>(candidates) / (1 - confidence));
  const double factor =
      question.queries.noise_factor() * static_cast<double>(question.k) *
      sensitivity_of(question.queries, question.noise).shown();  // scale times epsilon
  return factor * scales / (distance * question.epsilon.shown());
}

double expected_answers(const SparseVectorQuestion& question, double distance) {
  check(question, true);
  const SparseVectorNoise noise = noise_of(question);
  const std::size_t m = question.branches;
  // The mechanism rounds offsets to ticks. Cut-offs it rounds up, as reach_probability does.
  const auto offset = [](const NoiseDistribution& of) {
    const double tick = of.tick.shown();
    return std::round(detail::mean(of) / tick) * tick;
  };
  const BudgetInUnits budget = in_units(m, question.k);
  // Average over the threshold's noise, by its quantiles at the middles of equal parts.
  const int parts =
      std::clamp<int>(50'000'000 / static_cast<int>(budget.exact * budget.price), 250, 1000);
  double sum = 0;
  std::vector<double> passes(m);
  for (int i = 0; i < parts; ++i) {
    const double bar =
        quantile(noise.threshold, (i + 0.5) / parts) - offset(noise.threshold) - distance;
    for (std::size_t b = 0; b < m; ++b) {
      const NoiseDistribution& branch = noise.branches[b];
      const double cut = b + 1 == m ? 0 : question.sigma.shown() * std::sqrt(branch.variance());
      passes[b] = reach_probability(branch, cut + offset(branch) + bar);
    }
    sum += answers_until_spent(passes, budget, question.stop_rule);
  }
  return sum / parts;
}

}  // namespace freegap

#include "estimates/likelihood.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/elementary.hpp"
#include "estimates/noise_moments.hpp"
#include "freegap/grid.hpp"

namespace freegap::detail {
namespace {

constexpr double infinity = HUGE_VAL;

// ---- The likelihood of one winner ---------------------------------------------------------------

/// Coefficients c_n for which sum c_n z^n is relatively within 1e-4 of 1 / (1 - kappa z) on [0, 1],
/// for kappa <= 1/2: interpolation at Chebyshev points, whose error falls like 5.8^-n.
constexpr std::size_t series_terms = 6;
std::array<double, series_terms> survival_series(double kappa) {
  // As divided differences, turned into monomials.
  std::array<double, series_terms> points{};
  std::array<double, series_terms> divided{};
  for (std::size_t i = 0; i < series_terms; ++i) {
    const double angle = (2.0 * static_cast<double>(i) + 1) / (2.0 * series_terms) * M_PI;
    points[i] = (1 + detail::cos(angle)) / 2;
  }
  // Divided differences of 1 / (1 - kappa z) have a closed form: kappa^j / prod (1 - kappa z_i).
  double product = 1;
  for (std::size_t j = 0; j < series_terms; ++j) {
    product /= 1 - kappa * points[j];
    divided[j] = product;
    product *= kappa;
  }
  std::array<double, series_terms> monomials{};
  for (std::size_t j = series_terms; j-- > 0;) {  // Horner's scheme in Newton's form
    for (std::size_t n = series_terms - 1; n > 0; --n) {
      monomials[n] = monomials[n - 1] - points[j] * monomials[n];
    }
    monomials[0] = divided[j] - points[j] * monomials[0];
  }
  return monomials;
}

/// A noise distribution in floating point.
struct Shape {
  Shape(const NoiseDistribution& noise, bool on_lattice)
      : rate(1 / noise.scale.shown()),
        two_sided(freegap::two_sided(noise.distribution)),
        at_zero(on_lattice ? 1 / (1 + std::exp(-exponent(noise))) : 0.5) {}

  double rate;
  bool two_sided;
  double at_zero;  ///< two-sided: P(N >= m) = at_zero e^(-a m) for m >= 0, and a the exponent

  /// Two-sided: P(N > m) = beyond_zero e^(-a m) for m >= 0.
  [[nodiscard]] double beyond_zero() const { return 1 - at_zero; }
};

using Terms = std::vector<ExponentialTerm>;

void add(Terms& terms, double low, double high, double rate, double anchor, double log_weight,
         double factor = 1) {
  if (factor != 0) {
    terms.push_back({low, high, rate, anchor, log_weight + std::log(std::fabs(factor)),
                     factor < 0 ? -1.0 : 1.0});
  }
}

/// The density of a lead over `cut`, given that there is one: f(lead - u) / P(noise >= -u), u the
/// answer minus level and cut, up to a constant factor.
Terms selected_terms(const Shape& shape, double cut, double lead, double tick, double reach,
                     double luck_weight) {
  Terms terms;
  if (shape.two_sided) {
    const std::array<double, series_terms> series = survival_series(shape.beyond_zero());
    for (std::size_t n = 0; n < series_terms; ++n) {
      const auto power = static_cast<double>(n);
      add(terms, cut, cut + lead, (1 - power) * shape.rate, n == 0 ? cut + lead : cut,
          n == 0 ? 0 : -lead * shape.rate, shape.at_zero * series[n]);
      add(terms, cut + lead, infinity, -(1 + power) * shape.rate, cut + lead,
          -power * lead * shape.rate, shape.at_zero * series[n]);
    }
  } else {
    add(terms, cut, cut + lead + tick, shape.rate, cut + lead, 0);
  }
  // Below the cut noise has no memory: the lead says nothing about the answer.
  const double deepest = cut - reach;
  add(terms, deepest, cut, 0, cut, -lead * shape.rate, luck_weight);
  add(terms, -infinity, deepest, shape.rate, deepest, -lead * shape.rate, luck_weight);
  return terms;
}

/// The density of a lead of a winner that was selected whatever its noise.
Terms unselected_terms(const Shape& shape, double cut, double lead, double tick) {
  Terms terms;
  const double end = cut + lead;
  add(terms, -infinity, shape.two_sided ? end : end + tick, shape.rate, end, 0);
  if (shape.two_sided) {
    add(terms, end, infinity, -shape.rate, end, 0);
  }
  return terms;
}

/// Multiplies terms by P(noise < cut - u): a test with this cut was failed. That doubles the terms.
Terms after_failing(const Terms& terms, const Shape& shape, double cut) {
  Terms result;
  for (const ExponentialTerm& term : terms) {
    const auto times = [&](double low, double high, double rate, double factor) {
      if (low < high) {
        // At the cut the second factor is 1.
        add(result, low, high, term.rate + rate, cut,
            term.log_weight + term.rate * (cut - term.anchor), term.sign * factor);
      }
    };
    const double high = std::fmin(term.high, cut);
    if (term.low < high) {
      result.push_back(term);
      result.back().high = high;
    }
    times(term.low, high, shape.rate, shape.two_sided ? -shape.at_zero : -1);
    if (shape.two_sided) {
      times(std::fmax(term.low, cut), term.high, -shape.rate, shape.beyond_zero());
    }
  }
  return result;
}

// ---- The posterior of one winner ----------------------------------------------------------------

/// One segment of a mixture, prepared for many evaluations: its mass below t is an affine function
/// of one exponential.
struct Part {
  double low = 0;
  double high = 0;
  double rate = 0;   ///< 0: as good as flat
  double decay = 0;  ///< density at the light end over that at the heavy end
  double weight = 0;
  double scale = 0;  ///< weight / (1 - decay); of a flat part its density

  Part(const Segment& segment, double mass, double light_end)
      : low(segment.low), high(segment.high), rate(segment.rate), decay(light_end), weight(mass) {
    if (decay > 1 - 1e-7) {
      rate = 0;
      scale = weight / (high - low);
    } else {
      scale = weight / (1 - decay);
    }
  }
};

/// A mixture of segments over the nodes of the level.
class Posterior {
 public:
  /// `cut`: a winner whose answer is below the level plus the cut was selected by luck. The
  /// segments go to the end of `parts`, which many posteriors share: `quantile` needs it again.
  /// Segments of less weight than `least` are left out.
  Posterior(const WinnerProduct& winner, const std::vector<LevelNode>& nodes, double cut,
            double tick, double least, std::vector<Part>& parts)
      : tick_(tick), first_part_(parts.size()) {
    double origin = 0;  // of the moments: some part, so that differences keep their digits
    double first = 0;
    double second = 0;
    std::vector<ProductPart> found;  // of one node
    for (const LevelNode& node : nodes) {
      winner.posterior(node.level, found);
      for (const ProductPart& part : found) {
        const double weight = part.weight * node.weight;
        if (std::fabs(weight) > least) {
          origin = parts.size() == first_part_ ? part.moments.mean : origin;
          const double off = part.moments.mean - origin;
          first += weight * off;
          second += weight * (off * off + part.moments.variance);
          luck_ += part.segment.high <= node.level + cut + tick / 2 ? weight : 0;
          parts.emplace_back(part.segment, weight, part.moments.decay);
          ++part_count_;
        }
      }
    }
    mean_ = origin + first;
    deviation_ = std::sqrt(std::fmax(0, second - first * first));
  }

  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double deviation() const { return deviation_; }
  /// The probability that the winner was selected by luck.
  [[nodiscard]] double luck() const { return std::clamp(luck_, 0.0, 1.0); }

  /// The point with so much mass below it (`upper` false) or above it. `guess` is its distance from
  /// the mean, in units of the posterior, and is replaced by what was found: a good guess for the
  /// next winner.
  [[nodiscard]] double quantile(const std::vector<Part>& all_parts, double tail, bool upper,
                                double& guess) const {
    const std::span<const Part> parts = std::span(all_parts).subspan(first_part_, part_count_);
    // The tails are nearly exponential, so the logarithm of the tail is nearly a line: Newton's
    // method on it converges in a few steps.
    const double direction = upper ? 1 : -1;
    const double unit = std::fmax(deviation_, tick_);
    double t = mean_ + direction * unit * std::clamp(guess, -furthest_guess, furthest_guess);
    double inside = mean_ - direction * infinity;  // more than `tail` beyond it
    double outside = mean_ + direction * infinity;
    double stride = unit;  // until there are points on both sides
    for (int i = 0; i < 200; ++i) {
      const auto [beyond, density] = at(parts, t, upper);
      const double log_ratio = std::log(beyond / tail);
      if (std::fabs(log_ratio) < 1e-3) {
        break;
      }
      (beyond > tail ? inside : outside) = t;
      double next = beyond > 0 && density > 0 ? t + direction * log_ratio * beyond / density : t;
      next = std::clamp(next, t - 40 * unit, t + 40 * unit);  // between two peaks
      const double low = std::fmin(inside, outside);
      const double high = std::fmax(inside, outside);
      if (!(next > low && next < high) || (i % 4 == 3 && std::isfinite(high - low))) {
        if (std::isfinite(high - low)) {
          next = (inside + outside) / 2;
        } else {
          next = t + (std::isinf(outside) ? direction : -direction) * stride;
          stride *= 2;
        }
      }
      if (std::fabs(next - t) <= 1e-9 * deviation_) {
        break;
      }
      t = next;
    }
    guess = unit > 0 ? direction * (t - mean_) / unit : guess;
    // On a lattice a point's mass is spread over the tick above it. The low end includes the point.
    return upper || tick_ == 0 ? t : std::fmin(t, std::floor(t / tick_ - 1e-6) * tick_);
  }

 private:
  /// On a lattice a nearly certain winner has its quantiles many deviations from its mean.
  static constexpr double furthest_guess = 50;

  struct Mass {
    double beyond;
    double density;
  };

  /// The mass above or below t. Each is summed by itself: as 1 minus the other a small one would be
  /// lost in rounding.
  [[nodiscard]] static Mass at(std::span<const Part> parts, double t, bool upper) {
    Mass mass{0, 0};
    for (const Part& part : parts) {
      if (t <= part.low || t >= part.high) {
        mass.beyond += (t <= part.low) == upper ? part.weight : 0;
      } else if (part.rate == 0) {
        mass.beyond += part.scale * (upper ? part.high - t : t - part.low);
        mass.density += part.scale;
      } else {
        // Relative to the density at the heavy end.
        const bool grows = part.rate > 0;
        const double e =
            std::exp(grows ? -part.rate * (part.high - t) : part.rate * (t - part.low));
        mass.beyond += part.scale * (grows == upper ? 1 - e : e - part.decay);
        mass.density += part.scale * std::fabs(part.rate) * e;
      }
    }
    return mass;
  }

  double tick_;
  std::size_t first_part_;
  std::size_t part_count_ = 0;
  double mean_ = 0;
  double deviation_ = 0;
  double luck_ = 0;
};

// ---- All winners --------------------------------------------------------------------------------

// Noise with fewer ticks to its scale than this is treated on its lattice, by sums.
constexpr double fine_ticks = 8;

// Calibration of the intervals, chosen by measurement (docs/proofs/likelihood.md): the share of the
// nominal error rate that is used where it is clear which winners were selected by luck, and where
// it is not. The doubt is the expected number of wrong guesses about that, p (1 - p) per winner.
constexpr double clear_rate = 0.98;
constexpr double doubtful_rate = 0.62;
constexpr double most_doubt = 0.1;
constexpr double least_doubt = 0.001;  // below it the two priors of the level agree

// Number of failed tests that enter the likelihood: the last ones. See after_failing.
constexpr std::size_t most_failed = 4;

// Scales by which luck ends later below a threshold than below a runner-up.
constexpr double deeper_below_threshold = 2;

/// What is assumed beforehand.
struct Assumed {
  bool wide_reach = false;  ///< luck ends later
  bool late = false;        ///< the threshold's noise may have been as large as you like
};

bool wide(const NoiseDistribution& noise) { return exponent(noise) * fine_ticks > 1; }

/// The likelihoods of all winners on a common scale.
class Model {
 public:
  /// Positions are relative to an origin. `measuring` is the rate of the measurements' noise, or 0.
  Model(const Evidence& evidence, double measuring, const Assumed& assumed)
      : evidence_(&evidence),
        measuring_(measuring),
        assumed_(assumed),
        tick_(evidence.winners.front().noise.tick.shown()),
        lattice_(evidence.level.noise && wide(*evidence.level.noise)) {
    for (const Selected& winner : evidence.winners) {
      lattice_ = lattice_ || wide(winner.noise);
    }
  }

  [[nodiscard]] bool lattice() const { return lattice_; }
  /// Below it, relative to the level, a winner was selected by luck.
  [[nodiscard]] double cut(std::size_t i) const {
    return evidence_->selected ? in_units(evidence_->winners[i].cut_ticks) : -infinity;
  }

  void add_winner(double measured) {
    const Selected& winner = evidence_->winners[winners_.size()];
    const Shape shape(winner.noise, lattice_);
    // One-sided noise on fine ticks is exponential noise rounded down: half a tick less on average.
    const double lead = in_units(winner.lead_ticks) + (lattice_ || shape.two_sided ? 0 : tick_ / 2);
    const double step = lattice_ ? tick_ : 0;
    const double cut = in_units(winner.cut_ticks);
    WinnerTerms made{{}, {measured, measuring_}, shape.rate};
    made.terms = evidence_->selected
                     ? selected_terms(shape, cut, lead, step, reach(shape), luck_weight(shape))
                     : unselected_terms(shape, cut, lead, step);
    const std::size_t cheap = winner.failed.size() - std::min(winner.failed.size(), most_failed);
    for (const FailedTest& failed : std::span(winner.failed).subspan(cheap)) {
      const Shape before(failed.noise, lattice_);
      made.terms = after_failing(made.terms, before, in_units(failed.cut_ticks));
    }
    winners_.emplace_back(made, step);
  }

  /// The posterior of the level, with the threshold of the release at this place. `tail` is the
  /// smallest probability that winners' posteriors will be asked for.
  [[nodiscard]] std::vector<LevelNode> levels(double threshold, double tail) const {
    LevelPrior prior;
    if (const auto& noise = evidence_->level.noise) {
      const bool both = two_sided(noise->distribution);
      // Computed as n * tick, like every other point of the lattice: at a level below its location,
      // by whatever little, one-sided noise would be impossible.
      prior.location =
          lattice_ ? std::round(threshold / tick_) * tick_ : threshold - (both ? 0 : tick_ / 2);
      const double rate = 1 / noise->scale.shown();
      prior.rate_below = infinity;
      if (both) {
        prior.rate_below = rate;
      }
      prior.rate_above = assumed_.late ? 0 : rate;
    }
    return level_posterior(winners_, prior, lattice_ ? tick_ : 0, tail);
  }

  [[nodiscard]] std::size_t size() const { return winners_.size(); }
  /// The posterior of a winner. Its parts go to the end of `parts`.
  [[nodiscard]] Posterior posterior(std::size_t i, const std::vector<LevelNode>& nodes,
                                    double least, std::vector<Part>& parts) const {
    return {winners_[i], nodes, cut(i), lattice_ ? tick_ : 0, least, parts};
  }

 private:
  [[nodiscard]] double in_units(std::int64_t ticks) const {
    return static_cast<double>(ticks) * tick_;
  }

  /// How far below the level a winner's answer may be. Of n candidates d scales below the level,
  /// n e^-d reach it on average, so hardly any is selected from more than ln n + 1 scales below a
  /// runner-up. A threshold may be far above all answers, and then whoever passes comes from
  /// deeper. The wide version allows for errors of the k measurements besides, which look like a
  /// greater depth.
  [[nodiscard]] double reach(const Shape& shape) const {
    const auto k = static_cast<double>(evidence_->winners.size());
    const double scale = 1 / shape.rate;
    const double error = std::fmax(scale, assumed_.wide_reach ? 1 / measuring_ : 0);
    const double below_threshold = evidence_->level.noise ? deeper_below_threshold : 0;
    const double far =
        scale * (std::fmax(0, evidence_->log_candidates - std::log(k)) + below_threshold) +
        error * (1 + std::log(k * error / scale));
    return lattice_ ? std::ceil(far / tick_) * tick_ : far;
  }

  /// Weight of "selected by luck" in Jeffreys' prior: a lead that tells nothing has less
  /// information about the answer than one that does, by this factor.
  [[nodiscard]] double luck_weight(const Shape& shape) const {
    return 1 / std::sqrt(1 + std::pow(shape.rate / measuring_, 2));
  }

  const Evidence* evidence_;
  double measuring_;
  Assumed assumed_;
  double tick_;
  bool lattice_;
  std::vector<WinnerProduct> winners_;
};

/// The posteriors of all winners. Of many winners some thousands are kept at a time, since each may
/// take 15 kB.
class Posteriors {
 public:
  Posteriors(Model model, double threshold, double tail)
      : model_(std::move(model)),
        nodes_(model_.levels(threshold, tail)),
        least_(std::fmin(1e-9, 1e-4 * tail)) {  // nothing beside the tail
    parts_.reserve(2 * nodes_.size() * std::min(model_.size(), most_kept));
  }

  /// Calls visit(posterior, parts) for each winner in turn.
  template <class Visit>
  void each(Visit visit) {
    for (std::size_t first = 0; first < model_.size(); first += most_kept) {
      keep(first);
      for (const Posterior& posterior : kept_) {
        visit(posterior, parts_);
      }
    }
  }

 private:
  static constexpr std::size_t most_kept = 1 << 14;

  void keep(std::size_t first) {
    if (first == first_kept_) {
      return;
    }
    first_kept_ = first;
    kept_.clear();
    parts_.clear();
    for (std::size_t i = first; i < std::min(first + most_kept, model_.size()); ++i) {
      kept_.push_back(model_.posterior(i, nodes_, least_, parts_));
    }
  }

  Model model_;
  std::vector<LevelNode> nodes_;
  double least_;
  std::size_t first_kept_ = SIZE_MAX;
  std::vector<Posterior> kept_;
  std::vector<Part> parts_;
};

/// The posteriors of winners that were measured.
Posteriors measured_posteriors(const Evidence& evidence, const MeasureRelease& direct,
                               const Assumed& assumed, double tail, double& origin) {
  Model model(evidence, 1 / direct.noise.scale.shown(), assumed);
  // Positions are relative to the first measurement, or to the point of the lattice next to it, so
  // that differences keep their digits.
  const std::int64_t first = direct.value_ticks.front();
  const Rational at = Rational(first) * direct.noise.tick;
  const Rational tick = evidence.winners.front().noise.tick;
  const Rational zero =
      model.lattice() ? Rational(mpq_class((at / tick + Rational(1, 2)).floor())) * tick : at;
  origin = zero.shown();
  const double off = (at - zero).shown();
  for (std::size_t i = 0; i < evidence.winners.size(); ++i) {
    model.add_winner(direct.noise.shown(difference_ticks(direct.value_ticks[i], first)) + off);
  }
  return {std::move(model), (evidence.level.threshold - zero).shown(), tail};
}

/// Expected number of wrong guesses about who was selected by luck.
double doubt_of(Posteriors& posteriors) {
  double doubt = 0;
  posteriors.each([&](const Posterior& posterior, const std::vector<Part>&) {
    doubt += posterior.luck() * (1 - posterior.luck());
  });
  return doubt;
}

/// Quantiles of posteriors, one after the other.
class Quantiles {
 public:
  Quantiles(double origin, double tail)
      : origin_(origin),
        below_(M_SQRT1_2 * std::log(0.5 / tail)),  // of a Laplace distribution
        above_(below_) {}

  Interval operator()(const Posterior& posterior, const std::vector<Part>& parts, double tail) {
    const Interval ends{origin_ + posterior.quantile(parts, tail, false, below_),
                        origin_ + posterior.quantile(parts, tail, true, above_)};
    // The mean of few points of a lattice may be outside, and so may that of a posterior narrower
    // than the precision of doubles.
    const double mean = origin_ + posterior.mean();
    return {std::fmin(ends.low, mean), std::fmax(ends.high, mean)};
  }

 private:
  double origin_;
  double below_;  // guesses
  double above_;
};

Interval hull(const Interval& a, const Interval& b) {
  return {std::fmin(a.low, b.low), std::fmax(a.high, b.high)};
}

/// Means, deviations and intervals. The error rate on either side is `tail`, and 1/k of that for
/// simultaneous intervals.
std::vector<LikelihoodEstimate> described(Posteriors posteriors, double origin, double tail,
                                          double k) {
  Quantiles interval(origin, tail);
  Quantiles simultaneous(origin, tail / k);
  std::vector<LikelihoodEstimate> result;
  posteriors.each([&](const Posterior& posterior, const std::vector<Part>& parts) {
    const Interval alone = interval(posterior, parts, tail);
    // Quantiles are not exact: the one interval holds the other all the same.
    result.push_back({origin + posterior.mean(), posterior.deviation(), alone,
                      hull(alone, simultaneous(posterior, parts, tail / k)), posterior.luck()});
  });
  return result;
}

}  // namespace

std::vector<LikelihoodEstimate> likelihood_estimates(const Evidence& evidence,
                                                     const MeasureRelease& direct,
                                                     double confidence) {
  if (evidence.winners.empty()) {
    return {};
  }
  // Of an interval's error rate half is for either end, and a simultaneous one's is divided by k.
  const double end = (1 - confidence) / 2;
  const auto k = static_cast<double>(direct.items.size());
  double origin = 0;
  Posteriors posteriors =
      measured_posteriors(evidence, direct, {}, end * doubtful_rate / k, origin);
  const double doubt = doubt_of(posteriors);
  const double share = std::fmin(1, doubt / most_doubt);
  const double tail = end * (clear_rate + share * (doubtful_rate - clear_rate));
  std::vector<LikelihoodEstimate> result = described(std::move(posteriors), origin, tail, k);
  const auto widen = [&](const Assumed& assumed) {
    const auto other = described(measured_posteriors(evidence, direct, assumed, tail / k, origin),
                                 origin, tail, k);
    for (std::size_t i = 0; i < other.size(); ++i) {
      if (!assumed.late || evidence.winners[i].late) {
        result[i].interval = hull(result[i].interval, other[i].interval);
        result[i].simultaneous = hull(result[i].simultaneous, other[i].simultaneous);
      }
    }
  };
  // Where it is in doubt who was selected by luck, the level depends on how much luck is allowed
  // for. Intervals hold for either.
  if (doubt > least_doubt) {
    widen({.wide_reach = true});
  }
  if (std::any_of(evidence.winners.begin(), evidence.winners.end(),
                  [](const Selected& winner) { return winner.late; })) {
    widen({.late = true});
  }
  return result;
}

std::vector<LikelihoodEstimate> likelihood_estimates(const Evidence& evidence, double confidence) {
  if (evidence.winners.empty()) {
    return {};
  }
  Model model(evidence, 0, {});
  for (std::size_t i = 0; i < evidence.winners.size(); ++i) {
    model.add_winner(0);
  }
  const double tail = (1 - confidence) / 2;
  const auto k = static_cast<double>(evidence.winners.size());
  return described({std::move(model), 0, tail / k}, evidence.level.threshold.shown(), tail, k);
}

}  // namespace freegap::detail

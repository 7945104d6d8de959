#include "freegap/exponential.hpp"

#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "verify/loss_rows.hpp"
#include "verify/mechanism_table.hpp"
#include "verify/mechanisms/exponential_bad_variant.hpp"
#include "verify/mechanisms/exponential_loss.hpp"
#include "verify/small_settings.hpp"

namespace freegap::verify {
namespace {

// The loss in closed form, on random utilities: the mechanism has no noise to align.

AlignmentCheck random_utilities(bool monotone) {
  return [monotone](std::uint64_t pairs, std::uint64_t seed) {
    const ExponentialLoss loss = exponential_loss(monotone, pairs, seed);
    Row row;
    row.mechanism = "exponential";
    row.variant = monotone ? "monotone" : "general";
    row.replays = loss.pairs;
    row.alignment = loss.worst_share;
    row.problem = loss.problem;
    return row;
  };
}

// Losses in exact rationals.

/// The point at which distributions are evaluated: with exp(base) = 2 in place of its irrational
/// value, all probabilities are rational. The claim is about every value.
constexpr int point = 2;

Rational power(std::int64_t exponent) {
  return Rational::power_of_two(static_cast<int>(exponent));  // of `point`
}

/// The distribution of the choice and its floored gap: P(s, gap >= g ticks) = w / (w + W e^(g
/// tick)), where w is the weight of s and W that of all others (docs/proofs/exponential.md).
class ChoiceDistribution {
 public:
  /// Utilities and rates come from the production plan. The unit is a tick of the gap.
  ChoiceDistribution(const Vector& q, Kind kind, const ExponentialOptions& options) {
    const Candidates candidates = candidates_of(q, kind);
    const ExponentialPlan plan = plan_exponential(candidates, options);
    const Rational base = plan.gap_rate.exponent();
    for (const WeightedValue& value : utilities(candidates, plan.grid)) {
      weights_.push_back(power(in_units(plan.rate.exponent() * Rational(value.ticks), base)));
      total_ = total_ + weights_.back();
    }
    spent_ = in_units(plan.blank.cost.spent, base);
    gap_ = plan.gap;
  }

  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  [[nodiscard]] std::int64_t spent() const { return spent_; }
  [[nodiscard]] bool gap() const { return gap_; }
  /// P(s), with any gap.
  [[nodiscard]] Rational choice(std::size_t s) const { return weights_[s] / total_; }
  /// P(s, gap of exactly g ticks).
  [[nodiscard]] Rational choice_and_gap(std::size_t s, std::int64_t g) const {
    return at_least(s, g) - at_least(s, g + 1);
  }

 private:
  [[nodiscard]] Rational at_least(std::size_t s, std::int64_t g) const {
    return weights_[s] / (weights_[s] + (total_ - weights_[s]) * power(g));
  }

  std::vector<Rational> weights_;
  Rational total_;
  std::int64_t spent_ = 0;
  bool gap_ = false;
};

/// One outcome; exactly: is p <= point^spent * other?
void compare(const Rational& p, const Rational& other, std::int64_t spent, Worst& worst,
             const std::string& where) {
  const double loss = std::log((p / other).shown()) / std::log(point);
  const double excess = loss - static_cast<double>(spent);
  ++worst.outcomes;
  worst.note(spent, loss);
  worst.loss = std::max(worst.loss, loss);
  const bool holds = p <= power(spent) * other;
  const double settled = holds ? std::min(excess, 0.0) : std::max(excess, 2 * slack);
  if (settled > worst.excess) {
    worst.excess = settled;
    worst.where = where;
  }
}

void compare(const Vector& q, const Vector& other, Kind kind, const ExponentialOptions& options,
             std::int64_t gaps, Worst& worst) {
  const ChoiceDistribution here(q, kind, options);
  const ChoiceDistribution there(other, kind, options);
  const std::string where = "from " + text(q) + " to " + text(other);
  for (std::size_t s = 0; s < here.size(); ++s) {
    if (!here.gap()) {
      compare(here.choice(s), there.choice(s), here.spent(), worst, where);
      continue;
    }
    for (std::int64_t g = 0; g <= gaps; ++g) {
      compare(here.choice_and_gap(s, g), there.choice_and_gap(s, g), here.spent(), worst, where);
    }
  }
}

LossCheck check_of(std::size_t n, Kind kind, bool gap, std::int64_t highest) {
  const std::string kinds = kind == Kind::counts ? "monotone" : "general";
  // ε = 2c with gaps in whole scaled units: a unit of utility is two ticks of the gap.
  const ExponentialOptions options{
      .epsilon = Epsilon(Rational(2 * factor_of(kind))), .gap = gap, .tick = 1};
  return {"exponential", (gap ? "" : "classic, ") + kinds, gap ? 0.99 : 0.97, [=] {
            Worst worst;
            std::vector<Vector> inputs = all_vectors(n, 0, highest);
            Vector far(n, 0);
            far.back() = 20;
            inputs.push_back(far);
            for (const Vector& q : inputs) {
              for (const Vector& other : neighbours_of(q, moves_of(kind))) {
                compare(q, other, kind, options, 12, worst);
              }
            }
            return worst;
          }};
}

std::vector<LossCheck> losses(bool longer) {
  std::vector<LossCheck> checks;
  for (const Kind kind : {Kind::general, Kind::counts}) {
    checks.push_back(check_of(2, kind, true, 2));
    checks.push_back(check_of(3, kind, true, 1));
    checks.push_back(check_of(2, kind, false, 2));
    checks.push_back(check_of(3, kind, false, 1));
    if (longer) {
      checks.push_back(check_of(4, kind, true, 1));
    }
  }
  return checks;
}

// Bounds from samples.

/// A large gap of the first candidate, although the others gain: e^-ε in the limit.
BlackBox choice(Kind kind) {
  const NeighbourPair pair{{5, 5}, {kind == Kind::counts ? 5 : 4, 6}};
  const Rational epsilon = Rational(2) * sampled_epsilon;
  return {"exponential", kind == Kind::counts ? "monotone" : "general", epsilon.shown(), 12,
          [=](bool neighbour, ExactNoise& noise) {
            const ExponentialRelease release =
                exponential(candidates_of(neighbour ? pair.second : pair.first, kind),
                            {.epsilon = Epsilon(epsilon)}, noise);
            return cell_of(release.chosen) + cell_of(*release.gap(), 0.5);
          }};
}

/// Caught in closed form: there is neither noise to align nor a tree of draws to enumerate.
BadRow check_black_box_without_epsilon(const SuiteOptions&) {
  const bad::BlackBoxExponential bad;
  const double loss = bad.worst_loss();
  std::ostringstream evidence;
  evidence << "joint loss of choice and gap " << loss << " at ε = " << bad.epsilon;
  return {bad.name, false, loss > bad.epsilon, evidence.str()};
}

}  // namespace

MechanismChecks exponential_checks(bool longer) {
  MechanismChecks checks;
  checks.alignments = {random_utilities(false), random_utilities(true)};
  checks.enumerations = tasks_of(losses(longer));
  checks.black_boxes = {choice(Kind::general), choice(Kind::counts)};
  checks.bad_variants = {check_black_box_without_epsilon};
  return checks;
}

}  // namespace freegap::verify

#include <cstddef>

#include "exact.hpp"
#include "exact_parts.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/verify/plain.hpp"

namespace freegap::verify {
namespace {

/// One setting. The threshold, at 0, has one unit a tick; a branch at full price `rate` units.
struct Setting {
  Kind kind;
  Distribution distribution;
  std::uint64_t k = 1;
  std::int64_t rate = 1;
  std::size_t branches = 1;
  StopRule stop_rule = StopRule::afford;
  bool gaps = true;
};

SparseVectorPlan plan_of(const Setting& s) {
  const Rational reserved = Rational(1) + Rational(s.k) * Rational(factor_of(s.kind) * s.rate);
  return plan_sparse_vector({s.kind, Neighbours::add_remove, 1},
                            {.k = s.k,
                             .epsilon = Epsilon(reserved),
                             .threshold = 0,
                             .noise = s.distribution,
                             .branches = s.branches,
                             .theta = Rational(1) / reserved,
                             .sigma = 1,
                             .stop_rule = s.stop_rule,
                             .gaps = s.gaps,
                             .tick = 1},
                            true);
}

/// Asks the queries in order.
Distributions distributions_of(const Setting& s, std::uint64_t cut) {
  return Distributions([plan = plan_of(s), cut](const Vector& q) {
    const std::uint64_t draws = 1 + q.size() * plan.steps.size();
    return seen_distribution({1, draws, cut}, [&](LossNoise& noise) {
      DrawsOnly<LossNoise> draws_only(noise);
      SparseVector vector(plan, draws_only);
      Seen seen;
      for (std::size_t i = 0; i < q.size() && vector.open(); ++i) {
        const SparseVectorAnswer answer = vector.ask(q[i]);
        seen.shown.push_back(static_cast<std::int64_t>(answer.branch));
        seen.shown.push_back(answer.gap_ticks.value_or(-1));
      }
      seen.spent_units = in_units(vector.release().cost.spent, 1);
      return seen;
    });
  });
}

std::string name_of(const Setting& s) {
  std::string name = s.gaps ? "with gap" : "classic";
  if (s.branches > 1) {
    name = std::to_string(s.branches) + " branches";
  }
  return variant_of(name, s.kind, s.distribution);
}

/// What is walked: all inputs around the threshold, and a pair far above it.
struct Walk {
  std::size_t n;
  std::int64_t lowest;
  std::int64_t highest;
  std::uint64_t cut;
};

LossCheck near(const Setting& s, const Walk& walk, double at_least) {
  return {"sparse vector", name_of(s), at_least, [=] {
            return distributions_of(s, walk.cut)
                .worst(all_vectors(walk.n, walk.lowest, walk.highest), moves_of(s.kind));
          }};
}

/// Answers 20 ticks above: the threshold's noise must carry their failures. 20 below: the query's
/// noise must carry a success.
LossCheck far(const Setting& s, double at_least) {
  return {"sparse vector", name_of(s), at_least, [=] {
            Distributions above = distributions_of(s, 36);
            const std::int64_t last = s.kind == Kind::general ? 19 : 20;
            Worst worst = worst_both_ways(above, {20, 20, 20}, {21, 21, last});
            worst.merge(distributions_of(s, 58).worst({{-20}, {-21}, {-22}}, moves_of(s.kind)));
            return worst;
          }};
}

}  // namespace

std::vector<LossCheck> sparse_vector_losses(bool longer) {
  constexpr double tight = 1 - slack;
  std::vector<LossCheck> checks;
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const Distribution one = Distribution::geometric;
    const Distribution two = Distribution::laplace;
    const std::uint64_t cut = longer ? 18 : 14;
    checks.push_back(near({kind, one, 1}, {3, -1, 1, cut}, tight));
    checks.push_back(near({kind, one, 2}, {3, -1, 1, cut}, tight));
    checks.push_back(near({kind, one, 1, 1, 1, StopRule::afford, false}, {3, -1, 1, cut}, tight));
    // With two-sided noise the threshold's share shows only where several queries fail far above.
    checks.push_back(near({kind, two, 1, 2}, {2, -2, longer ? 4 : 2, longer ? 18U : 14U}, 0));
    checks.push_back(near({kind, two, 1, 1, 1, StopRule::afford, false}, {2, -1, 1, 14}, 0));
    checks.push_back(far({kind, one, 1, 2}, 0.99));
    checks.push_back(far({kind, two, 1, 2}, 0.99));
    checks.push_back(far({kind, two, 1, 2, 1, StopRule::afford, false}, 0.99));
    for (const StopRule rule : {StopRule::afford, StopRule::paper}) {
      checks.push_back(near({kind, one, 1, 2, 2, rule}, {2, -1, 1, longer ? 18U : 14U}, 0.97));
      checks.push_back(near({kind, two, 1, 2, 2, rule}, {2, -1, 1, longer ? 14U : 11U}, 0.9));
      checks.push_back(near({kind, one, 1, 6, 3, rule}, {2, -1, 1, longer ? 24U : 20U}, 0.99));
    }
    if (longer) {
      checks.push_back(near({kind, two, 1, 6, 3}, {2, -1, 1, 18}, 0));
      checks.push_back(near({kind, two, 2, 1}, {3, -1, 1, 12}, 0));
    }
  }
  return checks;
}

}  // namespace freegap::verify

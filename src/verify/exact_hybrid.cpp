#include <cstddef>
#include <optional>

#include "alignments.hpp"
#include "exact.hpp"
#include "exact_parts.hpp"
#include "freegap/hybrid.hpp"
#include "freegap/verify/plain.hpp"

namespace freegap::verify {
namespace {

/// One setting. A tick of noise is one unit; the threshold is at 0.
struct Setting {
  std::size_t n;
  std::uint64_t k;
  Kind kind;
  Distribution distribution;
  Prefer prefer;
  std::int64_t subticks = 1;
};

HybridPlan plan_of(const Setting& s) {
  const std::vector<std::int64_t> answers(s.n, 0);
  const std::vector<std::int64_t> each(s.n, 1);
  const Candidates candidates = Candidates::grouped(std::span<const std::int64_t>(answers), each,
                                                    {s.kind, Neighbours::add_remove, 1});
  const std::int64_t price = static_cast<std::int64_t>(s.k) * factor_of(s.kind);
  const bool identity = s.prefer == Prefer::identity;
  HybridPlan plan = plan_hybrid(
      candidates, {.k = s.k,
                   .epsilon = Epsilon(Rational(identity ? price : price + 1)),
                   .threshold = 0,
                   .prefer = s.prefer,
                   .noise = s.distribution,
                   .theta = identity ? std::nullopt : std::optional(Rational(1, price + 1)),
                   .tick = 1});
  plan.noise = TickNoise(s.distribution, plan.noise.tick_rate().exponent(), s.subticks);
  return plan;
}

/// The lower number wins a tie; the threshold precedes candidate number `place`.
PlaceOrder order_with_threshold_at(std::int64_t place, std::size_t n) {
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < n; ++i) {
    places.push_back(2 * static_cast<std::int64_t>(i));
  }
  places.push_back(2 * place - 1);
  return PlaceOrder(places);
}

Distributions distributions_of(const Setting& s, std::uint64_t cut, std::int64_t place) {
  return Distributions([=, plan = plan_of(s)](const Vector& q) {
    const PlainShape shape(q);
    const Rational base = plan.noise.rate().exponent();
    return seen_distribution({base, draws_of(plan.noise, s.n + 1), cut}, [&](LossNoise& noise) {
      PlaceOrder ties = order_with_threshold_at(place, s.n);
      return seen_in(
          observe(s.prefer == Prefer::identity ? select_identity_first(shape, plan, noise, ties)
                                               : select_estimates_first(shape, plan, noise, ties)),
          base);
    });
  });
}

struct Walk {
  std::int64_t lowest;
  std::int64_t highest;
  std::uint64_t cut;
};

/// All inputs around the threshold, and some candidates far above or below it; the threshold
/// before, among and after the candidates in the order of ties (which only the identity-first
/// hybrid sees).
LossCheck check_of(const Setting& s, const Walk& walk, double at_least) {
  const bool identity = s.prefer == Prefer::identity;
  const std::string name = identity ? "identity first" : "estimates first";
  return {"hybrid", variant_of(name, s.kind, s.distribution), at_least, [=] {
            std::vector<Vector> inputs = all_vectors(s.n, walk.lowest, walk.highest);
            for (const std::int64_t distance : {-6, 6}) {
              Vector far(s.n, 0);
              far.back() = distance;
              inputs.push_back(far);
              far.front() = distance;
              inputs.push_back(far);
            }
            Worst worst;
            const auto last = static_cast<std::int64_t>(s.n);
            for (std::int64_t place = identity ? 0 : last; place <= last; place += last) {
              worst.merge(distributions_of(s, walk.cut, place).worst(inputs, moves_of(s.kind)));
            }
            return worst;
          }};
}

/// Estimates first with two-sided noise: the threshold's share shows only where several losers lie
/// far above the winner, so that it is the threshold and the winner that must be raised.
LossCheck losers_far_above(Kind kind) {
  const Setting s{4, 1, kind, Distribution::laplace, Prefer::estimates};
  return {"hybrid", variant_of("estimates first", kind, s.distribution), 0.97, [s] {
            Distributions distributions = distributions_of(s, 13, 4);
            const std::int64_t first = s.kind == Kind::general ? -1 : 0;
            return worst_both_ways(distributions, {0, 3, 3, 3}, {first, 4, 4, 4});
          }};
}

}  // namespace

std::vector<LossCheck> hybrid_losses(bool longer) {
  std::vector<LossCheck> checks;
  const Distribution one = Distribution::geometric;
  const Distribution two = Distribution::laplace;
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    const bool identity = prefer == Prefer::identity;
    for (const Kind kind : {Kind::general, Kind::counts}) {
      checks.push_back(check_of({2, 1, kind, one, prefer}, {-2, 2, 16}, 0.999));
      checks.push_back(check_of({3, 2, kind, one, prefer}, {-1, 1, longer ? 16U : 12U}, 0.999));
      // Where all may win, the threshold alone, which does not move, is left to lose: less is lost
      // than is charged.
      checks.push_back(check_of({2, 2, kind, one, prefer}, {-2, 2, 16}, identity ? 0.749 : 0.59));
      checks.push_back(check_of({1, 1, kind, one, prefer, 2}, {-2, 2, 18}, 0));
      checks.push_back(check_of({1, 1, kind, two, prefer, 2}, {-2, 2, 16}, 0));
      checks.push_back(
          check_of({2, 1, kind, two, prefer}, {-1, 1, longer ? 16U : 12U}, identity ? 0.97 : 0));
      if (longer) {
        checks.push_back(check_of({3, 2, kind, two, prefer}, {-1, 1, 11}, 0));
        checks.push_back(check_of({2, 1, kind, one, prefer, 2}, {-1, 1, 16}, 0.9));
        checks.push_back(check_of({2, 1, kind, two, prefer, 2}, {-1, 1, 14}, 0));
      }
    }
  }
  for (const Kind kind : {Kind::general, Kind::counts}) {
    checks.push_back(losers_far_above(kind));
  }
  return checks;
}

}  // namespace freegap::verify

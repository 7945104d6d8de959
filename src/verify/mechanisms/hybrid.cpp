#include "verify/mechanisms/hybrid.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/alignment_rows.hpp"
#include "verify/bad_variant_rows.hpp"
#include "verify/loss_rows.hpp"
#include "verify/mechanism_table.hpp"
#include "verify/mechanisms/hybrid_bad_variants.hpp"

namespace freegap::verify {
namespace {

// Alignments.

struct HybridVariant {
  Prefer prefer = Prefer::identity;

  AlignmentCase<HybridRelease> operator()(const RandomSetting& setting, TapeSource& tapes) const {
    const Answers zeros(setting.n);
    const HybridPlan plan =
        plan_hybrid(candidates_in(setting, zeros),
                    {.k = 1 + tapes.below(setting.n),
                     .epsilon = setting.epsilon,
                     .threshold = setting.threshold,
                     .prefer = prefer,
                     .noise = setting.distribution,
                     .theta = prefer == Prefer::identity ? std::nullopt : setting.theta,
                     .tick = setting.tick});
    return {subject_of(plan, random_order(setting.n, tapes)),
            {setting.n, plan.grid.sensitivity_ticks(), plan.blank.queries.monotone(),
             plan.blank.threshold.used_ticks}};
  }
};

/// The selection of an identity-first hybrid among the threshold, as candidate 0, and the others.
std::pair<NeighbourPair, Selected> with_threshold(const HybridPlan& plan, const PlaceOrder& order,
                                                  const NeighbourPair& pair,
                                                  const HybridRelease& release, const Tape& tape) {
  const std::int64_t threshold = plan.blank.threshold.used_ticks;
  NeighbourPair extended = pair;
  extended.first.insert(extended.first.begin(), threshold);
  extended.second.insert(extended.second.begin(), threshold);
  Selected selected;
  selected.draws = CandidateDraws(plan.noise, 0);
  for (const Item& winner : release.winners) {
    selected.winners.push_back(static_cast<std::size_t>(winner.id) + 1);
  }
  if (release.gap_to == GapTo::threshold) {
    selected.winners.push_back(0);
  }
  selected.tie_offsets =
      tie_offsets(order, selected, tape, extended.first.size(), [](std::size_t i) {
        return i == 0 ? threshold_item : Item{static_cast<std::int64_t>(i) - 1, 0};
      });
  return {std::move(extended), std::move(selected)};
}

// Losses by enumeration.

struct Walk {
  std::int64_t lowest;
  std::int64_t highest;
  std::uint64_t cut;
};

/// All inputs around the threshold, and some candidates far above or below it; the threshold before
/// and after the candidates in the order of ties (which only the identity-first hybrid uses).
LossCheck check_of(const HybridSetting& s, const Walk& walk, double at_least) {
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
            for (std::size_t place = identity ? 0 : s.n; place <= s.n; place += s.n) {
              worst.merge(distributions_of(plan_of(s), walk.cut, place, shipped_hybrid)
                              .worst(inputs, moves_of(s.kind)));
            }
            return worst;
          }};
}

/// The same through a shape that production scans, with the threshold last in the order of ties.
LossCheck check_through(GridShape shape, const HybridSetting& s, const Walk& walk) {
  const std::string name = s.prefer == Prefer::identity ? "identity first, " : "estimates first, ";
  return {"hybrid", variant_of(name + shape_name(shape), s.kind, s.distribution), 0.59, [=] {
            return distributions_through<Sound<LossNoise>>(shape, s, walk.cut, s.n)
                .worst(all_vectors(s.n, walk.lowest, walk.highest), moves_of(s.kind));
          }};
}

/// Estimates first with two-sided noise: the threshold's share shows only where several losers lie
/// far above the winner, so that the threshold and the winner must be raised.
LossCheck losers_far_above(Kind kind) {
  const HybridSetting s{4, 1, kind, Distribution::laplace, Prefer::estimates};
  return {"hybrid", variant_of("estimates first", kind, s.distribution), 0.97, [s] {
            Distributions distributions = distributions_of(plan_of(s), 13, 4, shipped_hybrid);
            const std::int64_t first = s.kind == Kind::general ? -1 : 0;
            return worst_both_ways(distributions, {0, 3, 3, 3}, {first, 4, 4, 4});
          }};
}

std::vector<LossCheck> losses(bool longer) {
  std::vector<LossCheck> checks;
  const Distribution one = Distribution::geometric;
  const Distribution two = Distribution::laplace;
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    const bool identity = prefer == Prefer::identity;
    for (const Kind kind : {Kind::general, Kind::counts}) {
      checks.push_back(check_of({2, 1, kind, one, prefer}, {-2, 2, 16}, 0.999));
      checks.push_back(check_of({3, 2, kind, one, prefer}, {-1, 1, longer ? 16U : 12U}, 0.999));
      // Where all may win, only the threshold can lose, and it does not move: less is lost than is
      // charged.
      checks.push_back(check_of({2, 2, kind, one, prefer}, {-2, 2, 16}, identity ? 0.749 : 0.59));
      checks.push_back(check_of({1, 1, kind, one, prefer, 2}, {-2, 2, 18}, 0));
      checks.push_back(check_of({1, 1, kind, two, prefer, 2}, {-2, 2, 16}, 0));
      checks.push_back(
          check_of({2, 1, kind, two, prefer}, {-1, 1, longer ? 16U : 12U}, identity ? 0.97 : 0));
      for (const GridShape shape : shapes_of(kind)) {
        const std::uint64_t cut = longer ? 14 : 10;
        checks.push_back(check_through(shape, {2, 1, kind, one, prefer}, {-1, 1, cut}));
      }
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

// Bounds from samples.

/// A candidate must beat the threshold (monotone), or a rival that lies far above it.
BlackBox identity_first(Kind kind, Distribution distribution) {
  const NeighbourPair pair =
      kind == Kind::counts ? NeighbourPair{{5}, {4}} : NeighbourPair{{5, 5}, {4, 6}};
  const Rational threshold = kind == Kind::counts ? 5 : -100;
  return {"hybrid", variant_of("identity first", kind, distribution), sampled_epsilon.shown(), 1,
          [=](bool neighbour, ExactNoise& noise) {
            const HybridRelease release =
                top_k_above(candidates_of(neighbour ? pair.second : pair.first, kind),
                            {.k = 1,
                             .epsilon = Epsilon(sampled_epsilon),
                             .threshold = threshold,
                             .prefer = Prefer::identity,
                             .noise = distribution},
                            noise);
            return release.winners.empty() ? 0 : cell_of(release.winners[0]);
          }};
}

/// A rival must stay below the winner though it rises, and the winner at the threshold: both the
/// threshold's and the winner's noise must be raised. That is rare on a fine tick, so only whole
/// numbers are sampled; θ makes it as likely as it can be.
BlackBox estimates_first(Kind kind) {
  const bool counts = kind == Kind::counts;
  const NeighbourPair pair{{0, 0}, {1, counts ? 0 : -1}};
  const Rational theta = counts ? Rational(1, 2) : Rational(3, 10);
  return {"hybrid", variant_of("estimates first", kind, Distribution::geometric),
          sampled_epsilon.shown(), 4, [=](bool neighbour, ExactNoise& noise) {
            const HybridRelease release =
                top_k_above(candidates_of(neighbour ? pair.second : pair.first, kind),
                            {.k = 1,
                             .epsilon = Epsilon(sampled_epsilon),
                             .threshold = 0,
                             .prefer = Prefer::estimates,
                             .noise = Distribution::geometric,
                             .theta = theta},
                            noise);
            return release.winners.empty() ? 0
                                           : cell_of(release.winners[0]) +
                                                 cell_of(release.noise.shown(release.gap_ticks[0]));
          }};
}

}  // namespace

template <>
Observed observe(const HybridRelease& release) {
  Observed seen{ids(release.winners), release.cost.spent};
  append(seen.shown, release.gap_ticks);
  seen.shown.push_back(release.gap_to == GapTo::threshold ? 1 : 0);
  if (release.threshold_gap_ticks) {
    seen.shown.push_back(*release.threshold_gap_ticks);
  }
  return seen;
}

Subject<HybridRelease> subject_of(const HybridPlan& plan, const PlaceOrder& order) {
  const auto run = [plan, order](const Answers& answers, auto& noise) {
    PlaceOrder ties = order;
    return shipped_hybrid(PlainShape(answers), plan, noise, ties);
  };
  if (plan.prefer == Prefer::identity) {
    const auto describe = [plan, order](const NeighbourPair& pair, const HybridRelease& release,
                                        const Tape& tape) {
      return with_threshold(plan, order, pair, release, tape);
    };
    return ranked_subject<HybridRelease>(run, describe, plan.noise.two_sided());
  }
  const auto moved = [plan, draws = CandidateDraws(plan.noise, 1)](
                         const NeighbourPair& pair, const HybridRelease& release, const Tape& tape,
                         std::int64_t sign) {
    std::vector<Passing> passing;
    for (const Item& winner : release.winners) {
      const auto i = static_cast<std::size_t>(winner.id);
      passing.push_back({i, draws.first + i * draws.each, draws.per_tick});
    }
    return shift_passing(pair, passing, plan.grid.sensitivity_ticks(),
                         plan.blank.queries.monotone(), tape, sign);
  };
  return shifted_subject<HybridRelease>(run, moved);
}

HybridPlan plan_of(const HybridSetting& s) {
  const Answers zeros(s.n);
  const std::int64_t price = static_cast<std::int64_t>(s.k) * factor_of(s.kind);
  const bool identity = s.prefer == Prefer::identity;
  HybridPlan plan =
      plan_hybrid(candidates_of(zeros, s.kind),
                  {.k = s.k,
                   .epsilon = Epsilon(Rational(identity ? price : price + 1)),
                   .threshold = 0,
                   .prefer = s.prefer,
                   .noise = s.distribution,
                   .theta = identity ? std::nullopt : std::optional(Rational(1, price + 1)),
                   .tick = 1});
  plan.noise = detail::TickNoise(s.distribution, plan.noise.tick_rate().exponent(), s.subticks);
  return plan;
}

PlaceOrder order_with_threshold_at(std::size_t place, std::size_t n) {
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < n; ++i) {
    places.push_back(2 * static_cast<std::int64_t>(i));
  }
  places.push_back(2 * static_cast<std::int64_t>(place) - 1);
  return PlaceOrder(places);
}

MechanismChecks hybrid_checks(bool longer) {
  MechanismChecks checks;
  add_alignments(checks.alignments, "hybrid", "identity first", HybridVariant{Prefer::identity});
  add_alignments(checks.alignments, "hybrid", "estimates first", HybridVariant{Prefer::estimates});
  checks.enumerations = tasks_of(losses(longer));
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const Distribution distribution : sampled_distributions) {
      checks.black_boxes.push_back(identity_first(kind, distribution));
    }
    checks.black_boxes.push_back(estimates_first(kind));
  }
  checks.bad_variants = {bad_variant(bad::FreeThreshold()), bad_variant(bad::SharedThreshold())};
  return checks;
}

}  // namespace freegap::verify

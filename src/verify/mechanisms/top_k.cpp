#include "verify/mechanisms/top_k.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "verify/alignment_rows.hpp"
#include "verify/bad_variant_rows.hpp"
#include "verify/loss_rows.hpp"
#include "verify/mechanism_table.hpp"
#include "verify/mechanisms/top_k_bad_variants.hpp"
#include "verify/mechanisms/top_k_printed_alignment.hpp"

namespace freegap::verify {
namespace {

// Alignments.

/// How many of the candidates are selected.
enum class Winners : std::uint8_t { one, some, all };

struct TopKVariant {
  Winners winners = Winners::some;
  bool gaps = true;

  AlignmentCase<TopKRelease> operator()(RandomSetting setting, TapeSource& tapes) const {
    if (winners != Winners::all) {
      setting.n = std::max<std::uint64_t>(setting.n, 2);
    }
    const std::uint64_t k = winners == Winners::one   ? 1
                            : winners == Winners::all ? setting.n
                                                      : 1 + tapes.below(setting.n - 1);
    const Answers zeros(setting.n);
    const TopKPlan plan = plan_top_k(candidates_in(setting, zeros), {.k = k,
                                                                     .epsilon = setting.epsilon,
                                                                     .noise = setting.distribution,
                                                                     .gaps = gaps,
                                                                     .tick = setting.tick});
    return {subject_of(plan, random_order(setting.n, tapes)),
            {setting.n, plan.grid.sensitivity_ticks(), plan.queries.monotone(), 0}};
  }
};

// Losses by enumeration.

/// All small inputs, and inputs with some candidates far above the others.
std::vector<Vector> inputs(std::size_t n, std::int64_t highest, std::int64_t far) {
  std::vector<Vector> result = all_vectors(n, 0, highest);
  for (std::size_t i = 1; i < n; ++i) {
    Vector ahead(n, 0);
    std::fill_n(ahead.begin(), i, far);
    result.push_back(ahead);
    std::reverse(ahead.begin(), ahead.end());
    result.push_back(ahead);
  }
  return result;
}

std::string name_of(const TopKSetting& s) {
  if (!s.gaps) {
    return "classic";
  }
  return s.k == s.n ? "all win" : s.k == 1 ? "noisy max" : "k winners";
}

struct Walk {
  std::int64_t highest;
  std::int64_t far;
  std::uint64_t cut;
};

LossCheck check_of(const TopKSetting& s, const Walk& walk, double at_least) {
  return {"top-k", variant_of(name_of(s), s.kind, s.distribution), at_least, [s, walk] {
            return distributions_of(plan_of(s), walk.cut, shipped_top_k)
                .worst(inputs(s.n, walk.highest, walk.far), moves_of(s.kind));
          }};
}

/// The same through a shape that production scans.
LossCheck check_through(GridShape shape, const TopKSetting& s, const Walk& walk, double at_least) {
  return {"top-k", variant_of(name_of(s) + ", " + shape_name(shape), s.kind, s.distribution),
          at_least, [=] {
            return distributions_through<Sound<LossNoise>>(shape, s, walk.cut)
                .worst(inputs(s.n, walk.highest, walk.far), moves_of(s.kind));
          }};
}

/// Two winners far below two losers; the winners move down while the losers move up.
LossCheck two_of_four_two_sided(Kind kind) {
  const TopKSetting s{4, 2, kind, Distribution::laplace};
  return {"top-k", variant_of(name_of(s), kind, s.distribution), 0.97, [s] {
            Distributions distributions = distributions_of(plan_of(s), 18, shipped_top_k);
            const std::int64_t to = 3 + factor_of(s.kind);
            return worst_both_ways(distributions, {0, 0, 3, 3}, {0, 0, to, to});
          }};
}

std::vector<LossCheck> losses(bool longer) {
  constexpr double tight = 1 - slack;
  std::vector<LossCheck> checks;
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const Distribution one = Distribution::geometric;
    const Distribution two = Distribution::laplace;
    checks.push_back(check_of({2, 1, kind, one}, {3, 8, 24}, tight));
    checks.push_back(check_of({3, 1, kind, one}, {2, 6, 18}, tight));
    checks.push_back(check_of({3, 2, kind, one}, {2, 6, 18}, tight));
    checks.push_back(check_of({4, 2, kind, one}, {1, longer ? 5 : 3, longer ? 18U : 14U}, tight));
    // Where all win there is no last gap, and less is spent.
    checks.push_back(check_of({2, 2, kind, one}, {3, 8, 24}, tight));
    checks.push_back(check_of({3, 3, kind, one}, {2, 5, 16}, tight));
    checks.push_back(check_of({3, 1, kind, one, false}, {2, 6, 18}, tight));
    checks.push_back(check_of({3, 2, kind, one, false}, {2, 6, 18}, tight));
    checks.push_back(check_of({2, 1, kind, one, true, 2}, {1, 4, 17}, tight));

    checks.push_back(check_of({2, 1, kind, two}, {3, 8, 24}, 0.97));
    checks.push_back(check_of({3, 1, kind, two}, {2, 5, 15}, 0.97));
    // Two-sided noise may also move the losers: where they are fewer than k, less is lost.
    checks.push_back(check_of({3, 2, kind, two}, {longer ? 2 : 1, 4, longer ? 15U : 12U}, 0.48));
    checks.push_back(check_of({2, 2, kind, two}, {3, 8, 20}, 0.97));
    checks.push_back(check_of({3, 1, kind, two, false}, {1, 5, 14}, 0.97));
    checks.push_back(check_of({2, 1, kind, two, true, 2}, {1, 4, 15}, 0.97));
    checks.push_back(two_of_four_two_sided(kind));
    for (const GridShape shape : shapes_of(kind)) {
      const std::uint64_t more = longer ? 4 : 0;
      checks.push_back(check_through(shape, {3, 1, kind, one}, {1, 3, 10 + more}, 0.9));
      checks.push_back(check_through(shape, {3, 2, kind, one}, {1, 3, 8 + more}, 0.9));
      checks.push_back(check_through(shape, {2, 1, kind, two}, {2, 5, 12 + more}, 0.9));
      checks.push_back(check_through(shape, {2, 1, kind, one, true, 2}, {1, 3, 12 + more}, 0.9));
    }
    if (longer) {
      checks.push_back(check_of({4, 1, kind, one}, {2, 5, 18}, tight));
      checks.push_back(check_of({4, 3, kind, one}, {1, 5, 18}, tight));
      checks.push_back(check_of({3, 1, kind, one, true, 2}, {1, 3, 18}, 0.97));
      checks.push_back(check_of({3, 1, kind, two, true, 2}, {1, 2, 15}, 0.9));
    }
  }
  return checks;
}

// Bounds from samples.

/// The winner's rival gains one (and the winner loses one): half of all runs against e^-ε of that.
BlackBox noisy_max(Kind kind, Distribution distribution) {
  const NeighbourPair pair{{5, 5}, {kind == Kind::counts ? 5 : 4, 6}};
  return {"top-k", variant_of("noisy max", kind, distribution), sampled_epsilon.shown(), 1,
          [=](bool neighbour, ExactNoise& noise) {
            const TopKRelease release =
                top_k(candidates_of(neighbour ? pair.second : pair.first, kind),
                      {.k = 1, .epsilon = Epsilon(sampled_epsilon), .noise = distribution}, noise);
            return cell_of(release.winners[0]) +
                   cell_of(release.noise.shown(release.lead_ticks[0]));
          }};
}

/// The same with two winners against one: a third of all runs.
BlackBox two_winners(Kind kind, Distribution distribution) {
  const std::int64_t down = kind == Kind::counts ? 5 : 4;
  const NeighbourPair pair{{5, 5, 5}, {down, down, 6}};
  return {"top-k", variant_of("k winners", kind, distribution), sampled_epsilon.shown(), 2,
          [=](bool neighbour, ExactNoise& noise) {
            const TopKRelease release =
                top_k(candidates_of(neighbour ? pair.second : pair.first, kind),
                      {.k = 2, .epsilon = Epsilon(sampled_epsilon), .noise = distribution}, noise);
            return release.winners[0].id + release.winners[1].id;  // shows which candidate lost
          }};
}

}  // namespace

template <>
Observed observe(const TopKRelease& release) {
  Observed seen{ids(release.winners), release.cost.spent};
  append(seen.shown, release.lead_ticks);
  return seen;
}

Subject<TopKRelease> subject_of(const TopKPlan& plan, const PlaceOrder& order) {
  const auto run = [plan, order](const Answers& answers, auto& noise) {
    PlaceOrder ties = order;
    return select_top_k(PlainShape(answers), plan, noise, ties);
  };
  const auto describe = [draws = CandidateDraws(plan.noise, 0), order](const NeighbourPair& pair,
                                                                       const TopKRelease& release,
                                                                       const Tape& tape) {
    Selected selected;
    selected.draws = draws;
    for (const Item& winner : release.winners) {
      selected.winners.push_back(static_cast<std::size_t>(winner.id));
    }
    selected.tie_offsets = tie_offsets(order, selected, tape, pair.first.size(), [](std::size_t i) {
      return Item{static_cast<std::int64_t>(i), 0};
    });
    return std::pair<const NeighbourPair&, Selected>(pair, std::move(selected));
  };
  return ranked_subject<TopKRelease>(run, describe, plan.noise.two_sided());
}

TopKPlan plan_of(const TopKSetting& s) {
  const Answers zeros(s.n);
  TopKPlan plan = plan_top_k(candidates_of(zeros, s.kind),
                             {.k = s.k,
                              .epsilon = Epsilon(Rational(factor_of(s.kind)) * Rational(s.k)),
                              .noise = s.distribution,
                              .gaps = s.gaps,
                              .tick = 1});
  plan.noise = detail::TickNoise(s.distribution, plan.noise.tick_rate().exponent(), s.subticks);
  return plan;
}

MechanismChecks top_k_checks(bool longer) {
  MechanismChecks checks;
  add_alignments(checks.alignments, "top-k", "noisy max", TopKVariant{Winners::one});
  add_alignments(checks.alignments, "top-k", "k winners", TopKVariant{Winners::some});
  add_alignments(checks.alignments, "top-k", "all win", TopKVariant{Winners::all});
  add_alignments(checks.alignments, "top-k", "classic", TopKVariant{Winners::some, false});
  checks.enumerations = tasks_of(losses(longer));
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const Distribution distribution : sampled_distributions) {
      checks.black_boxes.push_back(noisy_max(kind, distribution));
      checks.black_boxes.push_back(two_winners(kind, distribution));
    }
  }
  checks.bad_variants = {bad_variant(bad::monotone_scale()), bad_variant(bad::without_k())};
  for (const std::size_t k : {1U, 2U}) {
    checks.bad_variants.push_back(bad_variant(bad::RawGaps(k, Moves::either_way)));
    checks.bad_variants.push_back(bad_variant(bad::RawGaps(k, Moves::together)));
  }
  checks.bad_variants.push_back(bad_variant(bad::NamedRunnerUp()));
  checks.bad_variants.push_back(bad_variant(bad::NoisyValue()));
  checks.bad_variants.push_back(bad_variant(bad::FreshGap()));
  checks.bad_variants.push_back(bad_variant(bad::SubtractedNoise()));
  checks.bad_variants.push_back(bad_variant(bad::PrintedAlignment()));
  return checks;
}

}  // namespace freegap::verify

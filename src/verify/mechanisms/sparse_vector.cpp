#include "verify/mechanisms/sparse_vector.hpp"

#include <optional>
#include <string>

#include "verify/alignment_rows.hpp"
#include "verify/bad_variant_rows.hpp"
#include "verify/loss_rows.hpp"
#include "verify/mechanism_table.hpp"
#include "verify/mechanisms/sparse_vector_bad_variants.hpp"
#include "verify/mechanisms/sparse_vector_published_mistakes.hpp"
#include "verify/mechanisms/sparse_vector_skipping.hpp"

namespace freegap::verify {
namespace {

// Alignments.

/// Stop rules, limits and cuts are chosen with the setting.
struct SparseVectorVariant {
  bool gaps = true;
  std::size_t branches = 1;

  AlignmentCase<Answered> operator()(const RandomSetting& setting, TapeSource& tapes) const {
    std::optional<std::uint64_t> stop_after;
    if (tapes.below(4) == 0) {
      stop_after = 1 + tapes.below(3);
    }
    const SparseVectorOptions options{
        .k = 1 + tapes.below(setting.n),
        .epsilon = setting.epsilon,
        .threshold = setting.threshold,
        .noise = setting.distribution,
        .branches = branches,
        .theta = setting.theta,
        .sigma = Rational(tapes.below(3)),
        .stop_rule = tapes.below(2) == 0 ? StopRule::afford : StopRule::paper,
        .stop_after = stop_after,
        .gaps = gaps,
        .tick = setting.tick};
    const SparseVectorPlan plan = plan_sparse_vector(setting.queries, options, true);
    return {subject_of(plan),
            {setting.n, plan.grid.sensitivity_ticks(), plan.queries.monotone(),
             plan.blank.threshold.used_ticks}};
  }
};

/// The passing draws of a sparse vector. Draws per query: one for each branch tried, up to the one
/// that passed; which branches were affordable follows from the answers before.
std::vector<Passing> passing_draws(const SparseVectorPlan& plan, const Answered& release) {
  std::vector<Passing> passing;
  std::size_t draw = 1;
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < release.answers.size(); ++i) {
    const SparseVectorAnswer& answer = release.answers[i];
    for (std::size_t b = 0; b < plan.steps.size() && used + plan.steps[b].weight <= plan.budget;
         ++b, ++draw) {
      if (answer.above && answer.branch == b + 1) {
        passing.push_back({i, draw});
        used += plan.steps[b].weight;
        ++draw;
        break;
      }
    }
  }
  return passing;
}

// Losses by enumeration.

std::string name_of(const SparseVectorSetting& s) {
  std::string name = s.gaps ? "with gap" : "classic";
  if (s.branches > 1) {
    name = std::to_string(s.branches) + " branches";
  }
  return variant_of(name, s.kind, s.distribution);
}

/// All inputs around the threshold.
struct Walk {
  std::size_t n;
  std::int64_t lowest;
  std::int64_t highest;
  std::uint64_t cut;
};

LossCheck near(const SparseVectorSetting& s, const Walk& walk, double at_least) {
  return {"sparse vector", name_of(s), at_least, [=] {
            return distributions_of(plan_of(s), walk.cut, shipped_sparse_vector)
                .worst(all_vectors(walk.n, walk.lowest, walk.highest), moves_of(s.kind));
          }};
}

/// Answers 20 ticks above: the threshold's noise must carry their failures. 20 below: the query's
/// noise must carry a success.
LossCheck far(const SparseVectorSetting& s, double at_least) {
  return {"sparse vector", name_of(s), at_least, [=] {
            Distributions above = distributions_of(plan_of(s), 36, shipped_sparse_vector);
            const std::int64_t last = s.kind == Kind::general ? 19 : 20;
            Worst worst = worst_both_ways(above, {20, 20, 20}, {21, 21, last});
            worst.merge(distributions_of(plan_of(s), 58, shipped_sparse_vector)
                            .worst({{-20}, {-21}, {-22}}, moves_of(s.kind)));
            return worst;
          }};
}

std::vector<LossCheck> losses(bool longer) {
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

// Bounds from samples.

/// One query must fail though it rises, which takes the threshold's noise; one must pass though it
/// falls or stays, which takes its own. The offset that centres gaps is one tick for general
/// queries, none for monotone ones. Whole-numbered noise may start from a tie.
BlackBox fail_then_pass(Kind kind, Distribution distribution) {
  const std::int64_t offset = kind == Kind::counts ? 0 : 1;
  const std::int64_t rising = distribution == Distribution::geometric ? offset - 1 : offset;
  const NeighbourPair pair{{rising, offset},
                           {rising + 1, kind == Kind::counts ? offset : offset - 1}};
  return {"sparse vector", variant_of("with gap", kind, distribution), sampled_epsilon.shown(), 3,
          [=](bool neighbour, ExactNoise& noise) {
            const SparseVectorRelease release =
                sparse_vector(candidates_of(neighbour ? pair.second : pair.first, kind),
                              {.k = 1,
                               .epsilon = Epsilon(sampled_epsilon),
                               .threshold = 0,
                               .noise = distribution,
                               .theta = Rational(1, 2),
                               .asking = Asking::as_given},
                              noise);
            const SparseVectorAnswer& last = release.answers.back();
            return cell_of(last.item) +
                   (last.above ? cell_of(release.shown(*last.gap_ticks)) : -500);
          }};
}

}  // namespace

template <>
Observed observe(const Answered& release) {
  Observed seen{{}, release.spent};
  for (const SparseVectorAnswer& answer : release.answers) {
    seen.shown.insert(seen.shown.end(), {answer.item.id, static_cast<std::int64_t>(answer.branch),
                                         answer.gap_ticks.value_or(-1)});
  }
  return seen;
}

Subject<Answered> subject_of(const SparseVectorPlan& plan) {
  // A run copies its plan, but not the description of branches, which only a reader needs.
  SparseVectorPlan bare = plan;
  bare.blank.branches.clear();
  const auto run = [bare](const Answers& answers, auto& noise) {
    return ask_ticks_in_order(bare, answers, noise);
  };
  const auto moved = [plan](const NeighbourPair& pair, const Answered& release, const Tape& tape,
                            std::int64_t sign) {
    return shift_passing(pair, passing_draws(plan, release), plan.grid.sensitivity_ticks(),
                         plan.queries.monotone(), tape, sign);
  };
  return shifted_subject<Answered>(run, moved);
}

SparseVectorPlan plan_of(const SparseVectorSetting& s) {
  return plan_sparse_vector({s.kind, Neighbours::add_remove, 1},
                            {.k = s.k,
                             .epsilon = Epsilon(Rational(s.reserved())),
                             .threshold = 0,
                             .noise = s.distribution,
                             .branches = s.branches,
                             .theta = Rational(1, s.reserved()),
                             .sigma = 1,
                             .stop_rule = s.stop_rule,
                             .gaps = s.gaps,
                             .tick = 1},
                            true);
}

MechanismChecks sparse_vector_checks(bool longer) {
  MechanismChecks checks;
  const std::string name = "sparse vector";
  add_alignments(checks.alignments, name, "classic", SparseVectorVariant{.gaps = false});
  add_alignments(checks.alignments, name, "with gap", SparseVectorVariant{});
  for (const std::size_t branches : {2U, 3U, 4U}) {
    add_alignments(checks.alignments, name, std::to_string(branches) + " branches",
                   SparseVectorVariant{.branches = branches});
  }
  checks.enumerations = tasks_of(losses(longer));
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const Distribution distribution : sampled_distributions) {
      checks.black_boxes.push_back(fail_then_pass(kind, distribution));
    }
  }
  checks.bad_variants = {bad_variant(bad::noisy_answers()),      bad_variant(bad::unscaled_noise()),
                         bad_variant(bad::no_query_noise()),     bad_variant(bad::no_cut_off()),
                         bad_variant(bad::missing_factor()),     bad_variant(bad::one_too_many()),
                         bad_variant(bad::cheap_branch_price()), bad_variant(bad::free_bottoms()),
                         bad_variant(bad::SecretPrice()),        bad_variant(bad::FreeBelow()),
                         bad_variant(bad::SharedDraw())};
  add_skipping_checks(checks, longer);
  return checks;
}

}  // namespace freegap::verify

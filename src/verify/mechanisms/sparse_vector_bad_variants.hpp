#pragma once

/// @file
/// Sparse vectors that are nearly right: the shipped template with one thing wrong. Plans have
/// Δ = 1, a tick of 1 and whole rates, the unit of all prices.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "freegap/sparse_vector.hpp"
#include "verify/enumerated_pairs.hpp"
#include "verify/mechanisms/sparse_vector.hpp"
#include "verify/neighbour_pairs.hpp"
#include "verify/noise_shifts.hpp"

namespace freegap::verify::bad {

/// A plan for counts: k answers, the last branch at full price `price`.
inline SparseVectorPlan counts_plan(std::uint64_t k, std::size_t branches, std::int64_t price,
                                    Distribution distribution = Distribution::geometric,
                                    StopRule rule = StopRule::afford) {
  return plan_of(SparseVectorSetting{Kind::counts, distribution, k, price, branches, rule});
}

/// The shipped template with its own alignment; only plan, prices or inputs are wrong.
struct Shipped {
  std::string name;                                                  ///< what is wrong
  SparseVectorPlan plan;                                             ///< as run
  Rational (*price)(const SparseVectorPlan& plan, const Answered&);  ///< as charged
  PairShape pairs;                                                   ///< inputs to try
  Enumerated enumerated;                                             ///< inputs to enumerate

  /// Asks the answers in order.
  template <NoiseSource Source>
  Answered run(const Answers& answers, Source& noise) const {
    DrawsOnly<Source> draws(noise);
    Answered result = ask_ticks_in_order(plan, answers, draws);
    result.spent = price(plan, result);
    return result;
  }
  /// That of the sparse vector.
  [[nodiscard]] Tape moved(const NeighbourPair& pair, const Answered& seen, const Tape& tape,
                           std::int64_t sign) const {
    const Subject<Answered> right = subject_of(plan);
    return sign > 0 ? right.align(pair, seen, tape) : right.recover(pair, seen, tape);
  }
};

/// As released.
inline Rational as_released(const SparseVectorPlan&, const Answered& seen) { return seen.spent; }

/// The scale of the noise for monotone queries, used on queries that move either way: the factor 2
/// is missing. With two-sided noise a small grid near the threshold hardly shows it; queries far
/// above that must fail do. Caught by both: a passing query's noise moves by 2Δ.
inline Shipped missing_factor() {
  // The production alignment must take the queries for what they are.
  SparseVectorPlan plan = counts_plan(1, 1, 2, Distribution::laplace);
  plan.queries.kind = Kind::general;
  return {"sparse vector: noise for monotone queries on general ones",
          plan,
          as_released,
          {4, 1, false, 0},
          {{1, 4, 36}, {{{20, 20, 20}, {21, 21, 19}}}}};
}

/// k + 1 answers for the price of k: the count is checked after an answer instead of before. Caught
/// by both.
inline Shipped one_too_many(StopRule rule = StopRule::afford) {
  SparseVectorPlan plan = counts_plan(1, 1, 1, Distribution::geometric, rule);
  plan.budget += plan.steps.back().weight;
  const auto capped = [](const SparseVectorPlan& p, const Answered& seen) {
    return std::min(seen.spent, p.blank.cost.reserved);
  };
  return {"sparse vector: one answer more than paid for",
          plan,
          capped,
          {4, 1, true, 0},
          {{1, 4, 16}, all_pairs(3, 0, 0, Moves::together)}};
}

/// An adaptive sparse vector that charges every answer what the cheapest branch costs. Caught by
/// both: answers of the last branch cost more.
inline Shipped cheap_branch_price() {
  const auto cheap = [](const SparseVectorPlan& p, const Answered& seen) {
    Rational spent = p.blank.threshold_epsilon;
    for (const SparseVectorAnswer& answer : seen.answers) {
      spent = spent + (answer.above ? Rational(p.steps.front().weight) * p.unit : Rational(0));
    }
    return spent;
  };
  return {"adaptive sparse vector: the last branch at the price of the first",
          counts_plan(1, 2, 2),
          cheap,
          {4, 1, true, 0},
          {{1, 5, 14}, all_pairs(2, -1, 1, Moves::together)}};
}

/// A refund of the threshold's share where nothing passed: "no answer, no cost". But ⊥ depends on
/// the noisy threshold, and on the query. Caught by both.
inline Shipped free_bottoms() {
  const auto free = [](const SparseVectorPlan&, const Answered& seen) {
    for (const SparseVectorAnswer& answer : seen.answers) {
      if (answer.above) {
        return seen.spent;
      }
    }
    return Rational(0);
  };
  return {"sparse vector: nothing charged where nothing passed",
          counts_plan(1, 1, 1),
          free,
          {3, 1, true, 0},
          {{1, 3, 16}, all_pairs(2, -1, 1, Moves::together)}};
}

/// What the sparse vectors below have in common: one-sided noise, the threshold at 0, and the
/// alignment of the right mechanism on draws 1, 2, ... of queries 0, 1, ...
struct OneDraw {
  Rate threshold_rate{Rational(1)};  ///< units per tick
  PairShape pairs{4, 1, true, 0};    ///< inputs to try
  /// To enumerate.
  Enumerated enumerated = enumerate(all_pairs(2, -1, 1, Moves::together), {1, 3, 14});

  /// `above[i]` says whether query i passed.
  [[nodiscard]] static Tape follow(const NeighbourPair& pair, const std::vector<bool>& above,
                                   const Tape& tape, std::int64_t sign) {
    std::vector<Passing> passing;
    for (std::size_t i = 0; i < above.size(); ++i) {
      if (above[i]) {
        passing.push_back({i, i + 1});
      }
    }
    return shift_passing(pair, passing, 1, true, tape, sign);
  }
  /// Each answer is shown by two numbers, the first of them 0 for ⊥.
  [[nodiscard]] Tape moved(const NeighbourPair& pair, const Observed& seen, const Tape& tape,
                           std::int64_t sign) const {
    std::vector<bool> above;
    for (std::size_t i = 0; i < seen.shown.size(); i += 2) {
      above.push_back(seen.shown[i] != 0);
    }
    return follow(pair, above, tape, sign);
  }
};

/// A sparse vector that charges an answer for the noise that was drawn for it: large noise, small
/// price. The charge is public and depends on secret state, so it gives the noise away, and with
/// the gap the distance to the threshold. Caught by both: the neighbour's charge differs.
struct SecretPrice : OneDraw {
  std::string name = "sparse vector: charged by the noise that was drawn";  ///< what is wrong
  Rate query_rate{Rational(1)};                                             ///< units per tick

  /// Asks the answers in order, up to the first that passes.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    Observed seen{{}, 1};
    const std::int64_t threshold = noise.geometric(threshold_rate);
    for (const std::int64_t answer : answers) {
      const std::int64_t drawn = noise.geometric(query_rate);
      const std::int64_t gap = answer + drawn - threshold;
      seen.shown.insert(seen.shown.end(), {gap >= 0 ? 1 : 0, gap >= 0 ? gap : 0});
      if (gap >= 0) {
        seen.spent = drawn > 2 ? Rational(1) : Rational(2);
        break;
      }
    }
    return seen;
  }
};

/// The wrong way round: queries below the threshold are free, so their gaps are released, and those
/// above are merely named. A gap must be paid for, on whichever side: aligned as for ⊥, where the
/// noise stays, it changes. Caught by both; the loss grows with every query.
struct FreeBelow : OneDraw {
  std::string name = "sparse vector: gaps of failing queries, free of charge";  ///< what is wrong
  Rate query_rate{Rational(1)};                                                 ///< units per tick

  /// Asks the answers in order, up to the first that passes.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    Observed seen{{}, 1};
    const std::int64_t threshold = noise.geometric(threshold_rate);
    for (const std::int64_t answer : answers) {
      const std::int64_t gap = answer + noise.geometric(query_rate) - threshold;
      seen.shown.insert(seen.shown.end(), {gap >= 0 ? 1 : 0, gap >= 0 ? 0 : gap});
      if (gap >= 0) {
        seen.spent = 2;
        break;
      }
    }
    return seen;
  }
};

/// An adaptive sparse vector that draws once for both branches. One draw has one scale: that of the
/// dear branch, so an answer by the cheap one loses more than it is charged. (With a draw of the
/// cheap scale the dear branch would be no better than the cheap one.) Caught by both.
struct SharedDraw : OneDraw {
  std::string name = "adaptive sparse vector: one draw for two branches";  ///< what is wrong
  Rate query_rate{Rational(2)};                                            ///< units per tick
  std::int64_t cut = 1;                                                    ///< of the cheap branch

  /// Asks the answers in order, up to the first that passes.
  template <NoiseSource Source>
  Observed run(const Answers& answers, Source& noise) const {
    Observed seen{{}, 1};
    const std::int64_t threshold = noise.geometric(threshold_rate);
    for (const std::int64_t answer : answers) {
      const std::int64_t gap = answer + noise.geometric(query_rate) - threshold;
      const std::int64_t branch = gap >= cut ? 1 : gap >= 0 ? 2 : 0;
      seen.shown.insert(seen.shown.end(), {branch, branch == 0 ? 0 : gap});
      if (branch != 0) {
        seen.spent = 1 + branch;  // one unit for the cheap branch, two for the dear one
        break;
      }
    }
    return seen;
  }
};

}  // namespace freegap::verify::bad

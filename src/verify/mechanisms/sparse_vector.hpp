#pragma once

/// @file
/// The sparse vector under check: its alignment (docs/proofs/sparse_vector.md), and small settings
/// to enumerate.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "freegap/sparse_vector.hpp"
#include "freegap/verify/alignment.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "verify/noise_shifts.hpp"
#include "verify/small_settings.hpp"

namespace freegap::verify {

/// What a sparse vector showed, without its public parameters: a check copies it many times.
struct Answered {
  std::vector<SparseVectorAnswer> answers;  ///< in order
  Rational spent;                           ///< as released
};

/// Branches and gaps.
template <>
Observed observe(const Answered& release);

/// Asks `count` queries in order, until the vector closes. `ask(vector, i)` asks query i.
template <NoiseSource Source, class Ask>
Answered ask_in_order(const SparseVectorPlan& plan, std::size_t count, Source& noise,
                      const Ask& ask) {
  SparseVector<Source> vector(plan, noise);
  Answered result;
  for (std::size_t i = 0; i < count && vector.open(); ++i) {
    result.answers.push_back(ask(vector, i));
  }
  result.spent = vector.release().cost.spent;
  return result;
}

/// The same with answers given in ticks.
template <NoiseSource Source>
Answered ask_ticks_in_order(const SparseVectorPlan& plan, const Answers& ticks, Source& noise) {
  return ask_in_order(plan, ticks.size(), noise, [&](SparseVector<Source>& vector, std::size_t i) {
    return vector.ask_ticks(ticks[i], Item{static_cast<std::int64_t>(i), 0});
  });
}

/// A sparse vector that is asked the answers in order.
Subject<Answered> subject_of(const SparseVectorPlan& plan);

/// One small setting. The threshold, at 0, has one unit per tick; a branch at full price `rate`
/// units.
struct SparseVectorSetting {
  Kind kind;                              ///< of the queries
  Distribution distribution;              ///< of the noise
  std::uint64_t k = 1;                    ///< answers at full price
  std::int64_t rate = 1;                  ///< units per tick of the last branch
  std::size_t branches = 1;               ///< 1: not adaptive
  StopRule stop_rule = StopRule::afford;  ///< when it stops
  bool gaps = true;                       ///< whether they are released

  /// Units of an answer at full price.
  [[nodiscard]] std::int64_t price() const { return factor_of(kind) * rate; }
  /// Units of the whole budget.
  [[nodiscard]] std::int64_t reserved() const { return 1 + static_cast<std::int64_t>(k) * price(); }
};

/// The plan of a setting.
SparseVectorPlan plan_of(const SparseVectorSetting& setting);

/// Draws noise for each query and branch; that skipping queries changes no distribution is for
/// tests/mechanisms/sparse_vector_distribution_test.cpp.
using EachDraw = DrawsOnly<LossNoise>;

/// The sparse vector that is shipped, asked in order.
inline constexpr auto shipped_sparse_vector = [](const Vector& q, const SparseVectorPlan& plan,
                                                 EachDraw& noise) {
  return ask_in_order(plan, q.size(), noise, [&](SparseVector<EachDraw>& vector, std::size_t i) {
    return vector.ask(q[i]);
  });
};

/// What `ask_all(answers, plan, noise)` shows, for each input. A unit is 1.
template <class AskAll>
Distributions distributions_of(const SparseVectorPlan& plan, std::uint64_t cut,
                               const AskAll& ask_all) {
  return Distributions([=](const Vector& q) {
    const std::uint64_t draws = 1 + q.size() * plan.steps.size();
    return seen_distribution({1, draws, cut}, [&](LossNoise& noise) {
      EachDraw each(noise);
      return seen_in(observe(ask_all(q, plan, each)), 1);
    });
  });
}

}  // namespace freegap::verify

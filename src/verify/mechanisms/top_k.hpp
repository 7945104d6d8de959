#pragma once

/// @file
/// Top-k under check: its alignment (docs/proofs/top_k.md), and small settings to enumerate.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "freegap/top_k.hpp"
#include "freegap/verify/alignment.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "verify/grid_shapes.hpp"
#include "verify/noise_shifts.hpp"
#include "verify/small_settings.hpp"
#include "verify/wrapped_noise.hpp"

namespace freegap::verify {

/// Winners and leads.
template <>
Observed observe(const TopKRelease& release);

/// Top-k on the reference shape.
Subject<TopKRelease> subject_of(const TopKPlan& plan, const PlaceOrder& order);

/// One small setting. At ε = c k, a unit of loss is a fraction of a tick of noise.
struct TopKSetting {
  std::size_t n;              ///< candidates
  std::uint64_t k;            ///< winners
  Kind kind;                  ///< of the queries
  Distribution distribution;  ///< of the noise
  bool gaps = true;           ///< whether they are released
  std::int64_t subticks = 1;  ///< few fractions of a tick, so that all outcomes can be enumerated
};

/// The plan of a setting.
TopKPlan plan_of(const TopKSetting& setting);

/// The selection that is shipped.
inline constexpr auto shipped_top_k = [](const PlainShape& shape, const TopKPlan& plan,
                                         LossNoise& noise, PlaceOrder& order) {
  return observe(select_top_k(shape, plan, noise, order));
};

/// What `select(shape, plan, noise, order)` shows, for each input. Ties go to the lower number;
/// every other order is a renaming of the candidates. Losses depend on differences of answers
/// alone, so the smallest answer is moved to 0.
template <class Select>
Distributions distributions_of(const TopKPlan& plan, std::uint64_t cut, const Select& select) {
  return Distributions([=](const Vector& q) {
    Vector moved = q;
    const std::int64_t least = *std::min_element(q.begin(), q.end());
    std::for_each(moved.begin(), moved.end(), [&](std::int64_t& value) { value -= least; });
    const PlainShape shape(moved);
    const Rational base = plan.noise.rate().exponent();
    return seen_distribution({base, draws_of(plan.noise, q.size()), cut}, [&](LossNoise& noise) {
      PlaceOrder order = PlaceOrder::by_number(q.size());
      return seen_in(select(shape, plan, noise, order), base);
    });
  });
}

/// What the shipped selection shows through a shape that production scans, for each input. `Wrap`
/// stands between the selection and its noise.
template <class Wrap>
Distributions distributions_through(GridShape shape, const TopKSetting& setting,
                                    std::uint64_t cut) {
  const TopKPlan plan = plan_of(setting);
  return Distributions([=](const Vector& q) {
    Vector moved = q;
    const std::int64_t least = *std::min_element(q.begin(), q.end());
    std::for_each(moved.begin(), moved.end(), [&](std::int64_t& value) { value -= least; });
    const Rational base = plan.noise.rate().exponent();
    return seen_through(shape, moved, setting.kind, names_with_threshold_at(q.size(), q.size()),
                        base, cut, [&](const auto& on_grid, LossNoise& noise, NamedOrder& order) {
                          Wrap wrapped{noise};
                          return select_top_k(on_grid, plan, wrapped, order);
                        });
  });
}

}  // namespace freegap::verify

#pragma once

/// @file
/// Both hybrids under check: their alignments (docs/proofs/hybrid.md), and small settings to
/// enumerate.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "freegap/hybrid.hpp"
#include "freegap/verify/alignment.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "verify/grid_shapes.hpp"
#include "verify/noise_shifts.hpp"
#include "verify/small_settings.hpp"
#include "verify/wrapped_noise.hpp"

namespace freegap::verify {

/// Winners, gaps, what they are gaps to, and the threshold's own gap.
template <>
Observed observe(const HybridRelease& release);

/// Either hybrid on the reference shape.
Subject<HybridRelease> subject_of(const HybridPlan& plan, const PlaceOrder& order);

/// One small setting. A tick of noise is one unit; the threshold is at 0.
struct HybridSetting {
  std::size_t n;              ///< candidates
  std::uint64_t k;            ///< most winners
  Kind kind;                  ///< of the queries
  Distribution distribution;  ///< of the noise
  Prefer prefer;              ///< which hybrid
  std::int64_t subticks = 1;  ///< few fractions of a tick, so that all outcomes can be enumerated
};

/// The plan of a setting.
HybridPlan plan_of(const HybridSetting& setting);

/// The lower number wins a tie; the threshold comes before candidate number `place`.
PlaceOrder order_with_threshold_at(std::size_t place, std::size_t n);

/// The hybrid that is shipped.
inline constexpr auto shipped_hybrid = [](const auto& shape, const HybridPlan& plan, auto& noise,
                                          auto& order) {
  return plan.prefer == Prefer::identity ? select_identity_first(shape, plan, noise, order)
                                         : select_estimates_first(shape, plan, noise, order);
};

/// What `select(shape, plan, noise, order)` shows, for each input.
template <class Select>
Distributions distributions_of(const HybridPlan& plan, std::uint64_t cut, std::size_t place,
                               const Select& select) {
  return Distributions([=](const Vector& q) {
    const PlainShape shape(q);
    const Rational base = plan.noise.rate().exponent();
    const std::uint64_t draws = draws_of(plan.noise, q.size() + 1);
    return seen_distribution({base, draws, cut}, [&](LossNoise& noise) {
      PlaceOrder order = order_with_threshold_at(place, q.size());
      return seen_in(observe(select(shape, plan, noise, order)), base);
    });
  });
}

/// What the shipped hybrid shows through a shape that production scans, for each input. `Wrap`
/// stands between the hybrid and its noise. Inputs and threshold are moved up together, so that no
/// count is negative.
template <class Wrap>
Distributions distributions_through(GridShape shape, const HybridSetting& setting,
                                    std::uint64_t cut, std::size_t place) {
  return Distributions([=](const Vector& q) {
    const std::int64_t up = std::max<std::int64_t>(0, -*std::min_element(q.begin(), q.end()));
    Vector moved = q;
    std::for_each(moved.begin(), moved.end(), [&](std::int64_t& value) { value += up; });
    HybridPlan plan = plan_of(setting);
    plan.blank.threshold.used_ticks += up;
    const Rational base = plan.noise.rate().exponent();
    return seen_through(shape, moved, setting.kind, names_with_threshold_at(place, q.size()), base,
                        cut, [&](const auto& on_grid, LossNoise& noise, NamedOrder& order) {
                          Wrap wrapped{noise};
                          return shipped_hybrid(on_grid, plan, wrapped, order);
                        });
  });
}

}  // namespace freegap::verify

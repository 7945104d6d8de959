#pragma once

/// @file
/// Reference implementations that are simple enough to be right by inspection: noise for every
/// candidate, then sort; noise for every query and branch of a sparse vector. Faster
/// implementations must have the same output distribution. Alignments are checked on these, because
/// an alignment needs one noise per candidate.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "freegap/detail/mechanisms/noisy_top_m.hpp"
#include "freegap/noise.hpp"

namespace freegap::verify {

/// Candidates 0, 1, 2, ... with the given answers in ticks.
class PlainShape {
 public:
  /// One answer per candidate.
  explicit PlainShape(std::vector<std::int64_t> ticks) : ticks_(std::move(ticks)) {}

  /// The m best, best first.
  template <NoiseSource Source, detail::TieOrder Order>
  std::vector<detail::NoisyCandidate> top_m(std::size_t m, const detail::TickNoise& distribution,
                                            Source& noise, Order& order) const {
    std::vector<detail::NoisyCandidate> all;
    all.reserve(ticks_.size());
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
      all.push_back({{static_cast<std::int64_t>(i), 0},
                     distribution.at(ticks_[i]) + distribution.draw(noise),
                     {}});
    }
    const detail::Ranking<Order> ranking(order, distribution.subticks());
    std::sort(all.begin(), all.end(),
              [&](const detail::NoisyCandidate& a, const detail::NoisyCandidate& b) {
                return ranking.better(a, b);
              });
    all.resize(std::min(m, all.size()));
    return all;
  }

 private:
  std::vector<std::int64_t> ticks_;
};

/// Passes on the draws of another source and hides that it can skip, so that a sparse vector draws
/// noise for each query and branch.
template <NoiseSource Source>
class DrawsOnly {
 public:
  /// Draws from `noise`, which must outlive this object.
  explicit DrawsOnly(Source& noise) : noise_(&noise) {}

  /// As in NoiseSource.
  std::int64_t geometric(const Rate& rate) { return noise_->geometric(rate); }
  /// As in NoiseSource.
  std::int64_t laplace(const Rate& rate) { return noise_->laplace(rate); }
  /// As in NoiseSource.
  std::uint64_t below(std::uint64_t n) { return noise_->below(n); }
  /// As in NoiseSource.
  std::uint64_t key() { return noise_->key(); }

 private:
  Source* noise_;
};

/// A fixed order of ties among candidates 0, 1, 2, ... and the threshold of a hybrid: smaller
/// places win.
class PlaceOrder {
 public:
  /// `places[i]` is the place of candidate i; the last one is that of the threshold.
  explicit PlaceOrder(std::vector<std::int64_t> places) : places_(std::move(places)) {}
  /// Lower numbers win; the threshold comes last.
  static PlaceOrder by_number(std::size_t candidates) {
    std::vector<std::int64_t> places(candidates + 1);
    std::iota(places.begin(), places.end(), 0);
    return PlaceOrder(std::move(places));
  }

  /// Whether `a` wins a tie against `b`.
  bool precedes(const detail::NoisyCandidate& a, const detail::NoisyCandidate& b) const {
    return precedes(a.item, b.item);
  }
  /// Whether `a` wins a tie against `b`.
  [[nodiscard]] bool precedes(const Item& a, const Item& b) const { return place(a) < place(b); }

 private:
  [[nodiscard]] std::int64_t place(const Item& item) const {
    const bool candidate = item.id >= 0 && static_cast<std::size_t>(item.id) + 1 < places_.size();
    return candidate ? places_[static_cast<std::size_t>(item.id)] : places_.back();
  }

  std::vector<std::int64_t> places_;
};

}  // namespace freegap::verify

// The obviously right way to find leaders: noise for every candidate, then sort. All other shapes
// must have exactly its law.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "freegap/leaders.hpp"

namespace freegap::testing {

/// Candidates 0, 1, 2, ... with the given answers in ticks.
class PlainShape {
 public:
  /// One answer a candidate.
  explicit PlainShape(std::vector<std::int64_t> ticks) : ticks_(std::move(ticks)) {}

  /// The m best, best first.
  template <NoiseSource Source, TieOrder Order>
  std::vector<Contender> leaders(std::size_t m, const TickNoise& law, Source& noise,
                                 Order& order) const {
    std::vector<Contender> all;
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
      all.push_back({{static_cast<std::int64_t>(i), 0}, law.at(ticks_[i]) + law.draw(noise), {}});
    }
    const Ranking<Order> ranking(order, law.subticks());
    std::sort(all.begin(), all.end(),
              [&](const Contender& a, const Contender& b) { return ranking.better(a, b); });
    all.resize(std::min(m, all.size()));
    return all;
  }

 private:
  std::vector<std::int64_t> ticks_;
};

}  // namespace freegap::testing

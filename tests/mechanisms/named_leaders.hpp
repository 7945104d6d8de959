// Leaders in a form that can be compared.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "freegap/contenders.hpp"

namespace freegap::testing {

/// Positions of leaders with their noisy values.
using Leaders = std::vector<std::pair<std::int64_t, Position>>;

inline Leaders named(const std::vector<Contender>& leaders) {
  Leaders result;
  for (const Contender& leader : leaders) {
    result.emplace_back(leader.item.id, leader.position);
  }
  return result;
}

}  // namespace freegap::testing

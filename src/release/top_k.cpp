#include "freegap/release/top_k.hpp"

#include "freegap/errors.hpp"

namespace freegap {

std::optional<std::int64_t> TopKRelease::gap_ticks(std::size_t i) const {
  if (lead_ticks.empty()) {
    return std::nullopt;
  }
  if (i + 1 < winners.size()) {
    return lead_ticks[i] - lead_ticks[i + 1];
  }
  return has_runner_up ? std::optional(lead_ticks.at(i)) : std::nullopt;
}

std::int64_t TopKRelease::pairwise_gap_ticks(std::size_t i, std::size_t j) const {
  if (lead_ticks.empty()) {
    throw InvalidParameter("release", "it has no gaps: it is from the classic mechanism");
  }
  return lead_ticks.at(i) - lead_ticks.at(j);
}

}  // namespace freegap

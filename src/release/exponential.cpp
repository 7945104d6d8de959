#include "freegap/release/exponential.hpp"

namespace freegap {

std::optional<double> ExponentialRelease::gap() const {
  if (!gap_ticks) {
    return std::nullopt;
  }
  return static_cast<double>(*gap_ticks) * gap_tick.shown();
}

std::optional<double> ExponentialRelease::gap_in_utility() const {
  if (!gap_ticks) {
    return std::nullopt;
  }
  return *gap() / rate.shown();
}

}  // namespace freegap

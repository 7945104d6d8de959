#pragma once

/// @file
/// The exponential mechanism with gap has no noise that could be aligned: its proof
/// (docs/proofs/exponential.md) bounds a ratio of densities. Here that ratio is evaluated on random
/// utilities, in closed form.

#include <cstdint>
#include <string>

namespace freegap::verify {

/// What was found.
struct ExponentialLoss {
  std::uint64_t pairs = 0;  ///< neighbouring inputs
  double worst_share = 0;   ///< largest loss / ε, less the most that rounding can have added
  std::string problem;      ///< empty if no loss was above ε
};

/// The loss of P(s, floored gap = g) over random utilities of up to six groups of equal candidates,
/// all choices s, several g, and neighbours that move each group by -Δ, 0 or Δ (`monotone`: all one
/// way). Computed in long double, with a bound for its rounding.
ExponentialLoss exponential_loss(bool monotone, std::uint64_t pairs, std::uint64_t seed);

}  // namespace freegap::verify

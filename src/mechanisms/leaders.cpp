#include "freegap/leaders.hpp"

namespace freegap {

std::int64_t TickNoise::fractions_for(const Rational& rate) {
  // Noise that spans at least 512 fractions of a tick keeps ties rare.
  std::int64_t fractions = 1;
  while (rate * Rational(512) > Rational(fractions)) {
    fractions *= 2;
  }
  return fractions;
}

}  // namespace freegap

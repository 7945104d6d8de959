// The first 16 bits of many draws, four in a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace freegap::testing {

/// Puts the 16 bits of candidate i into their place.
inline void put(std::vector<std::uint64_t>& words, std::size_t i, std::uint16_t v) {
  const unsigned shift = 16 * (i % 4);
  words.at(i / 4) &= ~(std::uint64_t{0xffff} << shift);
  words.at(i / 4) |= std::uint64_t{v} << shift;
}

}  // namespace freegap::testing

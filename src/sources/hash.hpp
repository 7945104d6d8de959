#pragma once

/// @file
/// Hashes with random keys from the operating system, so that nobody can prepare data that
/// collides. They determine places in memory and nothing else.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace freegap::sources {

/// Fills `keys` from the system's generator. Throws MachineFault if it fails.
void draw_keys(std::span<std::uint64_t> keys);

/// The two halves of a 128-bit product, combined by exclusive or.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// Eight bytes as a number.
inline std::uint64_t load_word(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace freegap::sources

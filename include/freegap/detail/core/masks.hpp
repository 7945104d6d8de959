#pragma once

/// @file
/// Choices between secrets without jumps: the running time of a jump tells where it went.

#include <cstdint>

namespace freegap::detail {

/// All ones where `condition` holds, else zero. The compiler cannot see that it is one of two
/// values, and so does not turn arithmetic on it into a jump.
inline std::uint64_t mask_of(bool condition) {
  std::uint64_t mask = 0 - static_cast<std::uint64_t>(condition);
  __asm__("" : "+r"(mask));
  return mask;
}

/// `a` where the mask is all ones, `b` where it is zero.
inline std::uint64_t select(std::uint64_t mask, std::uint64_t a, std::uint64_t b) {
  return b ^ (mask & (a ^ b));
}
/// The same for signed numbers.
inline std::int64_t select(std::uint64_t mask, std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(
      select(mask, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}
/// The same for any other integer of 128 bits.
template <class Wide>
Wide select(std::uint64_t mask, Wide a, Wide b) {
  __extension__ using Bits = unsigned __int128;
  static_assert(sizeof(Wide) == sizeof(Bits));
  const Bits wide_mask = (Bits{mask} << 64U) | mask;
  return static_cast<Wide>(static_cast<Bits>(b) ^
                           (wide_mask & (static_cast<Bits>(a) ^ static_cast<Bits>(b))));
}

}  // namespace freegap::detail

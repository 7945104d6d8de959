#pragma once

// What the standard library of emscripten 3.1.6 lacks of C++20. Included before every file of the
// lab's build, by its preset.

#include <compare>
#include <cstring>
#include <type_traits>

namespace std {

constexpr bool is_eq(strong_ordering order) noexcept { return order == 0; }

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace std

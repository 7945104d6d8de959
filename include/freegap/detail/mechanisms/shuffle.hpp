#pragma once

/// @file
/// A random order of a list, drawn as far as it is asked for.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "freegap/noise.hpp"

namespace freegap::detail {

/// Hands out 0 .. n-1 in uniformly random order. It takes 8 n bytes, of which the system provides
/// those that are touched.
template <NoiseSource Source>
class Shuffle {
 public:
  /// Draws from `noise`, which must outlive this object.
  Shuffle(std::size_t n, Source& noise) : n_(n), noise_(&noise), moved_(zeros(n)) {}

  /// The next number; at most n calls.
  std::size_t next() {
    const std::size_t other = next_ + noise_->below(n_ - next_);
    const std::size_t result = at(other);
    moved_.get()[other] = at(next_) ^ other;
    ++next_;
    return result;
  }

 private:
  struct Free {
    void operator()(std::size_t* memory) const { std::free(memory); }  // NOLINT(*-no-malloc)
  };
  using Memory = std::unique_ptr<std::size_t, Free>;

  /// Zeros that cost nothing before they are touched, unlike those of a vector.
  static Memory zeros(std::size_t n) {
    Memory memory(static_cast<std::size_t*>(std::calloc(n, sizeof(std::size_t))));  // NOLINT
    if (memory == nullptr && n > 0) {
      throw std::bad_alloc();
    }
    return memory;
  }
  [[nodiscard]] std::size_t at(std::size_t i) const { return moved_.get()[i] ^ i; }

  std::size_t n_;
  std::size_t next_ = 0;
  Source* noise_;
  Memory moved_;  // value at index i, XOR i; 0 where nothing moved
};

}  // namespace freegap::detail

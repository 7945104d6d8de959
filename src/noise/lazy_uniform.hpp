#pragma once

/// @file
/// A uniform number in (0, 1) whose bits are drawn on demand, and the one way in which samplers
/// turn it into an integer: enclose, and where the enclosure straddles a boundary, draw more bits
/// and enclose again.

#include <cstdint>
#include <span>
#include <vector>

#include "freegap/bits.hpp"

namespace freegap::detail {

/// Bits of a uniform number, most significant first.
class LazyUniform {
 public:
  /// Without a decision after so many words the generator is taken for broken: for sound bits the
  /// chance is below 2^-4000 (docs/proofs/samplers.md).
  static constexpr std::size_t most_words = 64;

  /// Draws the first 64 bits.
  explicit LazyUniform(BitStream& bits) : bits_(&bits), first_(bits.word()) {}
  /// Begins with the low 31 bits of `prefix`, which are drawn already, and draws none.
  LazyUniform(BitStream& bits, std::uint32_t prefix)
      : bits_(&bits), first_(std::uint64_t{prefix} << 33U), whole_(false) {}

  /// The first 64 bits; the last 33 are zeros where they are not drawn yet.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  /// Whether they are all drawn.
  [[nodiscard]] bool whole() const { return whole_; }
  /// Draws those that are not.
  void complete() {
    first_ |= bits_->word() >> 31U;
    whole_ = true;
  }
  /// All bits so far, after drawing 64 more. Throws MachineFault when there are too many.
  std::span<const std::uint64_t> extend();

 private:
  BitStream* bits_;
  std::uint64_t first_;
  bool whole_ = true;
  std::vector<std::uint64_t> words_;
};

}  // namespace freegap::detail

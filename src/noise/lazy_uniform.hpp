#pragma once

/// @file
/// A uniform number in (0, 1) whose bits are drawn on demand. Samplers compute an enclosure from
/// the bits drawn so far. Where the enclosure contains an integer boundary, they draw more bits and
/// enclose again. The result is exact, because it is given only when every continuation of the bits
/// gives the same one (docs/proofs/samplers.md, "A uniform number, read as far as needed").

#include <cstdint>
#include <span>

#include "freegap/bits.hpp"
#include "freegap/detail/core/wiped.hpp"

namespace freegap::detail {

/// Bits of a uniform number, most significant first.
class LazyUniform {
 public:
  /// If a decision is still open after this many words, the generator is reported as broken. For
  /// fair bits the probability is below 2^-4000 (docs/proofs/samplers.md, "The one bound").
  static constexpr std::size_t most_words = 64;

  /// Draws the first 64 bits.
  explicit LazyUniform(BitStream& bits) : bits_(&bits), first_(bits.word()) {}
  /// Starts with the low 31 bits of `prefix`, which the caller has drawn, and draws none. They
  /// become the 31 most significant bits: shifting by 33 also drops the sign bit above them.
  LazyUniform(BitStream& bits, std::uint32_t prefix)
      : bits_(&bits), first_(std::uint64_t{prefix} << 33U), whole_(false) {}

  /// The first 64 bits. The last 33 are zeros as long as they have not been drawn.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  /// Whether all of the first 64 bits are drawn.
  [[nodiscard]] bool whole() const { return whole_; }
  /// Draws the 33 bits that are missing.
  void complete() {
    first_ |= bits_->word() >> 31U;
    whole_ = true;
  }
  /// All bits so far, after drawing 64 more. Throws MachineFault beyond `most_words`.
  std::span<const std::uint64_t> extend();

 private:
  BitStream* bits_;
  std::uint64_t first_;
  bool whole_ = true;
  SecretVector<std::uint64_t> words_;
};

}  // namespace freegap::detail

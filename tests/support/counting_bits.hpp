#pragma once

/// @file
/// Seeded bits that count how many words were taken.

#include <cstdint>
#include <span>

#include "freegap/bits.hpp"

namespace freegap::testing {

/// Seeded bits that count how many words were taken, and in how many requests.
class CountingBits final : public BitStream {
 public:
  /// The same seed gives the same bits.
  explicit CountingBits(std::uint64_t seed) : bits_(seed) { use(one_); }
  /// Words taken so far.
  [[nodiscard]] std::uint64_t words() const { return words_; }
  /// Requests so far: single words, and bulk fills.
  [[nodiscard]] std::uint64_t requests() const { return requests_; }

 private:
  void refill(Buffer& buffer) override {
    buffer.words[0] = bits_.word();
    buffer.available = 1;
    ++words_;
    ++requests_;
  }
  void write(std::span<std::uint64_t> words) override {
    bits_.fill(words);
    words_ += words.size();
    ++requests_;
  }

  InsecureSeededBits bits_;
  Buffer one_{};
  std::uint64_t words_ = 0;
  std::uint64_t requests_ = 0;
};

}  // namespace freegap::testing

// Bit streams with words chosen by the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "freegap/bits.hpp"

namespace freegap::testing {

/// A fixed pseudo-random word for each position (the finaliser of SplitMix64).
inline std::uint64_t tail_word(std::uint64_t position) {
  std::uint64_t z = (position + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Returns given words one at a time and counts them. After the last one it throws, or continues
/// with a tail of fixed pseudo-random words.
class ScriptedBits final : public BitStream {
 public:
  /// These words, then a throw.
  explicit ScriptedBits(std::vector<std::uint64_t> words) : words_(std::move(words)) { use(one_); }
  /// These words, then the tail number `tail`.
  ScriptedBits(std::vector<std::uint64_t> words, std::uint64_t tail)
      : words_(std::move(words)), tail_(tail) {
    use(one_);
  }

  /// Words handed out so far.
  [[nodiscard]] std::size_t taken() const { return taken_; }
  /// Word number i of the infinite string.
  [[nodiscard]] std::uint64_t at(std::size_t i) const {
    if (i < words_.size()) {
      return words_[i];
    }
    if (!tail_) {
      throw std::out_of_range("the script has run out of words");
    }
    return tail_word(*tail_ * 1000 + i);
  }

 private:
  void refill(Buffer& buffer) override {
    buffer.words[0] = at(taken_);
    buffer.available = 1;
    ++taken_;
  }

  std::vector<std::uint64_t> words_;
  std::optional<std::uint64_t> tail_;
  std::size_t taken_ = 0;
  Buffer one_{};
};

/// A broken generator: always the same word.
class ConstantBits final : public BitStream {
 public:
  explicit ConstantBits(std::uint64_t word) : word_(word) { use(one_); }

 private:
  void refill(Buffer& buffer) override {
    buffer.words[0] = word_;
    buffer.available = 1;
  }
  std::uint64_t word_;
  Buffer one_{};
};

}  // namespace freegap::testing

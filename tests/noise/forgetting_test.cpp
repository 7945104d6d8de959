// A word that was returned must not stay in memory: an attacker who reads the buffer later could
// subtract the noise from a release.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "freegap/bits.hpp"

namespace freegap {
namespace {

/// Returns 5, 4, ..., 1 from a buffer that the test can read.
class OpenBits final : public BitStream {
 public:
  OpenBits() { use(buffer_); }
  [[nodiscard]] std::uint64_t kept(std::size_t i) const { return buffer_.words[i]; }
  static constexpr std::uint64_t batch = 5;

 private:
  void refill(Buffer& buffer) override {
    for (std::uint64_t i = 0; i < batch; ++i) {
      buffer.words[i] = i + 1;
    }
    buffer.available = batch;
  }

  Buffer buffer_{};
};

TEST(BitStream, ForgetsAWordAsItHandsItOut) {
  OpenBits bits;
  for (std::uint64_t left = OpenBits::batch; left > 0; --left) {
    EXPECT_EQ(bits.word(), left);
    for (std::uint64_t i = 0; i < OpenBits::batch; ++i) {
      EXPECT_EQ(bits.kept(i), i + 1 < left ? i + 1 : 0);
    }
  }
}

TEST(BitStream, ForgetsWordsAsItFillsWithThem) {
  for (const std::size_t count : {3U, 258U, 1003U}) {  // three more than whole batches
    OpenBits bits;
    std::vector<std::uint64_t> words(count);
    bits.fill(words);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(words[i], OpenBits::batch - i % OpenBits::batch);
    }
    for (std::uint64_t i = 0; i < OpenBits::batch; ++i) {
      EXPECT_EQ(bits.kept(i), i < 2 ? i + 1 : 0);
    }
  }
}

}  // namespace
}  // namespace freegap

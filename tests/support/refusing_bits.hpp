// A stream that hands out no bits and counts the attempts: for misuse that must be noticed before
// anything is drawn.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "freegap/bits.hpp"

namespace freegap::testing {

/// Throws on the first bit asked for.
class RefusingBits final : public BitStream {
 public:
  RefusingBits() { use(buffer_); }
  /// How often bits were asked for.
  [[nodiscard]] std::uint64_t attempts() const { return attempts_; }

 private:
  void refill(Buffer& /*buffer*/) override {
    ++attempts_;
    throw std::logic_error("refusing bits: a bit was drawn");
  }

  Buffer buffer_{};
  std::uint64_t attempts_ = 0;
};

}  // namespace freegap::testing

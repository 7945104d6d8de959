#pragma once

/// @file
/// Streams of random bits. Real releases use only SecureBits: AES-256 in counter mode, keyed by the
/// operating system. There is no hidden generator: the caller makes a source and passes it in.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace freegap {

namespace detail {
class Cipher;
}

/// A stream of 64-bit words, uniform and independent. Not thread-safe: one thread at a time.
class BitStream {
 public:
  BitStream(const BitStream&) = delete;
  BitStream& operator=(const BitStream&) = delete;
  virtual ~BitStream() = default;

  /// The next 64 bits. A word is wiped from the buffer when it is returned.
  std::uint64_t word() {
    if (buffer_->available == 0) {
      refill(*buffer_);
    }
    std::uint64_t& slot = buffer_->words[--buffer_->available];
    const std::uint64_t result = slot;
    slot = 0;
    return result;
  }
  /// Fills `words` with the next words. Large requests are written directly to `words`, at the
  /// speed of the cipher, and no copy remains. If it throws, `words` is wiped.
  void fill(std::span<std::uint64_t> words);

 protected:
  /// Words drawn ahead. `available` counts those still unused, taken from the end.
  struct Buffer {
    static constexpr std::size_t capacity = 1022;  ///< two words less than eight kilobytes
    std::uint64_t available;                       ///< unused words
    std::array<std::uint64_t, capacity> words;     ///< the words
  };

  BitStream() = default;
  /// Puts at least one word into the buffer, or throws MachineFault.
  virtual void refill(Buffer& buffer) = 0;
  /// Fills an even number of words, or throws MachineFault. One by one, unless the derived class
  /// has a faster way.
  virtual void write(std::span<std::uint64_t> words);
  /// Sets the buffer, once; the derived class owns it.
  void use(Buffer& buffer) { buffer_ = &buffer; }

 private:
  Buffer* buffer_ = nullptr;
};

/// Cryptographic bits: AES-256-CTR, keyed by getrandom(2). The key is replaced from its own stream
/// at each refill and at each large `fill`, so that earlier bits cannot be computed from what
/// remains in memory. Fork-safe: its memory is wiped in a child process, which then draws a key of
/// its own.
/// Fails closed: any fault of the system throws MachineFault and no bit is returned.
/// A program that uses libgcrypt itself must initialise it before it makes the first SecureBits.
class SecureBits final : public BitStream {
 public:
  /// Takes a key from the operating system. Throws MachineFault where that fails.
  SecureBits();
  ~SecureBits() override;
  SecureBits(const SecureBits&) = delete;
  SecureBits& operator=(const SecureBits&) = delete;

 private:
  struct State;
  void refill(Buffer& buffer) override;
  void write(std::span<std::uint64_t> words) override;
  std::unique_ptr<detail::Cipher> cipher_;
  State* state_;
};

/// Reproducible bits from a seed, for simulation and tests. INSECURE: anyone who knows or guesses
/// the seed can remove all the noise. Never use it on real people's data.
class InsecureSeededBits final : public BitStream {
 public:
  /// The same seed gives the same bits.
  explicit InsecureSeededBits(std::uint64_t seed);
  ~InsecureSeededBits() override;
  InsecureSeededBits(const InsecureSeededBits&) = delete;
  InsecureSeededBits& operator=(const InsecureSeededBits&) = delete;

 private:
  void refill(Buffer& buffer) override;
  void write(std::span<std::uint64_t> words) override;
  std::unique_ptr<detail::Cipher> cipher_;
  Buffer own_buffer_{};
  std::array<unsigned char, 32> key_{};
};

}  // namespace freegap

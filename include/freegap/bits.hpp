#pragma once

/// @file
/// Streams of random bits. Real releases use SecureBits alone: AES-256 in counter mode, keyed by
/// the operating system. There is no hidden generator: a source is made by the caller and passed
/// in.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace freegap {

namespace detail {
class Cipher;
}

/// A stream of 64-bit words, uniform and independent. Not for use by two threads at once.
class BitStream {
 public:
  BitStream(const BitStream&) = delete;
  BitStream& operator=(const BitStream&) = delete;
  virtual ~BitStream() = default;

  /// The next 64 bits. The buffer forgets a word as it hands it out.
  std::uint64_t word() {
    if (buffer_->available == 0) {
      refill(*buffer_);
    }
    std::uint64_t& slot = buffer_->words[--buffer_->available];
    const std::uint64_t result = slot;
    slot = 0;
    return result;
  }
  /// The next words, as many as `words` holds. Many are written straight to their place, at the
  /// speed of the cipher, and none stays behind. Where it throws, `words` is wiped.
  void fill(std::span<std::uint64_t> words);

 protected:
  /// Words drawn ahead. `available` counts those still unused, taken from the end.
  struct Buffer {
    static constexpr std::size_t capacity = 1022;  ///< two words short of eight kilobytes
    std::uint64_t available;                       ///< unused words
    std::array<std::uint64_t, capacity> words;     ///< the words
  };

  BitStream() = default;
  /// Puts at least one word into the buffer, or throws MachineFault.
  virtual void refill(Buffer& buffer) = 0;
  /// Writes an even number of words to their place, or throws MachineFault. One by one, unless the
  /// derived class knows better.
  virtual void write(std::span<std::uint64_t> words);
  /// Where the buffer lives; set once by the derived class, which owns it.
  void use(Buffer& buffer) { buffer_ = &buffer; }

 private:
  Buffer* buffer_ = nullptr;
};

/// Cryptographic bits: AES-256-CTR, keyed by getrandom(2), with the key replaced from its own
/// stream at each refill and at each large `fill`, so that bits already handed out cannot be
/// computed from what remains in memory. Fork-safe: its memory is wiped in a child process, which
/// then draws a key of its own.
/// Fails closed: any fault of the system throws MachineFault and no bit is handed out.
/// A program that uses libgcrypt itself must set it up before it makes the first SecureBits.
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

/// Reproducible bits from a seed, for simulation and tests. INSECURE: whoever knows or guesses the
/// seed can take off all the noise. Never use it on real people's data.
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

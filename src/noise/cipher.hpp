#pragma once

/// @file
/// The cipher that stretches a key into a stream of bits: AES-256 in counter mode. That of the
/// library is libgcrypt's (secure_bits.cpp). The lab in the browser, which has no libgcrypt, links
/// a slower one of its own (site/lab/src/insecure_cipher.cpp), which gives the same stream.

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace freegap::detail {

/// A key of AES-256.
using Key = std::array<unsigned char, 32>;

/// AES-256-CTR. It holds no key between two calls. Its memory is not wiped in a child process, so a
/// key left there would let the child compute the parent's bits.
class Cipher {
 public:
  /// Throws MachineFault where there is none.
  Cipher();
  ~Cipher();
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;

  /// Fills `words` from the stream under `key`, and replaces the key by the stream's first 32
  /// bytes. The number of words must be even. On a fault both are wiped, and it throws
  /// MachineFault.
  ///
  /// A key serves for one call only, so the counter may start from zero each time: no pair of key
  /// and counter occurs twice.
  void stretch(Key& key, std::span<std::uint64_t> words);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace freegap::detail

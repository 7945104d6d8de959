#pragma once

/// @file
/// SHA-256.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace freegap::ledger {

/// Computes a SHA-256 piece by piece.
class Digest {
 public:
  /// How many characters `hex` returns.
  static constexpr std::size_t hex_length = 64;

  /// Throws MachineFault if OpenSSL does not offer SHA-256.
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  /// Adds bytes.
  void add(std::string_view bytes);
  /// The hash of all bytes, in lower-case hexadecimal. To be called once, at the end.
  [[nodiscard]] std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace freegap::ledger

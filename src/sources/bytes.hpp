#pragma once

/// @file
/// Streams of bytes: files, standard input, memory; compressed or not.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace freegap::sources {

/// Bytes that come one after the other.
class Bytes {
 public:
  Bytes() = default;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  virtual ~Bytes() = default;
  /// Fills the beginning of `room`, which is not empty, and says how much of it; 0 at the end.
  virtual std::size_t read(std::span<char> room) = 0;
};

/// What a stream is called in messages: its path, or "standard input" for "-".
std::string shown_name(const std::string& path);

/// A file, or standard input for "-". Throws InvalidParameter if it is not there or must not be
/// read; reading throws MachineFault if the machine fails.
std::unique_ptr<Bytes> open_file(const std::string& path);

/// Bytes in memory, which must live longer. Gives out at most `at_once` of them at a time.
std::unique_ptr<Bytes> in_memory(std::string_view text, std::size_t at_once = 1U << 20U);

/// The bytes that `inner` holds: as they are, or decompressed if their beginning says that they are
/// compressed by gzip or Zstandard (several members or frames in a row included). Reading throws
/// InvalidParameter if compressed data is damaged or ends too early.
std::unique_ptr<Bytes> decompressed(std::unique_ptr<Bytes> inner, std::string name);

/// The bytes that `inner` holds compressed. Throws InvalidParameter if they are not compressed,
/// too.
std::unique_ptr<Bytes> surely_decompressed(std::unique_ptr<Bytes> inner, std::string name);

}  // namespace freegap::sources

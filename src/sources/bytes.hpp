#pragma once

/// @file
/// Streams of bytes: files, standard input, memory; compressed or not.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace freegap::sources {

/// A stream of bytes.
class Bytes {
 public:
  Bytes() = default;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  virtual ~Bytes() = default;
  /// Fills the beginning of `room`, which is not empty, and returns how much was filled; 0 at the
  /// end.
  virtual std::size_t read(std::span<char> room) = 0;
};

/// The name of a stream in messages: its path, or "standard input" for "-".
std::string shown_name(const std::string& path);

/// A file, or standard input for "-". Throws InvalidParameter if it does not exist or may not be
/// read. Reading throws MachineFault if the machine fails.
std::unique_ptr<Bytes> open_file(const std::string& path);

/// Bytes in memory, which must outlive the stream. A read returns at most `at_once` of them.
std::unique_ptr<Bytes> in_memory(std::string_view text, std::size_t at_once = 1U << 20U);

/// The bytes of `inner`: unchanged, or decompressed if they begin like a stream compressed by gzip
/// or Zstandard (also with several members or frames). Reading throws
/// InvalidParameter if compressed data is damaged or ends too early.
std::unique_ptr<Bytes> decompressed(std::unique_ptr<Bytes> inner, std::string name);

/// The decompressed bytes of `inner`. Also throws InvalidParameter if they are not compressed.
std::unique_ptr<Bytes> surely_decompressed(std::unique_ptr<Bytes> inner, const std::string& name);

}  // namespace freegap::sources

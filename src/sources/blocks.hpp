#pragma once

/// @file
/// Streams cut into lines. A record is a line, whatever it holds, so that what is wrong with one
/// record cannot reach another (docs/decisions/0012-a-record-is-a-line.md).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sources/bytes.hpp"

namespace freegap::sources {

/// How a stream is read. The defaults are what `read` uses; tests make them small.
struct Reading {
  std::size_t chunk = std::size_t{1} << 18U;         ///< bytes asked for at a time
  std::size_t longest_line = std::size_t{1} << 24U;  ///< a longer line is malformed
};

/// Whole lines, each with its end; the last line of a stream may lack one.
struct Block {
  std::string_view text;  ///< at least `padding` more bytes after it may be looked at
  bool too_long = false;  ///< the block stands for one line that was too long to keep
};

/// Gives out a stream in blocks of whole lines, of about a chunk each.
class Blocks {
 public:
  /// Bytes after a block that may be read, whatever they hold.
  static constexpr std::size_t padding = 64;

  Blocks(Bytes& bytes, Reading reading);
  /// The next lines, good until the next call; nothing at the end.
  std::optional<Block> next();

 private:
  [[nodiscard]] std::string_view pending() const {
    return {buffer_.data() + begin_, end_ - begin_};
  }
  bool refill();
  Block discard_line();

  Bytes& bytes_;
  Reading reading_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of what has not been given out
  std::size_t end_ = 0;      // of what has been read
  std::size_t scanned_ = 0;  // no line ends in front of this
};

/// A line without its end.
struct Line {
  std::string_view text;  ///< without a byte order mark in front and a carriage return behind
  std::uint64_t number = 0;
  bool too_long = false;  ///< and if so, without its text
};

/// Gives out a stream line by line.
class Lines {
 public:
  Lines(Bytes& bytes, Reading reading) : blocks_(bytes, reading), reading_(reading) {}
  /// The next line, good until the next call; nothing at the end.
  std::optional<Line> next();

 private:
  Blocks blocks_;
  Reading reading_;
  std::string_view rest_;
  std::uint64_t number_ = 0;
};

/// Takes one line off the front of `rest`, without its end.
std::string_view take_line(std::string_view& rest);
/// Removes a byte order mark in front and a carriage return behind. Any line may have them: files
/// that were joined together do, and a record must not be read differently for standing first.
std::string_view without_marks(std::string_view line);

}  // namespace freegap::sources

#pragma once

/// @file
/// Splits streams into lines. A record is a line, whatever it contains, so that a malformed record
/// cannot affect another (docs/decisions/0012-a-record-is-a-line.md).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sources/bytes.hpp"

namespace freegap::sources {

/// Sizes for reading a stream. `read` uses the defaults; tests use smaller ones.
struct Reading {
  std::size_t chunk = std::size_t{1} << 18U;         ///< bytes per read
  std::size_t longest_line = std::size_t{1} << 24U;  ///< a longer line is malformed
  bool rows = false;  ///< of a table: name records by their row, not by their line
};

/// Whole lines, each with its line feed. The last line of a stream may lack one.
struct Block {
  std::string_view text;  ///< at least `padding` more bytes after it may be read
  bool too_long = false;  ///< the block represents one line that was too long to keep
};

/// Reads a stream in blocks of whole lines, of about a chunk each.
class Blocks {
 public:
  /// Bytes after a block that may be read. Their contents are arbitrary.
  static constexpr std::size_t padding = 64;

  Blocks(Bytes& bytes, Reading reading);
  /// The next lines, valid until the next call. Nothing at the end.
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
  std::size_t begin_ = 0;    // start of what has not been returned
  std::size_t end_ = 0;      // end of what has been read
  std::size_t scanned_ = 0;  // no line ends before this
};

/// A line without its line feed.
struct Line {
  std::string_view text;  ///< without a leading byte order mark and a trailing carriage return
  std::uint64_t number = 0;
  bool too_long = false;  ///< if so, `text` is empty
};

/// Reads a stream line by line.
class Lines {
 public:
  Lines(Bytes& bytes, Reading reading) : blocks_(bytes, reading), reading_(reading) {}
  /// The next line, valid until the next call. Nothing at the end.
  std::optional<Line> next();

 private:
  Blocks blocks_;
  Reading reading_;
  std::string_view rest_;
  std::uint64_t number_ = 0;
};

/// Removes one line from the front of `rest`, and returns it without its line feed.
std::string_view take_line(std::string_view& rest);
/// Removes a leading byte order mark and a trailing carriage return. Any line may have them: files
/// that were concatenated do, and a record must be read in the same way wherever it is.
std::string_view without_marks(std::string_view line);

}  // namespace freegap::sources

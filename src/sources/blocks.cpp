#include "sources/blocks.hpp"

#include <algorithm>
#include <cstring>

namespace freegap::sources {

Blocks::Blocks(Bytes& bytes, Reading reading)
    : bytes_(bytes), reading_(reading), buffer_(reading.chunk + padding) {}

std::optional<Block> Blocks::next() {
  for (;;) {
    const std::string_view unread(buffer_.data() + scanned_, end_ - scanned_);
    const std::size_t last = unread.rfind('\n');
    if (last != std::string_view::npos) {
      const std::size_t behind = scanned_ + last + 1;
      const std::string_view lines(buffer_.data() + begin_, behind - begin_);
      begin_ = behind;
      scanned_ = behind;
      return Block{.text = lines};
    }
    scanned_ = end_;
    if (end_ - begin_ > reading_.longest_line) {
      return discard_line();
    }
    if (!refill()) {
      if (begin_ == end_) {
        return std::nullopt;
      }
      const std::string_view rest = pending();
      begin_ = end_;
      return Block{.text = rest};
    }
  }
}

/// Reads more behind what is pending; false at the end of the stream.
bool Blocks::refill() {
  const std::size_t length = end_ - begin_;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, length);
    begin_ = 0;
    end_ = length;
    scanned_ = length;
  }
  if (buffer_.size() < length + reading_.chunk + padding) {
    buffer_.resize(2 * length + reading_.chunk + padding);
  }
  const std::size_t got = bytes_.read(std::span(buffer_).subspan(length, reading_.chunk));
  end_ += got;
  return got != 0;
}

/// Drops what is pending and all bytes up to the end of its line.
Block Blocks::discard_line() {
  for (;;) {
    begin_ = end_ = scanned_ = 0;
    if (!refill()) {
      break;
    }
    const std::size_t line_end = pending().find('\n');
    if (line_end != std::string_view::npos) {
      begin_ = scanned_ = line_end + 1;
      break;
    }
  }
  return Block{.text = {}, .too_long = true};
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t length = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, length);
  rest.remove_prefix(std::min(length + 1, rest.size()));
  return line;
}

std::string_view without_marks(std::string_view line) {
  if (line.starts_with("\xef\xbb\xbf")) {
    line.remove_prefix(3);
  }
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

std::optional<Line> Lines::next() {
  if (rest_.empty()) {
    const std::optional<Block> block = blocks_.next();
    if (!block) {
      return std::nullopt;
    }
    if (block->too_long) {
      return Line{.text = {}, .number = ++number_, .too_long = true};
    }
    rest_ = block->text;
  }
  const std::string_view line = take_line(rest_);
  if (line.size() > reading_.longest_line) {
    return Line{.text = {}, .number = ++number_, .too_long = true};
  }
  return Line{.text = without_marks(line), .number = ++number_};
}

}  // namespace freegap::sources

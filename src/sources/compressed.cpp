// Compressed streams. A damaged stream is refused as a whole: its records are unknown, so no single
// record could be skipped.

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "freegap/errors.hpp"
#include "sources/bytes.hpp"

namespace freegap::sources {
namespace {

constexpr std::size_t input_size = std::size_t{1} << 17U;

[[noreturn]] void refuse_damaged(const std::string& name) {
  throw InvalidParameter(name, "the compressed data is damaged");
}

[[noreturn]] void refuse_truncated(const std::string& name) {
  throw InvalidParameter(name, "the compressed data ends too early");
}

/// A stream whose first bytes have been looked at.
class Peeked final : public Bytes {
 public:
  explicit Peeked(std::unique_ptr<Bytes> inner) : inner_(std::move(inner)) {
    while (size_ < first_.size()) {
      const std::size_t got = inner_->read(std::span(first_).subspan(size_));
      if (got == 0) {
        break;
      }
      size_ += got;
    }
  }

  [[nodiscard]] std::string_view first() const { return {first_.data(), size_}; }

  std::size_t read(std::span<char> room) override {
    if (given_ == size_) {
      return inner_->read(room);
    }
    const std::size_t length = std::min(room.size(), size_ - given_);
    std::memcpy(room.data(), first_.data() + given_, length);
    given_ += length;
    return length;
  }

 private:
  std::unique_ptr<Bytes> inner_;
  std::array<char, 4> first_{};
  std::size_t size_ = 0;
  std::size_t given_ = 0;
};

/// gzip, one member or several. Zeros after the last one are padding.
class Gzip final : public Bytes {
 public:
  Gzip(std::unique_ptr<Bytes> inner, std::string name)
      : inner_(std::move(inner)), name_(std::move(name)), input_(input_size) {
    constexpr int gzip_only = 15 + 16;
    if (inflateInit2(&stream_, gzip_only) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> room) override {
    const auto wanted = static_cast<uInt>(std::min<std::size_t>(room.size(), 1U << 30U));
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = wanted;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0 && !refill()) {
        if (!between_members_) {
          refuse_truncated(name_);
        }
        return 0;
      }
      if (between_members_ && !begin_member()) {
        continue;
      }
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        between_members_ = true;
      } else if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (status != Z_OK) {
        refuse_damaged(name_);
      }
    }
    return wanted - stream_.avail_out;
  }

 private:
  bool refill() {
    const std::size_t got = inner_->read(input_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(got);
    return got != 0;
  }

  /// Whether another member follows. Skips padding.
  bool begin_member() {
    if (*stream_.next_in == 0 && any_member_) {
      ++stream_.next_in;
      --stream_.avail_in;
      padding_ = true;
      return false;
    }
    if (padding_) {
      refuse_damaged(name_);
    }
    if (any_member_ && inflateReset(&stream_) != Z_OK) {
      refuse_damaged(name_);
    }
    any_member_ = true;
    between_members_ = false;
    return true;
  }

  std::unique_ptr<Bytes> inner_;
  std::string name_;
  std::vector<char> input_;
  z_stream stream_{};
  bool between_members_ = true;
  bool any_member_ = false;
  bool padding_ = false;
};

/// Zstandard, one frame or several.
class Zstandard final : public Bytes {
 public:
  Zstandard(std::unique_ptr<Bytes> inner, std::string name)
      : inner_(std::move(inner)),
        name_(std::move(name)),
        input_(input_size),
        stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) {
      throw std::bad_alloc();
    }
  }
  Zstandard(const Zstandard&) = delete;
  Zstandard& operator=(const Zstandard&) = delete;
  ~Zstandard() override { ZSTD_freeDStream(stream_); }

  std::size_t read(std::span<char> room) override {
    ZSTD_outBuffer output{room.data(), room.size(), 0};
    while (output.pos == 0) {
      if (unread_.pos == unread_.size && !flushing_) {
        unread_ = {input_.data(), inner_->read(input_), 0};
        if (unread_.size == 0) {
          if (!between_frames_) {
            refuse_truncated(name_);
          }
          return 0;
        }
      }
      const std::size_t status = ZSTD_decompressStream(stream_, &output, &unread_);
      if (ZSTD_isError(status) != 0) {
        refuse_damaged(name_);
      }
      between_frames_ = status == 0;
      // A full output may mean that there is more to come without further input.
      flushing_ = !between_frames_ && output.pos == output.size;
    }
    return output.pos;
  }

 private:
  std::unique_ptr<Bytes> inner_;
  std::string name_;
  std::vector<char> input_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer unread_{nullptr, 0, 0};
  bool between_frames_ = true;
  bool flushing_ = false;
};

bool is_gzip(std::string_view first) { return first.starts_with("\x1f\x8b"); }

/// A frame, or a skippable one, which some programs put first.
bool is_zstandard(std::string_view first) {
  return first == "\x28\xb5\x2f\xfd" ||
         (first.size() == 4 && (static_cast<unsigned char>(first[0]) & 0xf0U) == 0x50 &&
          first.substr(1) == "\x2a\x4d\x18");
}

/// A decompressing stream if the first bytes are those of a compressed one; otherwise null, and
/// `peeked` is unchanged.
std::unique_ptr<Bytes> by_first_bytes(std::unique_ptr<Peeked>& peeked, std::string name) {
  const std::string_view first = peeked->first();
  if (is_gzip(first)) {
    return std::make_unique<Gzip>(std::move(peeked), std::move(name));
  }
  if (is_zstandard(first)) {
    return std::make_unique<Zstandard>(std::move(peeked), std::move(name));
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Bytes> decompressed(std::unique_ptr<Bytes> inner, std::string name) {
  auto peeked = std::make_unique<Peeked>(std::move(inner));
  std::unique_ptr<Bytes> unpacked = by_first_bytes(peeked, std::move(name));
  return unpacked != nullptr ? std::move(unpacked) : std::move(peeked);
}

std::unique_ptr<Bytes> surely_decompressed(std::unique_ptr<Bytes> inner, const std::string& name) {
  auto peeked = std::make_unique<Peeked>(std::move(inner));
  std::unique_ptr<Bytes> unpacked = by_first_bytes(peeked, name);
  if (unpacked == nullptr) {
    throw InvalidParameter(
        name, "it is not compressed; name it, or say --input-format, without .gz or .zst");
  }
  return unpacked;
}

}  // namespace freegap::sources

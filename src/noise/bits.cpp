#include "freegap/bits.hpp"

#include <cstring>

#include "noise/cipher.hpp"

namespace freegap {
namespace {

/// A fill of fewer words takes them from the buffer, because a change of keys would cost more.
constexpr std::size_t least_direct = 256;

}  // namespace

void BitStream::fill(std::span<std::uint64_t> words) {
  // `write` takes an even number of words (whole blocks); an odd last one comes from the buffer.
  const std::size_t direct = words.size() < least_direct ? 0 : words.size() / 2 * 2;
  try {
    if (direct > 0) {
      write(words.first(direct));
    }
    for (std::uint64_t& slot : words.subspan(direct)) {
      slot = word();
    }
  } catch (...) {
    // A stream that broke off is no noise, not even in part.
    explicit_bzero(words.data(), words.size_bytes());
    throw;
  }
}

void BitStream::write(std::span<std::uint64_t> words) {
  for (std::uint64_t& slot : words) {
    slot = word();
  }
}

InsecureSeededBits::InsecureSeededBits(std::uint64_t seed)
    : cipher_(std::make_unique<detail::Cipher>()) {
  std::memcpy(key_.data(), &seed, sizeof seed);
  use(own_buffer_);
}

InsecureSeededBits::~InsecureSeededBits() = default;

void InsecureSeededBits::write(std::span<std::uint64_t> words) { cipher_->stretch(key_, words); }

void InsecureSeededBits::refill(Buffer& buffer) {
  write(buffer.words);
  buffer.available = Buffer::capacity;
}

}  // namespace freegap

#include "freegap/bits.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>

#include "freegap/errors.hpp"

namespace freegap {
namespace {

using Key = std::array<unsigned char, 32>;
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

void draw_key(Key& key) {
  std::size_t filled = 0;
  while (filled < key.size()) {
    const ssize_t got = getrandom(key.data() + filled, key.size() - filled, 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      throw MachineFault("the operating system gives no random bits");
    }
    filled += static_cast<std::size_t>(got);
  }
}

/// Replaces `size` bytes by the next ones of the cipher's stream.
bool next_bytes(EVP_CIPHER_CTX* cipher, void* bytes, std::size_t size) {
  std::memset(bytes, 0, size);
  auto* data = static_cast<unsigned char*>(bytes);
  int written = 0;
  return EVP_EncryptUpdate(cipher, data, &written, data, static_cast<int>(size)) == 1 &&
         written == static_cast<int>(size);
}

/// Fills `words` from AES-256-CTR under `key`, and replaces the key by the first 32 bytes of the
/// stream.
template <std::size_t n>
void stretch(Key& key, std::array<std::uint64_t, n>& words) {
  const Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  const std::array<unsigned char, 16> counter{};
  const bool done = cipher != nullptr &&
                    EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_ctr(), nullptr, key.data(),
                                       counter.data()) == 1 &&
                    next_bytes(cipher.get(), key.data(), key.size()) &&
                    next_bytes(cipher.get(), words.data(), sizeof words);
  if (!done) {
    OPENSSL_cleanse(key.data(), key.size());
    OPENSSL_cleanse(words.data(), sizeof words);
    throw MachineFault("the cipher that stretches random bits failed");
  }
}

}  // namespace

/// Lives in memory that the kernel replaces by zeros in a child process: there `available` is 0 and
/// `keyed` false.
struct SecureBits::State {
  bool keyed;     ///< whether `key` is of this process
  Key key;        ///< for the next refill
  Buffer buffer;  ///< words drawn ahead
};

SecureBits::SecureBits() {
  void* memory =
      mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw MachineFault("no memory for random bits");
  }
  if (madvise(memory, sizeof(State), MADV_WIPEONFORK) != 0) {
    munmap(memory, sizeof(State));
    throw MachineFault(
        "random bits cannot be kept from child processes (MADV_WIPEONFORK, Linux 4.14 or newer)");
  }
  madvise(memory, sizeof(State), MADV_DONTDUMP);
  state_ = ::new (memory) State{};
  use(state_->buffer);
  try {
    refill(state_->buffer);  // fail now rather than later
  } catch (...) {
    munmap(memory, sizeof(State));
    throw;
  }
}

SecureBits::~SecureBits() {
  OPENSSL_cleanse(state_, sizeof(State));
  munmap(state_, sizeof(State));
}

void SecureBits::refill(Buffer& buffer) {
  if (!state_->keyed) {
    draw_key(state_->key);
    state_->keyed = true;
  }
  try {
    stretch(state_->key, buffer.words);
  } catch (...) {
    state_->keyed = false;
    throw;
  }
  buffer.available = Buffer::capacity;
}

InsecureSeededBits::InsecureSeededBits(std::uint64_t seed) {
  std::memcpy(key_.data(), &seed, sizeof seed);
  use(own_buffer_);
}

void InsecureSeededBits::refill(Buffer& buffer) {
  stretch(key_, buffer.words);
  buffer.available = Buffer::capacity;
}

}  // namespace freegap

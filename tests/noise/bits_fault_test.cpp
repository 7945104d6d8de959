// SecureBits fails closed: if the system or the cipher fails, it throws MachineFault and returns no
// bits. This program is linked so that calls to the functions below come here first (ld --wrap).
#include <gcrypt.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "freegap/bits.hpp"
#include "freegap/errors.hpp"
#include "freegap/noise.hpp"

namespace {

/// Replaces getrandom, unless empty.
std::function<ssize_t(void*, std::size_t)> instead_of_getrandom;
bool no_memory = false;
bool no_wiping = false;
int cipher_updates_left = -1;  // -1: no limit
int cipher_starts_left = -1;
int counters_left = -1;
int getrandom_calls = 0;
constexpr gcry_error_t broken = GPG_ERR_GENERAL;
std::vector<unsigned char> last_key;  // the cipher was started with

bool spent(int& left) {
  if (left == 0) {
    return true;
  }
  left -= left > 0 ? 1 : 0;
  return false;
}

}  // namespace

extern "C" {
ssize_t __real_getrandom(void* buffer, std::size_t size, unsigned flags);
int __real_madvise(void* address, std::size_t size, int advice);
void* __real_mmap(void* address, std::size_t size, int protection, int flags, int file,
                  off_t offset);
gcry_error_t __real_gcry_cipher_open(gcry_cipher_hd_t* handle, int cipher, int mode,
                                     unsigned flags);
gcry_error_t __real_gcry_cipher_setkey(gcry_cipher_hd_t handle, const void* key, std::size_t size);
gcry_error_t __real_gcry_cipher_setctr(gcry_cipher_hd_t handle, const void* counter,
                                       std::size_t size);
gcry_error_t __real_gcry_cipher_encrypt(gcry_cipher_hd_t handle, void* out, std::size_t size,
                                        const void* in, std::size_t in_size);

ssize_t __wrap_getrandom(void* buffer, std::size_t size, unsigned flags) {
  ++getrandom_calls;
  return instead_of_getrandom ? instead_of_getrandom(buffer, size)
                              : __real_getrandom(buffer, size, flags);
}
int __wrap_madvise(void* address, std::size_t size, int advice) {
  if (no_wiping && advice == MADV_WIPEONFORK) {
    errno = EINVAL;
    return -1;
  }
  return __real_madvise(address, size, advice);
}
void* __wrap_mmap(void* address, std::size_t size, int protection, int flags, int file,
                  off_t offset) {
  if (no_memory) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return __real_mmap(address, size, protection, flags, file, offset);
}
gcry_error_t __wrap_gcry_cipher_open(gcry_cipher_hd_t* handle, int cipher, int mode,
                                     unsigned flags) {
  return spent(cipher_starts_left) ? broken : __real_gcry_cipher_open(handle, cipher, mode, flags);
}
gcry_error_t __wrap_gcry_cipher_setkey(gcry_cipher_hd_t handle, const void* key, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(key);
  last_key.assign(bytes, bytes + size);
  return spent(cipher_starts_left) ? broken : __real_gcry_cipher_setkey(handle, key, size);
}
gcry_error_t __wrap_gcry_cipher_setctr(gcry_cipher_hd_t handle, const void* counter,
                                       std::size_t size) {
  return spent(counters_left) ? broken : __real_gcry_cipher_setctr(handle, counter, size);
}
gcry_error_t __wrap_gcry_cipher_encrypt(gcry_cipher_hd_t handle, void* out, std::size_t size,
                                        const void* in, std::size_t in_size) {
  return spent(cipher_updates_left) ? broken
                                    : __real_gcry_cipher_encrypt(handle, out, size, in, in_size);
}
}

namespace freegap::testing {
namespace {

class BitsFault : public ::testing::Test {
 protected:
  ~BitsFault() override {
    instead_of_getrandom = nullptr;
    no_memory = false;
    no_wiping = false;
    cipher_updates_left = -1;
    cipher_starts_left = -1;
    counters_left = -1;
  }
};

TEST_F(BitsFault, NoEntropy) {
  instead_of_getrandom = [](void*, std::size_t) {
    errno = ENOSYS;
    return ssize_t{-1};
  };
  EXPECT_THROW(SecureBits(), MachineFault);
  EXPECT_THROW(SecureNoise(), MachineFault);
  instead_of_getrandom = [](void*, std::size_t) { return ssize_t{0}; };
  EXPECT_THROW(SecureBits(), MachineFault);
  instead_of_getrandom = nullptr;
  EXPECT_NO_THROW(SecureBits());
}

TEST_F(BitsFault, EntropyThatRunsOutMidway) {
  int calls = 0;
  instead_of_getrandom = [&](void* buffer, std::size_t) {
    if (++calls == 1) {
      return __real_getrandom(buffer, 16, 0);
    }
    errno = EIO;
    return ssize_t{-1};
  };
  EXPECT_THROW(SecureBits(), MachineFault);
  EXPECT_EQ(calls, 2);
}

// getrandom returns one byte at a time, with interruptions: all 32 bytes are requested, and none
// twice.
TEST_F(BitsFault, ShortReadsAndInterruptions) {
  std::set<std::uintptr_t> filled;
  int calls = 0;
  instead_of_getrandom = [&](void* buffer, std::size_t size) {
    if (++calls % 2 == 1) {
      errno = EINTR;
      return ssize_t{-1};
    }
    EXPECT_EQ(size, 32 - filled.size());
    EXPECT_TRUE(filled.insert(reinterpret_cast<std::uintptr_t>(buffer)).second);
    return __real_getrandom(buffer, 1, 0);
  };
  SecureBits bits;
  EXPECT_EQ(calls, 64);
  ASSERT_EQ(filled.size(), 32U);
  EXPECT_EQ(*filled.rbegin() - *filled.begin(), 31U);
  EXPECT_NE(bits.word(), bits.word());
}

TEST_F(BitsFault, NoMemoryOrNoWiping) {
  no_memory = true;
  EXPECT_THROW(SecureBits(), MachineFault);
  no_memory = false;
  no_wiping = true;
  EXPECT_THROW(SecureBits(), MachineFault);
}

TEST_F(BitsFault, BrokenCipher) {
  for (const int updates : {0, 1}) {  // of the key, of the words
    cipher_updates_left = updates;
    EXPECT_THROW(SecureBits(), MachineFault);
  }
  cipher_updates_left = -1;
  for (const int counters : {0, 1}) {  // with the key, to forget it
    counters_left = counters;
    EXPECT_THROW(SecureBits(), MachineFault);
  }
  counters_left = -1;
  for (const int starts : {0, 1, 2}) {  // to choose the cipher, with the key, to forget the key
    cipher_starts_left = starts;
    EXPECT_THROW(SecureBits(), MachineFault);
    cipher_starts_left = starts;
    EXPECT_THROW(InsecureSeededBits(1).word(), MachineFault);
  }
}

// A fault in the middle of a stream: calls throw as long as the fault lasts. Then the stream
// continues with a new key.
TEST_F(BitsFault, ALaterFaultHandsOutNothing) {
  SecureBits bits;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1022; ++i) {
    seen.insert(bits.word());
  }
  cipher_updates_left = 1;
  EXPECT_THROW(bits.word(), MachineFault);
  cipher_updates_left = 0;
  EXPECT_THROW(bits.word(), MachineFault);
  instead_of_getrandom = [](void*, std::size_t) { return ssize_t{-1}; };
  cipher_updates_left = -1;
  EXPECT_THROW(bits.word(), MachineFault);
  instead_of_getrandom = nullptr;
  const int calls_before = getrandom_calls;
  for (int i = 0; i < 2000; ++i) {
    seen.insert(bits.word());
  }
  EXPECT_EQ(getrandom_calls, calls_before + 1);
  EXPECT_EQ(seen.size(), 3022U);
  EXPECT_EQ(seen.count(0), 0U);
}

// A fill that fails midway leaves nothing of the bits that it had written.
TEST_F(BitsFault, AFaultWipesWhatWasFilled) {
  SecureBits bits;
  std::vector<std::uint64_t> words(20'001);
  for (const int updates : {0, 1, 2, 5}) {
    words.assign(words.size(), 1);
    cipher_updates_left = updates;
    EXPECT_THROW(bits.fill(words), MachineFault);
    EXPECT_EQ(words, std::vector<std::uint64_t>(words.size(), 0));
  }
  // No more key from the system: the old one is not used again.
  words.assign(words.size(), 1);
  cipher_updates_left = -1;
  instead_of_getrandom = [](void*, std::size_t) { return ssize_t{-1}; };
  EXPECT_THROW(bits.fill(words), MachineFault);
  EXPECT_EQ(words, std::vector<std::uint64_t>(words.size(), 0));
  instead_of_getrandom = nullptr;
  const int calls_before = getrandom_calls;
  bits.fill(words);
  EXPECT_EQ(getrandom_calls, calls_before + 1);
  EXPECT_EQ(std::set(words.begin(), words.end()).size(), words.size());
}

// Between two calls the cipher, whose memory a child process inherits, holds a key of zeros.
TEST_F(BitsFault, TheCipherForgetsItsKey) {
  const std::vector<unsigned char> zeros(32);
  SecureBits bits;
  EXPECT_EQ(last_key, zeros);
  std::vector<std::uint64_t> words(5000);
  last_key.clear();
  bits.fill(words);
  EXPECT_EQ(last_key, zeros);
  cipher_updates_left = 2;
  last_key.clear();
  EXPECT_THROW(bits.fill(words), MachineFault);
  EXPECT_EQ(last_key, zeros);
}

}  // namespace
}  // namespace freegap::testing

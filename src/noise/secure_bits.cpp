#include <gcrypt.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "freegap/bits.hpp"
#include "freegap/errors.hpp"
#include "noise/cipher.hpp"

namespace freegap {

// Why the bits are unpredictable, also afterwards. The operating system supplies one 256-bit key.
// AES-256 in counter mode stretches it. Each call of Cipher::stretch first replaces the key by the
// first 32 bytes of its own stream ("fast key erasure"), so what is in memory later does not
// determine any word handed out before. docs/decisions/0018-libgcrypt.md says why AES comes from
// libgcrypt; SECURITY.md says what an attacker is assumed to see.

namespace {

using detail::Key;

/// Sets memory to zero in a way that the compiler does not remove as a dead store.
template <class Values>
void wipe(Values& values) {
  explicit_bzero(values.data(), values.size() * sizeof(values[0]));
}

/// Fills the key from the operating system. With flags 0, getrandom blocks until the kernel's
/// generator has been seeded. It may return fewer bytes than were asked for, or be interrupted by a
/// signal: both are retried, since bytes that are missing would be zeros that everyone can guess.
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

}  // namespace

namespace detail {

/// The cipher of libgcrypt.
struct Cipher::State {
  State() {
    gcry_cipher_hd_t opened = nullptr;
    if (!ready() || gcry_cipher_open(&opened, GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_CTR, 0) != 0) {
      fail();
    }
    handle.reset(opened);
  }

  /// Bytes per call of the cipher: they are set to zero and encrypted while they are in the cache.
  static constexpr std::size_t most_bytes = std::size_t{1} << 15U;

  [[noreturn]] static void fail() {
    throw MachineFault("the cipher that stretches random bits failed");
  }

  /// Sets up libgcrypt once per process, unless the program has done so already. The initialisation
  /// of a static local runs once even if several threads arrive at the same time.
  static bool ready() {
    static const bool done = [] {
      return gcry_check_version("1.10.0") != nullptr &&
             (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P) != 0 ||
              gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0) == 0);
    }();
    return done;
  }

  [[nodiscard]] bool start(const Key& key) const {
    return gcry_cipher_setkey(handle.get(), key.data(), key.size()) == 0 &&
           gcry_cipher_setctr(handle.get(), nullptr, 0) == 0;  // from zero
  }

  /// Replaces `size` bytes by the next ones of the stream, which is the encryption of zeros. `size`
  /// is a multiple of the block size of 16 bytes: of a block used in part, libgcrypt would keep the
  /// rest.
  bool next(void* bytes, std::size_t size) const {
    std::memset(bytes, 0, size);
    return gcry_cipher_encrypt(handle.get(), bytes, size, nullptr, 0) == 0;
  }
  bool next(std::span<std::uint64_t> words) const {
    while (!words.empty()) {
      const auto part = words.first(std::min(words.size(), most_bytes / sizeof(std::uint64_t)));
      if (!next(part.data(), part.size_bytes())) {
        return false;
      }
      words = words.subspan(part.size());
    }
    return true;
  }

  struct Close {
    void operator()(gcry_cipher_hd_t opened) const { gcry_cipher_close(opened); }
  };
  std::unique_ptr<std::remove_pointer_t<gcry_cipher_hd_t>, Close> handle;
};

Cipher::Cipher() : state_(std::make_unique<State>()) {}
Cipher::~Cipher() = default;

void Cipher::stretch(Key& key, std::span<std::uint64_t> words) {
  const bool made =
      state_->start(key) && state_->next(key.data(), key.size()) && state_->next(words);
  // Overwrites the key schedule with that of the zero key.
  const bool forgotten = state_->start({});
  if (!made || !forgotten) {
    wipe(key);
    wipe(words);
    State::fail();
  }
}

}  // namespace detail

/// Lives in memory that the kernel replaces by zeros in a child process. There `available` is 0 and
/// `keyed` is false, so the child's first word comes from a key of its own. Without that, parent
/// and child would add the same noise, and their releases together would reveal exact differences.
struct SecureBits::State {
  bool keyed;     ///< whether `key` was drawn by this process
  Key key;        ///< for the next refill
  Buffer buffer;  ///< words drawn ahead
};

SecureBits::SecureBits() : cipher_(std::make_unique<detail::Cipher>()) {
  // MADV_WIPEONFORK works on whole private anonymous pages, hence mmap instead of new.
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
  // Keeps the key out of core dumps. A kernel without it costs nothing that privacy rests on, so
  // the result is not checked.
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
  explicit_bzero(state_, sizeof(State));
  munmap(state_, sizeof(State));
}

void SecureBits::write(std::span<std::uint64_t> words) {
  if (!state_->keyed) {
    draw_key(state_->key);
    state_->keyed = true;
  }
  try {
    cipher_->stretch(state_->key, words);
  } catch (...) {
    state_->keyed = false;  // the cipher wiped the key; the next attempt asks the system again
    throw;
  }
}

void SecureBits::refill(Buffer& buffer) {
  write(buffer.words);
  buffer.available = Buffer::capacity;
}

}  // namespace freegap

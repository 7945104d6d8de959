#include "sources/hash.hpp"

#include <sys/random.h>

#include <cerrno>

#include "freegap/errors.hpp"

namespace freegap::sources {

void draw_keys(std::span<std::uint64_t> keys) {
  for (;;) {
    const ssize_t got = getrandom(keys.data(), keys.size_bytes(), 0);
    if (got == static_cast<ssize_t>(keys.size_bytes())) {
      return;
    }
    if (got < 0 && errno != EINTR) {
      throw MachineFault("the system gives no random bytes to key a table with");
    }
  }
}

}  // namespace freegap::sources

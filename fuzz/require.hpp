// What a fuzz target insists on.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace freegap::fuzz {

/// Ends the process, which the fuzzer reports together with the input.
[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Fails unless `holds`.
inline void require(bool holds, const char* what) {
  if (!holds) {
    fail(what);
  }
}

}  // namespace freegap::fuzz

// Assertions of fuzz targets.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace freegap::fuzz {

/// Aborts the process. The fuzzer reports that together with the input.
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

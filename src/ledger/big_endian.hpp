#pragma once

/// @file
/// Numbers as the files of SQLite store them.

#include <cstddef>
#include <cstdint>
#include <span>

namespace freegap::ledger {

/// The number in the 4 bytes from `at` on, the highest byte first.
[[nodiscard]] inline std::uint32_t big_endian(std::span<const unsigned char> bytes,
                                              std::size_t at = 0) {
  std::uint32_t number = 0;
  for (const unsigned char byte : bytes.subspan(at, 4)) {
    number = number << 8U | byte;
  }
  return number;
}

}  // namespace freegap::ledger

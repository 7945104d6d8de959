#pragma once

/// @file
/// GMP's integers from and to 64 bits. GMP's own conversions take `long`, which has 32 bits on some
/// systems, WebAssembly among them, and would drop the others.

#include <gmpxx.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace freegap::detail {

/// The number as GMP holds it.
inline mpz_class integer(std::uint64_t word) {
  mpz_class result;
  mpz_import(result.get_mpz_t(), 1, -1, sizeof word, 0, 0, &word);
  return result;
}
/// The same with its sign.
inline mpz_class integer(std::int64_t word) {
  const auto bits = static_cast<std::uint64_t>(word);
  return word < 0 ? mpz_class(-integer(0 - bits)) : integer(bits);
}

/// The last 64 bits of a number's size.
inline std::uint64_t low_word(const mpz_class& number) {
  std::uint64_t word = 0;
  mpz_class low;
  mpz_tdiv_r_2exp(low.get_mpz_t(), number.get_mpz_t(), 64);
  mpz_export(&word, nullptr, -1, sizeof word, 0, 0, low.get_mpz_t());
  return word;
}
/// A number whose size is below 2^63; nothing for others.
inline std::optional<std::int64_t> small_word(const mpz_class& number) {
  if (mpz_sizeinbase(number.get_mpz_t(), 2) > std::numeric_limits<std::int64_t>::digits) {
    return std::nullopt;
  }
  const auto size = static_cast<std::int64_t>(low_word(number));
  return sgn(number) < 0 ? -size : size;
}

}  // namespace freegap::detail

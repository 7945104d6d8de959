// All 64 bits go to GMP and come back, whatever `long` has.
#include "core/integers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

namespace freegap::detail {
namespace {

TEST(Integers, KeepAllBits) {
  for (const std::int64_t word :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{1} << 31,
        -(std::int64_t{1} << 32), std::int64_t{0x123456789abcdef0}, INT64_MAX, -INT64_MAX}) {
    EXPECT_EQ(integer(word).get_str(), std::to_string(word));
    EXPECT_EQ(small_word(integer(word)), word);
  }
  EXPECT_EQ(integer(INT64_MIN).get_str(), std::to_string(INT64_MIN));
  EXPECT_EQ(integer(UINT64_MAX).get_str(), std::to_string(UINT64_MAX));
}

TEST(Integers, AreCutWhereTheyAreSaidTo) {
  const mpz_class beyond = integer(UINT64_MAX) + 6;  // 2^64 + 5
  EXPECT_EQ(low_word(beyond), 5U);
  EXPECT_EQ(low_word(mpz_class(-beyond)), 5U);
  EXPECT_EQ(small_word(beyond), std::nullopt);
  EXPECT_EQ(small_word(integer(INT64_MIN)), std::nullopt);
  EXPECT_EQ(small_word(integer(UINT64_MAX)), std::nullopt);
}

}  // namespace
}  // namespace freegap::detail

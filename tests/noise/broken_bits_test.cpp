// A generator that always returns the same word: no sampler hangs, and none returns a number that
// the bits do not settle.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "freegap/errors.hpp"
#include "freegap/noise.hpp"
#include "noise/scripted_bits.hpp"

namespace freegap::testing {
namespace {

const std::uint64_t zeros = 0;
const std::uint64_t ones = UINT64_MAX;
const std::uint64_t large = (std::uint64_t{1} << 63U) + 1;

class Broken {
 public:
  explicit Broken(std::uint64_t word) : bits_(word), noise_(bits_) {}
  ExactNoise* operator->() { return &noise_; }

 private:
  ConstantBits bits_;
  ExactNoise noise_;
};

TEST(BrokenBits, AreNoticedWhereTheySettleNothing) {
  const Rate rate(Rational(1, 1000));
  const std::vector<WeightedValue> values{{0, 2}, {-5, 3}};
  EXPECT_THROW(Broken(zeros)->geometric(rate), MachineFault);
  EXPECT_THROW(Broken(zeros)->laplace(rate), MachineFault);
  EXPECT_THROW(Broken(ones)->laplace(rate), MachineFault);
  EXPECT_THROW(Broken(zeros)->below(3), MachineFault);
  EXPECT_THROW(Broken(zeros)->below(large), MachineFault);
  EXPECT_THROW(Broken(zeros)->reaches(rate, 3'000'000), MachineFault);
  EXPECT_THROW(Broken(zeros)->skips(rate, 20'000, large), MachineFault);
  EXPECT_THROW(Broken(ones)->choose(rate, values), MachineFault);
  EXPECT_THROW(Broken(zeros)->lead(rate, values, 0, rate), MachineFault);
}

// For other samplers U = 0 or U = 1 has a definite result, as for fair bits.
TEST(BrokenBits, GiveTheExtremesElsewhere) {
  const Rate rate(Rational(1, 1000));
  const std::vector<WeightedValue> values{{0, 2}, {-5, 3}};
  EXPECT_EQ(Broken(ones)->geometric(rate), 0);
  EXPECT_EQ(Broken(ones)->below(3), 2U);
  EXPECT_EQ(Broken(ones)->below(large), large - 1);
  EXPECT_TRUE(Broken(zeros)->reaches(rate, 1000));
  EXPECT_TRUE(Broken(zeros)->reaches(rate, 1'000'000));
  EXPECT_FALSE(Broken(ones)->reaches(rate, 1000));
  EXPECT_EQ(Broken(ones)->skips(rate, 1000, 10), 0U);
  EXPECT_EQ(Broken(zeros)->skips(rate, 1000, 10), 10U);
  EXPECT_TRUE(Broken(zeros)->above_zero(rate));
  EXPECT_FALSE(Broken(ones)->above_zero(rate));
  EXPECT_EQ(Broken(zeros)->choose(rate, values), 0U);
  EXPECT_EQ(Broken(ones)->lead(rate, values, 0, rate), 0);
}

// Every sampler ends on each of several constant words.
TEST(BrokenBits, NeverHang) {
  const std::vector<WeightedValue> values{{0, 2}, {-5, 3}, {1000, 0}};
  for (const std::uint64_t word : {zeros, ones, std::uint64_t{1}, large, UINT64_MAX / 3}) {
    for (const Rational& exponent : {Rational::power_of_two(-48), Rational(1, 3), Rational(1024)}) {
      const Rate rate(exponent);
      const auto ends = [](const auto& draw) {
        try {
          draw();
        } catch (const MachineFault&) {
        }
      };
      ends([&] { Broken(word)->geometric(rate); });
      ends([&] { Broken(word)->laplace(rate); });
      ends([&] { Broken(word)->below(large); });
      ends([&] { Broken(word)->reaches(rate, 1000); });
      ends([&] { Broken(word)->skips(rate, 1000, large); });
      ends([&] { Broken(word)->above_zero(rate); });
      ends([&] { Broken(word)->choose(rate, values); });
      ends([&] { Broken(word)->lead(rate, values, 1, rate); });
    }
  }
  SUCCEED();
}

}  // namespace
}  // namespace freegap::testing

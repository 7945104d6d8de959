// Functions that are the same on every C library agree with those of this one.
#include "core/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace freegap::detail {
namespace {

using Function = double (*)(double);

/// Compares on both signs and 60 powers of two, up to `most`.
void expect_close(Function ours, Function theirs, double most, bool negative, double tolerance) {
  for (double power = 0x1p-40; power <= most; power *= 2) {
    for (int i = 0; i < 100; ++i) {
      for (const double sign : {1.0, -1.0}) {
        const double x = sign * power * (1 + i / 100.0);
        if ((sign > 0 || negative) && std::fabs(x) <= most) {
          const double expected = theirs(x);
          EXPECT_NEAR(ours(x), expected, tolerance * std::fabs(expected)) << x;
        }
      }
    }
  }
  EXPECT_EQ(ours(0), theirs(0));
}

TEST(Elementary, AgreesWithTheLibrary) {
  expect_close(expm1, std::expm1, 700, true, 2e-15);
  expect_close(log1p, std::log1p, 1e300, false, 2e-15);
  expect_close(sinh, std::sinh, 700, true, 2e-15);
  expect_close(tanh, std::tanh, 1e300, true, 2e-15);
  expect_close(cbrt, std::cbrt, 1e15, false, 2e-14);
  expect_close(atan, std::atan, 1e300, true, 2e-15);
  for (double x = -0.999; x < 0; x += 0.001) {
    EXPECT_NEAR(log1p(x), std::log1p(x), 2e-15 * std::fabs(std::log1p(x)));
  }
}

TEST(Elementary, SineAndCosineAgreeWithTheLibraryUpToAMillion) {
  for (double x = -1e6; x <= 1e6; x += 7.31) {
    EXPECT_NEAR(sin(x), std::sin(x), 4e-16);
    EXPECT_NEAR(cos(x), std::cos(x), 4e-16);
  }
  for (double x = 0x1p-60; x < 1; x *= 1.7) {
    EXPECT_NEAR(sin(x), x - x * x * x / 6, x * x * x * x * x);
  }
}

TEST(Elementary, HasTheLimitsOfTheLibrary) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(expm1(infinity), infinity);
  EXPECT_EQ(expm1(-infinity), -1);
  EXPECT_EQ(log1p(infinity), infinity);
  EXPECT_EQ(log1p(-1), -infinity);
  EXPECT_EQ(tanh(infinity), 1);
  EXPECT_EQ(tanh(-infinity), -1);
  EXPECT_EQ(sinh(-1000), -infinity);
  EXPECT_TRUE(std::isnan(expm1(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace freegap::detail

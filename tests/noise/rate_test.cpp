// Rates: their limits, the doubles around them, and the public numbers computed from them.
#include "freegap/rate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "freegap/errors.hpp"
#include "noise/real.hpp"

namespace freegap::testing {
namespace {

TEST(Rate, HasLimits) {
  const Rational least = Rational::power_of_two(-48);
  const Rational most = Rational::power_of_two(10);
  EXPECT_EQ(Rate(least).exponent(), least);
  EXPECT_EQ(Rate(most).exponent(), most);
  const Rational little = Rational::power_of_two(-200);
  EXPECT_THROW(Rate(least - little), InvalidParameter);
  EXPECT_THROW(Rate(most + little), InvalidParameter);
  EXPECT_THROW(Rate(Rational(0)), InvalidParameter);
  EXPECT_THROW(Rate(Rational(-1)), InvalidParameter);
}

TEST(Rate, LiesBetweenItsDoubles) {
  std::mt19937_64 random(41);
  for (int i = 0; i < 20'000; ++i) {
    const auto denominator = static_cast<std::int64_t>(1 + (random() >> (2 + random() % 40)));
    const auto numerator = static_cast<std::int64_t>(1 + (random() >> (2 + random() % 60)));
    const Rational exponent(numerator, denominator);
    if (exponent < Rational::power_of_two(-48) || exponent > Rational::power_of_two(10)) {
      continue;
    }
    const Rate rate(exponent);
    ASSERT_LE(Rational::exactly(rate.lower()), exponent);
    ASSERT_GE(Rational::exactly(rate.upper()), exponent);
    ASSERT_LE(rate.upper(), std::nextafter(rate.lower(), HUGE_VAL));
  }
}

Real variance(const Rate& rate) {  // x / (1 - x)^2
  const Real a(rate.exponent().gmp());
  const Real d = Real(0.0) - expm1(Real(0.0) - a);
  return exp(Real(0.0) - a) / (d * d);
}

TEST(Rate, MeanAndDeviation) {
  for (const Rational& exponent :
       {Rational(1, 1000), Rational(7, 6400), Rational(1, 3), Rational(1), Rational(3),
        Rational(20), Rational::power_of_two(-30)}) {
    const Rate rate(exponent);
    const double mean = (Real(1.0) / expm1(Real(exponent.gmp()))).shown();
    EXPECT_NEAR(static_cast<double>(rate.mean_ticks()), mean, 0.5 + 1e-12 * mean);
    for (const Rational& multiple : {Rational(1), Rational(2), Rational(1, 2)}) {
      for (const bool two_sided : {false, true}) {
        const double exact =
            multiple.shown() * std::sqrt((two_sided ? 2 : 1) * variance(rate).shown());
        const auto ticks = static_cast<double>(rate.deviation_ticks(multiple, two_sided));
        EXPECT_GE(ticks, exact * (1 - 1e-12));
        EXPECT_LT(ticks, exact * (1 + 1e-12) + 1);
      }
    }
  }
  EXPECT_EQ(Rate(Rational(1, 1000)).mean_ticks(), 1000);  // 999.5: half up
  EXPECT_EQ(Rate(Rational(1024)).mean_ticks(), 0);
  EXPECT_EQ(Rate(Rational(1024)).deviation_ticks(2, false), 1);  // rounded up, however little
  EXPECT_EQ(Rate(Rational(1)).deviation_ticks(0, false), 0);
}

}  // namespace
}  // namespace freegap::testing

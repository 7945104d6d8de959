// Parsing of numbers, compared with exact arithmetic.
#include "sources/number.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "freegap/errors.hpp"
#include "freegap/grid.hpp"
#include "sources/source.hpp"

namespace freegap::sources {
namespace {

TEST(Whole, ReadsAndClamps) {
  EXPECT_EQ(parse_whole("0"), 0);
  EXPECT_EQ(parse_whole("-0"), 0);
  EXPECT_EQ(parse_whole("+17"), 17);
  EXPECT_EQ(parse_whole("-17"), -17);
  EXPECT_EQ(parse_whole("007"), 7);
  EXPECT_EQ(parse_whole("3.0"), 3);
  EXPECT_EQ(parse_whole("-3.000"), -3);
  EXPECT_EQ(parse_whole("3."), 3);
  EXPECT_EQ(parse_whole("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_whole("9223372036854775808"), INT64_MAX);
  EXPECT_EQ(parse_whole("18446744073709551616"), INT64_MAX);
  EXPECT_EQ(parse_whole(std::string(500, '9')), INT64_MAX);
  EXPECT_EQ(parse_whole("-9223372036854775807"), -INT64_MAX);
  EXPECT_EQ(parse_whole("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_whole("-9223372036854775809"), INT64_MIN);
  EXPECT_EQ(parse_whole("-" + std::string(500, '9')), INT64_MIN);
}

TEST(Whole, RefusesEverythingElse) {
  for (const char* text :
       {"",  "-",   "+",   "x",  "1x", "0x1",   "1e3", "1.5", "3.01", ".0",
        ".", "--1", "+-1", "1 ", " 1", "1,000", "1_0", "nan", "inf",  "\xd9\xa1"}) {
    EXPECT_FALSE(parse_whole(text).has_value()) << text;
  }
}

TEST(Id, IsWrittenInOneWay) {
  EXPECT_EQ(parse_id("0"), 0);
  EXPECT_EQ(parse_id("17"), 17);
  EXPECT_EQ(parse_id("-17"), -17);
  EXPECT_EQ(parse_id("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_id("-9223372036854775808"), INT64_MIN);
  for (const char* text : {"", "-", "+1", "007", "00", "-0", "-01", "1x", "1 ", " 1", "1.0", "1e3",
                           "0x1", "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_FALSE(parse_id(text).has_value()) << text;
  }
}

TEST(Real, ReadsPlainAndScientificNotation) {
  EXPECT_EQ(parse_real("0"), 0.0);
  EXPECT_EQ(parse_real("1.5"), 1.5);
  EXPECT_EQ(parse_real("-1.5"), -1.5);
  EXPECT_EQ(parse_real("+.5"), 0.5);
  EXPECT_EQ(parse_real("5."), 5.0);
  EXPECT_EQ(parse_real("25e-1"), 2.5);
  EXPECT_EQ(parse_real("2.5E+3"), 2500.0);
  EXPECT_EQ(parse_real("0010"), 10.0);
  EXPECT_FALSE(std::signbit(*parse_real("-0")));
  EXPECT_FALSE(std::signbit(*parse_real("-0.0e5")));
}

TEST(Real, RefusesEverythingElse) {
  for (const char* text :
       {"",         "-",    "+",     ".",     "e1",  "1e",    "1e+", "nan", "NaN",
        "inf",      "-inf", "0x1p3", "0x10",  "1x",  "1 ",    " 1",  "1,5", "1..2",
        "infinity", "1f",   "1e1.5", "@nan@", "--1", "1e--1", "1_0", "1p3"}) {
    EXPECT_FALSE(parse_real(text).has_value()) << text;
  }
}

TEST(Real, ClampsToTheDoubles) {
  EXPECT_EQ(parse_real("1e999"), DBL_MAX);
  EXPECT_EQ(parse_real("-1e999"), -DBL_MAX);
  EXPECT_EQ(parse_real("1e99999999999999999999"), DBL_MAX);
  EXPECT_EQ(parse_real("-1e99999999999999999999"), -DBL_MAX);
  EXPECT_EQ(parse_real("1e-999"), 0.0);
  EXPECT_EQ(parse_real("-1e-999"), -DBL_TRUE_MIN);  // the largest double that is not above it
  EXPECT_EQ(parse_real("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(parse_real("-1e-99999999999999999999"), -DBL_TRUE_MIN);
  EXPECT_EQ(parse_real("1.7976931348623157e308"), std::strtod("1.7976931348623155e308", nullptr));
}

/// A decimal as it is.
mpq_class exactly(const std::string& digits, int exponent, bool negative) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
  mpq_class value(mpz_class(digits, 10));
  value = exponent >= 0 ? mpq_class(value * power) : mpq_class(value / power);
  return negative ? mpq_class(-value) : value;
}

TEST(Real, IsTheLargestDoubleNotAbove) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 20'000; ++i) {
    const std::string digits = std::to_string(random() >> (random() % 64));
    const int exponent = static_cast<int>(random() % 700) - 360;
    const bool negative = random() % 2 == 0;
    const std::string text = (negative ? "-" : "") + digits + "e" + std::to_string(exponent);
    const mpq_class exact = exactly(digits, exponent, negative);
    const double below = parse_real(text).value();
    if (std::abs(below) == DBL_MAX) {
      ASSERT_GE(abs(exact), mpq_class(DBL_MAX)) << text;
      continue;
    }
    ASSERT_LE(mpq_class(below), exact) << text;
    ASSERT_GT(mpq_class(std::nextafter(below, INFINITY)), exact) << text;
  }
}

TEST(Real, NearestDoublesWouldMoveNumbersApart) {
  // Just below 2 and just below 1: a difference of exactly 1, the sensitivity. To ticks of 1 both
  // are floored alike; the nearest double to the first is 2, which is a tick too far.
  const std::string above = "1.9999999999999999";
  const std::string below = "0.9999999999999999";
  ASSERT_EQ(std::strtod(above.c_str(), nullptr), 2.0);
  ASSERT_LT(std::strtod(below.c_str(), nullptr), 1.0);
  const Grid grid(Rational(1), Rational(1));
  EXPECT_EQ(grid.floor_ticks(std::strtod(above.c_str(), nullptr)) -
                grid.floor_ticks(std::strtod(below.c_str(), nullptr)),
            2);
  EXPECT_EQ(grid.floor_ticks(*parse_real(above)) - grid.floor_ticks(*parse_real(below)), 1);
}

TEST(Real, FloorsOfTicksAreThoseOfTheNumberWritten) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 20'000; ++i) {
    const Rational tick = Rational::power_of_two(-static_cast<int>(random() % 20));
    const Grid grid(tick, Rational(1));
    std::string digits = std::to_string(random() % 1'000'000'000'000'000'000);
    if (i % 2 == 0) {  // many digits that are close to a tick
      digits = std::to_string(random() % 1000) + std::string(17, i % 4 == 0 ? '9' : '0') +
               std::to_string(random() % 10);
    }
    const bool negative = random() % 2 == 0;
    const int exponent = -18;
    const std::string text = (negative ? "-" : "") + digits + "e" + std::to_string(exponent);
    const Rational ticks = Rational(exactly(digits, exponent, negative)) / tick;
    ASSERT_EQ(mpz_class(static_cast<long>(grid.floor_ticks(*parse_real(text)))), ticks.floor())
        << text;
  }
}

TEST(Real, ConvertsWholeNumbersDownwards) {
  EXPECT_EQ(floor_to_double(3), 3.0);
  EXPECT_EQ(floor_to_double(-3), -3.0);
  EXPECT_EQ(floor_to_double((std::int64_t{1} << 53U) + 1), 0x1p53);
  EXPECT_EQ(floor_to_double(-(std::int64_t{1} << 53U) - 1), -0x1p53 - 2);
  EXPECT_EQ(floor_to_double(INT64_MAX), std::nextafter(0x1p63, 0.0));
  EXPECT_EQ(floor_to_double(INT64_MIN), -0x1p63);
}

TEST(Real, BecomesWholeOnlyWithoutAFraction) {
  EXPECT_EQ(exactly_whole(3.0), 3);
  EXPECT_EQ(exactly_whole(-0.0), 0);
  EXPECT_FALSE(exactly_whole(0.5).has_value());
  EXPECT_FALSE(exactly_whole(DBL_TRUE_MIN).has_value());
  EXPECT_EQ(exactly_whole(0x1p63), INT64_MAX);
  EXPECT_EQ(exactly_whole(DBL_MAX), INT64_MAX);
  EXPECT_EQ(exactly_whole(-0x1p63), INT64_MIN);
  EXPECT_EQ(exactly_whole(-DBL_MAX), INT64_MIN);
}

TEST(RealGrid, FloorsAndClamps) {
  EXPECT_EQ(floor_to_step(1.75, -1), 1.5);
  EXPECT_EQ(floor_to_step(-1.75, -1), -2.0);
  EXPECT_EQ(floor_to_step(5, 2), 4.0);
  EXPECT_EQ(floor_to_step(-5, 2), -8.0);
  EXPECT_EQ(floor_to_step(1e300, 0), 0x1p53);
  EXPECT_EQ(floor_to_step(-1e300, 0), -0x1p53);
  EXPECT_EQ(floor_to_step(DBL_MAX, -512), 0x1p-459);  // too many steps for a double
  EXPECT_EQ(floor_to_step(DBL_TRUE_MIN, 512), 0.0);   // too few
  EXPECT_EQ(floor_to_step(-DBL_TRUE_MIN, 512), -0x1p512);
  EXPECT_FALSE(std::signbit(floor_to_step(-0.0, 0)));
}

TEST(RealGrid, HoldsItsSensitivity) {
  EXPECT_EQ(RealGrid::of(Rational(1)).sensitivity, Rational(1));
  EXPECT_EQ(RealGrid::of(Rational(1)).step, -17);
  EXPECT_EQ(RealGrid::of(Rational(3, 8)).sensitivity, Rational(3, 8));
  EXPECT_THROW(RealGrid::of(Rational(0)), InvalidParameter);
  EXPECT_THROW(RealGrid::of(Rational(-1)), InvalidParameter);
  EXPECT_THROW(RealGrid::of(Rational::power_of_two(600)), InvalidParameter);
  EXPECT_THROW(RealGrid::of(Rational::power_of_two(-600)), InvalidParameter);

  std::mt19937_64 random(17);
  for (int i = 0; i < 5'000; ++i) {
    const Rational declared(static_cast<std::int64_t>(random() % 1000) + 1,
                            static_cast<std::int64_t>(random() % 1000) + 1);
    const RealGrid grid = RealGrid::of(declared);
    ASSERT_GE(grid.sensitivity, declared);
    ASSERT_LT(grid.sensitivity, declared + declared * Rational::power_of_two(-16));
    const Rational end = Rational::power_of_two(grid.step + 53);
    ASSERT_GT(end, declared * Rational::power_of_two(35));
    ASSERT_LT(end, declared * Rational::power_of_two(37));
    // Two decimals whose distance is the declared sensitivity, rounded down to 20 digits.
    const long long base = static_cast<long long>(random() % 2'000'000) - 1'000'000;
    const mpz_class scale("100000000000000000000");
    const mpz_class low = mpz_class(static_cast<long>(base)) * scale / 977;
    const mpz_class high = low + (declared * Rational(mpq_class(scale))).floor();
    const double a = floor_to_step(parse_real(low.get_str() + "e-20").value(), grid.step);
    const double b = floor_to_step(parse_real(high.get_str() + "e-20").value(), grid.step);
    ASSERT_LE(Rational::exactly(b) - Rational::exactly(a), grid.sensitivity);
    ASSERT_GE(b, a);
  }
}

TEST(RealGrid, IsNeededForASensitivityOfATenth) {
  const Rational tenth(1, 10);
  const Rational doubles =
      Rational::exactly(*parse_real("0.5")) - Rational::exactly(*parse_real("0.4"));
  EXPECT_GT(doubles, tenth);
  const Grid ticks(tenth / Rational(1024), tenth);
  EXPECT_EQ(ticks.floor_ticks(*parse_real("0.5")) - ticks.floor_ticks(*parse_real("0.4")), 1025);

  const RealGrid grid = RealGrid::of(tenth);
  const Grid held(grid.sensitivity / Rational(1024), grid.sensitivity);
  EXPECT_LE(held.floor_ticks(floor_to_step(*parse_real("0.5"), grid.step)) -
                held.floor_ticks(floor_to_step(*parse_real("0.4"), grid.step)),
            1024);
}

}  // namespace
}  // namespace freegap::sources

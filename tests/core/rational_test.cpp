// Exact numbers and budgets: what is read, what is refused, and that sums come out exactly.
#include "freegap/rational.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "freegap/errors.hpp"

namespace freegap {
namespace {

TEST(Rational, ReadsNumbersAsTheyAreWritten) {
  EXPECT_EQ(Rational::parse("0.7"), Rational(7, 10));
  EXPECT_EQ(Rational::parse("0.35"), Rational(7, 20));
  EXPECT_EQ(Rational::parse("0.089"), Rational(89, 1000));
  EXPECT_EQ(Rational::parse("1e-3"), Rational(1, 1000));
  EXPECT_EQ(Rational::parse("7/10"), Rational(7, 10));
  EXPECT_EQ(Rational::parse("14/20"), Rational(7, 10));
  EXPECT_EQ(Rational::parse("+2"), Rational(2));
  EXPECT_EQ(Rational::parse(".5"), Rational(1, 2));
  EXPECT_EQ(Rational::parse("5."), Rational(5));
  EXPECT_EQ(Rational::parse("-3/4"), Rational(-3, 4));
  EXPECT_EQ(Rational::parse("2.5E+1"), Rational(25));
  EXPECT_EQ(Rational::parse("0"), Rational(0));
  EXPECT_EQ(Rational::parse("010"), Rational(10));  // not octal
  EXPECT_EQ(Rational::parse("010/020"), Rational(1, 2));
  EXPECT_EQ(Rational::parse("1e40") * Rational::parse("1e-40"), Rational(1));
  EXPECT_EQ("0.1"_rational, Rational(1, 10));
  EXPECT_EQ("0.7"_eps.value(), Rational(7, 10));
}

TEST(Rational, RefusesEverythingElse) {
  for (const char* text :
       {"",      "abc",   "0x10",  "1/0", "1/00",  "1/",    "/2",   "nan", "inf", "1e99", "1e41",
        "1e-41", "--1",   "+-1",   "1 ",  " 1",    "1/-2",  "1e",   "e5",  ".",   "-",    "+",
        "1.2.3", "1/2/3", "1.5/2", "1,5", "1e1.5", "1e100", "0.1f", "1_0", "½",   "1/2e3"}) {
    EXPECT_THROW(Rational::parse(text), InvalidParameter) << '"' << text << '"';
  }
  EXPECT_THROW(Rational::parse(std::string_view("1\0", 2)), InvalidParameter);
  EXPECT_EQ(Rational::parse(std::string(64, '1')).str(), std::string(64, '1'));
  EXPECT_THROW(Rational::parse(std::string(65, '1')), InvalidParameter);
  EXPECT_THROW(Rational(1, 0), InvalidParameter);
  EXPECT_THROW(Rational(1) / Rational(0), InvalidParameter);
}

TEST(Rational, ReadsGeneratedDecimals) {
  std::mt19937_64 random(51);
  for (int i = 0; i < 20'000; ++i) {
    const auto digits = static_cast<unsigned long>(random() >> (random() % 64));
    const std::string text = mpz_class(digits).get_str();
    const std::size_t point = random() % (text.size() + 1);
    const int exponent = static_cast<int>(random() % 81) - 40;
    const bool negative = random() % 2 == 0;
    std::string written = (negative ? "-" : "") + text.substr(0, point) + "." + text.substr(point);
    written += "e" + std::to_string(exponent);
    mpz_class power;
    const long shift = exponent - static_cast<long>(text.size() - point);
    mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::labs(shift)));
    mpq_class value =
        shift >= 0 ? mpq_class(mpz_class(digits) * power) : mpq_class(mpz_class(digits), power);
    value.canonicalize();
    ASSERT_EQ(Rational::parse(written).gmp(), negative ? mpq_class(-value) : value) << written;
  }
}

TEST(Rational, AddsUpExactly) {
  Rational sum;
  for (int i = 0; i < 10; ++i) {
    sum = sum + Rational::parse("0.1");
  }
  EXPECT_EQ(sum, Rational(1));
  EXPECT_EQ(Rational(1, 3) * Rational(3), Rational(1));
  EXPECT_EQ(Rational(1, 2) - Rational(1, 3), Rational(1, 6));
  EXPECT_EQ(Rational(1, 2) / Rational(1, 3), Rational(3, 2));
  EXPECT_LT(Rational(1, 3), Rational::parse("0.3333333333333333333334"));
  EXPECT_GT(Rational(-1, 3), Rational(-1, 2));
  EXPECT_EQ(Rational(1, -2), Rational(-1, 2));
}

/// Numbers of all sizes, many at the edge of a word.
Rational any_number(std::mt19937_64& random) {
  const auto word = [&]() -> std::int64_t {
    const auto near = static_cast<std::int64_t>(random() % 4);
    switch (random() % 6) {
      case 0:
        return INT64_MAX - near;
      case 1:
        return INT64_MIN + near;
      case 2:
        return near - 2;
      case 3:
        return std::int64_t{1} << (random() % 63);
      default:
        return static_cast<std::int64_t>(random()) >> (random() % 64);
    }
  };
  const std::int64_t up = word();
  const std::int64_t down = word();
  const Rational result(up, down == 0 ? 1 : down);
  return random() % 8 > 0 ? result
                          : result * Rational::power_of_two(static_cast<int>(random() % 90));
}

TEST(Rational, ComputesAsGmpDoesOnBothSidesOfTheWord) {
  std::mt19937_64 random(52);
  int small = 0;
  int large = 0;
  for (int i = 0; i < 200'000; ++i) {
    const Rational a = any_number(random);
    const Rational b = random() % 5 == 0 ? a : any_number(random);
    const mpq_class x = a.gmp();
    const mpq_class y = b.gmp();
    std::vector<std::pair<Rational, mpq_class>> results = {
        {a + b, x + y}, {a - b, x - y}, {a * b, x * y}};
    if (b.sign() != 0) {
      results.emplace_back(a / b, x / y);
    }
    for (const auto& [ours, theirs] : results) {
      ASSERT_EQ(ours.gmp(), theirs) << a.str() << " and " << b.str();
      const bool fits = theirs.get_num().fits_slong_p() && theirs.get_den().fits_slong_p() &&
                        theirs.get_num() != mpz_class(INT64_MIN);
      ASSERT_EQ(ours.words().has_value(), fits);
      ASSERT_EQ(ours.sign(), sgn(theirs));
      ++(fits ? small : large);
    }
    ASSERT_EQ(a <=> b, cmp(x, y) <=> 0);
    ASSERT_EQ(a == b, x == y);
  }
  EXPECT_GT(small, 100'000);
  EXPECT_GT(large, 100'000);
}

TEST(Rational, KnowsPowersOfTwo) {
  for (int e = -100; e <= 100; ++e) {
    const Rational power = Rational::power_of_two(e);
    EXPECT_EQ(power.exponent_of_two(), e);
    EXPECT_EQ((power * Rational(3)).exponent_of_two(), std::nullopt);
    EXPECT_EQ((power * Rational(-1)).exponent_of_two(), std::nullopt);
    const std::int64_t up = std::int64_t{1} << static_cast<unsigned>(std::clamp(e, 0, 62));
    EXPECT_EQ(power.ceil_power_of_two(), up) << e;
    EXPECT_EQ((power + Rational(1, 1000)).ceil_power_of_two(), e < 0    ? 1
                                                               : e < 62 ? 2 * up
                                                                        : up)
        << e;
  }
  EXPECT_EQ(Rational(0).exponent_of_two(), std::nullopt);
  EXPECT_EQ(Rational(-5).ceil_power_of_two(), 1);
  EXPECT_EQ(Rational(0).ceil_power_of_two(), 1);
}

TEST(Rational, ShowsItself) {
  EXPECT_EQ(Rational(14, 20).str(), "7/10");
  EXPECT_EQ(Rational(-6, 3).str(), "-2");
  EXPECT_EQ(Rational(-6, 3).sign(), -1);
  EXPECT_EQ(Rational(0).sign(), 0);
  EXPECT_EQ(Rational(1, 4).shown(), 0.25);
  EXPECT_EQ(Rational(7, 10).shown(), 0.7);
  EXPECT_EQ(Rational(-1, 3).shown(), -1.0 / 3);
  EXPECT_EQ(Rational(UINT64_MAX).str(), "18446744073709551615");
  EXPECT_EQ(Rational(INT64_MIN).str(), "-9223372036854775808");
}

TEST(Rational, ShowsTheNearestDouble) {
  // Truncation would show the double below.
  EXPECT_EQ(Rational::parse("0.9999999999999999999999999999999").shown(), 1.0);
  EXPECT_EQ(Rational::parse("-0.9999999999999999999999999999999").shown(), -1.0);
  const Rational half_a_unit = Rational::power_of_two(-53);
  EXPECT_EQ((Rational(1) + half_a_unit).shown(), 1.0);  // a tie goes to the even one
  EXPECT_EQ((Rational(1) + Rational(3) * half_a_unit).shown(), 1 + 4 * std::ldexp(1.0, -53));
  EXPECT_EQ((Rational(1) + half_a_unit + Rational::power_of_two(-200)).shown(),
            1 + 2 * std::ldexp(1.0, -53));
  // Below 2^-1022 doubles have fewer bits.
  const double smallest = std::ldexp(1.0, -1074);
  EXPECT_EQ(Rational::power_of_two(-1074).shown(), smallest);
  EXPECT_EQ(Rational::power_of_two(-1075).shown(), 0.0);
  EXPECT_EQ((Rational::power_of_two(-1075) + Rational::power_of_two(-1300)).shown(), smallest);
  EXPECT_EQ((Rational(3) * Rational::power_of_two(-1075)).shown(), 2 * smallest);
  EXPECT_EQ(Rational::power_of_two(200).shown(), std::ldexp(1.0, 200));
  // Doubles that are written exactly come back, and so do their neighbours' midpoints, rounded.
  for (const double value : {0.1, 2.0 / 3, 1e-300, 3e-310, 1e300, 123456789.125}) {
    EXPECT_EQ(Rational::exactly(value).shown(), value);
    const double next = std::nextafter(value, 2 * value);
    const Rational middle = (Rational::exactly(value) + Rational::exactly(next)) / Rational(2);
    EXPECT_EQ((middle + Rational::power_of_two(-1400)).shown(), next);
    EXPECT_EQ((middle - Rational::power_of_two(-1400)).shown(), value);
  }
}

TEST(Rational, ExponentsOutOfRangeAreExplained) {
  for (const char* text : {"1e-300", "0.5e-41", "1E+41", "1e999999999999"}) {
    try {
      static_cast<void>(Rational::parse(text));
      ADD_FAILURE() << text;
    } catch (const InvalidParameter& error) {
      EXPECT_NE(std::string(error.what()).find("exponents go from -40 to 40"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_THROW(static_cast<void>(Rational::parse("1e-300x")), InvalidParameter);
}

TEST(Rational, FloorAndCeilOfBothSigns) {
  EXPECT_EQ(Rational(7, 2).floor(), 3);
  EXPECT_EQ(Rational(7, 2).ceil(), 4);
  EXPECT_EQ(Rational(-7, 2).floor(), -4);
  EXPECT_EQ(Rational(-7, 2).ceil(), -3);
  EXPECT_EQ(Rational(-4).floor(), -4);
  EXPECT_EQ(Rational(-4).ceil(), -4);
  EXPECT_EQ(Rational(-1, 1000).floor(), -1);
  EXPECT_EQ(Rational(-1, 1000).ceil(), 0);
}

TEST(Rational, TakesDoublesAtTheirWord) {
  EXPECT_NE(Rational::exactly(0.1), Rational(1, 10));
  EXPECT_EQ(Rational::exactly(0.1), Rational(3602879701896397, 36028797018963968));
  EXPECT_EQ(Rational::exactly(-0.375), Rational(-3, 8));
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(Rational::exactly(least), Rational::power_of_two(-1074));
  EXPECT_EQ(Rational::exactly(0x1p1023), Rational::power_of_two(1023));
  EXPECT_THROW(Rational::exactly(std::nan("")), InvalidParameter);
  EXPECT_THROW(Rational::exactly(HUGE_VAL), InvalidParameter);
}

TEST(Epsilon, IsAboveZeroAndAtMostAThousand) {
  EXPECT_EQ(Epsilon::parse("1000").value(), Rational(1000));
  EXPECT_EQ(Epsilon::parse("1e-40").value(), Rational::parse("1e-40"));
  for (const char* text : {"0", "-0.1", "0.0", "0/5", "1001", "1000.0000001", "", "nan", "1/0"}) {
    EXPECT_THROW(Epsilon::parse(text), InvalidParameter) << '"' << text << '"';
  }
  EXPECT_THROW(Epsilon(Rational(0)), InvalidParameter);
  EXPECT_THROW(""_eps, InvalidParameter);
}

TEST(Delta, IsAboveZeroAndBelowOne) {
  EXPECT_EQ(Delta::parse("1e-9").value(), Rational(1, 1'000'000'000));
  EXPECT_EQ("1/3"_delta.value(), Rational(1, 3));
  EXPECT_EQ(Delta(Rational(1, 2)), "0.5"_delta);
  for (const char* text : {"0", "-1e-9", "1", "1.5", "2", "", "x", "nan"}) {
    EXPECT_THROW(Delta::parse(text), InvalidParameter) << '"' << text << '"';
  }
  EXPECT_THROW(Delta(Rational(0)), InvalidParameter);
  EXPECT_THROW(Delta(Rational(1)), InvalidParameter);
  try {
    Delta::parse("1");
    FAIL() << "accepted";
  } catch (const InvalidParameter& refused) {
    EXPECT_NE(std::string(refused.what()).find("delta"), std::string::npos);
  }
}

// Errors name the argument, so that a user finds it.
TEST(Epsilon, ARefusalNamesWhatIsWrong) {
  try {
    Epsilon::parse("1001");
    FAIL();
  } catch (const InvalidParameter& error) {
    EXPECT_EQ(std::string(error.what()), "epsilon: it must be above 0 and at most 1000");
  }
}

}  // namespace
}  // namespace freegap

// The grid of ticks: floors are exact, keep order, and never raise the sensitivity.
#include "freegap/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "freegap/errors.hpp"
#include "support/scale.hpp"

namespace freegap {
namespace {

using Random = std::mt19937_64;
using testing::scaled;

const Rational tiny = Rational::power_of_two(-1000);

/// Powers of two, others like them, and one that does not fit two words.
std::vector<Rational> ticks() {
  return {Rational(1),
          Rational::power_of_two(-5),
          Rational::power_of_two(-60),
          Rational::power_of_two(-30),
          Rational::power_of_two(3),
          Rational::power_of_two(60),
          Rational::power_of_two(200),
          Rational::power_of_two(-200),
          Rational(1, 3),
          Rational(1, 3) * Rational::power_of_two(-10),
          Rational(7, 10) * Rational::power_of_two(-4),
          Rational(1000, 7),
          Rational(INT64_MAX, INT64_MAX - 1),
          Rational(1, 3) * Rational::power_of_two(-70)};
}

/// A grid on which only flooring matters.
Grid grid_of(const Rational& tick) { return {tick, tick}; }

std::int64_t clamped(const mpz_class& ticks) {
  const mpz_class limit = mpz_class(1) << 62;
  return (ticks > limit ? limit : ticks < -limit ? mpz_class(-limit) : ticks).get_si();
}
std::int64_t exact_floor(const Rational& value, const Rational& tick) {
  return clamped((value / tick).floor());
}

/// Finite doubles of all sizes: any bit pattern, sizes of everyday life, and numbers next to a
/// whole number of ticks.
double random_real(Random& random, const Rational& tick) {
  for (;;) {
    double x = 0;
    switch (random() % 4) {
      case 0:
        x = std::bit_cast<double>(random());
        break;
      case 1:
        x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                       -static_cast<int>(random() % 64));
        break;
      case 2:  // subnormal
        x = std::bit_cast<double>(random() & 0x800fffffffffffffU);
        break;
      default:
        x = static_cast<double>(static_cast<std::int64_t>(random()) >> (random() % 63)) *
            tick.shown();
        x = random() % 3 == 0 ? x : std::nextafter(x, random() % 2 == 0 ? HUGE_VAL : -HUGE_VAL);
    }
    if (std::isfinite(x)) {
      return x;
    }
  }
}

TEST(Grid, FloorsRealsExactly) {
  Random random(61);
  const std::size_t points = scaled(20'000, 1'000);
  for (const Rational& tick : ticks()) {
    const Grid grid = grid_of(tick);
    for (std::size_t i = 0; i < points; ++i) {
      const double x = random_real(random, tick);
      ASSERT_EQ(grid.floor_ticks(x), exact_floor(Rational::exactly(x), tick))
          << x << " on " << tick.str();
    }
    for (const double x :
         {0.0, -0.0, std::numeric_limits<double>::min(), -std::numeric_limits<double>::min(),
          0x1p-1074, -0x1p-1074, std::numeric_limits<double>::max(), -0x1p62, 0x1p62,
          -std::numeric_limits<double>::max()}) {
      ASSERT_EQ(grid.floor_ticks(x), exact_floor(Rational::exactly(x), tick))
          << x << " on " << tick.str();
    }
  }
}

TEST(Grid, FloorsWholeNumbersExactly) {
  Random random(62);
  const std::size_t points = scaled(10'000, 1'000);
  for (const Rational& tick : ticks()) {
    const Grid grid = grid_of(tick);
    for (std::size_t i = 0; i < points; ++i) {
      const auto n = static_cast<std::int64_t>(random()) >> (random() % 64);
      ASSERT_EQ(grid.floor_ticks(n), exact_floor(Rational(n), tick)) << n << " on " << tick.str();
    }
    // The ends of the type, and the numbers around the limit of ticks.
    const std::int64_t limit =
        std::min(clamped((Rational(Grid::limit_ticks) * tick).floor()), INT64_MAX - 10);
    std::vector<std::int64_t> special = {0, -1, INT64_MIN, INT64_MIN + 1, INT64_MAX};
    for (std::int64_t off = -3; off <= 3; ++off) {
      special.insert(special.end(), {limit + off, -limit + off});
    }
    for (const std::int64_t n : special) {
      ASSERT_EQ(grid.floor_ticks(n), exact_floor(Rational(n), tick)) << n << " on " << tick.str();
    }
  }
}

// Nothing below it has so many ticks; it itself has, where any whole number has and can be named.
TEST(Grid, LeastWholeIsTheLeastWholeNumberOfSoManyTicks) {
  Random random(66);
  const std::size_t points = scaled(5'000, 500);
  for (const Rational& tick : ticks()) {
    const Grid grid = grid_of(tick);
    std::vector<std::int64_t> counts = {0, 1, -1, INT64_MIN, INT64_MAX};
    for (std::int64_t off = -2; off <= 2; ++off) {
      counts.insert(counts.end(), {Grid::limit_ticks + off, -Grid::limit_ticks + off});
    }
    for (std::size_t i = 0; i < points; ++i) {
      const auto n = static_cast<std::int64_t>(random()) >> (random() % 64);
      const std::int64_t at = grid.floor_ticks(n);  // often exactly at a whole number
      counts.insert(counts.end(), {n, at, at + 1});
    }
    std::size_t named = 0;
    for (const std::int64_t count : counts) {
      const std::int64_t least = grid.least_whole(count);
      if (least > INT64_MIN) {
        ASSERT_LT(grid.floor_ticks(least - 1), count) << count << " ticks of " << tick.str();
        if (least < INT64_MAX && count <= Grid::limit_ticks) {
          ASSERT_GE(grid.floor_ticks(least), count) << count << " ticks of " << tick.str();
          ++named;
        }
      }
    }
    // Only of ticks that do not fit two words no number is named.
    const bool fits = tick.gmp().get_num().fits_slong_p() && tick.gmp().get_den().fits_slong_p();
    EXPECT_EQ(named > 0, fits) << tick.str();
  }
}

// What the comparison is worth: rounding to nearest, and a tick a millionth off, are caught.
TEST(Grid, OtherRoundingsAreCaught) {
  EXPECT_NE(std::llround(-2.25), exact_floor(Rational::exactly(-2.25), 1));
  EXPECT_EQ(grid_of(1).floor_ticks(-2.25), -3);
  const Rational off = Rational(1, 32) * Rational(1'000'001, 1'000'000);
  EXPECT_NE(exact_floor(1'000'000, off), grid_of(Rational(1, 32)).floor_ticks(1'000'000));
}

bool further_apart(double a, double b, const Rational& most) {
  const Rational difference = Rational::exactly(a) - Rational::exactly(b);
  return difference > most || Rational(0) - difference > most;
}

/// A neighbour of q: at most the sensitivity away, exactly, and often just as far. Not a number
/// where there is none.
double neighbour(Random& random, double q, const Rational& sensitivity) {
  const double share = random() % 2 == 0 ? 1 : std::ldexp(static_cast<double>(random()), -64);
  double other = q + (random() % 2 == 0 ? share : -share) * sensitivity.shown();
  while (std::isfinite(other) && further_apart(q, other, sensitivity)) {
    other = std::nextafter(other, q);
  }
  return std::isfinite(other) ? other : std::nan("");
}

Rational random_sensitivity(Random& random, const Rational& tick) {
  return tick * Rational(static_cast<std::int64_t>(1 + random() % 5000),
                         static_cast<std::int64_t>(1 + random() % 7));
}

TEST(Grid, NeverRaisesTheSensitivity) {
  Random random(63);
  const std::vector<Rational> all = ticks();
  const std::size_t pairs = scaled(200'000, 5'000);
  std::size_t at_the_bound = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const Rational& tick = all[i % all.size()];
    const Rational sensitivity = random_sensitivity(random, tick);
    const Grid grid(tick, sensitivity);
    ASSERT_EQ(grid.sensitivity_ticks(), (sensitivity / tick).ceil());
    const double q = random_real(random, tick);
    const double other = neighbour(random, q, sensitivity);
    if (std::isnan(other)) {
      continue;
    }
    const std::int64_t up = difference_ticks(grid.floor_ticks(std::fmax(q, other)),
                                             grid.floor_ticks(std::fmin(q, other)));
    ASSERT_GE(up, 0) << q << " and " << other << " on " << tick.str();
    ASSERT_LE(up, grid.sensitivity_ticks()) << q << " and " << other << " on " << tick.str();
    at_the_bound += up == grid.sensitivity_ticks() ? 1U : 0U;
  }
  EXPECT_GT(at_the_bound, pairs / 100);  // pairs that would betray a bound one tick lower
}

TEST(Grid, NeverRaisesTheSensitivityOfWholeNumbers) {
  Random random(64);
  const std::vector<Rational> all = ticks();
  const std::size_t pairs = scaled(200'000, 5'000);
  std::size_t at_the_bound = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const Rational& tick = all[i % all.size()];
    const auto sensitivity = static_cast<std::int64_t>(1 + random() % 1000);
    if (Rational(sensitivity) / tick > Rational::power_of_two(40)) {
      continue;  // no such grid
    }
    const Grid grid(tick, sensitivity);
    const auto q = static_cast<std::int64_t>(random()) >> (1 + random() % 60);
    const auto shy = random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % 1000);
    const std::int64_t other = q + std::max(std::int64_t{0}, sensitivity - shy);
    const std::int64_t up = grid.floor_ticks(other) - grid.floor_ticks(q);
    ASSERT_GE(up, 0);
    ASSERT_LE(up, grid.sensitivity_ticks());
    at_the_bound += up == grid.sensitivity_ticks() ? 1U : 0U;
  }
  EXPECT_GT(at_the_bound, pairs / 100);
}

TEST(Grid, ClampsAtTwoToThe62) {
  const std::int64_t limit = std::int64_t{1} << 62U;
  EXPECT_EQ(Grid::limit_ticks, limit);
  const Grid fine = grid_of(Rational::power_of_two(-60));
  EXPECT_EQ(fine.floor_ticks(4), limit);
  EXPECT_EQ(fine.floor_ticks(5), limit);
  EXPECT_EQ(fine.floor_ticks(-4), -limit);
  EXPECT_EQ(fine.floor_ticks(-5), -limit);
  EXPECT_EQ(fine.floor_ticks(std::nextafter(4.0, 0)), limit - (std::int64_t{1} << 9U));
  EXPECT_EQ(fine.floor_ticks(1e308), limit);  // scaling overflows to infinity
  EXPECT_EQ(fine.floor_ticks(-1e308), -limit);
  EXPECT_EQ(fine.ceil_ticks(Rational::parse("1e30")), limit);
  EXPECT_EQ(fine.ceil_ticks(Rational::parse("-1e30")), -limit);
  EXPECT_EQ(grid_of(1).floor_ticks(INT64_MIN), -limit);
  EXPECT_EQ(grid_of(1).floor_ticks(UINT64_MAX), limit);
}

// A threshold is rounded up.
TEST(Grid, CeilsThresholds) {
  const Grid grid = grid_of(Rational(1, 32));
  EXPECT_EQ(grid.ceil_ticks(Rational(1)), 32);
  EXPECT_EQ(grid.ceil_ticks(Rational(1) + tiny), 33);
  EXPECT_EQ(grid.ceil_ticks(Rational(-1) - tiny), -32);
  EXPECT_EQ(grid.ceil_ticks(Rational(-1) + tiny), -31);
  EXPECT_EQ(grid_of(Rational(1, 3)).ceil_ticks(Rational::parse("0.4")), 2);
}

TEST(Grid, PicksTheSmallestPowerThatSpans724Ticks) {
  EXPECT_EQ(Grid::for_scale(1, Rational(10) / "0.35"_rational, {}).tick(), Rational(1, 32));
  EXPECT_EQ(Grid::for_scale(1, 724, {}).tick(), Rational(1));
  EXPECT_EQ(Grid::for_scale(1, Rational(724) - tiny, {}).tick(), Rational(1, 2));
  EXPECT_EQ(Grid::for_scale(1, 1'000'000, {}).tick(), Rational(1));
  EXPECT_EQ(Grid::for_scale(Rational(1, 3), 1, {}).tick(), Rational(1, 3 * 256));
  Random random(65);
  for (int i = 0; i < 1000; ++i) {
    const Rational sensitivity(1 + static_cast<std::int64_t>(random() % 100),
                               1 + static_cast<std::int64_t>(random() % 100));
    const Rational scale(1 + static_cast<std::int64_t>(random() % 1'000'000),
                         1 + static_cast<std::int64_t>(random() % 1000));
    const Grid grid = Grid::for_scale(sensitivity, scale, {});
    const Rational span = scale / grid.tick();
    ASSERT_GE(span, Rational(724));
    ASSERT_TRUE(grid.tick() == sensitivity || span < Rational(1448));
    const mpz_class steps = (sensitivity / grid.tick()).floor();
    ASSERT_EQ(mpz_popcount(steps.get_mpz_t()), 1U);
    ASSERT_EQ(steps, grid.sensitivity_ticks());
    ASSERT_EQ(grid.sensitivity(), sensitivity);
  }
}

TEST(Grid, TakesAChosenTickThatIsAPowerOfTwo) {
  EXPECT_EQ(Grid::for_scale(1, 10, Rational(1)).tick(), Rational(1));
  EXPECT_EQ(Grid::for_scale("0.3"_rational, 10, Rational(1, 4)).sensitivity_ticks(), 2);
  EXPECT_EQ(Grid::for_scale("0.3"_rational, 10, Rational(1, 4)).sensitivity(), Rational(1, 2));
  EXPECT_EQ(Grid::for_scale(1, 10, Rational::power_of_two(60)).sensitivity_ticks(), 1);
  for (const Rational& tick : {Rational(3), Rational(1, 3), Rational(0), Rational(-1),
                               Rational::power_of_two(61), Rational::power_of_two(-61)}) {
    EXPECT_THROW(Grid::for_scale(1, 10, tick), InvalidParameter) << tick.str();
  }
}

TEST(Grid, RefusesWhatMakesNoGrid) {
  EXPECT_THROW(Grid(0, 1), InvalidParameter);
  EXPECT_THROW(Grid(-1, 1), InvalidParameter);
  EXPECT_THROW(Grid(1, 0), InvalidParameter);
  EXPECT_THROW(Grid(1, -1), InvalidParameter);
  EXPECT_THROW(Grid::for_scale(0, 1, {}), InvalidParameter);
  EXPECT_THROW(Grid::for_scale(1, 0, {}), InvalidParameter);
  EXPECT_THROW(Grid::for_scale(1, -1, {}), InvalidParameter);
  EXPECT_EQ(Grid(1, Rational::power_of_two(40)).sensitivity_ticks(), std::int64_t{1} << 40U);
  EXPECT_THROW(Grid(1, Rational::power_of_two(40) + tiny), InvalidParameter);
}

TEST(Grid, DifferencesSaturate) {
  EXPECT_EQ(difference_ticks(5, 7), -2);
  EXPECT_EQ(difference_ticks(INT64_MAX, 0), INT64_MAX);
  EXPECT_EQ(difference_ticks(INT64_MAX, -1), INT64_MAX);
  EXPECT_EQ(difference_ticks(INT64_MIN, 1), INT64_MIN);
  EXPECT_EQ(difference_ticks(0, INT64_MIN), INT64_MAX);
  EXPECT_EQ(difference_ticks(-1, INT64_MIN), INT64_MAX);
  EXPECT_EQ(difference_ticks(INT64_MIN, INT64_MIN), 0);
}

TEST(Answer, MustBeFinite) {
  EXPECT_NO_THROW(Answer(1e308).check());
  EXPECT_NO_THROW(Answer(5).check());
  EXPECT_THROW(Answer(std::nan("")).check(), InvalidParameter);
  EXPECT_THROW(Answer(HUGE_VAL).check(), InvalidParameter);
  EXPECT_THROW(Answer(-HUGE_VAL).check(), InvalidParameter);
  EXPECT_TRUE(Answer(5).whole());
  EXPECT_FALSE(Answer(5.0).whole());
}

}  // namespace
}  // namespace freegap

// Many answers on a grid, as each by itself: at the ends of every number type, around the limits
// and around whole ticks, on every vector target of the machine.
#include "freegap/detail/core/floor_ticks.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace freegap {
namespace {

std::vector<Grid> grids() {
  std::vector<Grid> result;
  for (const int power : {-1050, -1000, -100, -64, -63, -62, -61, -40, -10,  -1,
                          0,     1,     7,    61,  62,  63,  64,  100, 1000, 1050}) {
    const Rational tick = Rational::power_of_two(power);
    result.emplace_back(tick, tick);
  }
  result.emplace_back(Rational(1, 3), Rational(1));
  result.emplace_back(Rational(5, 2), Rational(5));
  return result;
}

/// Numbers of all sizes, and what lies around powers of two.
template <class Whole>
std::vector<Whole> wholes() {
  using Limits = std::numeric_limits<Whole>;
  std::vector<Whole> result{Limits::min(), Limits::min() + 1, Limits::max(), Limits::max() - 1, 0};
  std::mt19937_64 random(1);
  for (int bit = 0; bit < Limits::digits; ++bit) {
    const Whole power = Whole{1} << bit;
    for (const Whole x : {power, static_cast<Whole>(power - 1), static_cast<Whole>(power + 1),
                          static_cast<Whole>(random() >> (63 - bit))}) {
      result.push_back(x);
      result.push_back(-x);
    }
  }
  return result;
}

std::vector<double> reals() {
  using Limits = std::numeric_limits<double>;
  std::vector<double> result{0.0, -0.0};
  std::mt19937_64 random(2);
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    for (const double x : {power, std::nextafter(power, 0.0), std::nextafter(power, 2 * power),
                           power * (1 + static_cast<double>(random() >> 11U) * 0x1p-53)}) {
      if (std::isfinite(x)) {
        result.push_back(x);
        result.push_back(-x);
      }
    }
  }
  result.push_back(Limits::max());
  result.push_back(Limits::lowest());
  return result;
}

template <class Value>
void check(const std::vector<Value>& answers) {
  for (const Grid& grid : grids()) {
    std::vector<std::int64_t> expected;
    for (const Value answer : answers) {
      expected.push_back(grid.floor_ticks(answer));
    }
    for (std::int64_t all = hwy::SupportedTargets(); all != 0; all &= all - 1) {
      hwy::SetSupportedTargetsForTest(all & -all);
      for (const std::size_t left_out : {0U, 1U, 3U}) {  // vectors that are not whole
        const std::size_t size = answers.size() - left_out;
        std::vector<std::int64_t> ticks(size);
        detail::floor_ticks(std::span(answers).first(size), grid, ticks);
        EXPECT_TRUE(std::equal(ticks.begin(), ticks.end(), expected.begin()))
            << "tick " << grid.tick().str() << ", " << hwy::TargetName(all & -all);
      }
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(FloorTicks, Whole) {
  check(wholes<std::int64_t>());
  check(wholes<std::int32_t>());
}
TEST(FloorTicks, Real) { check(reals()); }
TEST(FloorTicks, None) {
  detail::floor_ticks(std::span<const std::int64_t>(), Grid(1, 1), std::span<std::int64_t>());
}

}  // namespace
}  // namespace freegap

// A declared range: where numbers are clamped, that it fits the grid, and that clamping moves no
// two numbers apart.
#include "sources/clamp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sources/data_source.hpp"
#include "sources/number.hpp"
#include "sources/reading.hpp"

namespace freegap::sources {
namespace {

using namespace freegap::literals;

Declaration general(const Rational& sensitivity, const Range& range) {
  return {.queries = {Kind::general, Neighbours::add_remove, sensitivity},
          .stream = true,
          .numbers_said = true,
          .range = range};
}

Input real(const Range& range, const Rational& sensitivity) {
  Input input;
  input.numbers = Numbers::real;
  input.range = range;
  input.step = RealGrid::of(sensitivity, range).step;
  return input;
}

TEST(Clamp, GivesWhatClampingBeforeFlooringGives) {
  const Range range{"-0.3"_rational, "7.7"_rational};
  const Input input = real(range, "0.7"_rational);
  const Clamp clamp(input);
  for (int i = -100; i <= 900; ++i) {
    const Rational number(i, 77);
    const Rational inside = std::clamp(number, range.low, range.high);
    const double before = floor_to_step(inside.shown(), *input.step);
    const double after = clamp.real(floor_to_step(number.shown(), *input.step));
    EXPECT_EQ(before, after) << i;
  }
}

TEST(Clamp, MovesNoTwoNumbersApart) {
  const Clamp clamp(real({"-1.5"_rational, 2}, 1));
  Input whole;
  whole.range = Range{"-1.5"_rational, "2.5"_rational};
  const Clamp wholes(whole);
  for (std::int64_t a = -5; a <= 5; ++a) {
    for (std::int64_t b = a; b <= 5; ++b) {
      const double difference =
          clamp.real(static_cast<double>(b)) - clamp.real(static_cast<double>(a));
      EXPECT_TRUE(difference >= 0 && difference <= static_cast<double>(b - a)) << a << ' ' << b;
      const std::int64_t steps = wholes.whole(b) - wholes.whole(a);
      EXPECT_TRUE(steps >= 0 && steps <= b - a) << a << ' ' << b;
    }
  }
  EXPECT_EQ(clamp.real(-7), -1.5);
  EXPECT_EQ(clamp.real(7), 2);
  EXPECT_EQ(wholes.whole(-7), -1);
  EXPECT_EQ(wholes.whole(7), 2);
}

TEST(Clamp, ChangesNothingWithoutARange) {
  const Clamp clamp{Input{}};
  EXPECT_EQ(clamp.real(1e300), 1e300);
  EXPECT_EQ(clamp.whole(INT64_MIN), INT64_MIN);
}

TEST(Range, DecidesOnTheGrid) {
  // Without a range, 10^12 of sensitivity 1 is clamped at 2^36; with one it is read as it is.
  const DataSource plain({},
                         {.queries = {Kind::general, Neighbours::add_remove, 1}, .stream = true});
  EXPECT_EQ(plain.limit(), Rational::power_of_two(36));
  const DataSource wide({}, general(1, {0, "1e12"_rational}));
  EXPECT_EQ(wide.queries().sensitivity, Rational(1));
  const Grid grid(1, 1);
  EXPECT_EQ(grid.floor_ticks(*plain.number("1e12")), std::int64_t{1} << 36U);
  EXPECT_EQ(grid.floor_ticks(*wide.number("1e12")), 1'000'000'000'000);
  EXPECT_EQ(grid.floor_ticks(*wide.number("2e12")), 1'000'000'000'000);
  EXPECT_EQ(grid.floor_ticks(*wide.number("-5")), 0);
}

TEST(Range, GrowsTheSensitivityToTheGridAndNoFurther) {
  for (const char* text : {"1", "0.1", "3", "1e-9", "1.9", "12345.678"}) {
    const Rational sensitivity = Rational::parse(text);
    for (int power = 0; power <= 51; ++power) {
      const Rational end = sensitivity * Rational::power_of_two(power);
      const RealGrid grid = RealGrid::of(sensitivity, {Rational(0) - end, end});
      EXPECT_GE(Rational::power_of_two(grid.step + 53), end) << text << ' ' << power;
      EXPECT_GE(grid.sensitivity, sensitivity);
      EXPECT_LT(grid.sensitivity, sensitivity + Rational::power_of_two(grid.step));
      EXPECT_LE(grid.sensitivity, Rational(2) * sensitivity);
      EXPECT_GE(grid.step, RealGrid::of(sensitivity).step);
    }
    EXPECT_NE(refusal([&] {
                RealGrid::of(sensitivity, {0, sensitivity * Rational::power_of_two(55)});
              }).find("too wide for this sensitivity"),
              std::string::npos);
  }
}

TEST(Range, IsForReadyMadeNumbers) {
  Input dat;
  dat.path = "x.dat";
  Input rows;
  rows.path = "x.csv";
  rows.item = "item";
  rows.unit = "user";
  const Declaration declared{.queries = {Kind::counts}, .numbers_said = true, .range = Range{0, 5}};
  for (const Input& counted : {dat, rows}) {
    EXPECT_EQ(refusal([&] { DataSource(counted, declared); }),
              "--range: it is for ready-made numbers; what is counted needs none");
  }
  EXPECT_EQ(refusal([&] {
              DataSource({}, general(1, {5, 4}));
            }),
            "--range: its first end must not be above the second");
  Declaration whole = general(1, {"0.1"_rational, "0.9"_rational});
  whole.whole_noise = true;
  EXPECT_EQ(refusal([&] { DataSource({}, whole); }), "--range: there is no whole number in it");
}

TEST(Range, ClampsWhatIsReadAndWhatIsAbsent) {
  Input input = real({2, 10}, 1);
  EXPECT_EQ(shown(read_text(Format::csv, "item,value\na,1\nb,5.5\nc,99\n", input)),
            "a=2 b=5.5 c=10 (3 of )");
  input.numbers = Numbers::whole;
  EXPECT_EQ(shown(read_text(Format::csv, "item,value\na,1\nb,5\nc,99\n", input)),
            "a=2 b=5 c=10 (3 of )");
  const DataSource source({}, general(1, {2, 10}));
  EXPECT_EQ(source.absent_real(), 2);
}

}  // namespace
}  // namespace freegap::sources

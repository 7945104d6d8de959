// How often doubles do not settle a decision in normal use: rates around a thousandth and distances
// of a few scales. Over thirty million decisions, less than once in a million. A jump of up to
// 10^12 candidates needs more digits than the others: an integer of size y is left open with
// probability about y 2^-45. Such a jump occurs a few times per release.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "freegap/noise.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

const std::vector<Rate>& rates() {
  static const std::vector<Rate> all{Rate(Rational(1, 1000)), Rate(Rational(7, 6400)),
                                     Rate(Rational(1, 1448)), Rate(Rational(1, 724))};
  return all;
}

/// The fraction refined over `rounds` calls of `draw(noise, rate, distance)`.
template <class Draw>
double fraction_refined(const char* name, std::size_t rounds, const Draw& draw) {
  InsecureSeededNoise noise(31);
  for (std::size_t i = 0; i < rounds; ++i) {
    draw(noise, rates()[i % rates().size()], Distance{500} + i % 6000);
  }
  const double fraction =
      static_cast<double>(noise.refinements()) / static_cast<double>(noise.decisions());
  std::printf("%-28s %llu of %llu decisions refined: %.2g\n", name,
              static_cast<unsigned long long>(noise.refinements()),
              static_cast<unsigned long long>(noise.decisions()), fraction);
  EXPECT_GE(noise.decisions(), rounds);
  return fraction;
}

TEST(Refinement, IsRare) {
  const std::size_t rounds = scaled(6'000'000, 100'000);
  const double all = fraction_refined("one candidate or a block", rounds,
                                      [](auto& noise, const Rate& rate, Distance d) {
                                        noise.geometric(rate);
                                        noise.laplace(rate);
                                        noise.reaches(rate, d);
                                        noise.skips(rate, d, 256);
                                        noise.above_zero(rate);
                                      });
  EXPECT_LT(all, 1e-6);
}

TEST(Refinement, IsRareForTheExponentialMechanism) {
  const std::vector<WeightedValue> values{{5000, 3}, {4000, 1}, {0, 1'000'000'000'000}};
  const double all = fraction_refined("choice and lead", scaled(500'000, 10'000),
                                      [&](auto& noise, const Rate& rate, Distance) {
                                        noise.lead(rate, values, noise.choose(rate, values), rate);
                                      });
  EXPECT_LT(all, 1e-6);
}

TEST(Refinement, IsRareForTheExponentialMechanismWithConstantWork) {
  std::vector<std::int64_t> ticks(50, 0);
  ticks[3] = 5000;
  ticks[7] = ticks[8] = 4000;
  const double all = fraction_refined(
      "the same, constant work", scaled(500'000, 10'000),
      [&](auto& noise, const Rate& rate, Distance) {
        noise.lead_constant_work(rate, ticks, noise.choose_constant_work(rate, ticks), rate);
      });
  EXPECT_LT(all, 1e-6);
}

// Distances up to 65 scales: chances of a success down to e^-65, as they occur where 10^12
// candidates or all 2^63 count zero.
TEST(Refinement, OfJumpsThroughAUniverse) {
  const double wide = fraction_refined("jump through a universe", scaled(3'000'000, 100'000),
                                       [](auto& noise, const Rate& rate, Distance d) {
                                         noise.skips(rate, 10 * d, 1'000'000'000'000);
                                         noise.skips(rate, 10 * d, std::uint64_t{1} << 63U);
                                       });
  EXPECT_LT(wide, 1e-6);
}

}  // namespace
}  // namespace freegap::testing

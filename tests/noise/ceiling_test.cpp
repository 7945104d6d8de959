// Bounds of noise by its first bits, tried for all of them, on each vector target of the machine.
#include "freegap/ceiling.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "noise/beginnings.hpp"
#include "noise/real.hpp"
#include "noise/strings.hpp"

namespace freegap::testing {
namespace {

using detail::Ceiling;

constexpr std::int64_t nothing = INT64_MIN;

/// The bounds of all v < 2^16, from 128 blocks.
std::vector<std::int64_t> all_bounds(const Ceiling& ceiling) {
  std::vector<std::uint64_t> words(std::size_t{1} << 14U);
  for (std::size_t v = 0; v < std::size_t{1} << 16U; ++v) {
    put(words, v, static_cast<std::uint16_t>(v));
  }
  std::vector<std::int64_t> bounds(std::size_t{1} << 16U);
  for (std::size_t i = 0; i < bounds.size(); i += detail::noisy_block) {
    detail::raise(ceiling, words.data() + i / 4, nothing,
                  std::span(bounds).subspan(i, detail::noisy_block));
  }
  return bounds;
}

/// Runs on each vector target of the machine.
template <class Work>
void on_each_target(const Work& work) {
  for (std::int64_t all = hwy::SupportedTargets(); all != 0; all &= all - 1) {
    hwy::SetSupportedTargetsForTest(all & -all);
    work(hwy::TargetName(all & -all));
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// How many of the bounds are below what a draw can be.
std::size_t too_low(const std::vector<std::int64_t>& bounds, const std::vector<Real>& logarithms,
                    const Real& rate) {
  std::size_t found = 0;
  for (std::size_t v = 1; v < bounds.size(); ++v) {
    found += Real(mpz_class(bounds[v])) < Real((logarithms[v] / rate).floor()) ? 1U : 0U;
  }
  return found;
}

// For all v, on every vector target: no draw that begins with v is above its bound, and the bound
// is not above the draw by more than the tangent is off, 0.0861 of the ticks that halve a
// probability.
TEST(Ceilings, AreAboveEveryDraw) {
  std::vector<Real> logarithms{Real(mpz_class(0))};  // of 2^16 / v
  for (std::size_t v = 1; v < std::size_t{1} << 16U; ++v) {
    logarithms.push_back(log(Real(mpz_class(65536)) / Real(mpz_class(v))));
  }
  std::size_t too_low_if_lowered = 0;
  for (const Rational& exponent :
       {Rational(1000), Rational(1), Rational(1, 3), Rational(7, 6400), Rational(1, 724),
        Rational(1, 1448), Rational(1, 1'000'003), Rational(1, 1 << 27)}) {
    const Rate rate(exponent);
    ASSERT_TRUE(Ceiling::covers(rate));
    on_each_target([&](const char* target) {
      const std::vector<std::int64_t> bounds = all_bounds(Ceiling(rate));
      EXPECT_EQ(bounds[0], nothing);
      EXPECT_EQ(too_low(bounds, logarithms, Real(exponent.gmp())), 0U) << target;
      const double halving = std::log(2.0) / rate.lower();
      for (std::size_t v = 1; v < bounds.size(); ++v) {
        const double highest = std::log(65536.0 / static_cast<double>(v)) / rate.lower();
        ASSERT_LE(static_cast<double>(bounds[v]), highest * (1 + 1e-6) + 0.0861 * halving) << v;
      }
      Ceiling lowered(rate);
      lowered.factor *= 1 - 1e-6F;
      too_low_if_lowered += too_low(all_bounds(lowered), logarithms, Real(exponent.gmp()));
    });
  }
  EXPECT_GT(too_low_if_lowered, 0U) << "the check is blind";
  EXPECT_FALSE(Ceiling::covers(Rate(Rational(1, (1 << 27) + 1))));
}

TEST(Ceilings, HighestOfABlock) {
  Random random(2);
  const Ceiling ceiling(Rate(Rational(1, 1000)));
  on_each_target([&](const char* target) {
    for (int run = 0; run < 300; ++run) {
      std::vector<std::int64_t> ticks(detail::noisy_block);
      std::vector<std::uint64_t> words(detail::noisy_block / 4);
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        ticks[i] = i % 7 == 0 ? nothing : static_cast<std::int64_t>(random() % 5000) - 2500;
        put(words, i, static_cast<std::uint16_t>(random() % 65535 + 1));
      }
      // Some place is far above the others, or unbounded.
      const std::size_t place = random() % ticks.size();
      if (run % 3 == 0) {
        ticks[place] = 1'000'000;
      } else if (run % 3 == 1) {
        put(words, place, 0);
      }
      const detail::Highest found = detail::highest(ceiling, ticks, words.data());
      detail::raise(ceiling, words.data(), nothing, ticks);
      EXPECT_EQ(found.unbounded, run % 3 == 1) << target;
      if (!found.unbounded) {
        EXPECT_EQ(found.value, *std::max_element(ticks.begin(), ticks.end())) << target;
      }
    }
  });
}

}  // namespace
}  // namespace freegap::testing

// Draws in bulk, compared with 512-bit arithmetic on the same bits: around boundaries and for whole
// vectors, on every vector target of the machine. Also how often vectors do not settle a draw, and
// the distribution of many draws.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "freegap/errors.hpp"
#include "freegap/noise.hpp"
#include "noise/reference.hpp"
#include "noise/strings.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

/// The words that make the first draw in bulk see the uniform number with the given bits: 31 of
/// them beside a sign, 33 at the top of the next word, the others as they are. What is not asked
/// for is filled with `junk`.
std::vector<std::uint64_t> as_bulk(const ScriptedBits& bits, bool negative, std::uint64_t junk) {
  std::vector<std::uint64_t> words{junk << 32U | std::uint64_t{negative} << 31U | bits.at(0) >> 33U,
                                   bits.at(0) << 31U | (junk & 0x7fffffffU)};
  for (std::size_t i = 1; i < 300; ++i) {
    words.push_back(bits.at(i));
  }
  return words;
}

std::int64_t one_geometric(ExactNoise& noise, const Rate& rate) {
  std::int64_t drawn = -1;
  noise.geometric(rate, std::span(&drawn, 1));
  return drawn;
}
std::int64_t one_laplace(ExactNoise& noise, const Rate& rate) {
  std::int64_t drawn = -1;
  noise.laplace(rate, std::span(&drawn, 1));
  return drawn;
}

// Random strings, tails, and the boundaries between two results, as for draws one by one; one draw
// in four moved to a boundary of the 31 bits that vectors see. However wide the enclosures are.
TEST(Bulk, OneDraw) {
  Random random(31);
  std::size_t looked = 0;
  std::size_t again = 0;
  const std::size_t strings = scaled(100'000, 2'000);
  for (std::size_t i = 0; i < strings; ++i) {
    const Rate rate = random_rate(random);
    const Real n(
        mpz_class(std::fmax(1.0, std::floor(log_uniform(random, 1e-3, 300) / rate.lower()))));
    Script s = script(i, geometric_boundary(rate, n), random);
    if (i % 4 == 0) {
      s.words[0] = ((s.words[0] >> 33U) + random() % 3 - 1) << 33U;
      s.words.resize(1);
    }
    const ScriptedBits u(s.words, i);
    const auto magnitude = static_cast<std::int64_t>(expected_geometric(rate, uniform(u)));
    const bool negative = random() % 2 == 0;
    const std::vector<std::uint64_t> words = as_bulk(u, negative, random());
    for (const double widening : widenings) {
      ScriptedBits bits(words);
      WidenedNoise noise(bits, widening);
      ASSERT_EQ(one_geometric(noise, rate), magnitude) << "string " << i;
      ASSERT_TRUE(noise.second_looks() == 1 || bits.taken() == 1);
      ASSERT_EQ(noise.decisions(), 1U);
      looked += noise.second_looks();

      ScriptedBits same(words);
      WidenedNoise two_sided(same, widening);
      const std::int64_t drawn = one_laplace(two_sided, rate);
      if (magnitude != 0 || !negative) {
        ASSERT_EQ(drawn, negative ? -magnitude : magnitude) << "string " << i;
        ASSERT_EQ(same.taken(), bits.taken());
      } else {  // minus zero: the next words, as if nothing had been before
        ++again;
        ScriptedBits rest({words.begin() + static_cast<std::ptrdiff_t>(bits.taken()), words.end()});
        WidenedNoise afresh(rest, widening);
        ASSERT_EQ(drawn, one_laplace(afresh, rate)) << "string " << i;
        ASSERT_EQ(same.taken(), bits.taken() + rest.taken());
      }
    }
  }
  EXPECT_GT(looked, strings);  // by the widest enclosures, always
  EXPECT_LT(looked, 4 * strings);
  EXPECT_GT(again, strings / 20);
}

/// `count` fixed pseudo-random words, and then always the same word: the bits with which a draw
/// continues after its first 31 do not depend on how many other draws continue.
class SameBehind final : public BitStream {
 public:
  explicit SameBehind(std::size_t words) : words_(words) { use(one_); }
  static constexpr std::uint64_t behind = 0x123456789abcdef1U;

 private:
  void refill(Buffer& buffer) override {
    buffer.words[0] = taken_ < words_ ? tail_word(taken_) : behind;
    buffer.available = 1;
    ++taken_;
  }
  std::size_t words_;
  std::size_t taken_ = 0;
  Buffer one_{};
};

/// All targets of this machine, one bit each. (One that the library was not built for runs
/// another.)
std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> result;
  for (std::int64_t all = hwy::SupportedTargets(); all != 0; all &= all - 1) {
    result.push_back(all & -all);
  }
  return result;
}

// Whole vectors and incomplete ones: each draw by itself, on each target, for all widenings.
TEST(Bulk, EveryPlaceOfAVector) {
  for (const std::size_t size : {1U, 2U, 7U, 16U, 17U, 31U, 100U, 1000U, 4095U, 4096U}) {
    const Rate rate(Rational(1, static_cast<std::int64_t>(size) * 3));
    std::vector<std::int64_t> expected(size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto own = static_cast<std::uint32_t>(tail_word(i / 2) >> (i % 2 == 0 ? 0U : 32U));
      const std::uint64_t first = std::uint64_t{own} << 33U | SameBehind::behind >> 31U;
      const std::vector<std::uint64_t> u{first, SameBehind::behind};
      expected[i] =
          static_cast<std::int64_t>(expected_geometric(rate, uniform(ScriptedBits(u, 0))));
    }
    for (const std::int64_t target : targets()) {
      hwy::SetSupportedTargetsForTest(target);
      for (const double widening : {0.0, 0.01, 0.3}) {
        SameBehind bits((size + 1) / 2);
        WidenedNoise noise(bits, widening);
        std::vector<std::int64_t> drawn(size, -1);
        noise.geometric(rate, drawn);
        EXPECT_EQ(drawn, expected)
            << size << " draws, widened by " << widening << ", " << hwy::TargetName(target);
      }
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

// Targets differ in which draws vectors settle. The draws themselves, and the number of bits that
// they take, do not differ.
TEST(Bulk, IsTheSameOnEveryTarget) {
  const std::size_t size = scaled(300'000, 30'000);
  for (const bool two_sided : {false, true}) {
    for (const Rational& rate : {Rational(1, 1000), Rational(1, 100'000), Rational(1, 3)}) {
      std::vector<std::int64_t> first;
      for (const std::int64_t target : targets()) {
        hwy::SetSupportedTargetsForTest(target);
        InsecureSeededNoise noise(6);
        std::vector<std::int64_t> drawn(size);
        two_sided ? noise.laplace(Rate(rate), drawn) : noise.geometric(Rate(rate), drawn);
        drawn.push_back(static_cast<std::int64_t>(noise.key()));
        first = first.empty() ? drawn : first;
        EXPECT_TRUE(drawn == first) << hwy::TargetName(target);
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// Draws in bulk with a seed and widened enclosures, and how many of them needed a second look.
struct Drawn {
  Drawn(const Rate& rate, bool two_sided, double widening, std::size_t size) : values(size) {
    InsecureSeededBits bits(17);
    WidenedNoise noise(bits, widening);
    if (two_sided) {
      noise.laplace(rate, values);
    } else {
      noise.geometric(rate, values);
    }
    second_looks =
        static_cast<double>(noise.second_looks()) / static_cast<double>(noise.decisions());
  }
  std::vector<std::int64_t> values;
  double second_looks;
};

// At the usual ticks vectors settle all but a thousandth; at the smallest rates nothing, and draws
// are as exact.
TEST(Bulk, SecondLooksAreRare) {
  const std::size_t size = scaled(1'000'000, 100'000);
  for (const bool two_sided : {false, true}) {
    EXPECT_LT(Drawn(Rate(Rational(1, 10)), two_sided, 0, size).second_looks, 1e-4);
    EXPECT_LT(Drawn(Rate(Rational(1, 1024)), two_sided, 0, size).second_looks, 2e-3);
    EXPECT_LT(Drawn(Rate(Rational(1, 10'000)), two_sided, 0, size).second_looks, 2e-2);
    EXPECT_GT(Drawn(Rate(Rational(1, 1024)), two_sided, 0.1, size).second_looks, 0.1);
    EXPECT_EQ(Drawn(Rate(Rational(1, 1024)), two_sided, 1, 10'000).second_looks, 1);
    EXPECT_EQ(Drawn(Rate(Rational::power_of_two(-48)), two_sided, 0, 10'000).second_looks, 1);
    EXPECT_EQ(Drawn(Rate(Rational(1024)), two_sided, 0, 10'000).values,
              std::vector<std::int64_t>(10'000));
  }
}

// Sizes beyond one part, and none at all.
TEST(Bulk, LongAndEmpty) {
  InsecureSeededNoise noise(1);
  noise.geometric(Rate(Rational(1)), std::span<std::int64_t>());
  noise.laplace(Rate(Rational(1)), std::span<std::int64_t>());
  EXPECT_EQ(noise.decisions(), 0U);
  for (const std::size_t size : {4097U, 8192U, 12'301U}) {
    std::vector<std::int64_t> drawn(size + 1, -7);
    noise.geometric(Rate(Rational(1, 1000)), std::span(drawn).first(size));
    EXPECT_EQ(drawn.back(), -7);
    EXPECT_GE(*std::min_element(drawn.begin(), drawn.end() - 1), 0);
    noise.laplace(Rate(Rational(1, 1000)), std::span(drawn).first(size));
    EXPECT_EQ(drawn.back(), -7);
  }
}

/// P(N = m) of either distribution.
double probability(double a, bool two_sided, std::int64_t m) {
  const double x = std::exp(-a);
  const double here = std::exp(-a * static_cast<double>(std::abs(m)));
  return two_sided ? (1 - x) / (1 + x) * here : -std::expm1(-a) * here;
}

/// The p-value of draws under the distribution of rate `a`, one cell a value as far as 200 draws
/// fall on it, and the tails.
double p_value(const std::vector<std::int64_t>& drawn, double a, bool two_sided) {
  std::int64_t last = 0;
  while (probability(a, two_sided, last + 1) * static_cast<double>(drawn.size()) > 200) {
    ++last;
  }
  const std::int64_t first = two_sided ? -last : 0;
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(last - first + 1));
  std::vector<double> probabilities;
  for (std::int64_t m = first; m <= last; ++m) {
    probabilities.push_back(probability(a, two_sided, m));
  }
  // What lies beyond: P(|N| > last) = P(N > last) of both sides.
  const double beyond = probability(a, two_sided, last + 1) / -std::expm1(-a);
  for (const std::int64_t m : drawn) {
    ++counts[static_cast<std::size_t>(std::clamp(m, first, last) - first)];
  }
  probabilities.back() += beyond;
  probabilities.front() += two_sided ? beyond : 0;
  return chi_square_p(counts, probabilities);
}

// 2^24 draws, six tests at a sixth of the false-alarm rate each. A rate one per cent off is
// rejected. The draws are those of the seed: what vectors settle and what they do not, together.
TEST(Bulk, HasItsDistribution) {
  const std::size_t size = scaled(std::size_t{1} << 24U, 200'000);
  for (const bool two_sided : {false, true}) {
    for (const Rational& rate : {Rational(1, 1000), Rational(1, 10), Rational(2)}) {
      const double a = rate.shown();
      const std::vector<std::int64_t> drawn = Drawn(Rate(rate), two_sided, 0, size).values;
      EXPECT_GT(p_value(drawn, a, two_sided), false_alarm_rate / 6) << a;
      if (size == std::size_t{1} << 24U) {
        EXPECT_LT(p_value(drawn, a * 1.01, two_sided), false_alarm_rate / 6) << a;
        EXPECT_LT(p_value(drawn, a / 1.01, two_sided), false_alarm_rate / 6) << a;
      }
    }
  }
}

// Draws next to each other, in one word and in neighbouring vectors, are independent: 64 cells of
// pairs, each test at a sixth of the false-alarm rate. Pairs of which one in a hundred is equal are
// noticed.
TEST(Bulk, DrawsAreIndependent) {
  const std::size_t pairs = scaled(2'000'000, 200'000);
  const double a = 0.25;
  std::array<double, 8> parts{};
  for (std::size_t i = 0; i < 8; ++i) {
    parts.at(i) = i < 7 ? probability(a, false, static_cast<std::int64_t>(i)) : std::exp(-7 * a);
  }
  std::vector<double> cells;
  for (const double one : parts) {
    for (const double other : parts) {
      cells.push_back(one * other);
    }
  }
  const std::vector<std::int64_t> drawn = Drawn(Rate(Rational(1, 4)), false, 0, 2 * pairs).values;
  const auto p = [&](std::size_t distance, std::size_t copied) {
    std::vector<std::uint64_t> counts(64);
    for (std::size_t i = 0; i + distance < drawn.size(); ++i) {
      if (i / distance % 2 == 0) {
        const auto part = [&](std::size_t at) {
          return static_cast<std::size_t>(std::min<std::int64_t>(drawn[at], 7));
        };
        ++counts[8 * part(i) + part(i % 100 < copied ? i : i + distance)];
      }
    }
    return chi_square_p(counts, cells);
  };
  for (const std::size_t distance : {1U, 2U, 4U, 8U, 16U, 4096U}) {
    EXPECT_GT(p(distance, 0), false_alarm_rate / 6) << distance;
    if (pairs == 2'000'000) {
      EXPECT_LT(p(distance, 2), false_alarm_rate / 6) << distance << ": no power";
    }
  }
}

// The comparison can fail: a rate that is off by 2^-30 gives other integers at a boundary.
TEST(Bulk, AWrongRateIsCaught) {
  const Rate right(Rational(1, 7));
  const Rate wrong(Rational(1, 7) * (Rational(1) + Rational::power_of_two(-30)));
  const ScriptedBits u(near(geometric_boundary(right, Real(100.0)), 1, -1).words, 1);
  EXPECT_EQ(expected_geometric(right, uniform(u)), 100U);
  ScriptedBits bits(as_bulk(u, false, 0), 1);
  ExactNoise noise(bits);
  EXPECT_EQ(one_geometric(noise, wrong), 99);
}

// A broken generator: a uniform number that no bit settles, and nothing but minus zeros.
TEST(Bulk, BrokenBitsAreRefused) {
  std::vector<std::int64_t> drawn(10);
  for (const std::uint64_t word : {std::uint64_t{0}, UINT64_MAX}) {
    ConstantBits bits(word);
    ExactNoise noise(bits);
    EXPECT_THROW(noise.laplace(Rate(Rational(1, 10)), drawn), MachineFault);
  }
  ConstantBits zeros(0);
  ExactNoise noise(zeros);
  EXPECT_THROW(noise.geometric(Rate(Rational(1, 10)), drawn), MachineFault);
}

}  // namespace
}  // namespace freegap::testing

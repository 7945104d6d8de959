// RankedValues by noise for each candidate: exactly the distribution of adding noise and sorting,
// by enumeration; the same top as sorting the very same noisy values, for many sizes; and against
// draws one by one on lists of several shapes.
#include "freegap/detail/mechanisms/constant_work.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/power_series.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "mechanisms/compared_top_m.hpp"
#include "noise/strings.hpp"
#include "support/distribution_check.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

using verify::PlaceOrder;
using verify::PlainShape;
using verify::PowerSeries;
using Noise = verify::EnumeratingNoise<PowerSeries>;

/// The distribution of `find(noise)`, up to a power of e^(-rate of half a tick).
template <class Find>
auto distribution_of_top_m(const detail::TickNoise& distribution, std::uint64_t cut,
                           const Find& find) {
  return verify::distribution_of(Noise(distribution.rate().exponent(), PowerSeries(cut, 1), cut),
                                 [&](Noise& noise) { return named(find(noise)); });
}

TEST(ConstantWork, HasThePlainDistribution) {
  const Grid grid(1, 1);
  std::size_t compared = 0;
  for (const std::vector<std::int64_t>& counts : std::vector<std::vector<std::int64_t>>{
           {2}, {0, 0}, {3, 0}, {1, 2, 1}, {0, 0, 0}, {0, 1, 2, 3}, {4, 4, 5, 4}, {0, 0, 0, 0}}) {
    for (const Distribution distribution_of_noise :
         {Distribution::exponential, Distribution::laplace}) {
      for (const std::int64_t subticks : {1, 2}) {
        for (const std::size_t m : {1U, 2U, 3U, 5U}) {
          const detail::TickNoise distribution(distribution_of_noise, 2, subticks);
          const std::uint64_t cut = distribution.two_sided() ? 8 : 11;
          PlaceOrder order({2, 0, 3, 1, 4});
          const auto plain = distribution_of_top_m(distribution, cut, [&](Noise& noise) {
            return PlainShape(counts).top_m(m, distribution, noise, order);
          });
          const auto found = distribution_of_top_m(distribution, cut, [&](Noise& noise) {
            return detail::constant_work_top_m(std::span<const std::int64_t>(counts), grid, m,
                                               distribution, noise, order);
          });
          EXPECT_TRUE(plain == found) << ::testing::PrintToString(counts) << ", m " << m;
          ++compared;
          if (counts == std::vector<std::int64_t>{0, 0, 0} && m == 2) {
            // A place instead of the order of ties is another distribution.
            PlaceOrder places({0, 1, 2, 3, 4});
            EXPECT_TRUE(plain != distribution_of_top_m(distribution, cut, [&](Noise& noise) {
                          return detail::constant_work_top_m(std::span<const std::int64_t>(counts),
                                                             grid, m, distribution, noise, places);
                        }));
          }
        }
      }
    }
  }
  EXPECT_EQ(compared, 8U * 2 * 2 * 4);
}

/// Seeded noise that draws and nothing else.
class FullNoise {
 public:
  explicit FullNoise(std::uint64_t seed) : noise_(seed) {}
  std::int64_t geometric(const Rate& rate) { return noise_.geometric(rate); }
  std::int64_t laplace(const Rate& rate) { return noise_.laplace(rate); }
  void geometric(const Rate& rate, std::span<std::int64_t> out) { noise_.geometric(rate, out); }
  void laplace(const Rate& rate, std::span<std::int64_t> out) { noise_.laplace(rate, out); }
  std::uint64_t below(std::uint64_t n) { return noise_.below(n); }
  std::uint64_t key() { return noise_.key(); }

 private:
  InsecureSeededNoise noise_;
};

/// Hands out one by one what is drawn in bulk for a chunk at a time.
class Replay {
 public:
  Replay(std::uint64_t seed, std::size_t size, std::size_t m, const detail::TickNoise& distribution)
      : whole_(size), fractions_(size) {
    InsecureSeededNoise noise(seed);
    for (std::size_t i = 0; i < size; i += detail::noisy_chunk(m)) {
      const std::size_t part = std::min(detail::noisy_chunk(m), size - i);
      if (distribution.two_sided()) {
        noise.laplace(distribution.tick_rate(), std::span(whole_).subspan(i, part));
      }
      if (!distribution.two_sided() || distribution.subticks() > 1) {
        noise.geometric(distribution.rate(), std::span(fractions_).subspan(i, part));
      }
    }
  }
  std::int64_t geometric(const Rate&) { return fractions_[next_fraction_++]; }
  std::int64_t laplace(const Rate&) { return whole_[next_whole_++]; }
  static std::uint64_t below(std::uint64_t) { return 0; }
  static std::uint64_t key() { return 0; }

 private:
  std::vector<std::int64_t> whole_;
  std::vector<std::int64_t> fractions_;
  std::size_t next_whole_ = 0;
  std::size_t next_fraction_ = 0;
};

/// A list of answers of one type, and the same on a grid.
template <class Value>
void compare(const std::vector<Value>& answers, const Grid& grid, std::size_t m,
             const detail::TickNoise& distribution) {
  const PlainShape plain = plain_shape(answers, grid);
  PlaceOrder order = shuffled_order(answers.size());
  Replay replay(9, answers.size(), m, distribution);
  const RankedValues expected = named(plain.top_m(m, distribution, replay, order));
  for (std::int64_t all = hwy::SupportedTargets(); all != 0; all &= all - 1) {
    hwy::SetSupportedTargetsForTest(all & -all);
    FullNoise noise(9);
    EXPECT_TRUE(expected == named(detail::constant_work_top_m(std::span(answers), grid, m,
                                                              distribution, noise, order)))
        << answers.size() << " answers, m " << m << ", " << hwy::TargetName(all & -all);
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Around the sizes of blocks and chunks; noise so narrow that there are ties everywhere;
// answers of all types; more top than candidates.
TEST(ConstantWork, FindsTheLargestOfTheSameNoisyValues) {
  Random random(3);
  const Grid grid(Rational(1, 64), 1);
  for (const std::size_t size :
       {1U, 7U, 511U, 512U, 513U, 4096U, 4097U, 32'768U, 32'769U, 40'000U}) {
    const auto [counts, small, reals] = answers_of_all_types(size, random);
    for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
      for (const std::size_t m : {1U, 2U, 11U, 40U}) {
        compare(counts, grid, m, detail::TickNoise(distribution, Rational(1, 1000), 1));
        compare(small, Grid(1, 1), m,
                detail::TickNoise(distribution, Rational(1, 3), 1));  // many ties
        compare(reals, grid, m, detail::TickNoise(distribution, Rational(1, 100), 1));
        compare(small, Grid(1, 1), m, detail::TickNoise(distribution, Rational(1, 10), 64));
      }
    }
  }
}

// The ends of the number types, where answers are clamped and positions need 128 bits.
TEST(ConstantWork, Extremes) {
  const std::vector<std::int64_t> counts = extreme_counts();
  const std::vector<std::int64_t> low(600, INT64_MIN);
  for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
    for (const std::int64_t subticks : {std::int64_t{1}, std::int64_t{1} << 20U}) {
      const detail::TickNoise noise(distribution, Rational(1, 1000), subticks);
      compare(counts, Grid(Rational(1, 64), 1), 700, noise);
      compare(counts, Grid(Rational(1, 3), 1), 5, noise);
      compare(low, Grid(1, 1), 5, noise);
      compare(low, Grid(1, 1), 1000, noise);
    }
  }
}

/// Lists of several shapes.
std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes(std::int64_t size) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> result{
      {"all equal", {}}, {"ascending", {}}, {"descending", {}}, {"spikes", {}}, {"Zipf", {}}};
  for (std::int64_t i = 0; i < size; ++i) {
    result[0].second.push_back(5);
    result[1].second.push_back(i / 20);
    result[2].second.push_back((size - i) / 20);
    result[3].second.push_back(i % 100 == 50 ? 40 : 0);
    result[4].second.push_back(100 / (i + 1));
  }
  return result;
}

/// How often the winner is in each twelfth of the list, and how often gaps are at least so wide.
template <class Find>
std::vector<std::uint64_t> sample(std::size_t runs, std::size_t size, const Find& find) {
  std::vector<std::uint64_t> counts(12 + 8 + 8);
  for (std::size_t run = 0; run < runs; ++run) {
    const std::vector<detail::NoisyCandidate> top = find();
    ++counts[static_cast<std::size_t>(top[0].item.id) * 12 / size];
    for (std::size_t i = 0; i < 8; ++i) {
      const auto width = static_cast<detail::Position>(6 * i + 6);
      counts[12 + i] += top[0].position - top[1].position >= width ? 1U : 0U;
      counts[20 + i] += top[0].position - top[2].position >= width ? 1U : 0U;
    }
  }
  return counts;
}

// Against noise drawn one by one and sorted. Each shape and distribution is a check with a
// false-alarm rate of 1e-9 (support/distribution_check.hpp). A scale that is 22 instead of 16 is
// noticed in the gaps.
TEST(ConstantWork, HasTheDistributionOfDrawsOneByOne) {
  const std::size_t runs = scaled(10'000, 500);
  const Grid grid(1, 1);
  constexpr std::int64_t size = 600;
  for (const auto& shape_and_name : shapes(size)) {
    const std::string& name = shape_and_name.first;
    const std::vector<std::int64_t>& counts = shape_and_name.second;
    for (const Distribution kind : {Distribution::exponential, Distribution::laplace}) {
      const detail::TickNoise distribution(kind, Rational(1, 16), 1);
      InsecureSeededNoise one_by_one(21);
      detail::RandomOrder<InsecureSeededNoise> order(one_by_one);
      const PlainShape shape(counts);
      const auto plain =
          sample(runs, size, [&] { return shape.top_m(3, distribution, one_by_one, order); });
      const auto verdict = [&](const detail::TickNoise& used) {
        InsecureSeededNoise noise(22);
        detail::RandomOrder<InsecureSeededNoise> other(noise);
        const auto found = sample(runs, size, [&] {
          return detail::constant_work_top_m(std::span<const std::int64_t>(counts), grid, 3, used,
                                             noise, other);
        });
        std::vector<Pair> pairs;
        for (std::size_t i = 0; i < plain.size(); ++i) {
          pairs.push_back({std::to_string(i), plain[i], found[i]});
        }
        return check_same(pairs, runs);
      };
      const Verdict right = verdict(distribution);
      EXPECT_TRUE(right.accepted()) << name << ", event " << right.name << ": " << right.worst
                                    << " nats, limit " << right.limit;
      if (full_workload()) {
        EXPECT_FALSE(verdict(detail::TickNoise(kind, Rational(1, 22), 1)).accepted())
            << name << ": blind to more noise";
      }
    }
  }
}

// Ties at the last place go by a random order, not by position: each of 1024 equal candidates,
// where noise is almost always zero, leads equally often. Eight parts, a false-alarm rate of 1e-9.
TEST(ConstantWork, TiesGoByTheOrder) {
  const std::size_t runs = scaled(4'000, 400);
  const std::vector<std::int64_t> equal(1024, 7);
  InsecureSeededNoise noise(4);
  std::vector<Event> events;
  for (int i = 0; i < 8; ++i) {
    events.push_back({std::to_string(i), 0, 1.0 / 8});
  }
  for (std::size_t run = 0; run < runs; ++run) {
    detail::RandomOrder<InsecureSeededNoise> order(noise);
    const auto top = detail::constant_work_top_m(
        std::span<const std::int64_t>(equal), Grid(1, 1), 1,
        detail::TickNoise(Distribution::exponential, 20, 1), noise, order);
    ++events[static_cast<std::size_t>(top[0].item.id) / 128].happened;
  }
  EXPECT_TRUE(check_distribution(events, runs).accepted());
  // By position the last part would always lead.
  events[7].happened = runs;
  EXPECT_FALSE(check_distribution(events, runs).accepted());
}

// Work: the m largest are shown and one more, and then all that tie with the m-th.
TEST(ConstantWork, TakesAsManyAsAskedForAndTies) {
  std::vector<std::int64_t> values(1024);
  std::iota(values.begin(), values.end(), 0);
  std::vector<std::int64_t> shown;
  const auto show = [&](std::size_t, std::int64_t value) { shown.push_back(value); };
  detail::take_largest(std::span(values), 3, show);
  EXPECT_EQ(shown, (std::vector<std::int64_t>{1023, 1022, 1021, 1020}));
  values.assign(1024, 1);
  values[700] = 2;
  values[100] = values[900] = 3;
  shown.clear();
  detail::take_largest(std::span(values), 1, show);
  EXPECT_EQ(shown, (std::vector<std::int64_t>{3, 3}));
  values.assign(1024, 1);
  values[7] = values[100] = values[900] = 3;  // more tie than are spare
  shown.clear();
  detail::take_largest(std::span(values), 1, show);
  EXPECT_EQ(shown, (std::vector<std::int64_t>{3, 3, 3}));
  values.assign(1024, 1);
  values[7] = 3;  // those behind tie with each other, not with the m-th
  shown.clear();
  detail::take_largest(std::span(values), 1, show);
  EXPECT_EQ(shown, (std::vector<std::int64_t>{3, 1}));
}

}  // namespace
}  // namespace freegap::testing

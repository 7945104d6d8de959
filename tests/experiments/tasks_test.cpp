#include "experiments/tasks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

#include "experiments/ratio.hpp"
#include "freegap/bits.hpp"

namespace freegap::experiments {
namespace {

std::vector<Task> tasks() {
  std::vector<int> points(20);
  std::iota(points.begin(), points.end(), 0);
  return tasks_for(
      points, [](int i) { return "task " + std::to_string(i); },
      [](int i, std::uint64_t runs, std::uint64_t seed) {
        InsecureSeededBits bits(seed);
        Measured measured(2);
        for (std::uint64_t run = 0; run < runs; ++run) {
          measured[0].add(static_cast<double>(bits.word() >> 11U));
          measured[1].add(i);
        }
        return measured;
      });
}

TEST(Tasks, EachPointHasItsNameAndItsResult) {
  const std::vector<Task> all = tasks();
  const std::vector<Measured> results = simulate_all(all, {.runs = 3, .seed = 7, .threads = 2});
  ASSERT_EQ(results.size(), 20U);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(all[i].name, "task " + std::to_string(i));
    EXPECT_EQ(results[i][1].value(), static_cast<double>(i));
    EXPECT_EQ(results[i][1].runs(), 3U);
  }
}

TEST(Tasks, ResultsDoNotDependOnThreadsOrOnEachOther) {
  const std::vector<Measured> one = simulate_all(tasks(), {.runs = 50, .seed = 7, .threads = 1});
  const std::vector<Measured> many = simulate_all(tasks(), {.runs = 50, .seed = 7, .threads = 4});
  std::vector<Task> last{tasks().back()};
  const std::vector<Measured> alone = simulate_all(last, {.runs = 50, .seed = 7, .threads = 3});
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i][0].value(), many[i][0].value());
    EXPECT_EQ(one[i][0].error(), many[i][0].error());
  }
  EXPECT_EQ(one.back()[0].value(), alone[0][0].value());
  EXPECT_NE(one[0][0].value(), one[1][0].value());
  const std::vector<Measured> other = simulate_all(tasks(), {.runs = 50, .seed = 8, .threads = 1});
  EXPECT_NE(one[0][0].value(), other[0][0].value());
}

TEST(Tasks, SeedsDiffer) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const char* name : {"a", "b", "ab", "ba", ""}) {
      seeds.insert(seed_for(name, seed));
    }
  }
  EXPECT_EQ(seeds.size(), 500U);
}

TEST(Tasks, TellsHowFarItIs) {
  std::size_t calls = 0;
  std::size_t last = 0;
  simulate_all(
      tasks(),
      {.runs = 1, .seed = 1, .threads = 4, .progress = [&](std::size_t done, std::size_t all) {
         ++calls;
         last = done;
         EXPECT_EQ(all, 20U);
       }});
  EXPECT_EQ(calls, 20U);
  EXPECT_EQ(last, 20U);
}

TEST(Tasks, AFailureReachesTheCaller) {
  std::vector<Task> all = tasks();
  all[3].simulate = [](std::uint64_t, std::uint64_t) -> Measured {
    throw std::runtime_error("no");
  };
  EXPECT_THROW(simulate_all(all, {.runs = 1, .seed = 1, .threads = 3}), std::runtime_error);
  EXPECT_TRUE(simulate_all({}, {}).empty());
}

TEST(Tally, AMeanHasTheUsualStandardError) {
  Ratio mean;
  for (const double x : {1.0, 2.0, 3.0, 6.0}) {
    mean.add(x);
  }
  EXPECT_DOUBLE_EQ(mean.value(), 3);
  // Squared deviations 4 + 1 + 0 + 9, over 3, over 4.
  EXPECT_NEAR(mean.error(), std::sqrt(14.0 / 3 / 4), 1e-12);
  EXPECT_EQ(mean.runs(), 4U);
  EXPECT_TRUE(std::isinf(Ratio().error()));
}

TEST(Tally, TheErrorOfARatioIsThatOfManyRepetitions) {
  InsecureSeededBits bits(1);
  const auto uniform = [&] { return static_cast<double>(bits.word() >> 11U) * 0x1p-53; };
  constexpr int repetitions = 2000;
  Ratio values;
  double stated = 0;
  for (int i = 0; i < repetitions; ++i) {
    Ratio ratio;
    for (int run = 0; run < 200; ++run) {
      const double below = 0.5 + uniform();
      ratio.add(below * below + 0.3 * uniform(), below);
    }
    values.add(ratio.value());
    stated += ratio.error() / repetitions;
  }
  const double spread = values.error() * std::sqrt(static_cast<double>(repetitions));
  EXPECT_NEAR(stated / spread, 1, 0.15);  // 2000 repetitions give the spread to 1.6 %
}

}  // namespace
}  // namespace freegap::experiments

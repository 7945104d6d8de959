// Threads share nothing but what they only read: each has its own noise, and all select from the
// same candidates at once.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "freegap/freegap.hpp"
#include "support/scale.hpp"

namespace freegap {
namespace {

constexpr std::size_t threads = 4;

/// Runs `work(i)` for i = 0 .. threads-1 at once.
template <class Work>
void at_once(Work work) {
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back(work, i);
  }
  for (std::thread& thread : running) {
    thread.join();
  }
}

std::vector<std::int64_t> falling_counts(std::int64_t n) {
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < n; ++i) {
    counts.push_back(100'000 - 100 * i);
  }
  return counts;
}

TEST(Threads, SelectFromTheSameCandidatesWithNoiseOfTheirOwn) {
  const std::vector<std::int64_t> counts = falling_counts(500);
  const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
  const std::size_t runs = testing::scaled(200, 10);
  std::vector<std::size_t> winners(threads);
  at_once([&](std::size_t i) {
    SecureNoise noise;
    for (std::size_t run = 0; run < runs; ++run) {
      const auto release = top_k(candidates, {.k = 5, .epsilon = "0.1"_eps}, noise);
      const auto direct = measure(candidates, release.indices(), {.epsilon = "0.1"_eps}, noise);
      winners[i] += estimate(release, direct).size();
    }
  });
  EXPECT_EQ(winners, std::vector<std::size_t>(threads, 5 * runs));
}

TEST(Threads, TheSameSeedGivesTheSameReleaseInEveryThread) {
  const std::vector<std::int64_t> counts = falling_counts(100);
  const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
  std::vector<std::vector<std::int64_t>> leads(threads);
  at_once([&](std::size_t i) {
    InsecureSeededNoise noise(7);
    leads[i] = top_k(candidates, {.k = 3, .epsilon = "0.5"_eps}, noise).lead_ticks;
  });
  for (const auto& lead : leads) {
    EXPECT_EQ(lead, leads.front());
  }
}

/// Noise whose enclosures are too wide to settle much, so that MPFR has to.
class RefiningNoise : public ExactNoise {
 public:
  explicit RefiningNoise(BitStream& bits) : ExactNoise(bits) { widen(0.25); }
};

TEST(Threads, RefineInMpfrAtOnce) {
  const std::size_t draws = testing::scaled(5'000, 500);
  std::vector<std::uint64_t> refinements(threads);
  at_once([&](std::size_t i) {
    SecureBits bits;
    RefiningNoise noise(bits);
    const Rate rate(Rational(1, static_cast<std::int64_t>(i) + 1000));
    for (std::size_t draw = 0; draw < draws; ++draw) {
      noise.laplace(rate);
    }
    refinements[i] = noise.refinements();
  });
  for (const std::uint64_t count : refinements) {
    EXPECT_GT(count, draws / 10);
  }
}

}  // namespace
}  // namespace freegap

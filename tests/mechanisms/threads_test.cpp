// Threads share nothing but what they only read: each has its own noise, and all select from the
// same candidates at once.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
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

// The table of docs/threads.md: every function on the same candidates, each thread with noise of
// its own, and post-processing of the same release.
TEST(Threads, CallEveryFunctionOnTheSameCandidates) {
  const std::vector<std::int64_t> counts = falling_counts(500);
  const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
  const std::vector<double> reals(counts.begin(), counts.end());
  const auto utilities = Candidates::general(reals, Neighbours::replace, 1);
  const Groups groups(counts);
  const std::size_t runs = testing::scaled(50, 3);
  std::vector<std::size_t> winners(threads);
  at_once([&](std::size_t i) {
    SecureNoise noise;
    std::size_t& found = winners[i];
    const auto grouped = groups.candidates(Neighbours::add_remove);
    for (std::size_t run = 0; run < runs; ++run) {
      const auto selected = top_k(grouped, {.k = 1, .epsilon = "10"_eps}, noise);
      found += groups.place(selected.winners.front()) == 0 ? 1U : 0U;
      found += top_k(utilities, {.k = 1, .epsilon = "10"_eps, .threads = 2}, noise).winners.size();
      found += top_k_above(candidates, {.k = 1, .epsilon = "10"_eps, .threshold = 99'950}, noise)
                   .winners.size();
      const auto above = sparse_vector_above(
          candidates, {.k = 1, .epsilon = "10"_eps, .threshold = 99'950}, noise);
      found += above.answers.size();
      found += claims_above(above, 0.9).size();
      found += estimate(above).size();
      found += sparse_vector(candidates, {.k = 1, .epsilon = "10"_eps, .threshold = 99'950}, noise)
                   .above();
      found += exponential(utilities, {.epsilon = "10"_eps}, noise).chosen.id == 0 ? 1U : 0U;
    }
  });
  // False alarms: noise of scale 1/10 at distances of 50 and more, far below 1e-9.
  EXPECT_EQ(winners, std::vector<std::size_t>(threads, 8 * runs));
}

TEST(Threads, MakeSparseVectorsAtOnce) {
  const Queries queries{Kind::counts, Neighbours::add_remove, 1};
  const std::size_t runs = testing::scaled(500, 50);
  std::vector<std::size_t> above(threads);
  at_once([&](std::size_t i) {
    SecureNoise noise;
    for (std::size_t run = 0; run < runs; ++run) {
      SparseVector vector(queries, {.k = 1, .epsilon = "1"_eps, .threshold = 0}, noise);
      vector.ask(-1'000'000);
      above[i] += vector.open() && vector.ask(1'000'000).above ? 1U : 0U;
    }
  });
  EXPECT_EQ(above, std::vector<std::size_t>(threads, runs));
}

TEST(Threads, ShareABudgetAndSpendItOnce) {
  const std::vector<std::int64_t> counts = falling_counts(100);
  const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
  Budget budget("1"_eps);
  std::vector<std::size_t> released(threads);
  at_once([&](std::size_t i) {
    SecureNoise noise;
    for (int run = 0; run < 20; ++run) {
      try {
        budget.charge("0.03"_eps, [&](const Epsilon& epsilon) {
          return top_k(candidates, {.k = 1, .epsilon = epsilon}, noise);
        });
        ++released[i];
      } catch (const BudgetExceeded&) {
        return;
      }
    }
  });
  const std::size_t all = std::accumulate(released.begin(), released.end(), std::size_t{0});
  EXPECT_EQ(all, 33U);
  EXPECT_EQ(budget.balance().spent, "0.99"_rational);
  EXPECT_EQ(budget.balance().remaining, "0.01"_rational);
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

// One source of noise per thread: none shares anything with another.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "freegap/noise.hpp"
#include "noise/strings.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

constexpr std::size_t threads = 4;

template <class Work>
void in_threads(const Work& work) {
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back([&work, i] { work(i); });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
}

TEST(Threads, SecureNoiseOfSeveralThreadsDiffers) {
  const std::size_t draws = scaled(20'000, 2'000);
  std::vector<std::vector<std::uint64_t>> keys(threads);
  in_threads([&](std::size_t i) {
    SecureNoise noise;
    const Rate rate(Rational(1, 1000));
    for (std::size_t n = 0; n < draws; ++n) {
      keys[i].push_back(noise.key());
      noise.laplace(rate);
      noise.skips(rate, 3000, 256);
    }
  });
  std::set<std::uint64_t> different;
  for (const auto& some : keys) {
    different.insert(some.begin(), some.end());
  }
  EXPECT_EQ(different.size(), threads * draws);  // false alarm: below 1e-9
}

// The refinement, which uses MPFR, gives the same integers in every thread as in this one.
TEST(Threads, RefinementIsTheSameInEveryThread) {
  const std::size_t draws = scaled(5'000, 500);
  const auto run = [&](std::uint64_t seed) {
    InsecureSeededBits bits(seed);
    WidenedNoise noise(bits, 1e9);
    const Rate rate(Rational(1, 3));
    std::vector<std::int64_t> drawn;
    for (std::size_t n = 0; n < draws; ++n) {
      drawn.push_back(noise.laplace(rate));
    }
    EXPECT_EQ(noise.refinements(), noise.decisions());
    return drawn;
  };
  std::vector<std::vector<std::int64_t>> drawn(threads);
  in_threads([&](std::size_t i) { drawn[i] = run(i); });
  for (std::size_t i = 0; i < threads; ++i) {
    EXPECT_EQ(drawn[i], run(i)) << "thread " << i;
  }
  EXPECT_NE(drawn[0], drawn[1]);
}

}  // namespace
}  // namespace freegap::testing

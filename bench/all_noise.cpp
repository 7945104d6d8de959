// Noise for every candidate: what it costs beside a plain scan for the largest, without privacy, of
// the same list; and how much its time tells about the list, over lists of different shapes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "freegap/freegap.hpp"

namespace {

using namespace freegap;

constexpr std::size_t candidates = 1'000'000;
constexpr std::size_t leaders = 11;  // ten and the runner-up

struct Shape {
  const char* name;
  std::vector<std::int64_t> counts;
};

std::vector<Shape> shapes() {
  std::vector<Shape> result{{"all equal", {}}, {"ascending", {}}, {"descending", {}},
                            {"spikes", {}},    {"Zipf", {}},      {"uniform", {}}};
  std::mt19937_64 random(1);
  const auto n = static_cast<std::int64_t>(candidates);
  for (std::int64_t i = 0; i < n; ++i) {
    result[0].counts.push_back(1000);
    result[1].counts.push_back(i);
    result[2].counts.push_back(n - i);
    result[3].counts.push_back(i % 1000 == 0 ? 1'000'000 : 0);
    result[4].counts.push_back(n / (i + 1));
    result[5].counts.push_back(static_cast<std::int64_t>(random() % 1'000'000));
  }
  return result;
}

/// The m largest, without noise: whole blocks are passed over by their largest, found in vectors.
std::vector<std::int64_t> plain_scan(std::span<const std::int64_t> counts, std::size_t m) {
  constexpr std::size_t block = 4096;
  std::vector<std::int64_t> heap(m, std::numeric_limits<std::int64_t>::min());
  for (std::size_t i = 0; i < counts.size(); i += block) {
    const auto part = counts.subspan(i, std::min(block, counts.size() - i));
    if (detail::largest(part) <= heap.front()) {
      continue;
    }
    for (const std::int64_t count : part) {
      if (count > heap.front()) {
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
        heap.back() = count;
        std::push_heap(heap.begin(), heap.end(), std::greater<>());
      }
    }
  }
  return heap;
}

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// Processor time of runs, in milliseconds: median, and the least.
template <class Run>
std::pair<double, double> time_of(const Run& run) {
  std::vector<double> times;
  for (int i = 0; i < 101; ++i) {
    const double start = processor_time();
    run();
    times.push_back(processor_time() - start);
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front()};
}

}  // namespace

int main() {
  SecureNoise noise;
  const Grid grid(Rational(1, 64), 1);  // ten winners at a budget of 1: a scale of 640 ticks
  std::printf("%zu counts, %zu leaders; milliseconds of processor time: median (least)\n",
              candidates, leaders);
  for (const auto& [name, law] :
       {std::pair("exponential", TickNoise(Law::exponential, Rational(1, 1000))),
        std::pair("Laplace", TickNoise(Law::laplace, Rational(1, 1000)))}) {
    std::printf("\n%-12s %18s %18s %8s\n", name, "noise for each", "plain scan", "ratio");
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const Shape& shape : shapes()) {
      const std::span<const std::int64_t> counts = shape.counts;
      const auto all = time_of([&, &l = law] {
        RandomOrder<SecureNoise> order(noise);
        return all_noise_leaders(counts, grid, leaders, l, noise, order).front().position;
      });
      std::int64_t sink = 0;
      const auto plain = time_of([&] { sink += plain_scan(counts, leaders).front(); });
      std::printf("%-12s %9.3f (%6.3f) %9.3f (%6.3f) %8.1f\n", shape.name, all.first, all.second,
                  plain.first, plain.second, all.first / plain.first);
      least = std::min(least, all.first);
      most = std::max(most, all.first);
      if (sink == 1) {
        return 1;
      }
    }
    std::printf("the slowest shape takes %.1f %% longer than the fastest\n",
                (most / least - 1) * 100);
  }
}

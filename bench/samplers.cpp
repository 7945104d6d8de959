// What exactness costs, and what skipping saves: each operation beside its naive counterpart (fast
// floating point, a generator that is not cryptographic), and their ratio, from one run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "freegap/freegap.hpp"

namespace {

using namespace freegap;

/// Counts that fall off like those of items in baskets: n / rank.
std::vector<std::int64_t> falling_counts(std::int64_t n) {
  std::vector<std::int64_t> counts;
  for (std::int64_t rank = 1; rank <= n; ++rank) {
    counts.push_back(n / rank);
  }
  return counts;
}

// One draw of geometric noise on a fine tick: exponent 1/1024.

void exact_geometric(benchmark::State& state) {
  SecureNoise noise;
  const Rate rate(Rational(1, 1024));
  for (auto _ : state) {
    benchmark::DoNotOptimize(noise.geometric(rate));
  }
}

void naive_geometric(benchmark::State& state) {
  std::mt19937_64 generator(1);
  std::geometric_distribution<std::int64_t> law(-std::expm1(-1.0 / 1024));
  for (auto _ : state) {
    benchmark::DoNotOptimize(law(generator));
  }
}

// A million such draws, kept.

constexpr std::size_t many = 1'000'000;

void exact_bulk_geometric(benchmark::State& state) {
  SecureNoise noise;
  const Rate rate(Rational(1, state.range(0)));
  std::vector<std::int64_t> drawn(many);
  for (auto _ : state) {
    noise.geometric(rate, drawn);
    benchmark::DoNotOptimize(drawn.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(many));
}

void naive_bulk_geometric(benchmark::State& state) {
  std::mt19937_64 generator(1);
  std::geometric_distribution<std::int64_t> law(
      -std::expm1(-1.0 / static_cast<double>(state.range(0))));
  std::vector<std::int64_t> drawn(many);
  for (auto _ : state) {
    std::generate(drawn.begin(), drawn.end(), [&] { return law(generator); });
    benchmark::DoNotOptimize(drawn.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(many));
}

// The top 10 of n candidates at ε = 1.

void exact_top_10(benchmark::State& state) {
  SecureNoise noise;
  const std::vector<std::int64_t> counts = falling_counts(state.range(0));
  const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
  for (auto _ : state) {
    benchmark::DoNotOptimize(top_k(candidates, {.k = 10, .epsilon = "1"_eps}, noise));
  }
}

void naive_top_10(benchmark::State& state) {
  std::mt19937_64 generator(1);
  std::exponential_distribution<double> law(1.0 / 10);
  const std::vector<std::int64_t> counts = falling_counts(state.range(0));
  std::vector<std::pair<double, std::size_t>> noisy(counts.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      noisy[i] = {static_cast<double>(counts[i]) + law(generator), i};
    }
    std::partial_sort(noisy.begin(), noisy.begin() + 11, noisy.end(), std::greater<>());
    benchmark::DoNotOptimize(noisy.data());
  }
}

/// Prints the usual table, then the ratio of each `exact/...` to its `naive/...`.
class RatioReporter : public benchmark::ConsoleReporter {
 public:
  RatioReporter() : ConsoleReporter(OO_None) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      times_[run.benchmark_name()] = run.GetAdjustedCPUTime();
    }
  }

  void Finalize() override {
    std::cout << std::setprecision(3) << "\nTime relative to the naive counterpart:\n";
    for (const auto& [name, time] : times_) {
      if (const auto naive = times_.find("naive" + name.substr(5)); name.starts_with("exact")) {
        std::cout << "  " << name.substr(6) << ": " << time / naive->second << '\n';
      }
    }
  }

 private:
  std::map<std::string, double> times_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RegisterBenchmark("exact/geometric", exact_geometric);
  benchmark::RegisterBenchmark("naive/geometric", naive_geometric);
  for (const std::int64_t scale : {10, 1024}) {
    benchmark::RegisterBenchmark("exact/million_geometric", exact_bulk_geometric)->Arg(scale);
    benchmark::RegisterBenchmark("naive/million_geometric", naive_bulk_geometric)->Arg(scale);
  }
  for (const std::int64_t n : {1'000, 1'000'000}) {
    benchmark::RegisterBenchmark("exact/top_10_of", exact_top_10)->Arg(n);
    benchmark::RegisterBenchmark("naive/top_10_of", naive_top_10)->Arg(n);
  }
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
}

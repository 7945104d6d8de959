// What exactness costs: each exact sampler beside its naive counterpart (fast floating point, a
// generator that is not cryptographic), and their ratio, from one run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "freegap/freegap.hpp"

namespace {

using namespace freegap;

/// The naive geometric distribution with exp(-1 / scale) between neighbours.
std::geometric_distribution<std::int64_t> naive_distribution(std::int64_t scale) {
  return std::geometric_distribution<std::int64_t>(-std::expm1(-1 / static_cast<double>(scale)));
}

void exact_geometric(benchmark::State& state) {
  SecureNoise noise;
  const Rate rate(Rational(1, state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(noise.geometric(rate));
  }
}

void naive_geometric(benchmark::State& state) {
  std::mt19937_64 generator(1);
  auto distribution = naive_distribution(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(distribution(generator));
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
  std::geometric_distribution<std::int64_t> distribution(
      -std::expm1(-1.0 / static_cast<double>(state.range(0))));
  std::vector<std::int64_t> drawn(many);
  for (auto _ : state) {
    std::generate(drawn.begin(), drawn.end(), [&] { return distribution(generator); });
    benchmark::DoNotOptimize(drawn.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(many));
}

void exact_laplace(benchmark::State& state) {
  SecureNoise noise;
  const Rate rate(Rational(1, state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(noise.laplace(rate));
  }
}

void naive_laplace(benchmark::State& state) {
  std::mt19937_64 generator(1);
  auto distribution = naive_distribution(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(distribution(generator) - distribution(generator));
  }
}

void exact_below(benchmark::State& state) {
  SecureNoise noise;
  for (auto _ : state) {
    benchmark::DoNotOptimize(noise.below(static_cast<std::uint64_t>(state.range(0))));
  }
}

void naive_below(benchmark::State& state) {
  std::mt19937_64 generator(1);
  std::uniform_int_distribution<std::int64_t> distribution(0, state.range(0) - 1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(distribution(generator));
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
      const auto naive = times_.find("naive" + name.substr(5));
      if (name.starts_with("exact") && naive != times_.end()) {
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
  for (const std::int64_t scale : {10, 1024}) {
    benchmark::RegisterBenchmark("exact/million_geometric", exact_bulk_geometric)->Arg(scale);
    benchmark::RegisterBenchmark("naive/million_geometric", naive_bulk_geometric)->Arg(scale);
  }
  for (const std::int64_t scale : {1, 1024}) {
    benchmark::RegisterBenchmark("exact/geometric", exact_geometric)->Arg(scale);
    benchmark::RegisterBenchmark("naive/geometric", naive_geometric)->Arg(scale);
    benchmark::RegisterBenchmark("exact/laplace", exact_laplace)->Arg(scale);
    benchmark::RegisterBenchmark("naive/laplace", naive_laplace)->Arg(scale);
  }
  benchmark::RegisterBenchmark("exact/below", exact_below)->Arg(1'000'000);
  benchmark::RegisterBenchmark("naive/below", naive_below)->Arg(1'000'000);
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
}

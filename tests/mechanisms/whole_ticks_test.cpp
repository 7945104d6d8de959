// Every number released, as it is shown in doubles, is a whole number of the ticks announced with
// it: ten million releases over mechanisms, distributions and ticks, no exception. Noise with a
// porous support leaks through low bits; noise on ticks has none.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "freegap/exponential.hpp"
#include "freegap/hybrid.hpp"
#include "freegap/measure.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/top_k.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

/// Counts numbers, and those that are off the grid.
class Inspector {
 public:
  void look(double shown, double tick) {
    ++numbers_;
    off_ += std::nearbyint(shown / tick) * tick != shown ? 1U : 0U;
  }
  void released() { ++releases_; }
  [[nodiscard]] std::uint64_t numbers() const { return numbers_; }
  [[nodiscard]] std::uint64_t off() const { return off_; }
  [[nodiscard]] std::uint64_t releases() const { return releases_; }

 private:
  std::uint64_t numbers_ = 0;
  std::uint64_t off_ = 0;
  std::uint64_t releases_ = 0;
};

const std::vector<std::int64_t> counts = {31, 27, 30, 8};
const std::vector<double> reals = {31.7, 27.3, 30.1, 8.123456789};

/// Real answers where the distribution allows them.
Candidates candidates(Distribution distribution) {
  if (distribution == Distribution::geometric) {
    return Candidates::counting(counts, Neighbours::add_remove);
  }
  return Candidates::growing(std::span<const double>(reals), Neighbours::add_remove, 1);
}

struct Setting {
  Distribution distribution;
  std::optional<Rational> tick;
};
const std::vector<Setting> settings = {
    {Distribution::exponential, std::nullopt}, {Distribution::laplace, std::nullopt},
    {Distribution::geometric, std::nullopt},   {Distribution::exponential, Rational(1)},
    {Distribution::laplace, Rational(1, 8)},   {Distribution::geometric, Rational(4)}};

std::uint64_t share(double millions) {
  return scaled(static_cast<std::size_t>(millions * 1e6 / static_cast<double>(settings.size())),
                500);
}

void top_k_runs(Inspector& inspector, std::uint64_t runs, InsecureSeededNoise& noise) {
  for (const Setting& s : settings) {
    const Candidates of = candidates(s.distribution);
    const TopKPlan plan =
        plan_top_k(of, {.k = 2, .epsilon = "0.3"_eps, .noise = s.distribution, .tick = s.tick});
    const detail::CandidatesOnGrid shape(of, plan.grid);
    const double tick = plan.distribution.tick.shown();
    for (std::uint64_t run = 0; run < runs; ++run) {
      detail::RandomOrder order(noise);
      const TopKRelease r = select_top_k(shape, plan, noise, order);
      inspector.released();
      inspector.look(r.noise.shown(r.lead_ticks[0]), tick);
      inspector.look(r.noise.shown(*r.gap_ticks(1)), tick);
    }
  }
}

void hybrid_runs(Inspector& inspector, Prefer prefer, std::uint64_t runs,
                 InsecureSeededNoise& noise) {
  for (const Setting& s : settings) {
    const Candidates of = candidates(s.distribution);
    const HybridPlan plan = plan_hybrid(of, {.k = 2,
                                             .epsilon = "0.7"_eps,
                                             .threshold = "26.9"_rational,
                                             .prefer = prefer,
                                             .noise = s.distribution,
                                             .tick = s.tick});
    const detail::CandidatesOnGrid shape(of, plan.grid);
    const double tick = plan.blank.noise.tick.shown();
    inspector.look(plan.blank.threshold.used.shown(), tick);
    for (std::uint64_t run = 0; run < runs; ++run) {
      detail::RandomOrder order(noise);
      const HybridRelease r = prefer == Prefer::identity
                                  ? select_identity_first(shape, plan, noise, order)
                                  : select_estimates_first(shape, plan, noise, order);
      inspector.released();
      for (const std::int64_t gap : r.gap_ticks) {
        inspector.look(r.noise.shown(gap), tick);
      }
      if (r.threshold_gap_ticks) {
        inspector.look(r.noise.shown(*r.threshold_gap_ticks), tick);
      }
    }
  }
}

void sparse_vector_runs(Inspector& inspector, std::uint64_t runs, InsecureSeededNoise& noise) {
  for (const Setting& s : settings) {
    // Each answer is a release of its own; a vector gives many of them.
    const SparseVectorPlan plan = plan_sparse_vector({Kind::general, Neighbours::add_remove, 1},
                                                     {.k = 100,
                                                      .epsilon = "90"_eps,
                                                      .threshold = "26.9"_rational,
                                                      .noise = s.distribution,
                                                      .branches = 2,
                                                      .tick = s.tick},
                                                     s.distribution == Distribution::geometric);
    const double tick = plan.blank.tick.shown();
    for (std::uint64_t answers = 0; answers < runs;) {
      SparseVector<InsecureSeededNoise> vector(plan, noise);
      for (std::size_t i = 0; vector.open() && i < 400; ++i, ++answers) {
        const SparseVectorAnswer& a = s.distribution == Distribution::geometric
                                          ? vector.ask(counts[i % 4])
                                          : vector.ask(reals[i % 4]);
        inspector.released();
        if (a.above) {
          inspector.look(vector.release().shown(*a.gap_ticks), tick);
        }
      }
    }
  }
}

void measure_runs(Inspector& inspector, std::uint64_t runs, InsecureSeededNoise& noise) {
  const std::vector<Item> items = {{0, 0}, {3, 0}};
  for (const Setting& s : settings) {
    const Candidates of = candidates(s.distribution);
    const MeasureOptions options{.epsilon = "0.7"_eps, .tick = s.tick};
    const double tick = plan_measure(of, items, options).distribution.tick.shown();
    for (std::uint64_t run = 0; run < runs; ++run) {
      const MeasureRelease r = measure(of, items, options, noise);
      inspector.released();
      inspector.look(r.value(0), tick);
      inspector.look(r.value(1), tick);
    }
  }
}

void exponential_runs(Inspector& inspector, std::uint64_t runs, InsecureSeededNoise& noise) {
  for (const Setting& s : settings) {
    const Candidates of = candidates(s.distribution);
    const ExponentialOptions options{.epsilon = "0.7"_eps, .tick = s.tick};
    const double tick = plan_exponential(of, options).blank.gap_tick.shown();
    for (std::uint64_t run = 0; run < runs; ++run) {
      const ExponentialRelease r = exponential(of, options, noise);
      inspector.released();
      inspector.look(*r.gap(), tick);
    }
  }
}

TEST(WholeTicks, TenMillionReleasesAreOnTheirGrids) {
  InsecureSeededNoise noise(1);
  Inspector inspector;
  top_k_runs(inspector, share(3.5), noise);
  hybrid_runs(inspector, Prefer::identity, share(1.5), noise);
  hybrid_runs(inspector, Prefer::estimates, share(1.5), noise);
  sparse_vector_runs(inspector, share(2.5), noise);
  measure_runs(inspector, share(0.6), noise);
  exponential_runs(inspector, share(0.5), noise);
  EXPECT_GE(inspector.releases(), scaled(10000000, 10000));
  EXPECT_GT(inspector.numbers(), inspector.releases() / 2);
  EXPECT_EQ(inspector.off(), 0U);
}

TEST(WholeTicks, NoiseInDoublesIsNoticed) {
  // What the textbook does: a count plus a logarithm.
  Inspector inspector;
  InsecureSeededNoise noise(2);
  for (int run = 0; run < 1000; ++run) {
    const double uniform = (static_cast<double>(noise.key() >> 11U) + 0.5) * 0x1p-53;
    inspector.look(31 - 10 * std::log(uniform), 1.0 / 1024);
  }
  EXPECT_GT(inspector.off(), 990U);
}

}  // namespace
}  // namespace freegap::testing

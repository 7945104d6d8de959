// What top-k and both hybrids release has the same distribution over every shape of candidates as
// over the reference: compared exactly, as power series, coefficient by coefficient.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/power_series.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "verify/mechanisms/hybrid.hpp"
#include "verify/mechanisms/top_k.hpp"
#include "verify/named_order.hpp"
#include "verify/small_candidates.hpp"

namespace freegap::verify {
namespace {

using Noise = EnumeratingNoise<PowerSeries>;
using Counts = std::vector<std::int64_t>;
/// Everything released, as numbers, and the cost as text.
using Shown = std::pair<std::vector<std::int64_t>, std::string>;

const std::vector<Counts> lists = {{0, 0},    {2, 0},       {1, 1, 0},
                                   {0, 3, 0}, {0, 1, 1, 0}, {4, 0, 3, 0}};

constexpr std::uint64_t cut = 8;

NamedOrder order_of(std::size_t n, const Name& name) {
  // The threshold in the middle; otherwise the last first.
  std::vector<int> names;
  for (int i = static_cast<int>(n) - 1; i >= 0; --i) {
    names.push_back(i);
  }
  names.insert(names.begin() + static_cast<std::ptrdiff_t>(n / 2), threshold_name);
  return {names, name};
}

/// What a release shows, with its winners under common names.
template <class Release>
Shown shown(Release release, const Name& name) {
  for (Item& winner : release.winners) {
    winner = Item{name(winner), 0};
  }
  const Observed seen = observe(release);
  return {seen.shown, seen.spent.str()};
}

/// The distribution over one shape. `select(shape, noise, order)` is a production template.
template <class Shape, class Select>
auto distribution_over(const Shape& shape, const Name& name, std::size_t n, const Rational& base,
                       const Select& select) {
  return distribution_of(Noise(base, PowerSeries(cut, 1), cut), [&](Noise& noise) {
    NamedOrder order = order_of(n, name);
    return shown(select(shape, noise, order), name);
  });
}

/// All shapes against the plain one.
template <class Select>
void expect_equal_distributions(const Counts& counts, const Rational& base, const Select& select) {
  const SmallCandidates small(counts);
  const Grid grid(1, 1);
  const std::size_t n = counts.size();
  const auto names = SmallCandidates::dense_names();
  const auto plain = distribution_over(PlainShape(counts), names, n, base, select);
  const Candidates dense = small.dense();
  // Not EXPECT_EQ, which would print whole distributions.
  EXPECT_TRUE(plain ==
              distribution_over(detail::CandidatesOnGrid(dense, grid), names, n, base, select));
  const Candidates grouped = small.grouped();
  EXPECT_TRUE(plain == distribution_over(detail::CandidatesOnGrid(grouped, grid),
                                         small.grouped_names(), n, base, select));
  const Candidates universe = small.universe();
  EXPECT_TRUE(plain == distribution_over(detail::CandidatesOnGrid(universe, grid),
                                         SmallCandidates::universe_names(), n, base, select));
  const detail::Work constant{.constant = true};
  EXPECT_TRUE(plain == distribution_over(detail::CandidatesOnGrid(dense, grid, constant), names, n,
                                         base, select));
  EXPECT_TRUE(plain == distribution_over(detail::CandidatesOnGrid(grouped, grid, constant),
                                         small.grouped_names(), n, base, select));
  EXPECT_TRUE(plain == distribution_over(detail::CandidatesOnGrid(universe, grid, constant),
                                         SmallCandidates::universe_names(), n, base, select));
}

/// Every distribution, one or two fractions of a tick; at this budget a tick is two units.
template <class Run>
void for_each_noise(const Run& run) {
  for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
    for (const std::int64_t subticks : {1, 2}) {
      run(distribution, subticks);
    }
  }
}

TEST(ReleaseDistribution, TopK) {
  for (const Counts& counts : lists) {
    for (std::uint64_t k = 1; k <= 2; ++k) {
      for_each_noise([&](Distribution distribution, std::int64_t subticks) {
        const SmallCandidates small(counts);
        TopKPlan plan = plan_top_k(
            small.dense(),
            {.k = k, .epsilon = Epsilon(Rational(2 * k)), .noise = distribution, .tick = 1});
        plan.noise = detail::TickNoise(distribution, 2, subticks);
        expect_equal_distributions(counts, plan.noise.rate().exponent(),
                                   [&](const auto& shape, Noise& noise, NamedOrder& order) {
                                     return select_top_k(shape, plan, noise, order);
                                   });
      });
    }
  }
}

TEST(ReleaseDistribution, IdentityFirst) {
  for (const Counts& counts : lists) {
    for_each_noise([&](Distribution distribution, std::int64_t subticks) {
      const SmallCandidates small(counts);
      HybridPlan plan = plan_hybrid(
          small.dense(),
          {.k = 2, .epsilon = "4"_eps, .threshold = 1, .noise = distribution, .tick = 1});
      plan.noise = detail::TickNoise(distribution, 2, subticks);
      expect_equal_distributions(counts, plan.noise.rate().exponent(),
                                 [&](const auto& shape, Noise& noise, NamedOrder& order) {
                                   return select_identity_first(shape, plan, noise, order);
                                 });
    });
  }
}

TEST(ReleaseDistribution, EstimatesFirst) {
  for (const Counts& counts : lists) {
    for_each_noise([&](Distribution distribution, std::int64_t subticks) {
      const SmallCandidates small(counts);
      HybridPlan plan = plan_hybrid(small.dense(), {.k = 2,
                                                    .epsilon = "6"_eps,
                                                    .threshold = 1,
                                                    .prefer = Prefer::estimates,
                                                    .noise = distribution,
                                                    .theta = "1/3"_rational,
                                                    .tick = 1});
      plan.noise = detail::TickNoise(distribution, 2, subticks);
      expect_equal_distributions(counts, plan.noise.rate().exponent(),
                                 [&](const auto& shape, Noise& noise, NamedOrder& order) {
                                   return select_estimates_first(shape, plan, noise, order);
                                 });
    });
  }
}

TEST(ReleaseDistribution, ADifferentListHasADifferentDistribution) {
  // The comparison can fail: one count off by one.
  const SmallCandidates small({4, 0, 3, 0});
  const TopKPlan plan = plan_top_k(
      small.dense(), {.k = 1, .epsilon = "1"_eps, .noise = Distribution::geometric, .tick = 1});
  const detail::TickNoise noise_distribution(Distribution::geometric, 1, 1);
  TopKPlan coarse = plan;
  coarse.noise = noise_distribution;
  const auto distribution = [&](const Counts& counts) {
    return distribution_over(PlainShape(counts), SmallCandidates::dense_names(), 4, 1,
                             [&](const auto& shape, Noise& noise, NamedOrder& order) {
                               return select_top_k(shape, coarse, noise, order);
                             });
  };
  EXPECT_TRUE(distribution({4, 0, 3, 0}) == distribution({4, 0, 3, 0}));
  EXPECT_FALSE(distribution({4, 0, 3, 0}) == distribution({4, 0, 3, 1}));
}

}  // namespace
}  // namespace freegap::verify

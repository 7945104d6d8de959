// A sparse vector over a universe has exactly the distribution of one that asks every id, one after
// another in random order, and lists the answers above alone. On small universes both are
// enumerated as formal power series and compared coefficient by coefficient; a large one is
// sampled.
#include "freegap/detail/mechanisms/above_universe.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/power_series.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "support/goodness_of_fit.hpp"
#include "verify/wrapped_noise.hpp"

namespace freegap::verify {
namespace {

using namespace freegap::literals;
using Enumerated = EnumeratingNoise<PowerSeries>;
using OutcomeDistribution = std::map<Vector, PowerSeries>;

/// Counts of all ids from 10 on; those that are 0 are not listed.
struct Case {
  Vector counts;
  std::int64_t threshold = 1;
  Distribution distribution = Distribution::geometric;
  std::uint64_t k = 1;
  std::size_t branches = 1;
  StopRule stop_rule = StopRule::afford;
  std::uint64_t cut = 6;
  std::optional<std::uint64_t> stop_after = std::nullopt;
};

std::string text(const Case& c) {
  return verify::text(c.counts) + " above " + std::to_string(c.threshold) +
         (two_sided(c.distribution) ? " two-sided" : " one-sided") + ", k " + std::to_string(c.k) +
         ", branches " + std::to_string(c.branches) + ", stop rule " + name(c.stop_rule) +
         (c.stop_after ? ", stop after " + std::to_string(*c.stop_after) : "");
}

SparseVectorPlan plan_of(const Case& c) {
  const std::int64_t rate = c.branches == 1 ? 1 : 2;
  const Rational epsilon(1 + 2 * rate * static_cast<std::int64_t>(c.k));
  return plan_sparse_vector({Kind::general, Neighbours::add_remove, 1},
                            {.k = c.k,
                             .epsilon = Epsilon(epsilon),
                             .threshold = c.threshold,
                             .noise = c.distribution,
                             .branches = c.branches,
                             .theta = Rational(1) / epsilon,
                             .sigma = "1/2"_rational,
                             .stop_rule = c.stop_rule,
                             .stop_after = c.stop_after,
                             .tick = 1},
                            true);
}

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const Vector& counts :
       {Vector{0, 0, 0}, Vector{2, 0, 0}, Vector{0, 1, 0, 3}, Vector{2, 1}}) {
    for (const std::int64_t threshold : {-1, 1, 3}) {
      for (const std::uint64_t k : {1U, 2U}) {
        result.push_back({counts, threshold, Distribution::geometric, k});
      }
      result.push_back({counts, threshold, Distribution::laplace, 1, 1, StopRule::afford, 4});
    }
    result.push_back({counts, 2, Distribution::geometric, 1, 2, StopRule::afford, 6});
    result.push_back({counts, 2, Distribution::geometric, 1, 2, StopRule::paper, 6});
    for (const StopRule rule : {StopRule::afford, StopRule::paper}) {
      result.push_back({counts, 1, Distribution::geometric, 2, 2, rule, 6});
      result.push_back({counts, 1, Distribution::geometric, 2, 2, rule, 6, 2});
    }
  }
  result.push_back({{0, 2, 0}, 1, Distribution::geometric, 2, 1, StopRule::afford, 6, 1});
  return result;
}

Vector outcome(const SparseVectorRelease& release, std::int64_t first) {
  Vector seen{release.asked ? 1 : 0, in_units(release.cost.spent, 1)};
  for (const SparseVectorAnswer& answer : release.answers) {
    if (answer.above) {
      seen.insert(seen.end(), {answer.item.id - first, static_cast<std::int64_t>(answer.branch),
                               answer.gap_ticks.value()});
    }
  }
  return seen;
}

template <class Run>
OutcomeDistribution enumerate(const Case& c, const Run& run) {
  // A common denominator of all orders, of the places and of the ids.
  return distribution_of(Enumerated(1, PowerSeries(c.cut, std::int64_t{24} * 24 * 24), c.cut),
                         [&](Enumerated& noise) { return run(noise); });
}

/// Asks one id after another, drawing for each.
OutcomeDistribution plain_distribution(const Case& c) {
  const SparseVectorPlan plan = plan_of(c);
  const Candidates candidates =
      Candidates::general(std::span<const std::int64_t>(c.counts), Neighbours::add_remove, 1);
  return enumerate(c, [&](Enumerated& noise) {
    DrawsOnly<Enumerated> draws(noise);
    SparseVectorRelease release = ask_one_by_one(
        candidates, plan, Asking::shuffled, [](const SparseVectorAnswer& /*answer*/) {}, draws);
    release.asked.reset();
    return outcome(release, 0);
  });
}

template <class Wrap>
OutcomeDistribution universe_distribution(const Case& c) {
  constexpr std::int64_t first = 10;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < c.counts.size(); ++i) {
    if (c.counts[i] != 0) {
      ids.push_back(first + static_cast<std::int64_t>(i));
      counts.push_back(c.counts[i]);
    }
  }
  const SparseVectorPlan plan = plan_of(c);
  const Candidates candidates =
      Candidates::universe({first, first + static_cast<std::int64_t>(c.counts.size()) - 1}, ids,
                           counts, Neighbours::add_remove);
  return enumerate(c, [&](Enumerated& noise) {
    Wrap wrapped{noise};
    detail::ScanCounters counters;
    return outcome(
        detail::scan_universe(candidates, plan, {{2, 2}, 2, 2, {1, 2}}, wrapped, counters), first);
  });
}

/// Places that are not random: ids that count 0 always come first.
struct ZerosFirst : Sound<Enumerated> {
  std::uint64_t below(std::uint64_t n) { return n - 1; }
};

TEST(AboveUniverse, HasTheDistributionOfAskingEveryId) {
  for (const Case& c : cases()) {
    EXPECT_TRUE(plain_distribution(c) == universe_distribution<Sound<Enumerated>>(c)) << text(c);
  }
}

TEST(AboveUniverse, TheComparisonNoticesWhatIsWrong) {
  const Case c{{2, 0, 0}, 1, Distribution::geometric, 1};
  const OutcomeDistribution plain = plain_distribution(c);
  EXPECT_FALSE(plain == universe_distribution<ZerosFirst>(c));
  EXPECT_FALSE(plain == universe_distribution<NothingBeyondTheCutoff<Enumerated>>(c));
  EXPECT_FALSE(plain == universe_distribution<CutoffOneTooHigh<Enumerated>>(c));
  Case two = c;
  two.distribution = Distribution::laplace;
  two.cut = 4;
  EXPECT_FALSE(plain_distribution(two) ==
               universe_distribution<LowerSideForgotten<Enumerated>>(two));
}

TEST(AboveUniverse, RanksAreUniformWithoutReplacement) {
  // All orders of 4 numbers, as often as each other.
  std::map<Vector, PowerSeries> orders =
      distribution_of(Enumerated(1, PowerSeries(1, 24), 1), [](Enumerated& noise) {
        detail::RandomRanks<Enumerated> ranks(4, noise);
        Vector seen;
        for (int i = 0; i < 4; ++i) {
          seen.push_back(static_cast<std::int64_t>(ranks.next()));
        }
        return seen;
      });
  EXPECT_EQ(orders.size(), 24U);
  for (const auto& [order, probability] : orders) {
    EXPECT_EQ(probability[0], 1) << verify::text(order);
  }
  std::map<Vector, PowerSeries> sets =
      distribution_of(Enumerated(1, PowerSeries(1, 60), 1), [](Enumerated& noise) {
        Vector seen;
        for (const std::uint64_t place : detail::random_places(2, 5, noise)) {
          seen.push_back(static_cast<std::int64_t>(place));
        }
        return seen;
      });
  EXPECT_EQ(sets.size(), 10U);
  for (const auto& [set, probability] : sets) {
    EXPECT_EQ(probability[0], 6) << verify::text(set);
  }
}

TEST(AboveUniverse, AHugeOneCostsNothing) {
  const std::vector<std::int64_t> ids{7, INT64_MAX - 1};
  const std::vector<std::int64_t> counts{1'000'000, 900'000};
  const Candidates all =
      Candidates::universe({0, INT64_MAX - 1}, ids, counts, Neighbours::add_remove);
  InsecureSeededNoise noise(5);
  // Nothing but what is in the data is near the threshold. A wrong answer has probability below
  // 2^63 exp(-500,000 / 4).
  const SparseVectorRelease found =
      sparse_vector_above(all, {.k = 2, .epsilon = "1"_eps, .threshold = 500'000}, noise);
  std::set<std::int64_t> passed;
  for (const SparseVectorAnswer& answer : found.answers) {
    EXPECT_TRUE(answer.above);
    passed.insert(answer.item.id);
  }
  EXPECT_EQ(passed, (std::set<std::int64_t>{7, INT64_MAX - 1}));
  EXPECT_FALSE(found.asked);
  // Many ids pass: different ones, drawn uniformly, and the budget ends. That one of the two listed
  // is among ten has probability below 1e-17.
  const SparseVectorRelease crowd =
      sparse_vector_above(all, {.k = 10, .epsilon = "1"_eps, .threshold = -50}, noise);
  passed.clear();
  for (const SparseVectorAnswer& answer : crowd.answers) {
    passed.insert(answer.item.id);
  }
  EXPECT_EQ(passed.size(), 10U);
  EXPECT_FALSE(passed.contains(7));
  EXPECT_EQ(crowd.cost.spent, Rational(1));
}

// The answers have probability at least 1 - exp(-100).
TEST(AboveUniverse, NamesIdsWithConstantWorkToo) {
  const std::vector<std::int64_t> ids{-3, 5};
  const std::vector<std::int64_t> counts{1000, 1000};
  const Candidates all = Candidates::universe({-5, 6}, ids, counts, Neighbours::add_remove);
  InsecureSeededNoise noise(5);
  for (const bool constant : {false, true}) {
    const SparseVectorRelease release = sparse_vector_above(
        all, {.k = 3, .epsilon = "10"_eps, .threshold = 500, .constant_work = constant}, noise);
    std::set<std::int64_t> passed;
    for (const SparseVectorAnswer& answer : release.answers) {
      passed.insert(answer.item.id);
    }
    EXPECT_EQ(passed, (std::set<std::int64_t>{-3, 5})) << constant;
    EXPECT_FALSE(release.asked);
  }
  const Candidates huge =
      Candidates::universe({0, INT64_MAX - 1}, ids, counts, Neighbours::add_remove);
  EXPECT_THROW(
      sparse_vector_above(huge, {.k = 3, .epsilon = "1"_eps, .threshold = 5, .constant_work = true},
                          noise),
      InvalidParameter);
}

TEST(AboveUniverse, RefusesAnOrderAndGroups) {
  const std::vector<std::int64_t> ids{7};
  const std::vector<std::int64_t> counts{5};
  InsecureSeededNoise noise(5);
  const Candidates all = Candidates::universe({0, 9}, ids, counts, Neighbours::add_remove);
  EXPECT_THROW(sparse_vector_above(
                   all, {.epsilon = "1"_eps, .threshold = 0, .asking = Asking::as_given}, noise),
               InvalidParameter);
  EXPECT_THROW(sparse_vector(all, {.epsilon = "1"_eps, .threshold = 0}, noise), InvalidParameter);
  const std::vector<std::int64_t> sizes{3};
  const Candidates groups = Candidates::grouped(std::span<const std::int64_t>(counts), sizes,
                                                {Kind::counts, Neighbours::add_remove, 1});
  EXPECT_THROW(sparse_vector_above(groups, {.epsilon = "1"_eps, .threshold = 0}, noise),
               InvalidParameter);
}

}  // namespace
}  // namespace freegap::verify

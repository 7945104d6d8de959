// Shapes of candidates at sizes beyond enumeration: dense, grouped, universes and the plain
// reference against each other and against closed forms, and which path a scan took.
#include "freegap/detail/mechanisms/noisy_top_m.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "freegap/errors.hpp"
#include "freegap/top_k.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "support/distribution_check.hpp"
#include "support/selection_distribution.hpp"

namespace freegap::testing {
namespace {

using verify::PlainShape;

/// Groups of equal candidates, spread out as a dense list in an order that mixes them.
struct Groups {
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> multiplicities;
  std::vector<std::int64_t> dense;
  std::vector<std::size_t> group_of;  // by dense position

  Groups(std::vector<std::int64_t> v, std::vector<std::int64_t> m)
      : values(std::move(v)), multiplicities(std::move(m)) {
    std::vector<std::int64_t> left = multiplicities;
    for (bool any = true; any;) {
      any = false;
      for (std::size_t g = 0; g < values.size(); ++g) {
        if (left[g] > 0) {
          --left[g];
          any = true;
          dense.push_back(values[g]);
          group_of.push_back(g);
        }
      }
    }
  }
  [[nodiscard]] Candidates as_dense() const {
    return Candidates::counting(dense, Neighbours::add_remove);
  }
  [[nodiscard]] Candidates as_groups() const {
    return Candidates::grouped(std::span<const std::int64_t>(values), multiplicities,
                               {Kind::counts, Neighbours::add_remove, 1});
  }
};

constexpr std::size_t winners = 3;

/// By rank: how often each group won, and how often the lead was at least each cut.
struct Tally {
  std::vector<std::vector<std::uint64_t>> won;
  std::vector<std::vector<std::uint64_t>> lead;
};

template <class Shape, class GroupOf>
Tally tally(const Shape& shape, const TopKPlan& plan, std::size_t groups, const GroupOf& group_of,
            const std::vector<std::int64_t>& cuts, std::uint64_t runs, std::uint64_t seed) {
  Tally result{
      std::vector<std::vector<std::uint64_t>>(winners, std::vector<std::uint64_t>(groups)),
      std::vector<std::vector<std::uint64_t>>(winners, std::vector<std::uint64_t>(cuts.size()))};
  InsecureSeededNoise noise(seed);
  for (std::uint64_t run = 0; run < runs; ++run) {
    detail::RandomOrder order(noise);
    const TopKRelease r = select_top_k(shape, plan, noise, order);
    for (std::size_t rank = 0; rank < winners; ++rank) {
      ++result.won[rank][group_of(r.winners[rank])];
      for (std::size_t c = 0; c < cuts.size(); ++c) {
        result.lead[rank][c] += r.lead_ticks[rank] >= cuts[c] ? 1U : 0U;
      }
    }
  }
  return result;
}

std::vector<Pair> pairs(const Tally& a, const Tally& b) {
  std::vector<Pair> result;
  for (std::size_t rank = 0; rank < winners; ++rank) {
    for (std::size_t g = 0; g < a.won[rank].size(); ++g) {
      result.push_back({"rank " + std::to_string(rank + 1) + " group " + std::to_string(g),
                        a.won[rank][g], b.won[rank][g]});
    }
    for (std::size_t c = 0; c < a.lead[rank].size(); ++c) {
      result.push_back({"rank " + std::to_string(rank + 1) + " lead cut " + std::to_string(c),
                        a.lead[rank][c], b.lead[rank][c]});
    }
  }
  return result;
}

/// Hands out listed keys and nothing else.
struct ListedKeys {
  std::vector<std::uint64_t> keys;
  std::size_t taken = 0;
  static std::int64_t geometric(const Rate& /*rate*/) { return 0; }
  static std::int64_t laplace(const Rate& /*rate*/) { return 0; }
  static std::uint64_t below(std::uint64_t /*n*/) { return 0; }
  std::uint64_t key() { return keys.at(taken++); }
};

TEST(RandomOrder, DrawsMoreBitsWhenKeysCollideAndNoneTwice) {
  ListedKeys source{{5, 5, 7, 7, 1, 2, 9}};
  detail::RandomOrder order(source);
  const detail::NoisyCandidate a{{0, 0}, 0, {}};
  const detail::NoisyCandidate b{{1, 0}, 0, {}};
  const detail::NoisyCandidate c{{2, 0}, 0, {}};
  EXPECT_FALSE(order.precedes(a, b));  // 5 5, 7 7, then 1 against 2
  EXPECT_TRUE(order.precedes(b, a));   // the same answer the other way round
  EXPECT_EQ(source.taken, 6U);
  EXPECT_TRUE(order.precedes(c, a));  // one key for the newcomer, none for the old
  EXPECT_TRUE(order.precedes(c, b));
  EXPECT_EQ(source.taken, 7U);
}

TEST(RandomOrder, ABrokenGeneratorIsNoticed) {
  ListedKeys source{std::vector<std::uint64_t>(1000, 42)};
  detail::RandomOrder order(source);
  EXPECT_THROW(order.precedes({{0, 0}, 0, {}}, {{1, 0}, 0, {}}), MachineFault);
}

TEST(Ranking, WholeTicksAreFloorsAndFractionsSettleTies) {
  ListedKeys source{{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  detail::RandomOrder order(source);
  const detail::Ranking<detail::RandomOrder<ListedKeys>> ranking(order, 4);
  const auto at = [](std::int64_t position) {
    return detail::NoisyCandidate{{position, 0}, position, {}};
  };
  for (std::int64_t position = -9; position <= 9; ++position) {
    const auto floor = static_cast<std::int64_t>(std::floor(static_cast<double>(position) / 4));
    EXPECT_EQ(ranking.ticks(at(position)), floor) << position;
  }
  // -5 is three quarters above -2, 6 is two quarters above 1, -8 and 4 are nothing above.
  EXPECT_TRUE(ranking.precedes(at(-5), at(6)));
  EXPECT_FALSE(ranking.precedes(at(6), at(-5)));
  EXPECT_TRUE(ranking.precedes(at(6), at(-8)));
  EXPECT_TRUE(ranking.better(at(6), at(-5)));
  EXPECT_EQ(source.taken, 0U);
  EXPECT_FALSE(ranking.precedes(at(-8), at(4)));  // equal fractions: keys 1 and 2
  EXPECT_EQ(source.taken, 2U);
}

TEST(TickNoise, FractionsOfATickHaveTheStatedDistribution) {
  const std::uint64_t runs = scaled(1500000, 20000);
  for (const Distribution sides : {Distribution::laplace, Distribution::geometric}) {
    const detail::TickNoise noise_distribution(sides, "1/2"_rational);
    ASSERT_EQ(noise_distribution.subticks(), 256);
    const std::vector<std::int64_t> cuts = {-1500, -820, -300, -255, -100, 0,
                                            1,     100,  256,  300,  820,  1200};
    InsecureSeededNoise noise(16);
    std::vector<std::uint64_t> from(cuts.size());
    for (std::uint64_t run = 0; run < runs; ++run) {
      const detail::Position position = noise_distribution.draw(noise);
      for (std::size_t c = 0; c < cuts.size(); ++c) {
        from[c] += position >= cuts[c] ? 1U : 0U;
      }
    }
    expect_distribution(
        [&](double stretch) {
          const PositionDistribution distribution(noise_distribution, stretch);
          std::vector<Event> result;
          for (std::size_t c = 0; c < cuts.size(); ++c) {
            result.push_back(
                {"from " + std::to_string(cuts[c]), from[c], distribution.from(cuts[c])});
          }
          // Both tails together tell two-sided scales apart.
          result.push_back({"beyond 820", runs - from[1] + from[10],
                            1 - distribution.from(cuts[1]) + distribution.from(cuts[10])});
          return result;
        },
        runs, two_sided(sides) ? "two-sided" : "one-sided");
  }
}

TEST(NoisyTopM, ThreeWinnersOfFortyAgreeInAllShapes) {
  const std::uint64_t runs = scaled(150000, 10000);
  const Groups groups({9, 7, 6, 5, 3, 2, 0}, {1, 1, 2, 4, 8, 8, 16});
  for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
    const auto dense = groups.as_dense();
    const auto grouped = groups.as_groups();
    const TopKPlan plan =
        plan_top_k(dense, {.k = winners, .epsilon = "1"_eps, .noise = distribution, .tick = 1});
    const std::vector<std::int64_t> cuts = {1, 2, 4, 7, 11};
    const auto by_position = [&](const Item& item) {
      return groups.group_of.at(static_cast<std::size_t>(item.id));
    };
    const auto by_group = [](const Item& item) { return static_cast<std::size_t>(item.id); };
    const std::size_t n = groups.values.size();
    const Tally plain = tally(PlainShape(groups.dense), plan, n, by_position, cuts, runs, 1);
    const Tally as_dense =
        tally(detail::CandidatesOnGrid(dense, plan.grid), plan, n, by_position, cuts, runs, 2);
    const Tally as_groups =
        tally(detail::CandidatesOnGrid(grouped, plan.grid), plan, n, by_group, cuts, runs, 3);
    for (const Tally* shape : {&as_dense, &as_groups}) {
      const Verdict verdict = check_same(pairs(plain, *shape), runs);
      EXPECT_TRUE(verdict.accepted()) << verdict.name << ' ' << verdict.worst;
    }
    // One candidate more in one group is noticed.
    const Groups other({9, 7, 6, 5, 3, 2, 0}, {1, 1, 3, 4, 8, 8, 16});
    const auto larger = other.as_groups();
    EXPECT_FALSE(check_same(pairs(plain, tally(detail::CandidatesOnGrid(larger, plan.grid), plan, n,
                                               by_group, cuts, runs, 4)),
                            runs)
                     .accepted() &&
                 full_workload());
  }
}

/// Leads of whoever is first, in cuts, against the closed form.
struct FirstDistribution {
  std::vector<std::uint64_t> won;
  std::vector<std::uint64_t> lead;
};

template <class Shape, class GroupOf>
FirstDistribution first_of(const Shape& shape, const detail::TickNoise& noise_distribution,
                           std::size_t groups, const GroupOf& group_of,
                           const std::vector<std::int64_t>& cuts, std::uint64_t runs,
                           std::uint64_t seed, detail::ScanCounters& counters) {
  FirstDistribution result{std::vector<std::uint64_t>(groups),
                           std::vector<std::uint64_t>(cuts.size())};
  InsecureSeededNoise noise(seed);
  for (std::uint64_t run = 0; run < runs; ++run) {
    detail::RandomOrder order(noise);
    const auto top = shape.top_m(2, noise_distribution, noise, order, counters);
    const auto leads =
        leads_over_runner_up(top, 1, detail::Ranking(order, noise_distribution.subticks()));
    ++result.won[group_of(top[0].item)];
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      result.lead[c] += leads[0] >= cuts[c] ? 1U : 0U;
    }
  }
  return result;
}

/// The closed form of the same, summed up once.
struct SelectionTable {
  SelectionTable(const SelectionDistribution& distribution, std::size_t groups,
                 const std::vector<std::int64_t>& cuts) {
    for (std::size_t g = 0; g < groups; ++g) {
      won.push_back(distribution.first(g, 0));
    }
    for (const std::int64_t cut : cuts) {
      lead.push_back(distribution.first(cut));
    }
  }
  std::vector<double> won;
  std::vector<double> lead;
};

std::vector<Event> events(const FirstDistribution& seen, const SelectionTable& distribution) {
  std::vector<Event> result;
  for (std::size_t g = 0; g < seen.won.size(); ++g) {
    result.push_back({"group " + std::to_string(g), seen.won[g], distribution.won[g]});
  }
  for (std::size_t c = 0; c < seen.lead.size(); ++c) {
    result.push_back({"lead cut " + std::to_string(c), seen.lead[c], distribution.lead[c]});
  }
  return result;
}

TEST(NoisyTopM, AThousandCandidatesHaveTheClosedForm) {
  const std::uint64_t runs = scaled(80000, 10000);
  const Groups groups({12, 9, 4, 0}, {1, 3, 96, 900});
  const std::vector<double> sizes = {1, 3, 96, 900};
  const std::vector<std::int64_t> cuts = {1, 2, 3, 5};
  const auto dense = groups.as_dense();
  const auto grouped = groups.as_groups();
  const Grid grid(1, 1);
  for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
    const detail::TickNoise noise(distribution, "1/2"_rational);
    detail::ScanCounters in_dense;
    detail::ScanCounters in_groups;
    const FirstDistribution as_dense = first_of(
        detail::CandidatesOnGrid(dense, grid), noise, 4,
        [&](const Item& item) { return groups.group_of.at(static_cast<std::size_t>(item.id)); },
        cuts, runs, 11, in_dense);
    const FirstDistribution as_groups = first_of(
        detail::CandidatesOnGrid(grouped, grid), noise, 4,
        [](const Item& item) { return static_cast<std::size_t>(item.id); }, cuts, runs, 12,
        in_groups);
    const double off = 0.03;  // 1 % is told apart by the cheaper tests of the same scan below
    std::map<double, SelectionTable> tables;
    for (const double stretch : {1 - off, 1.0, 1 + off}) {
      tables.emplace(stretch,
                     SelectionTable(SelectionDistribution(groups.values, sizes, noise, stretch),
                                    groups.values.size(), cuts));
    }
    for (const FirstDistribution* seen : {&as_dense, &as_groups}) {
      expect_distribution([&](double stretch) { return events(*seen, tables.at(stretch)); }, runs,
                          seen == &as_dense ? "dense" : "grouped", off);
    }
    // Nearly all candidates were jumped over, in dense blocks as well as in groups.
    for (const detail::ScanCounters& counters : {in_dense, in_groups}) {
      EXPECT_GT(counters.skipped, runs * 700);
      EXPECT_GT(counters.reached, runs);
      EXPECT_LT(counters.drawn, runs * 40);
    }
  }
}

TEST(NoisyTopM, AHugeGroupBehindASmallOneIsPassedOverAtOnce) {
  const std::vector<std::int64_t> values = {1000, 999, 0};
  const std::vector<std::int64_t> multiplicities = {1, 1, 10'000'000};
  const auto groups = Candidates::grouped(std::span<const std::int64_t>(values), multiplicities,
                                          {Kind::counts, Neighbours::add_remove, 1});
  for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
    const TopKPlan plan = plan_top_k(groups, {.k = 1, .epsilon = "1"_eps, .noise = distribution});
    detail::ScanCounters counters;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      InsecureSeededNoise noise(seed);
      detail::RandomOrder order(noise);
      const auto top =
          detail::CandidatesOnGrid(groups, plan.grid).top_m(1, plan.noise, noise, order, counters);
      EXPECT_LT(top[0].item.id, 2);
    }
    EXPECT_GT(counters.skipped, 400'000'000U);
    EXPECT_LT(counters.drawn + counters.thinned + counters.reached, 1000U);
  }
}

TEST(NoisyTopM, MembersOfAGroupAreEquallyLikely) {
  const std::uint64_t runs = scaled(400000, 10000);
  const Groups groups({1, 0}, {4, 12});
  const auto grouped = groups.as_groups();
  const Grid grid(1, 1);
  const detail::TickNoise noise_distribution(Distribution::geometric, "1/3"_rational);
  const detail::CandidatesOnGrid shape(grouped, grid);
  InsecureSeededNoise noise(13);
  std::map<std::pair<std::int64_t, std::uint64_t>, std::uint64_t> won;
  for (std::uint64_t run = 0; run < runs; ++run) {
    detail::RandomOrder order(noise);
    const Item item = shape.top_m(1, noise_distribution, noise, order)[0].item;
    ++won[{item.id, item.member}];
  }
  ASSERT_EQ(won.size(), 16U);
  const SelectionDistribution distribution({1, 0}, {4, 12}, noise_distribution, 1);
  const double zero = distribution.first(1, 0) / 12;
  const double one = distribution.first(0, 0) / 4;
  std::vector<Event> good;
  std::vector<Event> bad;  // as if the last member of each group were overlooked
  for (const auto& [item, times] : won) {
    good.push_back({"member", times, item.first == 0 ? one : zero});
    bad.push_back({"member", times, item.first == 0 ? one * 4 / 3 : zero * 12 / 11});
  }
  EXPECT_TRUE(check_distribution(good, runs).accepted()) << check_distribution(good, runs).worst;
  EXPECT_FALSE(check_distribution(bad, runs).accepted());
}

TEST(NoisyTopM, AUniverseOfATrillionHasTheClosedForm) {
  const std::uint64_t runs = scaled(150000, 5000);
  const std::int64_t size = 1000000000000;
  const std::vector<std::int64_t> ids = {-3, 77, size / 2};
  const std::vector<std::int64_t> counts = {140, 150, 130};
  const auto universe = Candidates::universe({-10, size - 11}, ids, counts, Neighbours::add_remove);
  ASSERT_EQ(universe.size(), static_cast<std::uint64_t>(size));
  const Grid grid(1, 1);
  const detail::TickNoise noise_distribution(Distribution::geometric, "1/5"_rational);
  const auto entry = [&](const Item& item) {
    return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), item.id) - ids.begin());
  };
  const std::vector<std::int64_t> cuts = {1, 3, 6, 10};
  detail::ScanCounters counters;
  const FirstDistribution seen = first_of(detail::CandidatesOnGrid(universe, grid),
                                          noise_distribution, 4, entry, cuts, runs, 14, counters);
  expect_distribution(
      [&](double stretch) {
        const SelectionDistribution distribution({140, 150, 130, 0}, {1, 1, 1, 1e12 - 3},
                                                 noise_distribution, stretch);
        return events(seen, SelectionTable(distribution, 4, cuts));
      },
      runs, "universe");
  EXPECT_GT(counters.skipped, runs * 100000000000);
  EXPECT_LT(counters.drawn + counters.reached + counters.thinned, runs * 1000);
}

TEST(NoisyTopM, TheLargestOfATrillionZerosHasTheDistributionOfAMaximum) {
  const std::uint64_t runs = scaled(150000, 5000);
  const auto universe = Candidates::universe({1, 1000000000000}, {}, {}, Neighbours::add_remove);
  const Grid grid(1, 1);
  const detail::CandidatesOnGrid shape(universe, grid);
  const detail::TickNoise noise_distribution(Distribution::geometric, "1/5"_rational);
  InsecureSeededNoise noise(15);
  const std::vector<std::int64_t> cuts = {125, 132, 138, 142, 147, 155};
  std::vector<std::uint64_t> largest(cuts.size());
  std::vector<std::uint64_t> second(cuts.size());
  std::vector<std::uint64_t> part(10);
  for (std::uint64_t run = 0; run < runs; ++run) {
    detail::RandomOrder order(noise);
    const auto top = shape.top_m(2, noise_distribution, noise, order);
    const detail::Ranking<detail::RandomOrder<InsecureSeededNoise>> ranking(
        order, noise_distribution.subticks());
    ASSERT_FALSE(top[0].item == top[1].item);
    ++part.at(static_cast<std::size_t>((top[0].item.id - 1) / 100000000000));
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      largest[c] += ranking.ticks(top[0]) <= cuts[c] ? 1U : 0U;
      second[c] += ranking.ticks(top[1]) <= cuts[c] ? 1U : 0U;
    }
  }
  expect_distribution(
      [&](double stretch) {
        std::vector<Event> result;
        for (std::size_t c = 0; c < cuts.size(); ++c) {
          // P(max <= z) = (1 - x^(z+1))^m; the second, too, where all or all but one are below.
          const double beyond = std::exp(-static_cast<double>(cuts[c] + 1) / 5 / stretch);
          const double all = std::exp(1e12 * std::log1p(-beyond));
          result.push_back({"largest", largest[c], all});
          result.push_back({"second", second[c], all + 1e12 * beyond / (1 - beyond) * all});
        }
        for (const std::uint64_t times : part) {
          result.push_back({"a tenth of the ids", times, 0.1});
        }
        return result;
      },
      runs, "maximum");
}

}  // namespace
}  // namespace freegap::testing

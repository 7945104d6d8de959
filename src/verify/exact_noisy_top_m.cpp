#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "exact.hpp"
#include "fixed_order.hpp"
#include "freegap/detail/mechanisms/noisy_top_m.hpp"
#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/plain.hpp"
#include "freegap/verify/power_series.hpp"
#include "small_candidates.hpp"

namespace freegap::verify {
namespace {

using Noise = EnumeratingNoise<PowerSeries>;

/// One small selection problem.
struct Case {
  std::vector<std::int64_t> counts;
  std::size_t m;
  Distribution distribution;
  std::int64_t subticks;
  std::vector<int> order;
};

std::string describe(const Case& c) {
  return std::string(two_sided(c.distribution) ? "two-sided" : "one-sided") + ", subticks " +
         std::to_string(c.subticks) + ", m " + std::to_string(c.m) + ", counts " + text(c.counts) +
         ", order " + text(Vector(c.order.begin(), c.order.end()));
}

std::vector<Case> cases(bool longer) {
  std::vector<std::vector<std::int64_t>> lists = {{2},       {3, 0},    {1, 2, 1},   {0, 5, 0},
                                                  {0, 0, 0}, {0, 1, 2}, {2, 2, 0, 0}};
  if (longer) {
    lists.insert(lists.end(), {{0, 0},
                               {0, 0, 0, 0},
                               {3, 0, 0, 0},
                               {0, 1, 2, 3},
                               {1, 0, 1, 0},
                               {4, 4, 5, 4},
                               {7, 0, 1, 7}});
  }
  std::vector<Case> result;
  for (const auto& counts : lists) {
    std::vector<int> up;
    std::vector<int> mixed;  // neither the order of the list nor its reverse
    for (int i = 0; i < static_cast<int>(counts.size()); ++i) {
      up.push_back(i);
      mixed.insert(i % 2 == 0 ? mixed.begin() : mixed.end(), i);
    }
    const std::vector<int> down(up.rbegin(), up.rend());
    for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
      for (const std::int64_t subticks : {1, 2}) {
        for (const std::size_t m : {2U, 3U}) {
          result.push_back({counts, m, distribution, subticks, mixed});
          if (longer) {
            result.push_back({counts, m, distribution, subticks, up});
            result.push_back({counts, m, distribution, subticks, down});
          }
        }
      }
    }
  }
  return result;
}

/// Rate 2 a tick, so that half a tick is one unit.
TickNoise noise_of(const Case& c) { return {c.distribution, 2, c.subticks}; }

/// All coefficients up to this order are compared.
std::uint64_t cut_of(const Case& c) {
  const std::uint64_t units = two_sided(c.distribution) ? 8 : 11;
  return c.counts.size() < 4 ? units + 2 : units;
}

/// Ordered top with their exact noisy values.
using Leaders = std::vector<std::pair<int, std::int64_t>>;
using TopMDistribution = std::map<Leaders, PowerSeries>;

/// The distribution of `find(noise, order)`, under common names.
template <class Find>
TopMDistribution enumerate(const Case& c, const Name& name, const Find& find) {
  const Noise start(noise_of(c).rate().exponent(), PowerSeries(cut_of(c), 1), cut_of(c));
  return distribution_of(start, [&](Noise& noise) {
    FixedOrder order(c.order, name);
    Leaders result;
    for (const NoisyCandidate& leader : find(noise, order)) {
      result.emplace_back(name(leader.item), static_cast<std::int64_t>(leader.position));
    }
    return result;
  });
}

TopMDistribution plain_distribution(const Case& c) {
  return enumerate(c, SmallCandidates::dense_names(), [&](Noise& noise, FixedOrder& order) {
    return PlainShape(c.counts).top_m(c.m, noise_of(c), noise, order);
  });
}

TopMDistribution scan_distribution(const Case& c, const Candidates& candidates, const Name& name) {
  const Grid grid(1, 1);
  return enumerate(c, name, [&](Noise& noise, FixedOrder& order) {
    return CandidatesOnGrid(candidates, grid).top_m(c.m, noise_of(c), noise, order);
  });
}

/// The candidates in two parts, each with its own top; then all of them, ranked and cut.
TopMDistribution merged_distribution(const Case& c) {
  const std::size_t half = c.counts.size() / 2;
  const std::span<const std::int64_t> all = c.counts;
  const Grid grid(1, 1);
  return enumerate(c, SmallCandidates::dense_names(), [&](Noise& noise, FixedOrder& order) {
    std::vector<NoisyCandidate> merged;
    for (const auto& [first, last] :
         {std::pair(std::size_t{0}, half), std::pair(half, all.size())}) {
      if (first == last) {
        continue;
      }
      const auto part = all.subspan(first, last - first);
      const auto shift = static_cast<int>(first);
      const auto named = [shift](const Item& item) { return static_cast<int>(item.id) + shift; };
      FixedOrder part_order(c.order, named);
      const Candidates candidates = Candidates::counting(part, Neighbours::add_remove);
      for (NoisyCandidate& leader :
           CandidatesOnGrid(candidates, grid).top_m(c.m, noise_of(c), noise, part_order)) {
        leader.item.id = named(leader.item);
        merged.push_back(std::move(leader));
      }
    }
    const Ranking<FixedOrder> ranking(order, c.subticks);
    std::sort(merged.begin(), merged.end(), [&](const NoisyCandidate& a, const NoisyCandidate& b) {
      return ranking.better(a, b);
    });
    merged.resize(std::min(c.m, merged.size()));
    return merged;
  });
}

}  // namespace

std::vector<Row> check_top_m(bool longer) {
  std::vector<Row> rows;
  for (const char* shape : {"dense list, skipping", "groups of equal values",
                            "universe with implicit zeros", "partial top, merged"}) {
    Row& row = rows.emplace_back();
    row.mechanism = "top";
    row.variant = shape;
    row.same_distribution = true;
  }
  for (const Case& c : cases(longer)) {
    const SmallCandidates small(c.counts);
    const TopMDistribution plain = plain_distribution(c);
    const std::array<TopMDistribution, 4> distributions = {
        scan_distribution(c, small.dense(), SmallCandidates::dense_names()),
        scan_distribution(c, small.grouped(), small.grouped_names()),
        scan_distribution(c, small.universe(), SmallCandidates::universe_names()),
        merged_distribution(c)};
    for (std::size_t i = 0; i < distributions.size(); ++i) {
      if (distributions.at(i) != plain && rows[i].problem.empty()) {
        rows[i].same_distribution = false;
        rows[i].problem = "the distribution differs from noise for each: " + describe(c);
      }
    }
  }
  return rows;
}

}  // namespace freegap::verify

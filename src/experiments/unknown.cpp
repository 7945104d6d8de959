// Items nobody listed: how many of the true top 20 are found among items that only the data name,
// beside a declared universe and beside noise on every count.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "experiments/experiment.hpp"
#include "experiments/quest.hpp"
#include "experiments/simulation.hpp"
#include "freegap/hybrid.hpp"

namespace freegap::experiments {
namespace {

constexpr std::uint64_t k = 20;
constexpr std::uint64_t all_items = 20'000;  // of the declared universe
Epsilon epsilon() { return "1"_eps; }
Delta delta() { return "1e-9"_delta; }

enum class Way : std::uint8_t { universe, unknown, every_count };
constexpr std::array all_ways{Way::universe, Way::unknown, Way::every_count};

std::string name_of(Way way) {
  switch (way) {
    case Way::universe:
      return "declared universe, pure ε";
    case Way::unknown:
      return "items nobody listed";
    case Way::every_count:
      return "noise on every count";
  }
  return {};
}

struct Point {
  Way way;
  std::uint64_t transactions;
  std::uint64_t max_items;  // M
};

std::string task_name(const Point& point) {
  return "unknown/" + name_of(point.way) + "/" + std::to_string(point.transactions) + "/" +
         std::to_string(point.max_items);
}

/// Transactions with a long tail of rare items.
QuestOptions long_tail(std::uint64_t transactions) {
  return {.transactions = transactions,
          .mean_size = 40,
          .mean_pattern = 10,
          .patterns = 5'000,
          .items = all_items};
}

/// Counts by item, and the true top k.
struct Counted {
  std::vector<std::int64_t> whole;  // of all items, as they are
  std::vector<std::int64_t> cut;    // of transactions cut to M items, those that occur
  std::vector<std::int64_t> names;  // of the items of `cut`
  std::vector<bool> wanted;         // by item: among the true top k
};

/// Counts a stream of transactions, each cut to M of its items by itself: the same cut for all
/// ways.
Counted count(const Point& point) {
  InsecureSeededNoise noise(1);
  Counted result{std::vector<std::int64_t>(all_items), {}, {}, std::vector<bool>(all_items)};
  std::vector<std::int64_t> kept(all_items);
  Quest quest(long_tail(point.transactions));
  std::vector<std::uint32_t> items;
  for (std::uint64_t t = 0; t < point.transactions; ++t) {
    const std::span<const std::uint32_t> transaction = quest.next();
    items.assign(transaction.begin(), transaction.end());
    for (const std::uint32_t item : items) {
      ++result.whole[item];
    }
    const std::size_t most = std::min<std::size_t>(items.size(), point.max_items);
    for (std::size_t i = 0; i < most; ++i) {
      std::swap(items[i], items[i + noise.below(items.size() - i)]);
      ++kept[items[i]];
    }
  }
  std::vector<std::size_t> order(all_items);
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    if (kept[i] > 0) {
      result.cut.push_back(kept[i]);
      result.names.push_back(static_cast<std::int64_t>(i));
    }
  }
  std::partial_sort(
      order.begin(), order.begin() + k, order.end(),
      [&](std::size_t a, std::size_t b) { return result.whole[a] > result.whole[b]; });
  for (std::size_t i = 0; i < k; ++i) {
    result.wanted[order[i]] = true;
  }
  return result;
}

/// Laplace noise of scale M/ε on every count that occurs; what is above 1 + (M/ε) ln(M/2δ) may be
/// released, and the k largest of it are taken.
std::vector<std::size_t> noise_on_every_count(const std::vector<std::int64_t>& counts,
                                              std::uint64_t max_items, InsecureSeededNoise& noise) {
  const Rational scale = Rational(max_items) / epsilon().value();
  const Rate rate(Rational(1) / scale);
  const double threshold =
      1 + scale.shown() * std::log(static_cast<double>(max_items) / (2 * delta().value().shown()));
  std::vector<std::pair<std::int64_t, std::size_t>> above;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t value = counts[i] + noise.laplace(rate);
    if (static_cast<double>(value) >= threshold) {
      above.emplace_back(-value, i);
    }
  }
  std::sort(above.begin(), above.end());
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < std::min<std::size_t>(k, above.size()); ++i) {
    found.push_back(above[i].second);
  }
  return found;
}

// What is measured at a point.
constexpr std::size_t recall = 0;   // share of the true top k that was found
constexpr std::size_t winners = 1;  // number of winners

Measured simulate(const Point& point, std::uint64_t runs, std::uint64_t seed) {
  const Counted counted = count(point);
  InsecureSeededNoise noise(seed);
  Measured measured(2);
  const auto add = [&](const auto& found, const auto& name) {
    double hits = 0;
    for (const auto& one : found) {
      hits += counted.wanted[static_cast<std::size_t>(name(one))] ? 1 : 0;
    }
    measured[recall].add(hits / static_cast<double>(k));
    measured[winners].add(static_cast<double>(found.size()));
  };
  const auto of_cut = [&](std::size_t i) { return counted.names[i]; };
  if (point.way == Way::universe) {
    RepeatedTopK selection(counted.whole, Kind::counts, {.k = k, .epsilon = epsilon()});
    for (std::uint64_t run = 0; run < runs; ++run) {
      add(selection.run(noise).winners, [](const Item& item) { return item.id; });
    }
  } else if (point.way == Way::unknown) {
    const Candidates candidates = Candidates::unknown(counted.cut, point.max_items);
    const HybridPlan plan =
        plan_hybrid(candidates, {.k = k, .epsilon = epsilon(), .delta = delta()});
    const detail::CandidatesOnGrid shape(candidates, plan.grid);
    for (std::uint64_t run = 0; run < runs; ++run) {
      detail::RandomOrder order(noise);
      add(select_identity_first(shape, plan, noise, order).winners,
          [&](const Item& item) { return of_cut(static_cast<std::size_t>(item.id)); });
    }
  } else {
    for (std::uint64_t run = 0; run < std::max<std::uint64_t>(runs / 20, 40); ++run) {
      add(noise_on_every_count(counted.cut, point.max_items, noise), of_cut);
    }
  }
  return measured;
}

}  // namespace

Experiment unknown_experiment() {
  std::vector<Point> points;
  for (const std::uint64_t max_items : {20U, 100U}) {
    for (const std::uint64_t transactions : {20'000U, 50'000U, 100'000U}) {
      for (const Way way : all_ways) {
        points.push_back({way, transactions, max_items});
      }
    }
  }
  return {"unknown", tasks_for(points, task_name, simulate),
          [points](std::span<const Measured> results) {
            Table table{
                "unknown",
                "Recall of the true top 20: ε = 1, δ = 1e-9",
                {"transactions", "max_items", "way", "runs", "recall", "recall_error", "winners"},
                {}};
            for (std::size_t i = 0; i < points.size(); ++i) {
              const Measured& m = results[i];
              table.rows.push_back({std::to_string(points[i].transactions),
                                    std::to_string(points[i].max_items), name_of(points[i].way),
                                    std::to_string(m[recall].runs()), shown(m[recall].value()),
                                    shown(m[recall].error()), shown(m[winners].value())});
            }
            return Chapter{
                "Items nobody listed",
                "Quest transactions of 40 items on average, from 20,000 items with a long tail. "
                "The first way selects from all 20,000 by top-k, which is possible only if they "
                "are public; its transactions are not cut. The other two see only the items that "
                "occur, of transactions cut to M items at random, each by itself and once for "
                "all runs. \"Items nobody listed\" is the library's identity-first hybrid with a "
                "δ. \"Noise on every count\" adds Laplace noise of scale M/ε to each count that "
                "occurs, may release those above 1 + (M/ε) ln(M/2δ), and takes the 20 largest.",
                {},
                {table},
                {table}};
          }};
}

}  // namespace freegap::experiments

// The Quest generator against the data sets of the same names: how many transactions the r-th
// commonest item is in.
#include <array>
#include <cmath>

#include "experiments/experiment.hpp"
#include "experiments/names.hpp"
#include "experiments/quest.hpp"

namespace freegap::experiments {
namespace {

constexpr std::array<std::size_t, 13> ranks{1, 2, 5, 10, 20, 50, 100, 200, 300, 400, 500, 600, 700};
constexpr std::uint64_t seeds = 20;

/// What is known of the data set of this name.
struct Known {
  const char* name;
  double items;
  double mean_size;
  std::array<double, ranks.size()> counts;
};

// T10I4D100K: of the file in the FIMI repository. T40I10D100K: of the paper's third data set.
constexpr std::array<Known, 2> known_sets{
    {{"T10I4D100K",
      870,
      10.10228,
      {7828, 7057, 5845, 5057, 4309, 3134, 2614, 1676, 1268, 916, 653, 446, 288}},
     {"T40I10D100K",
      942,
      39.6051,
      {28738, 23384, 20125, 17427, 14992, 11823, 9328, 6635, 5006, 3734, 2863, 2067, 1388}}}};

// What is measured over seeds: items, mean size, then counts by rank.
constexpr std::size_t items = 0;
constexpr std::size_t mean_size = 1;
constexpr std::size_t first_rank = 2;

Measured simulate(const char* preset) {
  Measured measured(first_rank + ranks.size());
  QuestOptions options = *quest_preset(preset);
  for (options.seed = 1; options.seed <= seeds; ++options.seed) {
    const Dataset data =
        make_dataset(preset, quest_counts(options), options.transactions, "made up");
    double total = 0;
    for (const std::int64_t count : data.counts) {
      total += static_cast<double>(count);
    }
    measured[items].add(static_cast<double>(data.counts.size()));
    measured[mean_size].add(total / static_cast<double>(options.transactions));
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      measured[first_rank + r].add(static_cast<double>(data.counts[ranks[r] - 1]));
    }
  }
  return measured;
}

/// Spread from one seed to the next.
double spread(const Ratio& mean) {
  return mean.error() * std::sqrt(static_cast<double>(mean.runs()));
}

/// What is known, or what a file of that name among the data says.
Known facts_of(const Known& known, const Setup& setup) {
  Known result = known;
  for (const SharedDataset& data : setup.datasets) {
    if (data->name == known.name && data->counts.size() >= ranks.back()) {
      result.items = static_cast<double>(data->counts.size());
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        result.counts[r] = static_cast<double>(data->counts[ranks[r] - 1]);
      }
      if (data->records) {
        double total = 0;
        for (const std::int64_t count : data->counts) {
          total += static_cast<double>(count);
        }
        result.mean_size = total / static_cast<double>(*data->records);
      }
    }
  }
  return result;
}

Chapter chapter_of(const Setup& setup, std::span<const Measured> results) {
  Table table{
      "quest",
      "Quest generator over 20 seeds, and the data sets of the same names",
      {"data", "what", "generator_mean", "spread_over_seeds", "data_set", "distance_in_spreads"},
      {}};
  Figure figure{
      "quest",
      "Item counts by rank: generator and data sets",
      "Lines: mean over 20 seeds; bars: two spreads from seed to seed. Points: the data sets.",
      {},
      {"quest"}};
  double furthest = 0;
  for (std::size_t s = 0; s < known_sets.size(); ++s) {
    const Known known = facts_of(known_sets[s], setup);
    const Measured& m = results[s];
    const auto add = [&](const std::string& what, const Ratio& mean, double real) {
      const double distance = (real - mean.value()) / spread(mean);
      furthest = std::max(furthest, std::fabs(distance));
      table.rows.push_back({known.name, what, shown(mean.value()), shown(spread(mean)), shown(real),
                            fixed(distance, 2)});
    };
    add("items", m[items], known.items);
    add("mean size of a transaction", m[mean_size], known.mean_size);
    Series made{"generator", Style::joined, 0, {}};
    Series real{"data set", Style::points, 1, {}};
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const Ratio& mean = m[first_rank + r];
      const auto rank = static_cast<double>(ranks[r]);
      add("count of rank " + std::to_string(ranks[r]), mean, known.counts[r]);
      made.samples.push_back({rank, mean.value(), spread(mean)});
      real.samples.push_back({rank, known.counts[r], 0});
    }
    const double top = 1.3 * known.counts[0];
    figure.panels.push_back({"quest-" + file_name(known.name),
                             known.name,
                             "rank of the item",
                             "transactions with it",
                             0,
                             top,
                             true,
                             {made, real}});
  }
  return {
      "The Quest generator",
      "Transactions after Agrawal and Srikant: sizes and patterns drawn at random, patterns "
      "correlated and corrupted. Two things are not in their article and make the item counts fall "
      "as "
      "steeply as those of the published data sets: items have exponential weights when patterns "
      "are made up, and consecutive patterns share a quarter of their items on average. The data "
      "sets are single draws; they lie within " +
          fixed(furthest, 1) + " spreads of the generator's mean.",
      {figure},
      {table},
      {table}};
}

}  // namespace

Experiment quest_experiment(const Setup& setup) {
  std::vector<Task> tasks;
  tasks.reserve(known_sets.size());
  for (const Known& known : known_sets) {
    tasks.push_back({std::string("quest/") + known.name,
                     [name = known.name](std::uint64_t, std::uint64_t) { return simulate(name); }});
  }
  return {"quest", std::move(tasks),
          [setup](std::span<const Measured> results) { return chapter_of(setup, results); }};
}

}  // namespace freegap::experiments

// How much the running time of each mechanism tells: pairs of inputs, timed in random order and
// compared by dudect's method (studies/timing.hpp). Each pair differs by one unit, unless its name
// says "far": a query's distance to the threshold, which latency told before one could ask for
// constant work. Each mechanism is timed with and without constant work.
//
//   timing_study [--rounds PERCENT] [--json FILE] [--only TEXT]
//
// Prints one table. Exit status 1 only if the check of the method itself fails: a leak that was put
// in is not found, or a pair of equal inputs is told apart (6 in a million by chance). What it
// finds on mechanisms is a measurement on this machine, never a verdict of the build.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "freegap/detail/core/masks.hpp"
#include "freegap/freegap.hpp"
#include "studies/timing.hpp"

namespace freegap::studies {
namespace {

using Counts = std::vector<std::int64_t>;

/// Nanoseconds since some moment.
double now() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <class T>
void keep(const T& result) {
  __asm__ volatile("" : : "g"(&result) : "memory");
}

/// One pair of classes. `prepare(second)` makes the input, untimed; `run()` is timed, and returns
/// how many answers were above. That is public: only runs with none are compared.
struct Pair {
  std::string mechanism;
  std::string mode;  ///< default, constant work, or what the check of the method expects
  std::string name;
  std::size_t rounds;
  std::function<void(bool)> prepare;
  std::function<std::size_t()> run;
};

struct Row {
  const Pair* pair;
  std::size_t rounds;
  double one;    // median of the first class, in nanoseconds
  double other;  // of the second
  double t;
  [[nodiscard]] bool differs() const { return std::fabs(t) > least_t; }
};

double median(const std::vector<double>& values) { return percentile({values, {}}, 0.5); }

/// Leaves the first cache, and the jumps that the processor expects, as they are after any input.
void sweep() {
  static std::vector<std::uint64_t> memory(std::size_t{1} << 14U, 1);
  std::uint64_t sum = 0;
  for (std::uint64_t& word : memory) {
    sum += word++;
  }
  keep(sum);
}

/// Times both classes in random order.
Row measure_pair(const Pair& pair, std::size_t rounds) {
  std::mt19937_64 random(rounds);
  TwoClasses times;
  for (std::size_t i = 0; i < rounds + rounds / 20; ++i) {
    const bool second = (random() & 1U) != 0;
    pair.prepare(second);
    sweep();
    const double start = now();
    const std::size_t above = pair.run();
    const double time = now() - start;
    if (above == 0 && i >= rounds / 20) {  // the first ones warm up
      (second ? times.other : times.one).push_back(time);
    }
  }
  return {&pair, rounds, median(times.one), median(times.other), farthest_t(times)};
}

/// Counts of a class, in memory that both classes share, and candidates made from them.
struct Input {
  Counts one;
  Counts other;
  Counts counts = {};
  Counts ids = {};
  Counts listed = {};
  std::unique_ptr<Groups> groups = nullptr;
  std::unique_ptr<Candidates> candidates = nullptr;

  /// Copies the counts of a class. Both classes are read alike, so that the caches do not tell them
  /// apart.
  void copy(bool second) {
    const std::uint64_t mask = detail::mask_of(second);
    counts.resize(one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      counts[i] = detail::select(mask, other[i], one[i]);
    }
  }
  void make_list() {
    candidates = std::make_unique<Candidates>(Candidates::counting(counts, Neighbours::add_remove));
  }
  void make_groups() {
    groups = std::make_unique<Groups>(counts);
    candidates = std::make_unique<Candidates>(groups->candidates(Neighbours::add_remove));
  }
  void make_universe() {
    ids.clear();
    listed.clear();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) {
        ids.push_back(static_cast<std::int64_t>(i));
        listed.push_back(counts[i]);
      }
    }
    candidates = std::make_unique<Candidates>(Candidates::universe(
        {0, static_cast<std::int64_t>(counts.size()) - 1}, ids, listed, Neighbours::add_remove));
  }
  void make(const std::string& shape, bool second) {
    copy(second);
    shape == "list" ? make_list() : shape == "groups" ? make_groups() : make_universe();
  }
};

constexpr std::size_t size = 4096;

/// A few large counts, and a crowd at `crowd`; the neighbour has one unit more in the crowd.
std::shared_ptr<Input> crowd_below(std::int64_t top, std::int64_t crowd) {
  auto input = std::make_shared<Input>(Input{Counts(size, crowd), Counts(size, crowd + 1)});
  for (std::size_t i = 0; i < 4; ++i) {
    input->one[1000 * i + 7] = input->other[1000 * i + 7] = top;
  }
  return input;
}

/// Half of the crowd has one unit more: one group becomes two, and unlisted ids become listed.
std::shared_ptr<Input> split_crowd(std::int64_t top, std::int64_t crowd) {
  auto input = crowd_below(top, crowd);
  for (std::size_t i = 0; i < size; i += 2) {
    input->other[i] = input->one[i];
  }
  return input;
}

class Study {
 public:
  explicit Study(std::size_t scale) : scale_(scale) {}

  /// One release, in both modes. `release(candidates, constant, noise)` returns how many answers
  /// were above.
  template <class Release>
  void add(const std::string& mechanism, const std::string& shape, const std::string& name,
           const std::shared_ptr<Input>& input, const Release& release,
           std::size_t rounds = 20'000) {
    for (const bool constant : {false, true}) {
      const auto noise = std::make_shared<SecureNoise>();
      pairs_.push_back({mechanism + ", " + shape, constant ? "constant work" : "default", name,
                        rounds, [=](bool second) { input->make(shape, second); },
                        [=] { return release(*input->candidates, constant, *noise); }});
    }
  }
  /// Any other pair.
  void add(Pair pair) { pairs_.push_back(std::move(pair)); }

  [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }
  [[nodiscard]] std::size_t rounds(const Pair& pair) const { return pair.rounds * scale_ / 100; }

 private:
  std::size_t scale_;
  std::vector<Pair> pairs_;
};

void add_selections(Study& study) {
  const auto top = [](const Candidates& candidates, bool constant, SecureNoise& noise) {
    keep(top_k(candidates, {.k = 1, .epsilon = "1"_eps, .constant_work = constant}, noise));
    return std::size_t{0};
  };
  const auto hybrid = [](Prefer prefer) {
    return [=](const Candidates& candidates, bool constant, SecureNoise& noise) {
      return top_k_above(candidates,
                         {.k = 1,
                          .epsilon = "1"_eps,
                          .threshold = 40,
                          .prefer = prefer,
                          .constant_work = constant},
                         noise)
          .winners.size();
    };
  };
  study.add("top_k", "list", "crowd 6 or 5 below the top", crowd_below(20, 14), top);
  study.add("top_k", "groups", "one group, or two", split_crowd(20, 12), top, 10'000);
  study.add("top_k", "universe", "ids listed, or not", split_crowd(20, 0), top, 10'000);
  study.add("hybrid, identity first", "list", "crowd 6 or 5 below the top", crowd_below(20, 14),
            hybrid(Prefer::identity));
  study.add("hybrid, estimates first", "list", "crowd 6 or 5 below the top", crowd_below(20, 14),
            hybrid(Prefer::estimates));
  study.add("hybrid, identity first", "groups", "one group, or two", split_crowd(20, 12),
            hybrid(Prefer::identity), 10'000);
  study.add("hybrid, identity first", "universe", "ids listed, or not", split_crowd(20, 0),
            hybrid(Prefer::identity), 10'000);
  study.add("hybrid, estimates first", "groups", "one group, or two", split_crowd(20, 12),
            hybrid(Prefer::estimates), 10'000);
  study.add("hybrid, estimates first", "universe", "ids listed, or not", split_crowd(20, 0),
            hybrid(Prefer::estimates), 10'000);
  const auto choose = [](const Candidates& candidates, bool constant, SecureNoise& noise) {
    keep(exponential(candidates, {.epsilon = "1"_eps, .constant_work = constant}, noise));
    return std::size_t{0};
  };
  study.add("choose", "list", "crowd 701 or 700 below the top", crowd_below(1000, 299), choose,
            2'000);
  study.add("choose", "groups", "one group, or two", split_crowd(1000, 299), choose, 2'000);
  study.add("choose", "universe", "ids listed, or not", split_crowd(1000, 0), choose, 2'000);
  const auto measured = [](std::vector<Item> items) {
    return [items = std::move(items)](const Candidates& candidates, bool constant,
                                      SecureNoise& noise) {
      keep(measure(candidates, items, {.epsilon = "1"_eps, .constant_work = constant}, noise));
      return std::size_t{0};
    };
  };
  const auto four = measured({{0, 0}, {1, 0}, {2, 0}, {3, 0}});
  const auto four_of_the_top = measured({{0, 0}, {0, 1}, {0, 2}, {0, 3}});
  study.add("measure", "list", "one unit more", crowd_below(20, 14), four);
  study.add("measure", "groups", "one group, or two", split_crowd(20, 12), four_of_the_top);
  study.add("measure", "universe", "ids listed, or not", split_crowd(20, 0), four);
}

void add_sparse_vectors(Study& study) {
  const auto options = [](bool constant) {
    return SparseVectorOptions{
        .k = 1, .epsilon = "2"_eps, .threshold = 40, .constant_work = constant};
  };
  const auto list = [=](const Candidates& candidates, bool constant, SecureNoise& noise) {
    const SparseVectorRelease release = sparse_vector(candidates, options(constant), noise);
    return static_cast<std::size_t>(release.cost.spent > release.threshold_epsilon);
  };
  const auto above = [=](const Candidates& candidates, bool constant, SecureNoise& noise) {
    return sparse_vector_above(candidates, options(constant), noise).answers.size();
  };
  study.add("sparse_vector", "list", "crowd 10 or 9 below", crowd_below(30, 30), list, 10'000);
  study.add("sparse_vector_above", "list", "crowd 10 or 9 below", crowd_below(30, 30), above,
            10'000);
  study.add("sparse_vector_above", "universe", "ids listed, or not", split_crowd(30, 0), above,
            10'000);
}

/// Options of a sparse vector that is asked a million times and does not end.
SparseVectorOptions long_lived(bool constant) {
  return {.k = 100'000, .epsilon = "1000"_eps, .threshold = 20'000, .constant_work = constant};
}

/// The smallest answer that is not far from the threshold, for the noise of a seed.
std::int64_t far_cutoff(std::uint64_t seed) {
  InsecureSeededNoise noise(seed);
  using State = detail::SparseVectorState<InsecureSeededNoise>;
  State state(
      plan_sparse_vector({Kind::counts, Neighbours::add_remove, 1}, long_lived(false), true),
      State::usual_sizes, noise);
  state.ask(-1'000'000, 0, 0, 0);
  std::int64_t low = -1'000'000;  // far
  std::int64_t high = 20'000;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (state.skips_whole(middle, 1) ? low : high) = middle;
  }
  return high;
}

/// An online sparse vector, asked the same question sixteen times: answers below cost nothing.
void add_online(Study& study) {
  constexpr std::uint64_t seed = 5;
  using Vector = SparseVector<InsecureSeededNoise>;
  const std::int64_t cutoff = far_cutoff(seed);
  const auto add = [&](const std::string& name, std::int64_t one, std::int64_t other) {
    for (const bool constant : {false, true}) {
      const auto noise = std::make_shared<InsecureSeededNoise>(seed);
      const auto vector = std::make_shared<Vector>(Queries{Kind::counts, Neighbours::add_remove, 1},
                                                   long_lived(constant), *noise);
      const auto asked = std::make_shared<std::int64_t>(0);
      study.add({"sparse_vector, online", constant ? "constant work" : "default", name, 100'000,
                 [=](bool second) { *asked = second ? other : one; },
                 [=] {
                   static_cast<void>(noise);  // outlives the vector
                   std::size_t above = 0;
                   for (int i = 0; i < 16; ++i) {
                     above += static_cast<std::size_t>(vector->ask(*asked).above);
                   }
                   return above;
                 }});
    }
  };
  add("at the cutoff, or one less", cutoff, cutoff - 1);
  add("near, or far", cutoff + 200, 0);
}

/// The method itself: a leak that was put in, and equal inputs.
void add_checks(Study& study) {
  const auto input = crowd_below(20, 14);
  const auto same = crowd_below(20, 14);
  same->other = same->one;
  study.add({"early exit at the secret", "must differ", "place 2000 or 2050", 20'000,
             [=](bool second) {
               input->counts.assign(size, 0);
               input->counts[second ? 2050 : 2000] = 1;
             },
             [=] {
               std::int64_t steps = 0;
               while (input->counts[static_cast<std::size_t>(steps)] == 0) {
                 ++steps;
                 keep(steps);
               }
               return std::size_t{0};
             }});
  const auto noise = std::make_shared<SecureNoise>();
  study.add({"top_k, list", "must not differ", "the same input twice", 20'000,
             [=](bool second) { same->make("list", second); },
             [=] {
               keep(top_k(*same->candidates, {.k = 1, .epsilon = "1"_eps}, *noise));
               return std::size_t{0};
             }});
}

void print(const Row& row) {
  std::printf("%-30s %-16s %-30s %8zu %11.0f %11.0f %9.1f  %s\n", row.pair->mechanism.c_str(),
              row.pair->mode.c_str(), row.pair->name.c_str(), row.rounds, row.one, row.other, row.t,
              row.differs() ? "differs" : "no difference seen");
  std::fflush(stdout);
}

void write_json(const std::string& path, const std::vector<Row>& rows) {
  std::ofstream file(path);
  file << "{\"method\": \"dudect\", \"least_t\": " << least_t
       << ", \"false_alarm_per_row\": " << false_alarm << ", \"rows\": [";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    file << (i == 0 ? "\n" : ",\n") << "  {\"mechanism\": \"" << row.pair->mechanism
         << "\", \"mode\": \"" << row.pair->mode << "\", \"pair\": \"" << row.pair->name
         << "\", \"n\": " << row.rounds << ", \"median_ns\": [" << row.one << ", " << row.other
         << "], \"t\": " << row.t << ", \"differs\": " << (row.differs() ? "true" : "false") << "}";
  }
  file << "\n]}\n";
}

int run(std::size_t scale, const std::string& json, const std::string& only) {
  Study study(scale);
  add_checks(study);
  add_selections(study);
  add_sparse_vectors(study);
  add_online(study);
  std::printf("%-30s %-16s %-30s %8s %11s %11s %9s  verdict: |t| > %g, by chance %g per row\n",
              "mechanism", "mode", "pair", "n", "median ns", "median ns", "t", least_t,
              false_alarm);
  std::vector<Row> rows;
  bool sound = true;
  for (const Pair& pair : study.pairs()) {
    if ((pair.mechanism + " " + pair.mode + " " + pair.name).find(only) == std::string::npos) {
      continue;
    }
    rows.push_back(measure_pair(pair, study.rounds(pair)));
    print(rows.back());
    sound = sound && (pair.mode != "must differ" || rows.back().differs()) &&
            (pair.mode != "must not differ" || !rows.back().differs());
  }
  if (!json.empty()) {
    write_json(json, rows);
  }
  if (!sound) {
    std::printf("The method FAILED its own check: do not trust this table.\n");
  } else if (only.empty()) {
    std::printf(
        "The method finds the leak that was put in, and does not tell equal inputs apart.\n");
  }
  return sound ? 0 : 1;
}

}  // namespace
}  // namespace freegap::studies

int main(int argc, char** argv) {
  std::size_t scale = 100;
  std::string json;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--rounds") == 0) {
      scale = std::stoul(argv[i + 1]);
    } else if (std::strcmp(argv[i], "--json") == 0) {
      json = argv[i + 1];
    } else if (std::strcmp(argv[i], "--only") == 0) {
      only = argv[i + 1];
    }
  }
  if (argc % 2 == 0 || scale == 0) {
    std::fprintf(stderr, "timing_study [--rounds PERCENT] [--json FILE] [--only TEXT]\n");
    return 2;
  }
  return freegap::studies::run(scale, json, only);
}

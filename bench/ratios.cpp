// How fast the mechanisms are, as ratios of times measured in turn: against scans that keep nothing
// private, against naive versions, against themselves. Prints one JSON object a line, for
// bench/ratios.py, which adds the peers, prints the table and draws the figures.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "freegap/freegap.hpp"
#include "in_turn.hpp"
#include "plain_scan.hpp"
#include "shapes.hpp"

namespace {

using namespace freegap;
using bench::Clock;
using bench::Effort;
using bench::keep;
using bench::Times;
using bench::Work;
using shapes::Shape;

constexpr std::size_t ks[] = {10, 100};
constexpr const char* epsilons[] = {"0.7", "0.01"};

// ---- What is printed

struct Bar {
  bool at_most;
  double value;
};
constexpr Bar at_most(double value) { return {true, value}; }
constexpr Bar at_least(double value) { return {false, value}; }

class Report {
 public:
  Report(bool quick, std::string only) : quick_(quick), only_(std::move(only)) {}

  [[nodiscard]] bool quick() const { return quick_; }
  /// The stated size, or one that takes no time.
  [[nodiscard]] std::size_t size(std::size_t full) const { return quick_ ? full / 1'000 : full; }
  [[nodiscard]] Effort effort(double seconds, std::size_t least_rounds = 7) const {
    return quick_ ? Effort{0, 1, 1} : Effort{seconds, least_rounds, 300};
  }
  /// Whether rows whose names begin like this were asked for.
  [[nodiscard]] bool wants(const std::string& name) const {
    const std::size_t common = std::min(name.size(), only_.size());
    return name.compare(0, common, only_, 0, common) == 0;
  }

  /// Seconds are those of what is measured and of what it is held against.
  void row(const std::string& name, double ratio, std::optional<Bar> bar, const Times& ours,
           const Times& theirs, const std::string& note = "") const {
    if (!wants(name)) {
      return;
    }
    std::cout << R"({"name": ")" << name << R"(", "ratio": )" << ratio;
    if (bar) {
      std::cout << R"(, "bar": )" << bar->value << R"(, "bound": ")"
                << (bar->at_most ? "at most" : "at least") << '"';
    }
    std::cout << R"(, "ours": )" << bench::median(ours) << R"(, "theirs": )"
              << bench::median(theirs) << R"(, "note": ")" << note << "\"}" << std::endl;
  }
  void point(const std::string& figure, const std::string& series, double x,
             const Times& times) const {
    std::cout << R"({"figure": ")" << figure << R"(", "series": ")" << series << R"(", "x": )" << x
              << R"(, "seconds": )" << bench::median(times) << "}" << std::endl;
  }

 private:
  bool quick_;
  std::string only_;
};

/// 100000000 as "1e8".
std::string power(std::size_t n) {
  std::size_t digits = 0;
  for (; n % 10 == 0; n /= 10) {
    ++digits;
  }
  return std::to_string(n) + "e" + std::to_string(digits);
}

// ---- What is measured

template <class T>
Candidates counting(std::span<const T> counts) {
  return Candidates::counting(counts, Neighbours::add_remove);
}

/// A release of the top k with fresh noise.
Work release(const Candidates& candidates, const TopKOptions& options, SecureNoise& noise) {
  return [&candidates, options, &noise] { keep(top_k(candidates, options, noise)); };
}

template <class T>
Work plain_top_k(std::span<const T> values, std::size_t k, plain::Design design,
                 unsigned threads = 1) {
  return [=] { keep(plain::top_k(values, k, design, threads)); };
}

/// The fastest design for these values.
template <class T>
Work best_plain_top_k(std::span<const T> values, std::size_t k) {
  const std::vector<Work> designs = {plain_top_k(values, k, plain::Design::values),
                                     plain_top_k(values, k, plain::Design::blocks),
                                     plain_top_k(values, k, plain::Design::slow_blocks)};
  const auto times = bench::in_turn(designs, {0.2, 5, 100});
  const auto best = std::min_element(times.begin(), times.end(), [](const auto& a, const auto& b) {
    return bench::median(a) < bench::median(b);
  });
  return designs[static_cast<std::size_t>(best - times.begin())];
}

/// Noise for everyone, the usual way.
class NaiveTopK {
 public:
  void run(std::span<const std::int64_t> counts, std::size_t k, double epsilon) {
    std::exponential_distribution<double> distribution(epsilon / static_cast<double>(k));
    noisy_.resize(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      noisy_[i] = {static_cast<double>(counts[i]) + distribution(generator_), i};
    }
    const auto end = noisy_.begin() + static_cast<std::ptrdiff_t>(k + 1);
    std::partial_sort(noisy_.begin(), end, noisy_.end(), std::greater<>());
    keep(noisy_);
  }

 private:
  std::mt19937_64 generator_{1};
  std::vector<std::pair<double, std::size_t>> noisy_;
};

// ---- Rows

std::optional<Bar> bar_for(std::size_t full_n, const shapes::Named& shape, std::size_t k) {
  if (shape.kind == shapes::Kind::hopeless) {
    return std::nullopt;
  }
  // Each large answer keeps the scan from skipping its block; only the second largest answer of
  // every block would tell that it stands alone there.
  if (shape.shape == shapes::Shape::spikes) {
    return at_most(full_n >= 10'000'000 ? 2.6 : 3.3);
  }
  const bool hard = shape.kind == shapes::Kind::hard;
  if (full_n >= 10'000'000) {
    return at_most(hard ? 1.15 : 1.05);
  }
  return at_most(hard ? 1.75 : k == 10 ? 1.10 : 1.4);
}

/// Private against plain, both budgets and both distributions against one plain scan.
void top_k_rows(const Report& report, std::span<std::int64_t> memory, std::size_t full_n) {
  const std::span<std::int64_t> counts = memory.first(report.size(full_n));
  const Candidates candidates = counting<std::int64_t>(counts);
  SecureNoise noise;
  for (const shapes::Named& shape : shapes::all) {
    const std::string place = power(counts.size()) + "/" + shape.name;
    if (!report.wants("top_k/" + place) && !report.wants("top_k_laplace/" + place)) {
      continue;
    }
    shapes::fill(shape.shape, counts);
    for (const std::size_t k : ks) {
      std::vector<Work> measured = {best_plain_top_k<std::int64_t>(counts, k)};
      for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
        for (const char* epsilon : epsilons) {
          measured.push_back(
              release(candidates,
                      {.k = k, .epsilon = Epsilon::parse(epsilon), .noise = distribution}, noise));
        }
      }
      const std::vector<Times> times =
          bench::in_turn(measured, report.effort(full_n >= 100'000'000 ? 4 : 1));
      for (std::size_t i = 1; i < times.size(); ++i) {
        const bool laplace = i > 2;
        report.row((laplace ? "top_k_laplace/" : "top_k/") + place + "/k=" + std::to_string(k) +
                       "/epsilon=" + epsilons[(i - 1) % 2],
                   bench::ratio(times[i], times[0]),
                   laplace ? std::nullopt : bar_for(full_n, shape, k), times[i], times[0]);
      }
    }
  }
}

/// The plain scan against itself: how far from 1 chance takes a ratio.
void control_row(const Report& report, std::span<std::int64_t> memory, std::size_t full_n) {
  const std::span<std::int64_t> counts = memory.first(report.size(full_n));
  const std::string name = "control/" + power(counts.size());
  if (!report.wants(name)) {
    return;
  }
  shapes::fill(Shape::zipf, counts);
  const Work scan = plain_top_k<std::int64_t>(counts, 10, plain::Design::blocks);
  const std::vector<Times> times = bench::in_turn({scan, scan}, report.effort(2));
  report.row(name, bench::ratio(times[1], times[0]), std::nullopt, times[1], times[0]);
}

void naive_rows(const Report& report, std::span<std::int64_t> memory) {
  const std::span<std::int64_t> counts = memory.first(report.size(100'000'000));
  const Candidates candidates = counting<std::int64_t>(counts);
  SecureNoise noise;
  NaiveTopK naive;
  for (const shapes::Named& shape : shapes::all) {
    const std::string name = std::string("naive/") + shape.name;
    if (!report.wants(name)) {
      continue;
    }
    shapes::fill(shape.shape, counts);
    const std::vector<Times> times =
        bench::in_turn({release(candidates, {.k = 10, .epsilon = "0.7"_eps}, noise),
                        [&] { naive.run(counts, 10, 0.7); }},
                       report.effort(5, 1));
    report.row(name, bench::ratio(times[1], times[0]), at_least(30), times[0], times[1]);
  }
}

/// One release from groups of equal counts.
void group_row(const Report& report) {
  const std::string name = "groups/zipf";
  if (!report.wants(name)) {
    return;
  }
  std::vector<std::int64_t> counts(41'270);
  shapes::fill<std::int64_t>(Shape::zipf, counts);
  const Groups groups(counts);
  const Candidates candidates = groups.candidates(Neighbours::add_remove);
  SecureNoise noise;
  NaiveTopK naive;
  const std::vector<Times> times =
      bench::in_turn({release(candidates, {.k = 10, .epsilon = "0.7"_eps}, noise),
                      [&] { naive.run(counts, 10, 0.7); }},
                     report.effort(1));
  report.row(name, bench::ratio(times[1], times[0]), at_least(25), times[0], times[1],
             "20 us wanted");
}

/// A thousand listed ids in the smallest and in the largest universe.
void universe_row(const Report& report) {
  const std::string name = "universe/2^63";
  if (!report.wants(name)) {
    return;
  }
  std::vector<std::int64_t> ids(1'000);
  std::vector<std::int64_t> counts(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<std::int64_t>(i);
  }
  shapes::fill<std::int64_t>(Shape::zipf, counts);
  const auto up_to = [&](std::int64_t last) {
    return Candidates::universe({0, last}, ids, counts, Neighbours::add_remove);
  };
  const Candidates small = up_to(1'023);
  const Candidates large = up_to(INT64_MAX);
  SecureNoise noise;
  const TopKOptions options{.k = 10, .epsilon = "0.7"_eps};
  const std::vector<Times> times = bench::in_turn(
      {release(large, options, noise), release(small, options, noise)}, report.effort(1));
  report.row(name, bench::ratio(times[0], times[1]), at_most(1.5), times[0], times[1]);
}

/// Exact geometric noise into memory.
void sample_row(const Report& report) {
  if (!report.wants("samples")) {
    return;
  }
  std::vector<std::int64_t> samples(report.size(10'000'000));
  SecureNoise noise;
  const Rate rate(Rational(1, 1024));
  std::mt19937_64 generator(1);
  std::geometric_distribution<std::int64_t> distribution(-std::expm1(-1.0 / 1024));
  SecureBits bits;
  std::vector<std::uint64_t> words(samples.size() / 2);  // 32 bits per sample
  const std::vector<Times> times = bench::in_turn(
      {[&] { noise.geometric(rate, samples); },
       [&] {
         std::generate(samples.begin(), samples.end(), [&] { return distribution(generator); });
       },
       [&] { bits.fill(words); }},
      report.effort(5, 3));
  const double rate_in_millions =
      static_cast<double>(samples.size()) / bench::median(times[0]) / 1e6;
  report.row("samples/std", bench::ratio(times[1], times[0]), std::nullopt, times[0], times[1],
             std::to_string(std::lround(rate_in_millions)) + " million/s");
  report.row("samples/bits", bench::ratio(times[0], times[2]), at_most(4), times[0], times[2]);
}

// ---- Sparse vector

/// About twenty counts lie above the threshold, far from it like the others: the scan goes on to
/// the end.
struct MostlyBelow {
  std::span<const std::int64_t> answers;
  std::int64_t threshold;

  MostlyBelow(std::span<std::int64_t> memory, std::size_t n) : answers(memory.first(n)) {
    constexpr double largest = 1e8;
    for (std::size_t i = 0; i < n; ++i) {
      memory[i] = shapes::zipf_count(i, n, largest);
    }
    threshold = static_cast<std::int64_t>(largest / std::pow(20.5, 1.1));
  }
  [[nodiscard]] SparseVectorOptions options(const char* epsilon, std::size_t branches) const {
    return {.k = 100,
            .epsilon = Epsilon::parse(epsilon),
            .threshold = threshold,
            .branches = branches,
            .asking = Asking::as_given};
  }
};

/// Over a list, plain and adaptive, against the comparison of each with the threshold.
void sparse_vector_rows(const Report& report, std::span<std::int64_t> memory) {
  if (!report.wants("sparse_vector/plain") && !report.wants("sparse_vector/adaptive")) {
    return;
  }
  const MostlyBelow queries(memory, report.size(100'000'000));
  const Candidates candidates = counting(queries.answers);
  SecureNoise noise;
  const auto find_above = [&](const SparseVectorOptions& options) -> Work {
    return
        [&candidates, options, &noise] { keep(sparse_vector_above(candidates, options, noise)); };
  };
  for (const char* epsilon : epsilons) {
    const std::vector<Times> times = bench::in_turn(
        {[&] { keep(plain::at_least(queries.answers, queries.threshold)); },
         find_above(queries.options(epsilon, 1)), find_above(queries.options(epsilon, 2))},
        report.effort(3));
    for (std::size_t i = 1; i < times.size(); ++i) {
      report.row(std::string(i == 1 ? "sparse_vector/plain" : "sparse_vector/adaptive") +
                     "/epsilon=" + epsilon,
                 bench::ratio(times[i], times[0]), at_most(1.05), times[i], times[0]);
    }
  }
}

/// One at a time, each in the hands of the caller before the next is asked.
void online_row(const Report& report, std::span<std::int64_t> memory) {
  const std::string name = "sparse_vector/online";
  if (!report.wants(name)) {
    return;
  }
  const MostlyBelow queries(memory, report.size(1'000'000));
  SecureNoise noise;
  std::vector<std::size_t> above;
  const auto ask_all = [&](auto ask) {
    above.clear();
    for (std::size_t i = 0; i < queries.answers.size(); ++i) {
      if (ask(queries.answers[i])) {
        above.push_back(i);
      }
    }
    keep(above);
  };
  const std::vector<Times> times = bench::in_turn(
      {[&] {
         SparseVector vector(counting(queries.answers).queries(), queries.options("0.7", 1), noise);
         ask_all([&](std::int64_t answer) { return vector.ask(answer).above; });
       },
       [&] { ask_all([&](std::int64_t answer) { return answer >= queries.threshold; }); }},
      report.effort(1));
  report.row(name, bench::ratio(times[0], times[1]), at_most(2.5), times[0], times[1]);
}

// ---- Options of the scan

/// Noise for every candidate, against the plain scan; and how much its time varies all the same.
void constant_work_rows(const Report& report, std::span<std::int64_t> memory) {
  if (!report.wants("constant_work")) {
    return;
  }
  const std::span<std::int64_t> counts = memory.first(report.size(1'000'000));
  const Candidates candidates = counting<std::int64_t>(counts);
  SecureNoise noise;
  const TopKOptions options{.k = 10, .epsilon = "0.7"_eps, .constant_work = true};
  std::vector<Times> private_times;
  for (const shapes::Named& shape : shapes::all) {
    shapes::fill(shape.shape, counts);
    const std::vector<Times> times = bench::in_turn(
        {release(candidates, options, noise), best_plain_top_k<std::int64_t>(counts, 10)},
        report.effort(0.5));
    report.row(std::string("constant_work/") + shape.name, bench::ratio(times[0], times[1]),
               at_most(18), times[0], times[1]);
    private_times.push_back(times[0]);
  }
  const auto [fastest, slowest] = std::minmax_element(
      private_times.begin(), private_times.end(),
      [](const Times& a, const Times& b) { return bench::median(a) < bench::median(b); });
  report.row("constant_work/variation", bench::median(*slowest) / bench::median(*fastest),
             std::nullopt, *slowest, *fastest);
}

/// What a second thread gains, over what it gains the plain scan.
void thread_row(const Report& report, std::span<std::int64_t> memory) {
  const std::string name = "threads/zipf";
  if (!report.wants(name)) {
    return;
  }
  const std::span<std::int64_t> counts = memory.first(report.size(100'000'000));
  shapes::fill(Shape::zipf, counts);
  const Candidates candidates = counting<std::int64_t>(counts);
  SecureNoise noise;
  const auto ours_on = [&](unsigned threads) {
    return release(candidates, {.k = 10, .epsilon = "0.7"_eps, .threads = threads}, noise);
  };
  const auto plain_on = [&](unsigned threads) {
    return plain_top_k<std::int64_t>(counts, 10, plain::Design::blocks, threads);
  };
  const std::vector<Times> times = bench::in_turn(
      {ours_on(1), ours_on(2), plain_on(1), plain_on(2)}, report.effort(6), Clock::wall);
  const double ours = bench::least(times[0]) / bench::least(times[1]);
  const double theirs = bench::least(times[2]) / bench::least(times[3]);
  report.row(name, ours / theirs, at_least(0.95), times[1], times[3],
             "gain " + std::to_string(ours).substr(0, 4) + ", of the plain scan " +
                 std::to_string(theirs).substr(0, 4));
}

/// Counts of 32 bits: half the memory.
void narrow_rows(const Report& report) {
  if (!report.wants("top_k_int32")) {
    return;
  }
  std::vector<std::int32_t> counts(report.size(100'000'000));
  const Candidates candidates = counting<std::int32_t>(counts);
  SecureNoise noise;
  for (const shapes::Named& shape : shapes::all) {
    shapes::fill<std::int32_t>(shape.shape, counts);
    const std::vector<Times> times =
        bench::in_turn({release(candidates, {.k = 10, .epsilon = "0.7"_eps}, noise),
                        best_plain_top_k<std::int32_t>(counts, 10)},
                       report.effort(1));
    report.row("top_k_int32/" + power(counts.size()) + "/" + shape.name,
               bench::ratio(times[0], times[1]), std::nullopt, times[0], times[1]);
  }
}

// ---- Figures

struct Setting {
  double x;
  std::size_t n;
  std::size_t k;
  const char* epsilon;
};

/// Cost along one axis: every shape, and for Zipf counts the plain scan and the naive version too.
void figure(const Report& report, std::span<std::int64_t> memory, const std::string& axis,
            const std::vector<Setting>& settings) {
  if (!report.wants("figure/" + axis)) {
    return;
  }
  SecureNoise noise;
  NaiveTopK naive;
  for (const shapes::Named& shape : shapes::all) {
    std::span<std::int64_t> counts;
    for (const Setting& setting : settings) {
      if (counts.size() != setting.n) {
        counts = memory.first(setting.n);
        shapes::fill(shape.shape, counts);
      }
      const Candidates candidates = counting<std::int64_t>(counts);
      const Epsilon epsilon = Epsilon::parse(setting.epsilon);
      // One by one: each finds in the cache what fits.
      const auto add = [&](const std::string& name, const Work& work) {
        report.point(axis, name, setting.x, bench::in_turn({work}, report.effort(0.2, 1)).front());
      };
      add(shape.name, release(candidates, {.k = setting.k, .epsilon = epsilon}, noise));
      if (shape.shape == Shape::zipf) {
        add("plain scan", best_plain_top_k<std::int64_t>(counts, setting.k));
        add("naive C++", [&] { naive.run(counts, setting.k, epsilon.value().shown()); });
      }
    }
  }
}

void figures(const Report& report, std::span<std::int64_t> memory) {
  std::vector<Setting> by_n;
  for (std::size_t n = 1'000; n <= memory.size(); n *= 10) {
    by_n.push_back({static_cast<double>(n), n, 10, "0.7"});
  }
  figure(report, memory, "n", by_n);
  const std::size_t n = report.size(10'000'000);
  std::vector<Setting> by_k;
  for (const std::size_t k : {1U, 3U, 10U, 30U, 100U, 300U, 1'000U}) {
    by_k.push_back({static_cast<double>(k), n, k, "0.7"});
  }
  figure(report, memory, "k", by_k);
  std::vector<Setting> by_epsilon;
  for (const char* epsilon : {"0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1", "3", "10"}) {
    by_epsilon.push_back({std::stod(epsilon), n, 10, epsilon});
  }
  figure(report, memory, "epsilon", by_epsilon);
}

// ---- The program

/// Fills n counts, then makes a release for each line that is read and prints its seconds: our side
/// of a comparison with a program that is not in C++.
void serve(const std::string& shape, std::size_t n, const TopKOptions& options) {
  const auto named = std::find_if(std::begin(shapes::all), std::end(shapes::all),
                                  [&](const shapes::Named& one) { return one.name == shape; });
  std::vector<std::int64_t> counts(n);
  shapes::fill<std::int64_t>(named->shape, counts);
  const Candidates candidates = counting<std::int64_t>(counts);
  SecureNoise noise;
  const Work work = release(candidates, options, noise);
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << bench::seconds_of(work, 1, Clock::processor) << std::endl;
  }
}

/// Estimates by likelihood: a thousand winners against ten, 10,000 against a thousand, and winners
/// from a crowd against as many that stand apart.
void estimate_rows(const Report& report) {
  struct Releases {
    TopKRelease top;
    MeasureRelease direct;
  };
  SecureNoise noise;
  constexpr std::size_t apart = 1'000;  // ten scales
  const auto releases = [&](std::size_t k, std::size_t distance) {
    std::vector<std::int64_t> counts(2 * k);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] = static_cast<std::int64_t>(distance * (counts.size() - i));
    }
    const Candidates candidates = counting<std::int64_t>(counts);
    const Epsilon epsilon(Rational(static_cast<std::int64_t>(k), 100));
    TopKRelease top = top_k(candidates, {.k = k, .epsilon = epsilon}, noise);
    MeasureRelease direct = measure(candidates, top.indices(), {.epsilon = epsilon}, noise);
    return Releases{std::move(top), std::move(direct)};
  };
  Estimator estimator;
  for (const std::size_t k : {1'000U, 10'000U}) {
    const std::size_t fewer = k == 1'000U ? 10 : 1'000;
    const std::string name = "estimates/k=" + std::to_string(k);
    if (!report.wants(name)) {
      continue;
    }
    const Releases many = releases(k, apart);
    const Releases few = releases(fewer, apart);
    const std::vector<Times> times =
        bench::in_turn({[&] { keep(estimator(many.top, many.direct)); },
                        [&] { keep(estimator(few.top, few.direct)); }},
                       report.effort(1));
    report.row(
        name,
        bench::ratio(times[0], times[1]) * static_cast<double>(fewer) / static_cast<double>(k),
        at_most(1.5), times[0], times[1],
        k == 1'000U ? "per winner; 10 ms wanted, and 100 us for ten" : "per winner");
  }
  for (const std::size_t k : {10U, 1'000U}) {
    const std::string name = "estimates/crowd/k=" + std::to_string(k);
    if (!report.wants(name)) {
      continue;
    }
    const Releases equal = releases(k, 0);
    const Releases clear = releases(k, apart);
    const std::vector<Times> times =
        bench::in_turn({[&] { keep(estimator(equal.top, equal.direct)); },
                        [&] { keep(estimator(clear.top, clear.direct)); }},
                       report.effort(1));
    report.row(name, bench::ratio(times[0], times[1]), at_most(6), times[0], times[1],
               "two posteriors instead of one");
  }
}

void run(const Report& report) {
  std::vector<std::int64_t> memory(report.size(100'000'000));
  for (const std::size_t n : {100'000'000U, 10'000'000U, 1'000'000U}) {
    top_k_rows(report, memory, n);
    control_row(report, memory, n);
  }
  naive_rows(report, memory);
  sparse_vector_rows(report, memory);
  online_row(report, memory);
  thread_row(report, memory);
  narrow_rows(report);
  constant_work_rows(report, memory);
  sample_row(report);
  universe_row(report);
  group_row(report);
  estimate_rows(report);
  figures(report, memory);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 5 && arguments[0] == "--serve") {
    serve(arguments[1], std::stoul(arguments[2]),
          {.k = std::stoul(arguments[3]), .epsilon = Epsilon::parse(arguments[4])});
    return 0;
  }
  bool quick = false;
  std::string only;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick") {
      quick = true;
    } else if (arguments[i] == "--only" && i + 1 < arguments.size()) {
      only = arguments[++i];
    } else {
      std::cerr
          << "usage: ratios [--quick] [--only NAME]\n       ratios --serve SHAPE N K EPSILON\n";
      return 2;
    }
  }
  run(Report(quick, only));
}

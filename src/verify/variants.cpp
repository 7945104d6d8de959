#include "variants.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "alignments.hpp"
#include "exponential_loss.hpp"
#include "neighbour_pairs.hpp"
#include "tasks.hpp"

namespace freegap::verify {
namespace {

/// A new setting is planned after so many tapes.
constexpr std::uint64_t tapes_per_setting = 250;

template <class T, std::size_t n>
const T& any_of(const std::array<T, n>& choices, TapeSource& tapes) {
  return choices[tapes.below(n)];
}

/// The part of a setting that all mechanisms have, made up anew each time.
struct Setting {
  Queries queries;
  Distribution distribution = Distribution::exponential;
  Epsilon epsilon{Rational(1)};
  std::optional<Rational> theta;
  std::optional<Rational> tick;
  Rational threshold;
  std::uint64_t n = 1;
};

/// What a row is about.
struct Kinds {
  Kind kind;
  Distribution distribution;
};

std::string text(const Kinds& kinds) {
  const std::string distribution = kinds.distribution == Distribution::exponential ? "exponential"
                                   : kinds.distribution == Distribution::laplace   ? "Laplace"
                                                                                   : "geometric";
  return std::string(kinds.kind == Kind::counts ? "monotone" : "general") + ", " + distribution;
}

Setting random_setting(const Kinds& kinds, TapeSource& tapes) {
  static const std::array<Rational, 6> epsilons{Rational(1, 10), Rational(1, 3), Rational(7, 10),
                                                Rational(1),     Rational(5, 2), Rational(12)};
  static const std::array<Rational, 4> sensitivities{1, 1, 3, Rational(5, 2)};
  static const std::array<Rational, 3> ticks{1, Rational(1, 4), 2};
  static const std::array<Rational, 3> shares{Rational(1, 2), Rational(1, 5), Rational(9, 10)};
  static const std::array<Rational, 4> thresholds{0, 5, -700, Rational(123, 10)};
  Setting setting;
  setting.queries = {kinds.kind, Neighbours::add_remove, any_of(sensitivities, tapes)};
  setting.distribution = kinds.distribution;
  setting.epsilon = Epsilon(any_of(epsilons, tapes));
  if (tapes.below(2) == 0) {
    setting.theta = any_of(shares, tapes);
  }
  if (tapes.below(3) == 0) {
    setting.tick = any_of(ticks, tapes);
  }
  setting.threshold = any_of(thresholds, tapes);
  setting.n = 1 + tapes.below(8);
  return setting;
}

/// Candidates that fit a setting: plans look at how many there are, never at their answers.
Candidates some_candidates(const Setting& setting, const Answers& answers) {
  const std::span<const std::int64_t> view(answers);
  const Queries& q = setting.queries;
  return q.kind == Kind::counts ? Candidates::counting(view, q.neighbours, q.sensitivity)
                                : Candidates::general(view, q.sensitivity, q.neighbours);
}

/// A random order of n candidates and a threshold.
PlaceOrder random_order(std::uint64_t n, TapeSource& tapes) {
  std::vector<std::int64_t> places(n + 1);
  std::iota(places.begin(), places.end(), 0);
  for (std::size_t i = places.size(); i > 1; --i) {
    std::swap(places[i - 1], places[tapes.below(i)]);
  }
  return PlaceOrder(std::move(places));
}

/// A mechanism with a setting, ready to be checked.
template <class Release>
struct Prepared {
  Subject<Release> subject;
  PairShape pairs;
};

/// A sparse vector. Stop rules, limits and cuts are made up with the setting.
struct SparseVectorVariant {
  bool gaps = true;
  std::size_t branches = 1;

  Prepared<Answered> operator()(const Setting& setting, TapeSource& tapes) const {
    std::optional<std::uint64_t> stop_after;
    if (tapes.below(4) == 0) {
      stop_after = 1 + tapes.below(3);
    }
    const SparseVectorOptions options{
        .k = 1 + tapes.below(setting.n),
        .epsilon = setting.epsilon,
        .threshold = setting.threshold,
        .noise = setting.distribution,
        .branches = branches,
        .theta = setting.theta,
        .sigma = Rational(tapes.below(3)),
        .stop_rule = tapes.below(2) == 0 ? StopRule::afford : StopRule::paper,
        .stop_after = stop_after,
        .gaps = gaps,
        .tick = setting.tick};
    const SparseVectorPlan plan = plan_sparse_vector(setting.queries, options, true);
    return {subject_of(plan),
            {setting.n, plan.grid.sensitivity_ticks(), plan.queries.monotone(),
             plan.blank.threshold.used_ticks}};
  }
};

/// How many of the candidates a top-k selects.
enum class Winners : std::uint8_t { one, some, all };

/// A top-k selection.
struct TopKVariant {
  Winners winners = Winners::some;
  bool gaps = true;

  Prepared<TopKRelease> operator()(Setting setting, TapeSource& tapes) const {
    if (winners != Winners::all) {
      setting.n = std::max<std::uint64_t>(setting.n, 2);
    }
    const std::uint64_t k = winners == Winners::one   ? 1
                            : winners == Winners::all ? setting.n
                                                      : 1 + tapes.below(setting.n - 1);
    const Answers zeros(setting.n);
    const TopKPlan plan =
        plan_top_k(some_candidates(setting, zeros), {.k = k,
                                                     .epsilon = setting.epsilon,
                                                     .noise = setting.distribution,
                                                     .gaps = gaps,
                                                     .tick = setting.tick});
    return {subject_of(plan, random_order(setting.n, tapes)),
            {setting.n, plan.grid.sensitivity_ticks(), plan.queries.monotone(), 0}};
  }
};

/// A hybrid.
struct HybridVariant {
  Prefer prefer = Prefer::identity;

  Prepared<HybridRelease> operator()(const Setting& setting, TapeSource& tapes) const {
    const Answers zeros(setting.n);
    const HybridPlan plan =
        plan_hybrid(some_candidates(setting, zeros),
                    {.k = 1 + tapes.below(setting.n),
                     .epsilon = setting.epsilon,
                     .threshold = setting.threshold,
                     .prefer = prefer,
                     .noise = setting.distribution,
                     .theta = prefer == Prefer::identity ? std::nullopt : setting.theta,
                     .tick = setting.tick});
    return {subject_of(plan, random_order(setting.n, tapes)),
            {setting.n, plan.grid.sensitivity_ticks(), plan.blank.queries.monotone(),
             plan.blank.threshold.used_ticks}};
  }
};

/// A measurement. Its answers are whole numbers, not ticks: flooring is part of what is checked.
struct MeasureVariant {
  bool fine = true;

  Prepared<MeasureRelease> operator()(const Setting& setting, TapeSource&) const {
    MeasureOptions options{setting.epsilon};
    if (!fine) {
      options.tick = 1;
    }
    return {
        subject_of(setting.queries, setting.n, options),
        {setting.n, setting.queries.sensitivity.floor().get_si(), setting.queries.monotone(), 0}};
  }
};

/// Checks `replays` tapes of a variant.
template <class Variant>
AlignmentReport check(const Variant& variant, const Kinds& kinds, std::uint64_t replays,
                      std::uint64_t seed) {
  TapeSource tapes(seed);
  AlignmentReport report;
  while (report.replays < replays && !report.counterexample) {
    const auto prepared = variant(random_setting(kinds, tapes), tapes);
    const std::uint64_t until = std::min(replays, report.replays + tapes_per_setting);
    while (report.replays < until) {
      check_tape(prepared.subject, random_pair(prepared.pairs, tapes), tapes, report);
    }
  }
  return report;
}

/// The rows still to be filled.
class Tasks {
 public:
  explicit Tasks(const SuiteOptions& options) : options_(options) {}

  /// A variant for general and monotone queries and all distributions.
  template <class Variant>
  void add(const std::string& mechanism, const std::string& name, const Variant& variant) {
    for (const Kind kind : {Kind::general, Kind::counts}) {
      for (const Distribution distribution :
           {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
        add(mechanism, name, variant, Kinds{kind, distribution});
      }
    }
  }
  /// A variant for one kind of queries and one distribution.
  template <class Variant>
  void add(const std::string& mechanism, const std::string& name, const Variant& variant,
           const Kinds& kinds) {
    tasks_.push_back([=, replays = options_.replays, seed = next_seed()] {
      const AlignmentReport report = check(variant, kinds, replays, seed);
      Row row{mechanism, name + ", " + text(kinds), report.replays, {}, {}, {}, {}};
      row.alignment = report.worst_share.shown();
      row.problem = report.counterexample ? report.counterexample->str() : "";
      return row;
    });
  }
  /// The exponential mechanism, in closed form.
  void add_exponential(bool monotone) {
    tasks_.emplace_back([=, pairs = options_.replays, seed = next_seed()] {
      const ExponentialLoss loss = exponential_loss(monotone, pairs, seed);
      Row row{"exponential", monotone ? "monotone" : "general", loss.pairs, {}, {}, {}, {}};
      row.alignment = loss.worst_share;
      row.problem = loss.problem;
      return row;
    });
  }

  [[nodiscard]] std::vector<Row> run() const { return run_tasks(tasks_, options_); }

 private:
  /// One for each row, so that rows do not depend on each other or on the number of threads.
  [[nodiscard]] std::uint64_t next_seed() const { return options_.seed * 1000 + tasks_.size(); }

  SuiteOptions options_;
  std::vector<RowTask> tasks_;
};

void add_measurements(Tasks& tasks) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    tasks.add("measurement", "fine tick", MeasureVariant{true}, {kind, Distribution::laplace});
    tasks.add("measurement", "whole numbers", MeasureVariant{false}, {kind, Distribution::laplace});
  }
}

void add_sparse_vectors(Tasks& tasks) {
  tasks.add("sparse vector", "classic", SparseVectorVariant{.gaps = false});
  tasks.add("sparse vector", "with gap", SparseVectorVariant{});
  for (const std::size_t branches : {2U, 3U, 4U}) {
    tasks.add("sparse vector", std::to_string(branches) + " branches",
              SparseVectorVariant{.branches = branches});
  }
}

void add_selections(Tasks& tasks) {
  tasks.add("top-k", "noisy max", TopKVariant{Winners::one});
  tasks.add("top-k", "k winners", TopKVariant{Winners::some});
  tasks.add("top-k", "all win", TopKVariant{Winners::all});
  tasks.add("top-k", "classic", TopKVariant{Winners::some, false});
  tasks.add("hybrid", "identity first", HybridVariant{Prefer::identity});
  tasks.add("hybrid", "estimates first", HybridVariant{Prefer::estimates});
}

}  // namespace

std::vector<Row> check_alignments(const SuiteOptions& options) {
  Tasks tasks(options);
  add_measurements(tasks);
  add_sparse_vectors(tasks);
  add_selections(tasks);
  for (const bool monotone : {false, true}) {
    tasks.add_exponential(monotone);
  }
  return tasks.run();
}

}  // namespace freegap::verify

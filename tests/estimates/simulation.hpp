// Runs of the real mechanisms on known data: selection, measurement of the winners, and their true
// answers. Plans are computed once, so a run costs little more than its noise. Shared by the tests
// and the studies.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "experiments/repeated_measure.hpp"
#include "freegap/detail/mechanisms/noisy_top_m.hpp"
#include "freegap/hybrid.hpp"
#include "freegap/measure.hpp"
#include "freegap/noise.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/top_k.hpp"

namespace freegap::testing {

/// Data: answers relative to the threshold, with multiplicities.
struct Shape {
  std::string name;
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> multiplicities;

  /// The number of candidates.
  [[nodiscard]] std::int64_t size() const {
    std::int64_t sum = 0;
    for (const std::int64_t many : multiplicities) {
      sum += many;
    }
    return sum;
  }
};

/// A shape whose candidates are listed one by one.
inline Shape listed(std::string name, std::vector<std::int64_t> values) {
  std::vector<std::int64_t> ones(values.size(), 1);
  return {std::move(name), std::move(values), std::move(ones)};
}

/// The mechanism that selects.
enum class Selection : std::uint8_t { top_k, sparse_vector, identity_first, estimates_first };

/// A mechanism with its public parameters, and the data it runs on.
struct Setting {
  Selection selection = Selection::top_k;
  Distribution distribution = Distribution::exponential;
  std::uint64_t k = 1;
  Shape shape;
  Rational selecting = 1;  ///< budget
  Rational measuring = 1;  ///< budget, for all winners together
  Kind kind = Kind::counts;
  std::size_t branches = 1;
  std::optional<Rational> tick = std::nullopt;
  std::optional<Rational> theta = std::nullopt;
  std::optional<std::uint64_t> stop_after = std::nullopt;

  [[nodiscard]] Queries queries() const { return {kind, Neighbours::add_remove, 1}; }
};

/// The budget of a top-k or hybrid with noise of this scale, or of measuring k answers (c = 1).
inline Rational budget_for(std::uint64_t k, std::int64_t scale, int c = 1) {
  return Rational(c) * Rational(k) / Rational(scale);
}

/// The threshold of all simulations. Shapes are relative to it.
inline constexpr std::int64_t simulated_threshold = 1'000'000;

/// The true answers behind a run.
class Truth {
 public:
  explicit Truth(const Setting& setting) : dense_(setting.selection == Selection::sparse_vector) {
    for (std::size_t g = 0; g < setting.shape.values.size(); ++g) {
      const std::int64_t value = simulated_threshold + setting.shape.values[g];
      values_.push_back(value);
      list_.insert(list_.end(),
                   dense_ ? static_cast<std::size_t>(setting.shape.multiplicities[g]) : 0, value);
    }
  }
  [[nodiscard]] std::int64_t of(const Item& item) const {
    return (dense_ ? list_ : values_)[static_cast<std::size_t>(item.id)];
  }
  [[nodiscard]] const std::vector<std::int64_t>& values() const { return values_; }
  [[nodiscard]] const std::vector<std::int64_t>& list() const { return list_; }

 private:
  bool dense_;
  std::vector<std::int64_t> values_;  // by group
  std::vector<std::int64_t> list_;    // by query
};

inline const std::vector<Item>& winners_of(const TopKRelease& release) { return release.winners; }
inline const std::vector<Item>& winners_of(const HybridRelease& release) { return release.winners; }
inline std::vector<Item> winners_of(const SparseVectorRelease& release) {
  std::vector<Item> items;
  for (const SparseVectorAnswer& answer : release.answers) {
    if (answer.above) {
      items.push_back(answer.item);
    }
  }
  return items;
}

/// Makes many runs. Calls `visit(release, direct, answers)` for each: `direct()` measures the
/// winners, and `answers` are their true answers.
template <class Visit>
void simulate(const Setting& setting, std::uint64_t runs, std::uint64_t seed, Visit&& visit) {
  InsecureSeededNoise noise(seed);
  const Truth truth(setting);
  const bool dense = setting.selection == Selection::sparse_vector;
  const std::vector<std::int64_t> ones(truth.list().size(), 1);
  const Candidates candidates =
      dense ? Candidates::grouped(std::span(truth.list()), ones, setting.queries())
            : Candidates::grouped(std::span(truth.values()), setting.shape.multiplicities,
                                  setting.queries());
  experiments::RepeatedMeasure measurer(candidates);
  std::vector<double> answers;
  const auto show = [&](const auto& release) {
    const std::vector<Item>& winners = winners_of(release);
    answers.clear();
    for (const Item& item : winners) {
      answers.push_back(static_cast<double>(truth.of(item)));
    }
    const auto direct = [&]() -> const MeasureRelease& {
      return measurer.measure(winners, setting.measuring, noise);
    };
    // A visitor may accept the release of one mechanism only.
    if constexpr (std::is_invocable_v<Visit&, decltype(release), decltype(direct)&,
                                      std::span<const double>>) {
      visit(release, direct, std::span<const double>(answers));
    } else {
      throw std::logic_error("the visitor does not take this mechanism's release");
    }
  };

  if (dense) {
    const SparseVectorPlan plan = plan_sparse_vector(setting.queries(),
                                                     {.k = setting.k,
                                                      .epsilon = Epsilon(setting.selecting),
                                                      .threshold = simulated_threshold,
                                                      .noise = setting.distribution,
                                                      .branches = setting.branches,
                                                      .theta = setting.theta,
                                                      .stop_after = setting.stop_after,
                                                      .tick = setting.tick},
                                                     true);
    std::vector<std::int64_t> ticks;
    for (const std::int64_t value : truth.list()) {
      ticks.push_back(plan.grid.floor_ticks(value));
    }
    for (std::uint64_t run = 0; run < runs; ++run) {
      SparseVector<InsecureSeededNoise> vector(plan, noise);
      for (std::size_t i = 0; i < ticks.size() && vector.open(); ++i) {
        vector.ask_ticks(ticks[i], Item{static_cast<std::int64_t>(i), 0});
      }
      show(vector.release());
    }
    return;
  }
  if (setting.selection == Selection::top_k) {
    const TopKPlan plan = plan_top_k(candidates, {.k = setting.k,
                                                  .epsilon = Epsilon(setting.selecting),
                                                  .noise = setting.distribution,
                                                  .tick = setting.tick});
    const detail::CandidatesOnGrid shape(candidates, plan.grid);
    for (std::uint64_t run = 0; run < runs; ++run) {
      detail::RandomOrder order(noise);
      show(select_top_k(shape, plan, noise, order));
    }
    return;
  }
  const bool identity = setting.selection == Selection::identity_first;
  const HybridPlan plan =
      plan_hybrid(candidates, {.k = setting.k,
                               .epsilon = Epsilon(setting.selecting),
                               .threshold = simulated_threshold,
                               .prefer = identity ? Prefer::identity : Prefer::estimates,
                               .noise = setting.distribution,
                               .theta = setting.theta,
                               .tick = setting.tick});
  const detail::CandidatesOnGrid shape(candidates, plan.grid);
  for (std::uint64_t run = 0; run < runs; ++run) {
    detail::RandomOrder order(noise);
    show(identity ? select_identity_first(shape, plan, noise, order)
                  : select_estimates_first(shape, plan, noise, order));
  }
}

}  // namespace freegap::testing

#pragma once

/// @file
/// The sparse vector as production runs it, on small problems: skipping queries one at a time,
/// scanning a list, and the public functions themselves. Its output distribution is compared with
/// the reference, which draws noise for every query and branch (docs/proofs/sparse_vector.md,
/// "Runs of failures" and "Scanning a list"). Distributions are power series, compared coefficient
/// by coefficient.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "freegap/sparse_vector.hpp"
#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/power_series.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "verify/mechanism_checks.hpp"
#include "verify/small_settings.hpp"
#include "verify/wrapped_noise.hpp"

namespace freegap::verify {

/// One small problem. The threshold, at 0, has one unit per tick, a branch at full price `rate`.
struct SkippingCase {
  Vector answers;                                       ///< of the queries
  Distribution distribution = Distribution::geometric;  ///< of the noise
  std::uint64_t k = 1;                                  ///< answers at full price
  std::size_t branches = 1;                             ///< 1: not adaptive
  std::int64_t rate = 1;                                ///< units per tick of the last branch
  StopRule stop_rule = StopRule::afford;                ///< when it stops
  std::uint64_t cut = 8;  ///< all coefficients up to this order are compared
  std::optional<std::uint64_t> stop_after = std::nullopt;  ///< answers above
};

/// For messages.
std::string text(const SkippingCase& c);
/// Few of each kind: enumerations grow fast.
std::vector<SkippingCase> skipping_cases();

/// As a user would ask.
SparseVectorOptions options_of(const SkippingCase& c, Asking asking);
/// The plan.
inline SparseVectorPlan plan_of(const SkippingCase& c) {
  return plan_sparse_vector({Kind::general, Neighbours::add_remove, 1},
                            options_of(c, Asking::shuffled), true);
}
/// The queries. `c` must outlive them.
inline Candidates candidates_of(const SkippingCase& c) {
  return Candidates::general(c.answers, Neighbours::add_remove, 1);
}

/// How many were asked (-1 where that is not told), the cost, and the answers above.
Vector answers_above(const SparseVectorRelease& release);
/// How many were asked, all answers in the order asked, and the cost.
Vector all_answers(const SparseVectorRelease& release);

/// The noise source that distributions are enumerated with.
using SeriesNoise = EnumeratingNoise<PowerSeries>;
/// Of what is seen.
using OutcomeDistribution = std::map<Vector, PowerSeries>;

/// A common denominator of all orders of four.
inline constexpr std::int64_t orders = 24;

/// The distribution of what `look` sees of `run(noise)`.
template <class Run>
OutcomeDistribution outcomes(const SkippingCase& c, Vector (*look)(const SparseVectorRelease&),
                             const Run& run, std::int64_t denominator = orders) {
  return distribution_of(SeriesNoise(1, PowerSeries(c.cut, denominator), c.cut),
                         [&](SeriesNoise& noise) { return look(run(noise)); });
}

/// The reference: one query after another, drawing for each.
OutcomeDistribution drawn_distribution(const SkippingCase& c, Asking asking);
/// The reference with all answers listed.
OutcomeDistribution drawn_distribution_of_all(const SkippingCase& c, Asking asking);

/// One query after another, by skips. `Wrap` stands between the mechanism and its noise.
template <class Wrap>
OutcomeDistribution online_distribution(const SkippingCase& c, const detail::SkipSizes& sizes) {
  const SparseVectorPlan plan = plan_of(c);
  return outcomes(c, answers_above, [&](SeriesNoise& noise) {
    Wrap wrapped{noise};
    SparseVector<Wrap> vector(plan, sizes, wrapped);
    for (std::size_t i = 0; i < c.answers.size() && vector.open(); ++i) {
      if (i % 2 == 0) {
        vector.ask(c.answers[i]);
      } else {
        vector.ask_ticks(c.answers[i], Item{static_cast<std::int64_t>(i), 0});
      }
    }
    return vector.release();
  });
}

/// The list at once.
template <class Wrap>
OutcomeDistribution list_distribution(const SkippingCase& c, Asking asking,
                                      const detail::AboveSizes& sizes,
                                      detail::ScanCounters& counters) {
  const SparseVectorPlan plan = plan_of(c);
  const Candidates candidates = candidates_of(c);
  return outcomes(c, answers_above, [&](SeriesNoise& noise) {
    Wrap wrapped{noise};
    return detail::scan_list(candidates, plan, asking, detail::Listing::above_only, sizes, wrapped,
                             counters);
  });
}

/// The public function that lists the answers above.
template <class Wrap>
OutcomeDistribution public_distribution(const SkippingCase& c, Asking asking) {
  const SparseVectorOptions options = options_of(c, asking);
  const Candidates candidates = candidates_of(c);
  return outcomes(c, answers_above, [&](SeriesNoise& noise) {
    Wrap wrapped{noise};
    return sparse_vector_above(candidates, options, wrapped);
  });
}

/// The public function with constant work.
OutcomeDistribution constant_work_distribution(const SkippingCase& c, Asking asking);
/// One query after another with constant work.
OutcomeDistribution constant_work_online_distribution(const SkippingCase& c);

/// The same queries as counts of the ids 0, 1, … of a universe. Those that are least count 0, so
/// they are not listed.
struct CountedIds {
  explicit CountedIds(const SkippingCase& c);
  [[nodiscard]] Candidates list() const {
    return Candidates::counting(counts, Neighbours::add_remove);
  }
  [[nodiscard]] Candidates universe() const {
    return Candidates::universe({0, static_cast<std::int64_t>(counts.size()) - 1}, ids, listed,
                                Neighbours::add_remove);
  }
  Vector counts;
  Vector ids;
  Vector listed;
  SparseVectorOptions options;
};

/// A common denominator of all places, orders and ids of a universe of four.
inline constexpr std::int64_t orders_of_ids = orders * orders * orders;

/// The reference for a universe: all ids in random order, drawing for each.
OutcomeDistribution drawn_distribution_of_ids(const SkippingCase& c, Asking asking);

/// The public function over a universe, with constant work or without.
template <class Wrap>
OutcomeDistribution universe_distribution(const SkippingCase& c, bool constant_work) {
  CountedIds counted(c);
  counted.options.constant_work = constant_work;
  const Candidates candidates = counted.universe();
  return outcomes(
      c, answers_above,
      [&](SeriesNoise& noise) {
        Wrap wrapped{noise};
        return sparse_vector_above(candidates, counted.options, wrapped);
      },
      orders_of_ids);
}

/// The public function that lists all answers.
template <class Wrap>
OutcomeDistribution public_distribution_of_all(const SkippingCase& c, Asking asking) {
  const SparseVectorOptions options = options_of(c, asking);
  const Candidates candidates = candidates_of(c);
  return outcomes(c, all_answers, [&](SeriesNoise& noise) {
    Wrap wrapped{noise};
    return sparse_vector(candidates, options, wrapped);
  });
}

/// One small setting for losses through the public functions.
struct ListSetting {
  Kind kind;                  ///< of the queries
  Distribution distribution;  ///< of the noise
  Asking asking;              ///< the order
  std::size_t branches = 1;   ///< 1: not adaptive
};

/// What the public function that lists the answers above releases, for each input.
Distributions distributions_of(const ListSetting& setting, std::uint64_t cut);
/// The same with a mistake: it says how many queries were asked where the list was asked one by one
/// because it is crowded. Whether it is crowded is secret.
Distributions telling_distributions_of(const ListSetting& setting, std::uint64_t cut);

/// Rows and bad variants of all of this.
void add_skipping_checks(MechanismChecks& checks, bool longer);

}  // namespace freegap::verify

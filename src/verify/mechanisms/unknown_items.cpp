#include "verify/mechanisms/unknown_items.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "verify/mechanism_table.hpp"
#include "verify/mechanisms/unknown_items_bad_variants.hpp"

namespace freegap::verify {
namespace {

// Settings.

/// ε and the threshold's share, so that all rates are whole units. Identity first: ε = k ticks of
/// noise. Estimates first: the threshold's ε is one tick, the answers' two.
Rational epsilon_of(const UnknownSetting& s) {
  const bool identity = s.prefer == Prefer::identity;
  const Rational ticks = identity ? Rational(s.k) * Rational(s.subticks) : Rational(3);
  return ticks * s.base / s.tick;
}
std::optional<Rational> theta_of(const UnknownSetting& s) {
  return s.prefer == Prefer::identity ? std::nullopt : std::optional(Rational(1, 3));
}

/// P(ν >= t + η), by summing over η: another way than the library's closed forms.
double chance_of_passing(const UnknownSetting& s, const HybridPlan& plan, std::int64_t t) {
  const bool both = two_sided(s.distribution);
  const double x = std::exp(-plan.noise.tick_rate().exponent().shown());
  const double y = std::exp(-plan.threshold_rate.exponent().shown());
  const auto at_least = [&](std::int64_t j) {
    if (j > 0) {
      return std::pow(x, j) / (both ? 1 + x : 1);
    }
    return both ? 1 - std::pow(x, 1 - j) / (1 + x) : 1;
  };
  double sum = 0;
  for (std::int64_t m = both ? -200 : 0; m < 200; ++m) {
    const double weight = both ? (1 - y) / (1 + y) : 1 - y;
    sum += weight * std::pow(y, std::abs(m)) * at_least(t + m);
  }
  return sum;
}

HybridPlan plan_with(const UnknownSetting& s, double delta, std::uint64_t max_items) {
  const Vector none;
  HybridPlan plan =
      plan_hybrid(Candidates::unknown(none, max_items), {.k = s.k,
                                                         .epsilon = Epsilon(epsilon_of(s)),
                                                         .delta = Delta(Rational::exactly(delta)),
                                                         .prefer = s.prefer,
                                                         .noise = s.distribution,
                                                         .theta = theta_of(s),
                                                         .tick = s.tick});
  plan.noise = detail::TickNoise(s.distribution, plan.noise.tick_rate().exponent(), s.subticks);
  return plan;
}

/// Ticks from an item of one unit to the threshold.
std::int64_t distance_of(const HybridPlan& plan) {
  const std::int64_t offset =
      plan.blank.estimates ? plan.blank.estimates->branch.offset_ticks : std::int64_t{0};
  return plan.blank.threshold.used_ticks + offset - plan.grid.floor_ticks(1);
}

// Rows.

constexpr std::array distributions{Distribution::exponential, Distribution::geometric,
                                   Distribution::laplace};

std::string variant_of(const UnknownSetting& s, const std::string& way = "") {
  const std::string noise =
      s.distribution == Distribution::laplace ? "Laplace" : freegap::name(s.distribution);
  return (s.prefer == Prefer::identity ? "identity first, " : "estimates first, ") + way + noise;
}

/// At most what the proof allows, and, so that the bound is no idle one, at least δ e^-2ε: a share
/// of e^-ε of the δ e^-ε allowed from the larger data set.
Row row_of(const UnknownCase& c, const std::string& variant, const DivergenceShare& worst) {
  Row row;
  row.mechanism = "unknown items";
  row.variant = variant;
  row.exact = worst.most;
  const double epsilon = c.plan.blank.cost.reserved.shown();
  std::ostringstream problem;
  if (worst.most > 1) {
    problem << "enumeration: the divergence is " << worst.most
            << " times what the proof allows: " << worst.where;
  } else if (worst.least < std::exp(-epsilon)) {
    problem << "enumeration: a worst case that is known to exist was not found, only "
            << worst.least << " of what is allowed";
  }
  row.problem = problem.str();
  return row;
}

RowTask plain_row(const UnknownSetting& s) {
  return [s] {
    const UnknownCase c = case_of(s);
    return row_of(c, variant_of(s), worst_share(c, unknown_pairs(c), plain_unknown));
  };
}

RowTask row_through(GridShape shape, const UnknownSetting& s) {
  return [shape, s] {
    const UnknownCase c = case_of(s);
    return row_of(c, variant_of(s, std::string(shape_name(shape)) + ", "),
                  worst_share_through(shape, c, unknown_pairs(c)));
  };
}

std::vector<RowTask> enumerations() {
  std::vector<RowTask> tasks;
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    for (const Distribution distribution : distributions) {
      const bool fine = distribution == Distribution::exponential;
      for (const std::uint64_t k : {1U, 2U}) {
        for (const std::uint64_t max_items : {1U, 2U}) {
          tasks.push_back(plain_row({.prefer = prefer,
                                     .distribution = distribution,
                                     .k = k,
                                     .max_items = max_items,
                                     .tick = fine ? Rational(1, 2) : Rational(1)}));
        }
      }
    }
    for (const GridShape shape : {GridShape::list, GridShape::groups}) {
      tasks.push_back(row_through(
          shape,
          {.prefer = prefer, .distribution = Distribution::geometric, .k = 1, .max_items = 1}));
    }
  }
  // Fractions of a tick, which decide ties first.
  tasks.push_back(plain_row(
      {.prefer = Prefer::identity, .distribution = Distribution::exponential, .subticks = 2}));
  return tasks;
}

// Bad variants.

template <class Bad>
BadVariantCheck caught_by_divergence(const Bad& bad) {
  return [bad](const SuiteOptions&) {
    const DivergenceShare worst = bad.worst();
    std::ostringstream evidence;
    evidence << "divergence " << worst.divergence << " at a δ of " << bad.delta() << ": "
             << worst.where;
    const bool caught = worst.least > 1;
    return BadRow{bad.name, false, caught, caught ? evidence.str() : ""};
  };
}

}  // namespace

UnknownCase case_of(const UnknownSetting& s) {
  const HybridPlan rates = plan_with(s, 0.5, s.max_items);
  const double epsilon = epsilon_of(s).shown();
  std::int64_t distance = 0;
  double delta = 1;
  while (delta > 0.2) {
    ++distance;
    delta = 1.01 * static_cast<double>(s.max_items) * chance_of_passing(s, rates, distance) *
            std::exp(epsilon);
  }
  HybridPlan plan = plan_with(s, delta, s.max_items);
  if (distance_of(plan) != distance) {
    throw std::logic_error("unknown items: the threshold is not the least that is safe");
  }
  const auto units_per_tick =
      static_cast<std::uint64_t>(in_units(plan.noise.tick_rate().exponent(), s.base));
  const auto epsilon_units = static_cast<std::uint64_t>(in_units(epsilon_of(s), s.base));
  // So many orders beyond an item that just passes leave less than a thousandth of its probability.
  const auto more = static_cast<std::uint64_t>(std::ceil(14 / s.base.shown()));
  const std::uint64_t cut = static_cast<std::uint64_t>(distance) * units_per_tick + more;
  return {s, std::move(plan), delta, distance, epsilon_units, cut};
}

std::vector<NeighbourPair> unknown_pairs(const UnknownCase& c) {
  const std::int64_t high = c.plan.blank.threshold.used.ceil().get_si();
  const std::uint64_t most = c.setting.max_items;
  std::vector<Vector> lists{{}, {1}, {high - 1}, {high}, {high + 2}};
  if (!two_sided(c.setting.distribution)) {
    lists.insert(lists.end(), {{1, 1}, {high, 1}, {high, high}, {high + 2, high - 1}});
  }
  std::vector<NeighbourPair> pairs;
  for (const Vector& list : lists) {
    for (const Vector& raised : all_vectors(list.size(), 0, 1)) {
      const auto rises = static_cast<std::uint64_t>(std::count(raised.begin(), raised.end(), 1));
      for (std::uint64_t fresh = 0; rises + fresh <= most; ++fresh) {
        Vector smaller = list;
        Vector larger = list;
        for (std::size_t i = 0; i < list.size(); ++i) {
          larger[i] += raised[i];
        }
        smaller.resize(list.size() + fresh, 0);
        larger.resize(list.size() + fresh, 1);
        pairs.push_back({smaller, larger});
      }
    }
  }
  return pairs;
}

void DivergenceShare::merge(const DivergenceShare& other) {
  if (other.least > least) {
    least = other.least;
    divergence = other.divergence;
  }
  if (other.most > most) {
    most = other.most;
    where = other.where;
  }
}

DivergenceShare share_of(const UnknownCase& c, const SeenDistribution& smaller,
                         const SeenDistribution& larger) {
  const double shrunk = c.delta * std::exp(-c.plan.blank.cost.reserved.shown());
  const auto share = [&](const SeenDistribution& from, const SeenDistribution& to, double allowed) {
    const Divergence found = divergence(from, to, c.setting.base, c.epsilon_units);
    return DivergenceShare{static_cast<double>(found.least) / allowed,
                           static_cast<double>(found.most) / allowed,
                           static_cast<double>(found.least)};
  };
  DivergenceShare worst = share(larger, smaller, shrunk);
  worst.merge(share(smaller, larger, c.delta));
  return worst;
}

DivergenceShare worst_share_through(GridShape shape, const UnknownCase& c,
                                    const std::vector<NeighbourPair>& pairs) {
  return worst_share_by(c, pairs, [&](const Vector& counts, std::size_t place) {
    const SmallCandidates small(Occurring(counts).counts);
    const bool groups = shape == GridShape::groups;
    const Candidates candidates =
        groups ? small.unknown_grouped(c.setting.max_items) : small.unknown(c.setting.max_items);
    const detail::CandidatesOnGrid on_grid(candidates, c.plan.grid);
    return seen_unknown(
        c, counts, place,
        [&](const UnknownCase&, const Occurring&, LossNoise& noise, NamedOrder& order) {
          return shipped_hybrid(on_grid, c.plan, noise, order);
        },
        groups ? small.grouped_names() : SmallCandidates::dense_names());
  });
}

MechanismChecks unknown_items_checks(bool) {
  MechanismChecks checks;
  checks.enumerations = enumerations();
  checks.bad_variants = {caught_by_divergence(bad::ThresholdGapReleased()),
                         caught_by_divergence(bad::OneItemPerUnitAssumed()),
                         caught_by_divergence(bad::ThresholdOneLower()),
                         caught_by_divergence(bad::CutByOtherUnits()),
                         caught_by_divergence(bad::CostCountsItems())};
  return checks;
}

}  // namespace freegap::verify

#include "freegap/measure.hpp"

#include <array>
#include <cstddef>
#include <vector>

#include "verify/alignment_rows.hpp"
#include "verify/loss_rows.hpp"
#include "verify/mechanism_table.hpp"
#include "verify/noise_shifts.hpp"
#include "verify/small_settings.hpp"

namespace freegap::verify {

/// The noisy values.
template <>
Observed observe(const MeasureRelease& release) {
  return {release.value_ticks, release.cost.spent};
}

namespace {

// Alignments.

/// A measurement of all of n answers.
Subject<MeasureRelease> subject_of(const Queries& queries, std::size_t n,
                                   const MeasureOptions& options) {
  const std::vector<Item> all = first_items(n);
  const auto candidates = [queries](const Answers& answers) {
    return candidates_of(answers, Kind::general, queries.sensitivity);
  };
  const auto run = [=](const Answers& answers, auto& noise) {
    return measure(candidates(answers), all, options, noise);
  };
  const Answers zeros(n);
  const Grid grid = plan_measure(candidates(zeros), all, options).grid;
  const auto moved = [grid](const NeighbourPair& pair, const MeasureRelease&, const Tape& tape,
                            std::int64_t sign) {
    Tape result = tape;
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i].value -=
          sign * (grid.floor_ticks(pair.second[i]) - grid.floor_ticks(pair.first[i]));
    }
    return result;
  };
  return shifted_subject<MeasureRelease>(run, moved);
}

/// Answers are whole numbers, not ticks: flooring is part of what is checked.
struct MeasureVariant {
  bool fine = true;

  AlignmentCase<MeasureRelease> operator()(const RandomSetting& setting, TapeSource&) const {
    MeasureOptions options{setting.epsilon};
    if (!fine) {
      options.tick = 1;
    }
    return {
        subject_of(setting.queries, setting.n, options),
        {setting.n, setting.queries.sensitivity.floor().get_si(), setting.queries.monotone(), 0}};
  }
};

// Losses by enumeration.

/// The shipped mechanism on n answers, all of them measured, at ε = n: a tick is one unit.
Distributions distributions_of(Kind kind, std::uint64_t cut) {
  return Distributions([kind, cut](const Vector& q) {
    const Candidates candidates = candidates_of(q, kind);
    const std::vector<Item> items = first_items(q.size());
    const MeasureOptions options{.epsilon = Epsilon(Rational(q.size())), .tick = 1};
    return seen_distribution({1, q.size(), cut}, [&](LossNoise& noise) {
      return seen_in(observe(measure(candidates, items, options, noise)), 1);
    });
  });
}

LossCheck check_of(Kind kind, std::size_t n, std::int64_t highest, std::uint64_t cut) {
  return {"measurement", variant_of("whole numbers", kind, Distribution::laplace), 1 - slack, [=] {
            Distributions distributions = distributions_of(kind, cut);
            std::vector<Vector> inputs = all_vectors(n, 0, highest);
            Vector far(n, 0);
            far.front() = 1000;
            inputs.push_back(far);
            return distributions.worst(inputs, moves_of(kind));
          }};
}

std::vector<LossCheck> losses(bool longer) {
  std::vector<LossCheck> checks;
  for (const Kind kind : {Kind::general, Kind::counts}) {
    checks.push_back(check_of(kind, 1, 3, 20));
    checks.push_back(check_of(kind, 2, 1, 14));
    if (longer) {
      checks.push_back(check_of(kind, 3, 1, 12));
    }
  }
  return checks;
}

// Bounds from samples.

/// Values at most that of D.
BlackBox measured(Kind kind, bool whole) {
  const NeighbourPair pair{{5}, {6}};
  return {"measurement",
          variant_of(whole ? "whole numbers" : "fine tick", kind, Distribution::laplace),
          sampled_epsilon.shown(), 1, [=](bool neighbour, ExactNoise& noise) {
            const std::array<Item, 1> items = {Item{0, 0}};
            MeasureOptions options{.epsilon = Epsilon(sampled_epsilon)};
            if (whole) {
              options.tick = 1;
            }
            const MeasureRelease release = measure(
                candidates_of(neighbour ? pair.second : pair.first, kind), items, options, noise);
            return cell_of(release.value(0) - 5);
          }};
}

}  // namespace

MechanismChecks measure_checks(bool longer) {
  MechanismChecks checks;
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const RowKind row{kind, Distribution::laplace};
    add_alignment(checks.alignments, "measurement", "fine tick", MeasureVariant{true}, row);
    add_alignment(checks.alignments, "measurement", "whole numbers", MeasureVariant{false}, row);
    checks.black_boxes.push_back(measured(kind, false));
    checks.black_boxes.push_back(measured(kind, true));
  }
  checks.enumerations = tasks_of(losses(longer));
  return checks;
}

}  // namespace freegap::verify

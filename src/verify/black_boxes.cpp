#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "black_box.hpp"
#include "freegap/exponential.hpp"
#include "freegap/hybrid.hpp"
#include "freegap/measure.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/top_k.hpp"

namespace freegap::verify {
namespace {

using Values = std::vector<std::int64_t>;

/// D and D'.
struct Pair {
  Values first;
  Values second;
  [[nodiscard]] const Values& side(bool neighbour) const { return neighbour ? second : first; }
};

Candidates candidates_of(const Values& values, Kind kind) {
  const std::span<const std::int64_t> answers = values;
  return kind == Kind::counts ? Candidates::counting(answers, Neighbours::add_remove)
                              : Candidates::general(answers, 1, Neighbours::add_remove);
}

std::string variant_of(const std::string& name, Kind kind, Distribution distribution) {
  const std::string distributions = distribution == Distribution::geometric ? "geometric"
                                    : distribution == Distribution::laplace ? "Laplace"
                                                                            : "exponential";
  return name + (kind == Kind::counts ? ", monotone, " : ", general, ") + distributions;
}

/// ε = 2 in most boxes: large against the error of a few hundred thousand runs.
const Rational budget = 2;

/// A number of units in steps, with one cell for all that is far out.
std::int64_t cell_of(double units, double step = 1) {
  return static_cast<std::int64_t>(std::floor(std::clamp(units, -4.0, 4.0) / step));
}

std::int64_t name_of(const Item& item) { return 1000 * (item.id + 1); }

/// The winner's rival gains one (and the winner loses one): half of all runs against e^-ε of that.
BlackBox noisy_max(Kind kind, Distribution distribution) {
  const Pair pair{{5, 5}, {kind == Kind::counts ? 5 : 4, 6}};
  return {"top-k", variant_of("noisy max", kind, distribution), budget.shown(), 1,
          [=](bool neighbour, ExactNoise& noise) {
            const TopKRelease release =
                top_k(candidates_of(pair.side(neighbour), kind),
                      {.k = 1, .epsilon = Epsilon(budget), .noise = distribution}, noise);
            return name_of(release.winners[0]) +
                   cell_of(release.noise.shown(release.lead_ticks[0]));
          }};
}

/// The same with two winners against one: a third of all runs.
BlackBox two_winners(Kind kind, Distribution distribution) {
  const std::int64_t down = kind == Kind::counts ? 5 : 4;
  const Pair pair{{5, 5, 5}, {down, down, 6}};
  return {"top-k", variant_of("k winners", kind, distribution), budget.shown(), 2,
          [=](bool neighbour, ExactNoise& noise) {
            const TopKRelease release =
                top_k(candidates_of(pair.side(neighbour), kind),
                      {.k = 2, .epsilon = Epsilon(budget), .noise = distribution}, noise);
            return release.winners[0].id + release.winners[1].id;  // tells who lost
          }};
}

/// One query must fail though it rises, which takes the threshold's noise; one must pass though it
/// falls or stays, which takes its own. The offset that centres gaps is one tick for general
/// queries, none for monotone ones. Whole-numbered noise may start from a tie.
BlackBox sparse(Kind kind, Distribution distribution) {
  const std::int64_t offset = kind == Kind::counts ? 0 : 1;
  const std::int64_t rising = distribution == Distribution::geometric ? offset - 1 : offset;
  const Pair pair{{rising, offset}, {rising + 1, kind == Kind::counts ? offset : offset - 1}};
  return {
      "sparse vector", variant_of("with gap", kind, distribution), budget.shown(), 3,
      [=](bool neighbour, ExactNoise& noise) {
        const SparseVectorRelease release = sparse_vector(candidates_of(pair.side(neighbour), kind),
                                                          {.k = 1,
                                                           .epsilon = Epsilon(budget),
                                                           .threshold = 0,
                                                           .noise = distribution,
                                                           .theta = Rational(1, 2),
                                                           .asking = Asking::as_given},
                                                          noise);
        const SparseVectorAnswer& last = release.answers.back();
        return name_of(last.item) + (last.above ? cell_of(release.shown(*last.gap_ticks)) : -500);
      }};
}

/// A candidate must beat the threshold (monotone), or a rival that lies far above it.
BlackBox identity_first(Kind kind, Distribution distribution) {
  const Pair pair = kind == Kind::counts ? Pair{{5}, {4}} : Pair{{5, 5}, {4, 6}};
  const Rational threshold = kind == Kind::counts ? 5 : -100;
  return {"hybrid", variant_of("identity first", kind, distribution), budget.shown(), 1,
          [=](bool neighbour, ExactNoise& noise) {
            const HybridRelease release = top_k_above(candidates_of(pair.side(neighbour), kind),
                                                      {.k = 1,
                                                       .epsilon = Epsilon(budget),
                                                       .threshold = threshold,
                                                       .prefer = Prefer::identity,
                                                       .noise = distribution},
                                                      noise);
            return release.winners.empty() ? 0 : name_of(release.winners[0]);
          }};
}

/// A rival must stay below the winner though it rises, and the winner at the threshold: both the
/// threshold's and the winner's noise must be raised. That is rare on a fine tick, so it is asked
/// on whole numbers alone; θ makes it as likely as it can be.
BlackBox estimates_first(Kind kind) {
  const bool counts = kind == Kind::counts;
  const Pair pair{{0, 0}, {1, counts ? 0 : -1}};
  const Rational theta = counts ? Rational(1, 2) : Rational(3, 10);
  return {"hybrid", variant_of("estimates first", kind, Distribution::geometric), budget.shown(), 4,
          [=](bool neighbour, ExactNoise& noise) {
            const HybridRelease release = top_k_above(candidates_of(pair.side(neighbour), kind),
                                                      {.k = 1,
                                                       .epsilon = Epsilon(budget),
                                                       .threshold = 0,
                                                       .prefer = Prefer::estimates,
                                                       .noise = Distribution::geometric,
                                                       .theta = theta},
                                                      noise);
            return release.winners.empty() ? 0
                                           : name_of(release.winners[0]) +
                                                 cell_of(release.noise.shown(release.gap_ticks[0]));
          }};
}

/// A large gap of the first candidate, although the others gain: e^-ε in the limit.
BlackBox choice(Kind kind) {
  const Pair pair{{5, 5}, {kind == Kind::counts ? 5 : 4, 6}};
  return {"exponential", kind == Kind::counts ? "monotone" : "general", 2 * budget.shown(), 12,
          [=](bool neighbour, ExactNoise& noise) {
            const ExponentialRelease release =
                exponential(candidates_of(pair.side(neighbour), kind),
                            {.epsilon = Epsilon(Rational(2) * budget)}, noise);
            return name_of(release.chosen) + cell_of(*release.gap(), 0.5);
          }};
}

/// Values at most that of D.
BlackBox measured(Kind kind, bool whole) {
  const Pair pair{{5}, {6}};
  return {"measurement",
          variant_of(whole ? "whole numbers" : "fine tick", kind, Distribution::laplace),
          budget.shown(), 1, [=](bool neighbour, ExactNoise& noise) {
            const std::array<Item, 1> items = {Item{0, 0}};
            MeasureOptions options{.epsilon = Epsilon(budget)};
            if (whole) {
              options.tick = 1;
            }
            const MeasureRelease release =
                measure(candidates_of(pair.side(neighbour), kind), items, options, noise);
            return cell_of(release.value(0) - 5);
          }};
}

}  // namespace

std::vector<BlackBox> black_boxes() {
  std::vector<BlackBox> boxes;
  for (const Kind kind : {Kind::general, Kind::counts}) {
    // Two-sided noise loses all of ε only in the limit, far out, where no sample reaches; the
    // enumeration does.
    for (const Distribution distribution : {Distribution::exponential, Distribution::geometric}) {
      boxes.push_back(noisy_max(kind, distribution));
      boxes.push_back(two_winners(kind, distribution));
      boxes.push_back(sparse(kind, distribution));
      boxes.push_back(identity_first(kind, distribution));
    }
    boxes.push_back(estimates_first(kind));
    boxes.push_back(choice(kind));
    boxes.push_back(measured(kind, false));
    boxes.push_back(measured(kind, true));
  }
  return boxes;
}

}  // namespace freegap::verify

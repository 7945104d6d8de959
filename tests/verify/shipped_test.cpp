// The rows about what production runs: what is left out of an enumeration is accounted for, draws
// in bulk are compared prefix by prefix, and losses through every shape are those of the reference.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/mechanisms/bulk_noise.hpp"
#include "verify/mechanisms/hybrid.hpp"
#include "verify/mechanisms/sparse_vector_skipping.hpp"
#include "verify/mechanisms/top_k.hpp"

namespace freegap::verify {
namespace {

/// What `draw` leaves out up to this order.
template <class Draw>
double left_out(std::uint64_t cut, const Draw& draw) {
  return static_cast<double>(seen_distribution(1, cut, [&](LossNoise& noise) {
                               return Seen{draw(noise), 0};
                             }).missing);
}

TEST(LeftOut, IsExactlyWhatLiesBeyondTheCut) {
  const Rate one(Rational(1));
  const double x = 1.0 / 64;
  const auto relative = [](double value, double expected) { return value / expected - 1; };
  EXPECT_NEAR(relative(left_out(3, [&](auto& noise) { return Vector{noise.geometric(one)}; }),
                       std::pow(x, 4)),
              0, 1e-12);
  EXPECT_NEAR(relative(left_out(3, [&](auto& noise) { return Vector{noise.laplace(one)}; }),
                       2 * std::pow(x, 4) / (1 + x)),
              0, 1e-12);
  // Two draws: beyond the cut together.
  EXPECT_NEAR(relative(left_out(2,
                                [&](auto& noise) {
                                  return Vector{noise.geometric(one) + noise.geometric(one)};
                                }),
                       std::pow(x, 3) * (4 - 3 * x)),
              0, 1e-12);
  // Three trials at distance 5, of which none may succeed: 1 - (1 - x^5)^3.
  EXPECT_NEAR(relative(left_out(4,
                                [&](auto& noise) {
                                  return Vector{static_cast<std::int64_t>(noise.skips(one, 5, 3))};
                                }),
                       3 * std::pow(x, 5)),
              0, 1e-8);
  EXPECT_EQ(
      left_out(9, [&](auto& noise) { return Vector{static_cast<std::int64_t>(noise.below(3))}; }),
      0);
}

TEST(BulkRows, ShippedDrawsAreSingleDraws) {
  for (const Rational& rate : {Rational(1, 1024), Rational(3, 100), Rational(5)}) {
    for (const bool two_sided : {false, true}) {
      EXPECT_EQ(
          bulk_difference(shipped_bulk_draws, Rate(rate), two_sided, Prefixes::near_boundaries),
          std::nullopt);
    }
  }
}

TEST(BulkRows, MistakesAreCaught) {
  const Rate rate(Rational(1, 100));
  const auto caught = [&](const BulkDraws& draws, bool two_sided) {
    return bulk_difference(draws, rate, two_sided, Prefixes::near_boundaries).has_value();
  };
  EXPECT_TRUE(caught(prefix_alone, false));
  EXPECT_TRUE(caught(rounded_rate, false));
  EXPECT_TRUE(caught(rounded_rate, true));
  // The last draw of a batch forgotten, a sign forgotten, everything one too large.
  EXPECT_TRUE(caught(
      [](BitStream& bits, const Rate& of, bool two_sided, std::span<std::int64_t> out) {
        shipped_bulk_draws(bits, of, two_sided, out);
        out.back() = 0;
      },
      false));
  EXPECT_TRUE(caught(
      [](BitStream& bits, const Rate& of, bool two_sided, std::span<std::int64_t> out) {
        shipped_bulk_draws(bits, of, two_sided, out);
        std::for_each(out.begin(), out.end(), [](std::int64_t& value) { value = std::abs(value); });
      },
      true));
}

/// The worst loss between the same neighbours, on the reference and through a shape.
TEST(ShapeRows, LossesThroughEveryShapeAreThoseOfTheReference) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const TopKSetting s{3, 1, kind, Distribution::geometric};
    const std::vector<Vector> inputs{{0, 1, 1}, {1, 1, 0}, {0, 0, 0}};
    const Worst reference =
        distributions_of(plan_of(s), 14, shipped_top_k).worst(inputs, moves_of(kind));
    for (const GridShape shape : shapes_of(kind)) {
      const Worst through =
          distributions_through<Sound<LossNoise>>(shape, s, 14).worst(inputs, moves_of(kind));
      EXPECT_LE(through.excess, slack) << shape_name(shape) << ": " << through.where;
      EXPECT_NEAR(through.loss, reference.loss, 1e-6) << shape_name(shape);
      EXPECT_GT(through.outcomes, 100U) << shape_name(shape);
    }
  }
}

TEST(ShapeRows, MistakesExceedTheStatedCost) {
  const auto excess = [](GridShape shape, auto wrapped) {
    const TopKSetting s{3, 1, Kind::counts, Distribution::geometric};
    return distributions_through<decltype(wrapped)>(shape, s, 10)
        .worst({{0, 1, 1}, {1, 1, 0}, {0, 0, 0}, {0, 2, 4}}, moves_of(s.kind))
        .excess;
  };
  LossNoise unused(1, IntervalAt(loss_point, 1), 1);
  for (const GridShape shape : shapes_of(Kind::counts)) {
    EXPECT_LE(excess(shape, Sound<LossNoise>{unused}), slack) << shape_name(shape);
    EXPECT_GT(excess(shape, OneForgotten<LossNoise>{unused}), 0.1) << shape_name(shape);
  }
}

TEST(ShapeRows, ListsOfQueriesLoseWhatTheySpend) {
  for (const Asking asking : {Asking::as_given, Asking::shuffled}) {
    for (const Kind kind : {Kind::general, Kind::counts}) {
      const ListSetting s{kind, Distribution::geometric, asking};
      const Worst worst = distributions_of(s, 12).worst(all_vectors(2, -1, 1), moves_of(kind));
      EXPECT_LE(worst.excess, slack) << worst.where;
      EXPECT_GT(worst.excess, -0.2) << worst.where;
      EXPECT_GT(worst.outcomes, 500U);
    }
  }
}

}  // namespace
}  // namespace freegap::verify

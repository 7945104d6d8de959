// The settings of sections (d), (e) and (f).
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "estimates/shapes.hpp"
#include "estimates/simulation.hpp"
#include "freegap/distribution.hpp"
#include "freegap/noise.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"
#include "studies/estimates/after_selection.hpp"
#include "studies/estimates/study.hpp"
#include "studies/estimates/table.hpp"

namespace freegap::studies {
namespace {

constexpr std::array all_selections{Selection::top_k, Selection::identity_first,
                                    Selection::estimates_first, Selection::sparse_vector};

/// The shapes of the tests, k = 5, noise of about 100 everywhere.
void add_known_shapes(std::vector<Case>& cases) {
  constexpr std::uint64_t k = 5;
  for (const Distribution distribution : all_distributions) {
    for (const Selection selection : all_selections) {
      const bool listed = selection == Selection::sparse_vector;
      for (const Shape& shape : testing::shapes(k, listed ? 100 : 20'000)) {
        Case one{testing::setting_for(selection, distribution, k, shape), shape.name};
        one.of_figure = true;
        cases.push_back(one);
        if (listed && distribution != Distribution::geometric) {
          one.setting.branches = 2;
          cases.push_back(one);
        }
      }
    }
  }
}

/// A shape as a list in a fixed order that has nothing to do with its values: sparse vectors ask in
/// the order of the list, and stop.
Shape stirred(const Shape& shape) {
  std::vector<std::int64_t> values;
  for (std::size_t g = 0; g < shape.values.size(); ++g) {
    values.insert(values.end(), static_cast<std::size_t>(shape.multiplicities[g]), shape.values[g]);
  }
  InsecureSeededNoise noise(1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::swap(values[i], values[i + noise.below(values.size() - i)]);
  }
  return testing::listed(shape.name, std::move(values));
}

/// Queries that are asked only if few before them passed, so that the threshold's noise was large;
/// and late ones that are asked whatever it is.
void add_late(std::vector<Case>& cases) {
  for (const Distribution distribution : all_distributions) {
    const auto add = [&](std::uint64_t k, const Shape& shape) {
      cases.push_back(
          {testing::setting_for(Selection::sparse_vector, distribution, k, shape), shape.name});
    };
    add(5, {"three large after 18 near the threshold", {0, 100, 50, 1700}, {6, 6, 6, 3}});
    add(5, {"one large after 100 below the threshold", {-100, 3000}, {100, 1}});
    add(1, {"one large after 30 below the threshold", {-100, 3000}, {30, 1}});
    add(3, {"one large after 40 below the threshold", {-100, 3000}, {40, 1}});
    for (const std::uint64_t k : {1U, 5U}) {
      const auto many = static_cast<std::int64_t>(k);
      add(k, {"large after as many far below the threshold", {-4000, 4000}, {many, many}});
    }
    for (const Rational& theta : {Rational(1, 100), Rational(1, 20)}) {
      add(3, {"two large after 40 below, θ = " + text(theta.shown()), {-100, 3000}, {40, 2}});
      cases.back().setting.theta = theta;
    }
    for (const std::uint64_t enough : {1U, 3U}) {
      add(10, {"one large after 60 below, stop after " + std::to_string(enough),
               {-100, 3000},
               {60, 1}});
      cases.back().setting.stop_after = enough;
    }
  }
}

/// Leads that are neither clear nor nil: each of 3k candidates so many scales (of 100) below the
/// one before; k of them are above the threshold.
Shape steps(std::uint64_t k, double scales) {
  Shape shape{"steps of " + text(scales) + " scales", {}, {}};
  for (std::uint64_t i = 0; i < 3 * k; ++i) {
    const double from_threshold = static_cast<double>(k) - static_cast<double>(i) - 0.5;
    shape.values.push_back(std::llround(100 * scales * from_threshold));
    shape.multiplicities.push_back(1);
  }
  return shape;
}

/// Leads that fall step by step to those of a crowd.
Shape staircase(std::int64_t crowd) {
  Shape shape{"a staircase into a crowd", {}, {}};
  for (const int scales : {20, 17, 14, 12, 10, 8, 6, 5, 4, 3, 2, 1}) {
    shape.values.push_back(100 * scales);
    shape.multiplicities.push_back(1);
  }
  shape.values.push_back(0);
  shape.multiplicities.push_back(crowd);
  return shape;
}

/// Half of the winners far ahead, the other half from a crowd.
Shape half_in_crowd(std::uint64_t k, std::int64_t crowd) {
  Shape shape{"half of the winners in a crowd", {}, {}};
  for (std::uint64_t i = 0; i < k / 2; ++i) {
    shape.values.push_back(5000 + 1000 * static_cast<std::int64_t>(i));
    shape.multiplicities.push_back(1);
  }
  shape.values.push_back(-200);
  shape.multiplicities.push_back(crowd);
  return shape;
}

/// Selection noise of scale 100, whatever the kind of queries; this share of the budget measures.
Case divided_case(Selection selection, Distribution distribution, std::uint64_t k,
                  const Shape& shape, Kind kind, const Rational& measuring_share) {
  Setting setting = testing::setting_for(
      selection, distribution, k, selection == Selection::sparse_vector ? stirred(shape) : shape);
  setting.kind = kind;
  if (kind == Kind::general) {
    setting.selecting = setting.selecting * Rational(2);
  }
  setting.measuring = setting.selecting * measuring_share / (Rational(1) - measuring_share);
  return {setting, shape.name + ", " + text(measuring_share.shown()) + " measures"};
}

void add_unclear_leads(std::vector<Case>& cases) {
  constexpr std::uint64_t k = 10;
  const Rational half(1, 2);
  for (const Selection selection : all_selections) {
    const std::int64_t crowd = selection == Selection::sparse_vector ? 100 : 5000;
    const std::vector<Shape> shapes{steps(k, 0.5), steps(k, 1),      steps(k, 2),
                                    steps(k, 4),   staircase(crowd), half_in_crowd(k, crowd)};
    const bool hybrid =
        selection == Selection::identity_first || selection == Selection::estimates_first;
    for (const Shape& shape : shapes) {
      for (const Distribution distribution : all_distributions) {
        const bool every =
            selection == Selection::top_k || (!hybrid && distribution == Distribution::exponential);
        const auto add = [&](Kind kind, const Rational& share) {
          cases.push_back(divided_case(selection, distribution, k, shape, kind, share));
        };
        if (!hybrid || distribution != Distribution::geometric) {
          add(Kind::counts, half);
        }
        if (every) {
          add(Kind::general, half);
        }
        if (every && distribution != Distribution::geometric) {
          add(Kind::counts, Rational(1, 5));
          add(Kind::counts, Rational(4, 5));
        }
      }
    }
  }
}

/// A budget of which half selects.
Case halved_case(Selection selection, Distribution distribution, std::uint64_t k,
                 const Shape& shape, const Rational& epsilon, double most_squared = 1.01) {
  Setting setting{selection, distribution, k, shape};
  setting.selecting = epsilon / Rational(2);
  setting.measuring = setting.selecting;
  return {setting, shape.name + ", ε = " + text(epsilon.shown()), most_squared};
}

/// Counts that fall like 1/rank; the threshold below the 20th.
void add_zipf(std::vector<Case>& cases) {
  constexpr std::uint64_t k = 10;
  Shape zipf = testing::zipf(2000, 10'000);
  for (std::int64_t& value : zipf.values) {
    value -= 10'000 / 20;
  }
  for (const Distribution distribution : all_distributions) {
    for (const Rational& epsilon : {Rational(1, 100), Rational(3, 100), Rational(1, 20),
                                    Rational(1, 10), Rational(3, 10), Rational(1)}) {
      for (const Selection selection : all_selections) {
        const bool listed = selection == Selection::sparse_vector;
        if (selection == Selection::top_k || distribution == Distribution::exponential) {
          cases.push_back(
              halved_case(selection, distribution, k, listed ? stirred(zipf) : zipf, epsilon));
        }
      }
    }
  }
}

/// One clear winner beside k - 1 borderline ones: a single loser is eight scales below them.
void add_borderline(std::vector<Case>& cases) {
  for (const std::uint64_t k : {10U, 24U, 100U}) {
    const auto scales = std::llround(8 * static_cast<double>(k) / 0.35);
    const Shape shape{"one clear, the others borderline",
                      {913'714, 0, -scales},
                      {1, static_cast<std::int64_t>(k) - 1, 1}};
    for (const Distribution distribution : all_distributions) {
      cases.push_back(halved_case(Selection::top_k, distribution, k, shape, Rational(7, 10)));
    }
  }
}

/// Noise that is only a few ticks wide.
void add_coarse(std::vector<Case>& cases) {
  constexpr std::uint64_t k = 10;
  for (const Selection selection : all_selections) {
    Shape shape = steps(k, 0.02);
    shape.name = "steps of 2, noise of scale 2 on ticks of 1";
    const bool listed = selection == Selection::sparse_vector;
    cases.push_back(halved_case(selection, Distribution::geometric, k,
                                listed ? stirred(shape) : shape, Rational(10)));
  }
}

/// The settings for which figures are wanted: exponential noise, half and half.
void add_wanted(std::vector<Case>& cases) {
  const Rational epsilon(7, 10);
  const auto add = [&](std::uint64_t k, const Shape& shape, double most) {
    cases.push_back(
        halved_case(Selection::top_k, Distribution::exponential, k, shape, epsilon, most));
  };
  for (const auto& [k, most] :
       {std::pair(4U, 0.50), std::pair(10U, 0.365), std::pair(24U, 0.345)}) {
    add(k, testing::separated(k), most);
    add(k, {"2,000 equal", {0}, {2000}}, 1.01);
    add(k, {"one large before 5,000 equal", {50'000, 0}, {1, 5000}}, 1.01);
    Shape half = half_in_crowd(k, 5000);
    half.name = "half large before 5,000 equal";
    add(k, half, 1.01);
  }
}

/// The paper's data.
void add_t40(std::vector<Case>& cases, std::span<const std::int64_t> counts) {
  if (counts.empty()) {
    return;
  }
  std::vector<std::int64_t> values;
  for (const std::int64_t count : counts) {
    values.push_back(count - testing::simulated_threshold);
  }
  const Shape shape = testing::listed("T40I10D100K", values);
  struct Wanted {
    std::uint64_t k;
    double usual;   ///< ε = 0.7
    double scarce;  ///< ε = 0.1
    double sparse;  ///< sparse vector, ε = 0.7; at k = 4 no equivariant estimate is below 0.484
  };
  for (const Wanted& wanted :
       {Wanted{4, 0.49, 0.58, 0.50}, Wanted{10, 0.385, 0.43, 0.41}, Wanted{24, 0.35, 0.47, 0.41}}) {
    for (const Distribution distribution : all_distributions) {
      const bool judged = distribution == Distribution::exponential;
      for (const auto& [epsilon, most] :
           {std::pair(Rational(7, 10), wanted.usual), std::pair(Rational(1, 10), wanted.scarce)}) {
        cases.push_back(halved_case(Selection::top_k, distribution, wanted.k, shape, epsilon,
                                    judged ? most : 1.01));
      }
      for (const auto& [epsilon, most] :
           {std::pair(Rational(7, 10), wanted.sparse), std::pair(Rational(1, 10), 1.01)}) {
        cases.push_back(halved_case(Selection::sparse_vector, distribution, wanted.k,
                                    {"T40I10D100K", {}, {}}, epsilon, judged ? most : 1.01));
        cases.back().drawn_threshold = true;
      }
      if (judged) {  // a wide threshold: the best share for the estimates at k = 4
        cases.push_back(halved_case(Selection::sparse_vector, distribution, wanted.k,
                                    {"T40I10D100K, θ = 0.1", {}, {}}, Rational(7, 10)));
        cases.back().drawn_threshold = true;
        cases.back().setting.theta = Rational(1, 10);
      }
    }
  }
}

}  // namespace

std::vector<Task> section_def(Study& study) {
  std::vector<Case> cases;
  add_known_shapes(cases);
  add_late(cases);
  add_unclear_leads(cases);
  add_zipf(cases);
  add_borderline(cases);
  add_coarse(cases);
  add_wanted(cases);
  add_t40(cases, study.t40);
  std::vector<Task> tasks;
  for (const Case& one : cases) {
    // Where luck is in doubt, there are two posteriors.
    tasks.push_back({"(def) " + one.what(), "runs",
                     2 * cost_of(one.setting, runs_of(one.setting.k, study.runs)),
                     [=, &study] { return after_selection(one, study, study.figures); }});
  }
  return tasks;
}

}  // namespace freegap::studies

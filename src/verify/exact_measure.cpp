#include <cstddef>

#include "alignments.hpp"
#include "exact.hpp"
#include "exact_parts.hpp"
#include "freegap/measure.hpp"

namespace freegap::verify {
namespace {

/// The production mechanism on n answers, all of them measured, at ε = n: a tick is one unit.
Distributions distributions_of(Kind kind, std::uint64_t cut) {
  return Distributions([kind, cut](const Vector& q) {
    const std::span<const std::int64_t> answers = q;
    const Candidates candidates = kind == Kind::counts
                                      ? Candidates::counting(answers, Neighbours::add_remove)
                                      : Candidates::general(answers, 1, Neighbours::add_remove);
    std::vector<Item> items;
    for (std::size_t i = 0; i < q.size(); ++i) {
      items.push_back({static_cast<std::int64_t>(i), 0});
    }
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

}  // namespace

std::vector<LossCheck> measure_losses(bool longer) {
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

}  // namespace freegap::verify

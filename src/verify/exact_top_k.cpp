#include <algorithm>
#include <cstddef>
#include <numeric>

#include "alignments.hpp"
#include "exact.hpp"
#include "exact_parts.hpp"
#include "freegap/top_k.hpp"
#include "freegap/verify/plain.hpp"

namespace freegap::verify {
namespace {

/// One setting. At ε = c k, a unit of loss is a fraction of a tick of noise.
struct Setting {
  std::size_t n;
  std::uint64_t k;
  Kind kind;
  Distribution distribution;
  bool gaps = true;
  std::int64_t subticks = 1;
};

TopKPlan plan_of(const Setting& s) {
  const std::vector<std::int64_t> answers(s.n, 0);
  const Queries queries{s.kind, Neighbours::add_remove, 1};
  const std::vector<std::int64_t> each(s.n, 1);
  TopKPlan plan =
      plan_top_k(Candidates::grouped(std::span<const std::int64_t>(answers), each, queries),
                 {.k = s.k,
                  .epsilon = Epsilon(Rational(factor_of(s.kind)) * Rational(s.k)),
                  .noise = s.distribution,
                  .gaps = s.gaps,
                  .tick = 1});
  // Few fractions of a tick, so that everything can be walked.
  plan.noise = TickNoise(s.distribution, plan.noise.tick_rate().exponent(), s.subticks);
  return plan;
}

/// Ties go to the lower number; every other order is a renaming of the candidates. Loss depends on
/// differences of answers alone, so the smallest is moved to 0.
Distributions distributions_of(const Setting& s, std::uint64_t cut) {
  std::vector<std::int64_t> places(s.n + 1);
  std::iota(places.begin(), places.end(), 0);
  return Distributions([plan = plan_of(s), order = PlaceOrder(places), cut](const Vector& q) {
    Vector moved = q;
    const std::int64_t least = *std::min_element(q.begin(), q.end());
    std::for_each(moved.begin(), moved.end(), [&](std::int64_t& value) { value -= least; });
    const PlainShape shape(moved);
    const Rational base = plan.noise.rate().exponent();
    return seen_distribution({base, draws_of(plan.noise, q.size()), cut}, [&](LossNoise& noise) {
      PlaceOrder ties = order;
      return seen_in(observe(select_top_k(shape, plan, noise, ties)), base);
    });
  });
}

/// All small inputs, and inputs with some candidates far above the others.
std::vector<Vector> inputs(std::size_t n, std::int64_t highest, std::int64_t far) {
  std::vector<Vector> result = all_vectors(n, 0, highest);
  for (std::size_t i = 1; i < n; ++i) {
    Vector ahead(n, 0);
    std::fill_n(ahead.begin(), i, far);
    result.push_back(ahead);
    std::reverse(ahead.begin(), ahead.end());
    result.push_back(ahead);
  }
  return result;
}

std::string name_of(const Setting& s) {
  if (!s.gaps) {
    return "classic";
  }
  return s.k == s.n ? "all win" : s.k == 1 ? "noisy max" : "k winners";
}

struct Walk {
  std::int64_t highest;
  std::int64_t far;
  std::uint64_t cut;
};

LossCheck check_of(const Setting& s, const Walk& walk, double at_least) {
  return {"top-k", variant_of(name_of(s), s.kind, s.distribution), at_least, [s, walk] {
            return distributions_of(s, walk.cut)
                .worst(inputs(s.n, walk.highest, walk.far), moves_of(s.kind));
          }};
}

/// Two winners far below two losers; the winners move down while the losers move up.
LossCheck two_of_four_two_sided(Kind kind) {
  const Setting s{4, 2, kind, Distribution::laplace};
  return {"top-k", variant_of(name_of(s), kind, s.distribution), 0.97, [s] {
            Distributions distributions = distributions_of(s, 18);
            const std::int64_t to = 3 + factor_of(s.kind);
            return worst_both_ways(distributions, {0, 0, 3, 3}, {0, 0, to, to});
          }};
}

}  // namespace

std::vector<LossCheck> top_k_losses(bool longer) {
  constexpr double tight = 1 - slack;
  std::vector<LossCheck> checks;
  for (const Kind kind : {Kind::general, Kind::counts}) {
    const Distribution one = Distribution::geometric;
    const Distribution two = Distribution::laplace;
    checks.push_back(check_of({2, 1, kind, one}, {3, 8, 24}, tight));
    checks.push_back(check_of({3, 1, kind, one}, {2, 6, 18}, tight));
    checks.push_back(check_of({3, 2, kind, one}, {2, 6, 18}, tight));
    checks.push_back(check_of({4, 2, kind, one}, {1, longer ? 5 : 3, longer ? 18U : 14U}, tight));
    // Where all win there is no last gap, and less is spent.
    checks.push_back(check_of({2, 2, kind, one}, {3, 8, 24}, tight));
    checks.push_back(check_of({3, 3, kind, one}, {2, 5, 16}, tight));
    checks.push_back(check_of({3, 1, kind, one, false}, {2, 6, 18}, tight));
    checks.push_back(check_of({3, 2, kind, one, false}, {2, 6, 18}, tight));
    checks.push_back(check_of({2, 1, kind, one, true, 2}, {1, 4, 17}, tight));

    checks.push_back(check_of({2, 1, kind, two}, {3, 8, 24}, 0.97));
    checks.push_back(check_of({3, 1, kind, two}, {2, 5, 15}, 0.97));
    // Two-sided noise may also move the losers, so where they are fewer than k, they decide.
    checks.push_back(check_of({3, 2, kind, two}, {longer ? 2 : 1, 4, longer ? 15U : 12U}, 0.48));
    checks.push_back(check_of({2, 2, kind, two}, {3, 8, 20}, 0.97));
    checks.push_back(check_of({3, 1, kind, two, false}, {1, 5, 14}, 0.97));
    checks.push_back(check_of({2, 1, kind, two, true, 2}, {1, 4, 15}, 0.97));
    checks.push_back(two_of_four_two_sided(kind));
    if (longer) {
      checks.push_back(check_of({4, 1, kind, one}, {2, 5, 18}, tight));
      checks.push_back(check_of({4, 3, kind, one}, {1, 5, 18}, tight));
      checks.push_back(check_of({3, 1, kind, one, true, 2}, {1, 3, 18}, 0.97));
      checks.push_back(check_of({3, 1, kind, two, true, 2}, {1, 2, 15}, 0.9));
    }
  }
  return checks;
}

}  // namespace freegap::verify

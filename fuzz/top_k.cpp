// Top-k with any options on any candidates.

#include "freegap/top_k.hpp"

#include "fuzz/mechanism.hpp"

namespace {

using namespace freegap;
using namespace freegap::fuzz;

void check_release(const TopKRelease& release, const TopKOptions& options,
                   const Candidates& candidates) {
  const Rational& epsilon = options.epsilon.value();
  const bool all_win = options.k == candidates.size();
  require_cost(release.cost, epsilon);
  require(release.cost.spent * Rational(options.k) ==
              epsilon * Rational(all_win ? options.k - 1 : options.k),
          "the cost is exact");
  require(release.winners.size() == options.k, "k candidates win");
  require_winners(release.winners, candidates);
  require(release.lead_ticks.size() == (options.gaps ? options.k : 0), "leads as asked for");
  require_falling(release.lead_ticks);
  require(release.has_runner_up == !all_win, "there is a runner-up unless all win");
  require(release.candidates == candidates.size(), "the number of candidates is right");
  const Queries& queries = release.queries;
  require(release.noise.scale * epsilon == Rational(queries.noise_factor()) * Rational(options.k) *
                                               grid_sensitivity(queries, release.noise.tick),
          "the scale is c k Δ / ε");
  require_tick(options.tick, release.noise.tick, queries, release.noise.scale, options.noise);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz_selection(
      data, size,
      [](Input& input) {
        return TopKOptions{.k = input.number(),
                           .epsilon = input.epsilon(),
                           .noise = input.distribution(),
                           .gaps = input.flag(),
                           .tick = input.maybe_rational()};
      },
      [](const Candidates& candidates, const TopKOptions& options, ExactNoise& noise) {
        return top_k(candidates, options, noise);
      },
      check_release);
}

// Both hybrids with any options on any candidates.

#include "freegap/hybrid.hpp"

#include "fuzz/mechanism.hpp"

namespace {

using namespace freegap;
using namespace freegap::fuzz;

void check_identity_first(const HybridRelease& release, const HybridOptions& options) {
  const Rational& epsilon = options.epsilon.value();
  const Queries& queries = release.queries;
  const Rational c(queries.noise_factor());
  const bool reached = release.gap_to == GapTo::threshold;
  require(reached ? release.winners.size() < options.k : release.winners.size() == options.k,
          "k win, or the threshold comes before");
  const bool listed = !options.delta;
  require(release.threshold_gap_ticks.has_value() == (reached && listed) && !release.estimates,
          "the threshold's lead comes with the threshold, of listed candidates");
  require(release.threshold_gap_ticks.value_or(0) >= 0, "the threshold's lead is not negative");
  require(
      !listed || release.cost.spent * c * Rational(options.k) ==
                     (c * Rational(release.winners.size()) + Rational(reached ? 1 : 0)) * epsilon,
      "c for each winner and 1 for the threshold, of c k");
  require(release.noise.scale * epsilon ==
              c * Rational(options.k) * grid_sensitivity(queries, release.noise.tick),
          "the scale is c k Δ / ε");
  require(release.threshold_noise.scale == release.noise.scale, "the threshold is a candidate");
}

void check_estimates_first(const HybridRelease& release, const HybridOptions& options) {
  const Rational& epsilon = options.epsilon.value();
  require(release.gap_to == GapTo::threshold && release.estimates && !release.threshold_gap_ticks,
          "all gaps are over the threshold");
  const HybridRelease::Estimates& e = *release.estimates;
  const Rational sensitivity = grid_sensitivity(release.queries, release.noise.tick);
  require(e.threshold_epsilon == e.theta * epsilon, "the threshold's ε is its share");
  require(e.branch.epsilon * Rational(options.k) == epsilon - e.threshold_epsilon,
          "k answers share the rest");
  require(options.delta ||
              release.cost.spent ==
                  e.threshold_epsilon + Rational(release.winners.size()) * e.branch.epsilon,
          "the cost is the sum of its parts");
  require(release.noise.scale * e.branch.epsilon ==
              Rational(release.queries.noise_factor()) * sensitivity,
          "the scale is c Δ / ε");
  require(release.threshold_noise.scale * e.threshold_epsilon == sensitivity,
          "the threshold's scale is Δ / ε");
}

/// The threshold is on a tick and not below what was asked for. What the release states, threshold
/// included, is the same where nothing occurs.
void require_safe_threshold(const HybridRelease& release, const HybridOptions& options) {
  const Threshold& threshold = release.threshold;
  require(threshold.asked == options.threshold, "the threshold is reported as asked for");
  require(threshold.used == Rational(threshold.used_ticks) * release.noise.tick,
          "thresholds are whole ticks");
  require(threshold.used >= options.threshold || threshold.used_ticks == Grid::limit_ticks,
          "the threshold is not lowered");
  const std::vector<std::int64_t> none;
  const HybridPlan empty =
      plan_hybrid(Candidates::unknown(none, *release.queries.max_items), options);
  require(empty.blank.threshold.used_ticks == threshold.used_ticks &&
              empty.blank.noise.scale == release.noise.scale,
          "the parameters do not depend on the items");
}

void check_release(const HybridRelease& release, const HybridOptions& options,
                   const Candidates& candidates) {
  require_cost(release.cost, options.epsilon.value());
  require(release.k == options.k && release.winners.size() <= options.k, "at most k win");
  require_winners(release.winners, candidates);
  require(release.gap_ticks.size() == release.winners.size(), "one gap per winner");
  require_falling(release.gap_ticks);
  if (options.delta) {
    require(candidates.unknown_items(), "listed candidates need no δ");
    require(release.cost.spent == release.cost.reserved, "with a δ nothing comes back");
    require(release.cost.delta == options.delta->value(), "the δ is stated");
    require_safe_threshold(release, options);
  } else {
    require(!candidates.unknown_items() && release.cost.delta == Rational(0), "pure ε has no δ");
    require_threshold(release.threshold, options.threshold, release.noise.tick);
  }
  require_tick(options.tick, release.noise.tick, release.queries, release.noise.scale,
               options.noise);
  if (options.prefer == Prefer::identity) {
    check_identity_first(release, options);
  } else {
    check_estimates_first(release, options);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz_selection(
      data, size,
      [](Input& input) {
        return HybridOptions{
            .k = input.number(),
            .epsilon = input.epsilon(),
            .threshold = input.rational(),
            .delta = input.flag() ? std::optional(Delta(input.rational())) : std::nullopt,
            .prefer = input.flag() ? Prefer::identity : Prefer::estimates,
            .noise = input.distribution(),
            .theta = input.maybe_rational(),
            .tick = input.maybe_rational()};
      },
      [](const Candidates& candidates, const HybridOptions& options, ExactNoise& noise) {
        return top_k_above(candidates, options, noise);
      },
      check_release,
      [](Input& input, const HybridOptions& options) {
        return options.delta ? input.unknown_items(12) : input.candidates(12);
      });
}

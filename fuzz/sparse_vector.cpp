// Sparse vector with any options, on a list and query by query.

#include "freegap/sparse_vector.hpp"

#include "fuzz/mechanism.hpp"

namespace {

using namespace freegap;
using namespace freegap::fuzz;

SparseVectorOptions options_from(Input& input) {
  return {.k = input.number(),
          .epsilon = input.epsilon(),
          .threshold = input.rational(),
          .noise = input.distribution(),
          .branches = static_cast<std::size_t>(input.flag() ? 1 : input.number()),
          .theta = input.maybe_rational(),
          .sigma = input.flag() ? Rational(2) : input.rational(),
          .stop_rule = input.flag() ? StopRule::afford : StopRule::paper,
          .stop_after = input.flag() ? std::optional(input.number()) : std::nullopt,
          .gaps = input.flag(),
          .tick = input.maybe_rational(),
          .asking = input.flag() ? Asking::shuffled : Asking::as_given};
}

void check_plan(const SparseVectorRelease& release, const SparseVectorOptions& options) {
  const Rational& epsilon = options.epsilon.value();
  const Rational sensitivity = grid_sensitivity(release.queries, release.tick);
  const Rational answer_epsilon = (Rational(1) - release.theta) * epsilon / Rational(options.k);
  require(release.theta.sign() > 0 && release.theta < Rational(1), "0 < theta < 1");
  require(!options.theta || release.theta == *options.theta, "a chosen theta is taken");
  require(release.threshold_epsilon == release.theta * epsilon, "the threshold's ε is its share");
  require(release.threshold_scale * release.threshold_epsilon == sensitivity,
          "the threshold's noise has scale Δ / ε");
  require(release.branches.size() == options.branches, "branches as asked for");
  for (std::size_t b = 0; b < release.branches.size(); ++b) {
    const Branch& branch = release.branches[b];
    require(branch.epsilon * Rational(options.branches - b) == answer_epsilon,
            "branch b of m costs 1 / (m + 1 - b) of the full price");
    require(branch.scale * branch.epsilon == Rational(release.queries.noise_factor()) * sensitivity,
            "a branch's noise has scale c Δ / ε");
    require(branch.cut_ticks >= 0, "branches are passed by gaps that are not negative");
  }
  require_threshold(release.threshold, options.threshold, release.tick);
  require_tick(options.tick, release.tick, release.queries, release.threshold_scale,
               release.distribution);
}

void check(const SparseVectorRelease& release, const SparseVectorOptions& options) {
  require_cost(release.cost, options.epsilon.value());
  check_plan(release, options);
  Rational spent = release.asked == 0U ? Rational(0) : release.threshold_epsilon;
  for (const SparseVectorAnswer& answer : release.answers) {
    require(answer.above == (answer.branch > 0), "what passes, passes a branch");
    require(answer.branch <= release.branches.size(), "branches exist");
    require(answer.gap_ticks.has_value() == (answer.above && options.gaps),
            "gaps of passing answers, as asked for");
    require(!answer.gap_ticks || *answer.gap_ticks >= release.branches[answer.branch - 1].cut_ticks,
            "what passes is beyond the cut");
    spent = spent + release.spent(answer);
  }
  require(release.cost.spent == spent, "the cost is the sum of its parts");
  require(!options.stop_after || release.above() <= *options.stop_after, "it stops when told to");
  require(options.branches > 1 || release.above() <= options.k, "plain: at most k pass");
}

void ask_a_list(Input& input, const SparseVectorOptions& options) {
  testing::ScriptedBits bits = input.bits();
  const auto owned = input.candidates(30);
  const Candidates& candidates = *owned->candidates;
  const auto release = release_of(
      bits, [&](ExactNoise& noise) { return sparse_vector(candidates, options, noise); });
  if (!release) {
    return;
  }
  check(*release, options);
  std::vector<Item> asked;
  for (const SparseVectorAnswer& answer : release->answers) {
    asked.push_back(answer.item);
  }
  require_winners(asked, candidates);
}

/// Answers that are not finite are refused one by one, and cost nothing.
void ask_one_by_one(Input& input, const SparseVectorOptions& options) {
  testing::ScriptedBits bits = input.bits();
  ExactNoise noise(bits);
  const bool whole = input.flag();
  const Queries queries{input.kind(), input.neighbours(), input.rational()};
  SparseVector<ExactNoise> vector(queries, options, whole, noise);
  require(bits.taken() == 0, "a plan draws no bits");
  for (std::size_t left = input.up_to(30); left > 0; --left) {
    const Answer answer = whole ? Answer(input.whole()) : Answer(input.real());
    const bool was_open = vector.open();
    const std::uint64_t asked = vector.asked();
    const std::size_t taken = bits.taken();
    try {
      vector.ask(answer);
      require(was_open, "only an open sparse vector answers");
      require(vector.asked() == asked + 1, "each query has one answer");
    } catch (const InvalidParameter&) {
      require(was_open && bits.taken() == taken, "misuse is noticed before any bit is drawn");
    } catch (const Exhausted&) {
      require(!was_open && bits.taken() == taken, "it is exhausted when no longer open");
    } catch (const MachineFault&) {
      return;
    }
    check(vector.release(), options);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  try {
    const SparseVectorOptions options = options_from(input);
    if (input.flag()) {
      ask_a_list(input, options);
    } else {
      ask_one_by_one(input, options);
    }
  } catch (const InvalidParameter&) {  // options or candidates that are not valid
  }
  return 0;
}

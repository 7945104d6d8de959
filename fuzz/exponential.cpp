// The exponential mechanism with any options on any candidates, with its own sampler or another.

#include "freegap/exponential.hpp"

#include "fuzz/mechanism.hpp"

namespace {

using namespace freegap;
using namespace freegap::fuzz;

void check(const ExponentialRelease& release, const ExponentialOptions& options,
           const Candidates& candidates) {
  const Rational& epsilon = options.epsilon.value();
  require_cost(release.cost, epsilon);
  require(release.cost.spent == epsilon, "it spends its budget");
  require(candidates.contains(release.chosen), "the choice is a candidate");
  require(release.gap_ticks.has_value() == (options.gap && candidates.size() > 1),
          "a gap as asked for, if there is another candidate");
  require(!release.gap_ticks || *release.gap_ticks >= 0, "gaps are not negative");
  require(release.gap_tick == options.tick.value_or(Rational(1, 1024)), "the gap's tick");
  require(release.rate * Rational(release.queries.noise_factor()) *
                  grid_sensitivity(release.queries, release.tick) ==
              epsilon,
          "the rate is ε / (c Δ)");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  try {
    const ExponentialOptions options{
        .epsilon = input.epsilon(), .gap = input.flag(), .tick = input.maybe_rational()};
    testing::ScriptedBits bits = input.bits();
    const bool around = input.flag();
    const Item choice{input.whole(), input.number()};
    const auto owned = input.candidates(12);
    const Candidates& candidates = *owned->candidates;
    const auto release = release_of(bits, [&](ExactNoise& noise) {
      return around ? exponential_around(
                          candidates, options, [&] { return choice; }, noise)
                    : exponential(candidates, options, noise);
    });
    if (release) {
      check(*release, options, candidates);
      require(!around || release->chosen == choice, "the caller's choice is released");
    }
  } catch (const InvalidParameter&) {  // a budget or candidates that are not valid
  }
  return 0;
}

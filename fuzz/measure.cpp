// Measurements of any items of any candidates.

#include "freegap/measure.hpp"

#include "fuzz/mechanism.hpp"

namespace {

using namespace freegap;
using namespace freegap::fuzz;

void check(const MeasureRelease& release, const MeasureOptions& options,
           const std::vector<Item>& items) {
  const Rational& epsilon = options.epsilon.value();
  require_cost(release.cost, epsilon);
  require(release.cost.spent == (items.empty() ? Rational(0) : epsilon),
          "it spends its budget, on something");
  require(release.items == items && release.value_ticks.size() == items.size(),
          "one value an item");
  if (!items.empty()) {
    require(release.noise.scale * epsilon ==
                Rational(items.size()) * grid_sensitivity(release.queries, release.noise.tick),
            "the scale is t Δ / ε");
    require_tick(options.tick, release.noise.tick, release.queries, release.noise.scale,
                 Distribution::laplace);
  }
  for (const std::int64_t ticks : release.value_ticks) {
    constexpr std::int64_t most = Grid::limit_ticks + (Grid::limit_ticks >> 2);
    require(ticks > -most && ticks < most, "noise is below 2^60 ticks");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  try {
    const MeasureOptions options{.epsilon = input.epsilon(), .tick = input.maybe_rational()};
    testing::ScriptedBits bits = input.bits();
    std::vector<Item> items(input.up_to(8));
    for (Item& item : items) {
      item = {input.whole(), input.flag() ? 0 : input.number()};
    }
    const auto owned = input.candidates(12);
    const Candidates& candidates = *owned->candidates;
    const bool known = std::all_of(items.begin(), items.end(),
                                   [&](const Item& item) { return candidates.contains(item); });
    const auto release = release_of(
        bits, [&](ExactNoise& noise) { return measure(candidates, items, options, noise); });
    if (release) {
      require(known, "only candidates are measured");
      check(*release, options, items);
    }
  } catch (const InvalidParameter&) {  // a budget or candidates that are not valid
  }
  return 0;
}

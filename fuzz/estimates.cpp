// Estimates and claims from any legal release of any mechanism, with any measurements.

#include <algorithm>
#include <cmath>

#include "freegap/confidence.hpp"
#include "freegap/errors.hpp"
#include "freegap/estimate.hpp"
#include "fuzz/input.hpp"
#include "fuzz/require.hpp"

namespace {

using namespace freegap;
using namespace freegap::fuzz;

constexpr std::int64_t most_ticks = std::int64_t{1} << 62;

/// A scale or a tick: positive, and a normal double.
Rational positive(Input& input) {
  const Rational value = input.rational();
  return value.sign() > 0 ? value : Rational(1);
}

NoiseDistribution noise(Input& input) {
  return {input.distribution(), positive(input), positive(input)};
}

/// Any number of ticks below 2^62.
std::int64_t ticks(Input& input) { return std::clamp(input.whole(), -most_ticks, most_ticks); }
std::int64_t gap(Input& input) { return std::max<std::int64_t>(ticks(input), 0); }

std::vector<std::int64_t> falling_gaps(Input& input, std::size_t n) {
  std::vector<std::int64_t> gaps(n);
  for (std::int64_t& value : gaps) {
    value = gap(input);
  }
  std::sort(gaps.rbegin(), gaps.rend());
  return gaps;
}

std::vector<Item> items(std::size_t n) {
  std::vector<Item> list;
  for (std::size_t i = 0; i < n; ++i) {
    list.push_back({static_cast<std::int64_t>(i), 0});
  }
  return list;
}

Threshold threshold(Input& input, const Rational& tick) {
  const std::int64_t used = ticks(input);
  const Rational value = Rational(used) * tick;
  return {value, value, used};
}

Branch branch(Input& input, const Rational& scale) {
  return {1, scale, static_cast<std::int64_t>(input.up_to(2000)) - 1000,
          static_cast<std::int64_t>(input.up_to(2000)) - 200};
}

MeasureRelease measurements(Input& input, std::vector<Item> measured) {
  MeasureRelease direct;
  direct.noise = noise(input);
  direct.noise.distribution = Distribution::laplace;
  direct.items = std::move(measured);
  const std::int64_t centre = ticks(input) / 2;
  for (std::size_t i = 0; i < direct.items.size(); ++i) {
    direct.value_ticks.push_back(
        input.flag() ? ticks(input) : centre + static_cast<std::int64_t>(input.up_to(10'000)));
  }
  return direct;
}

void require_ordered(const std::optional<Interval>& interval) {
  require(!interval || interval->low <= interval->high, "ends are in order");
}

void check(const std::vector<Estimate>& estimates, std::size_t winners) {
  require(estimates.size() == winners, "one estimate per winner");
  for (const Estimate& e : estimates) {
    require(std::isfinite(e.value), "an estimate is finite");
    require(e.standard_error >= 0 && std::isfinite(e.standard_error), "so is its error");
    require_ordered(e.interval);
    require_ordered(e.simultaneous);
  }
}

/// One claim per winner, each of which is a number with a probability.
void check(const std::vector<Claim>& claims, std::size_t winners) {
  require(claims.size() == winners, "one claim per winner");
  for (const Claim& claim : claims) {
    require(!claim.at_least || std::isfinite(*claim.at_least), "a claim is finite");
    require(claim.p_value >= 0 && claim.p_value <= 1, "a p-value is a probability");
  }
}

/// Estimates with and without measurements.
template <class Release>
void estimate_all(Input& input, const Release& release, const std::vector<Item>& winners,
                  const EstimateOptions& options) {
  const MeasureRelease direct = measurements(input, winners);
  check(estimate(release, direct, options), winners.size());
  check(estimate(direct, options), winners.size());
  if constexpr (!std::is_same_v<Release, TopKRelease>) {
    const auto alone = estimate(release, options);
    check(alone, alone.empty() ? 0 : winners.size());
  }
}

void top_k(Input& input, const EstimateOptions& options) {
  TopKRelease release;
  release.noise = noise(input);
  release.winners = items(1 + input.up_to(30));
  release.lead_ticks = falling_gaps(input, release.winners.size());
  release.has_runner_up = input.flag();
  release.candidates = release.winners.size() + input.up_to(1'000'000);
  release.exact_answers = input.flag();
  estimate_all(input, release, release.winners, options);
  check(claims_ahead(release, options.confidence), release.winners.size());
}

void sparse_vector(Input& input, const EstimateOptions& options) {
  SparseVectorRelease release;
  release.distribution = input.distribution();
  release.tick = positive(input);
  release.threshold = threshold(input, release.tick);
  release.threshold_scale = positive(input);
  const std::size_t branches = 1 + (input.flag() ? input.up_to(15) : input.up_to(3));
  for (std::size_t b = 0; b < branches; ++b) {
    release.branches.push_back(branch(input, positive(input)));
  }
  // What can be paid for: who was asked beyond the first of them may have been asked late.
  release.threshold_epsilon = positive(input);
  release.branches.back().epsilon = positive(input);
  release.cost.reserved =
      release.threshold_epsilon +
      Rational(static_cast<std::int64_t>(input.up_to(12))) * release.branches.back().epsilon;
  if (input.flag()) {
    release.stop_after = input.up_to(12);
  }
  const bool lists_below = input.flag();
  std::vector<Item> winners;
  for (const Item& item : items(input.up_to(20))) {
    if (lists_below && input.flag()) {
      release.answers.push_back({item, false, 0, std::nullopt});
      continue;
    }
    const std::size_t passed = 1 + input.up_to(branches - 1);
    const std::int64_t over = release.branches[passed - 1].cut_ticks;
    release.answers.push_back({item, true, passed, std::min(gap(input), most_ticks - 4000) + over});
    winners.push_back(item);
  }
  if (input.flag()) {
    release.asked = release.answers.size() + (lists_below ? 0 : input.up_to(1'000'000));
  }
  estimate_all(input, release, winners, options);
  check(claims_above(release, options.confidence), winners.size());
  for (const SparseVectorAnswer& answer : release.answers) {
    require(!answer.above ||
                std::isfinite(lower_bound_before_selection(release, answer, options.confidence)),
            "a lower bound is finite");
  }
}

void hybrid(Input& input, const EstimateOptions& options) {
  HybridRelease release;
  release.noise = noise(input);
  release.threshold_noise = {release.noise.distribution, positive(input), release.noise.tick};
  release.threshold = threshold(input, release.noise.tick);
  release.winners = items(input.up_to(20));
  release.gap_ticks = falling_gaps(input, release.winners.size());
  release.k = std::max<std::uint64_t>(1, release.winners.size() + input.up_to(1));
  if (input.flag()) {
    release.estimates = {Rational(1, 2), 1, branch(input, release.noise.scale)};
    release.estimates->branch.cut_ticks = 0;
  } else {
    release.gap_to = input.flag() ? GapTo::next : GapTo::threshold;
  }
  estimate_all(input, release, release.winners, options);
  check(claims_above(release, options.confidence), release.winners.size());
}

void exponential(Input& input, const EstimateOptions& options) {
  ExponentialRelease release;
  release.tick = positive(input);
  release.rate = positive(input);
  release.gap_tick = positive(input);
  release.gap_ticks = gap(input);
  release.exact_answers = input.flag();
  check({claim_best(release, options.confidence).value()}, 1);
  const std::optional<double> lead = estimate_lead(release);
  require(!lead || std::isfinite(*lead), "a lead is finite");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  try {
    const EstimateOptions options{input.flag() ? 0.95 : input.real(),
                                  static_cast<Method>(input.up_to(2))};
    switch (input.up_to(3)) {
      case 0:
        top_k(input, options);
        break;
      case 1:
        sparse_vector(input, options);
        break;
      case 2:
        exponential(input, options);
        break;
      default:
        hybrid(input, options);
    }
  } catch (const InvalidParameter&) {  // a confidence out of range
  }
  return 0;
}

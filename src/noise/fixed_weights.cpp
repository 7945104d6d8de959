#include "noise/fixed_weights.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "freegap/detail/core/masks.hpp"

namespace freegap::detail {
namespace {

/// rate times a distance below 2^63 + 1, with a margin. The conversion to double, the one that is
/// taken off at 2^63, and two products cost at most 2^-63 + 3 * 2^-53 < 2^-50, relatively. The
/// instructions are the same for every distance: a whole number up to 2^63 - 1 is converted by one
/// of them.
DoubleEnclosure exponent(const Rate& rate, std::uint64_t distance) {
  const auto near = static_cast<double>(static_cast<std::int64_t>(distance - (distance >> 63U)));
  return {rate.lower() * near * (1 - 0x1p-50), rate.upper() * near * (1 + 0x1p-50)};
}

/// e^-y beyond 700 is taken for e^-700, which is an upper bound, and 0 where weights are counted in
/// units of 2^-60.
double decay(double y) { return exp_minus_kernel(std::min(y, 700.0)); }

constexpr double unit = 0x1p60;
// Covers the error of the kernel, 2^-49, and the rounding of the products with it.
constexpr double shrink = 1 - 0x1p-46;
constexpr double grow = 1 + 0x1p-46;

std::uint64_t distance(std::int64_t high, std::int64_t low) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

/// floor(sum * word / 2^64), for a sum below 2^127.
Distance part(Distance sum, std::uint64_t word) {
  const auto high = static_cast<std::uint64_t>(sum >> 64U);
  const auto low = static_cast<std::uint64_t>(sum);
  return Distance{high} * word + ((Distance{low} * word) >> 64U);
}

/// A sum below 2^124 as a double, up to three roundings: of both halves and of their sum.
double rounded(Distance sum) {
  constexpr unsigned half = 62;
  const auto high = static_cast<std::int64_t>(sum >> half);
  const auto low = static_cast<std::int64_t>(sum & ((Distance{1} << half) - 1));
  return static_cast<double>(high) * 0x1p62 + static_cast<double>(low);
}

}  // namespace

// Truncation of a number from 0 to 2^63 is its floor.
FixedWeights::Weight FixedWeights::weight(const Rate& rate, std::uint64_t distance) {
  const DoubleEnclosure y = exponent(rate, distance);
  return {static_cast<std::uint64_t>(static_cast<std::int64_t>(decay(y.hi) * shrink * unit)),
          static_cast<std::uint64_t>(static_cast<std::int64_t>(decay(y.lo) * grow * unit)) + 1};
}

FixedWeights::FixedWeights(const Rate& rate, std::span<const std::int64_t> ticks)
    : FixedWeights(rate, ticks, ticks.size()) {}

FixedWeights::FixedWeights(const Rate& rate, std::span<const std::int64_t> ticks,
                           std::size_t without)
    : largest_(INT64_MIN) {
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const std::int64_t value = select(mask_of(i == without), INT64_MIN, ticks[i]);
    largest_ = select(mask_of(value > largest_), value, largest_);
  }
  weights_.reserve(ticks.size());
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const std::uint64_t counts = mask_of(i != without);
    const Weight all = weight(rate, counts & distance(largest_, ticks[i]));
    weights_.push_back({counts & all.low, counts & all.high});
    low_ += weights_.back().low;
    high_ += weights_.back().high;
  }
}

// Looks at all entries, wherever the first sum above the target is. Lower ends of the sums do not
// fall, so the entries that are not surely above are the first ones.
std::optional<std::size_t> FixedWeights::choice(std::uint64_t first, double widening) const {
  const auto wider = static_cast<Distance>(widening * unit);
  const Distance below = part(low_, first);
  const Distance target_low = below - std::min(below, wider);
  const Distance target_high = part(high_, first) + (high_ >> 64U) + 2 + wider;  // of U < first + 1
  Distance low = 0;
  Distance high = 0;
  Distance high_before = 0;  // of the last entry that is not surely above
  std::uint64_t count = 0;   // entries that are not surely above
  for (const Weight& weight : weights_) {
    low += weight.low;
    high += weight.high;
    const std::uint64_t before = mask_of(low <= target_high);
    count += before & 1U;
    high_before = select(before, high, high_before);
  }
  if (count == weights_.size() || high_before > target_low) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(count);
}

DoubleEnclosure FixedWeights::sum() const {
  return {down(down(down(rounded(low_)))) / unit, up(up(up(rounded(high_)))) / unit};
}

FixedGap::FixedGap(const Rate& rate, std::span<const std::int64_t> ticks, std::size_t chosen) {
  const FixedWeights others(rate, ticks, chosen);
  const std::int64_t winner = ticks[chosen];
  leads_ = mask_of(winner > others.largest());
  distance_ = exponent(
      rate, select(leads_, distance(winner, others.largest()), distance(others.largest(), winner)));
  // Beyond 700 the lower end is 0: a factor instead of a jump.
  decay_ = {decay(distance_.hi) * shrink * static_cast<double>(distance_.hi <= 700),
            decay(distance_.lo) * grow};
  others_ = others.sum();
}

// The forms of noise.cpp, gap(): the first where the chosen one does not lead, the second where it
// does. The form that is not taken may overflow to infinity; nobody looks at it.
DoubleEnclosure FixedGap::gap(const DoubleEnclosure& u) const {
  const DoubleEnclosure one{1, 1};
  const DoubleEnclosure odds = (one - u) / u;
  const DoubleEnclosure behind = DoubleField::log(one + (one + decay_ / others_) * odds);
  const DoubleEnclosure v = others_ * decay_;
  const DoubleEnclosure ahead =
      (distance_ - DoubleField::log(others_)) + DoubleField::log(v + (one + v) * odds);
  const auto either = [&](double a, double b) {
    return std::bit_cast<double>(
        select(leads_, std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)));
  };
  return {either(ahead.lo, behind.lo), either(ahead.hi, behind.hi)};
}

}  // namespace freegap::detail

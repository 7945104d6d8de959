#include "freegap/detail/mechanisms/constant_work.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechanisms/constant_work.cpp"
#include <hwy/foreach_target.h>
// The above includes this file once for each vector target.

#include <hwy/highway.h>

#include <array>

HWY_BEFORE_NAMESPACE();
namespace freegap::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::ScalableTag<std::int64_t>;

/// The largest lane.
std::int64_t largest_lane(hn::Vec<Wide> v) {
  HWY_ALIGN std::array<std::int64_t, hn::MaxLanes(Wide())> lanes{};
  hn::Store(v, Wide(), lanes.data());
  return *std::max_element(lanes.begin(), lanes.begin() + hn::Lanes(Wide()));
}

// Two running maxima, so that a load need not wait for the one before.
std::int64_t largest_of(std::span<const std::int64_t> values) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  auto one = hn::Set(d, INT64_MIN);
  auto other = one;
  std::size_t i = 0;
  for (; i + 2 * lanes <= values.size(); i += 2 * lanes) {
    one = hn::Max(one, hn::LoadU(d, values.data() + i));
    other = hn::Max(other, hn::LoadU(d, values.data() + i + lanes));
  }
  std::int64_t result = largest_lane(hn::Max(one, other));
  for (; i < values.size(); ++i) {
    result = std::max(result, values[i]);
  }
  return result;
}

// No early exit: the running time must not depend on where the value is.
std::size_t place_among(std::int64_t value, std::span<const std::int64_t> values) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  const auto wanted = hn::Set(d, value);
  const auto step = hn::Set(d, static_cast<std::int64_t>(lanes));
  auto place = hn::Iota(d, 0);
  auto found = hn::Set(d, -1);
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    found = hn::IfThenElse(hn::Eq(hn::LoadU(d, values.data() + i), wanted), place, found);
    place = hn::Add(place, step);
  }
  std::int64_t result = largest_lane(found);
  for (; i < values.size(); ++i) {
    result = values[i] == value ? static_cast<std::int64_t>(i) : result;
  }
  return static_cast<std::size_t>(result);
}

void add_to(std::span<const std::int64_t> more, std::span<std::int64_t> values) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, values.data() + i), hn::LoadU(d, more.data() + i)), d,
               values.data() + i);
  }
  for (; i < values.size(); ++i) {
    values[i] += more[i];
  }
}

}  // namespace
}  // namespace freegap::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace freegap::detail {
namespace {
HWY_EXPORT(largest_of);
HWY_EXPORT(place_among);
HWY_EXPORT(add_to);
}  // namespace

std::int64_t largest(std::span<const std::int64_t> values) {
  return HWY_DYNAMIC_DISPATCH(largest_of)(values);
}

std::size_t place_of(std::int64_t value, std::span<const std::int64_t> values) {
  return HWY_DYNAMIC_DISPATCH(place_among)(value, values);
}

void add(std::span<const std::int64_t> more, std::span<std::int64_t> values) {
  HWY_DYNAMIC_DISPATCH(add_to)(more, values);
}

Position largest(std::span<const Position> values) {
  Position result = no_value<Position>;
  for (const Position value : values) {
    result = value > result ? value : result;
  }
  return result;
}

std::size_t place_of(Position value, std::span<const Position> values) {
  std::size_t result = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result = values[i] == value ? i : result;
  }
  return result;
}

}  // namespace freegap::detail

#endif

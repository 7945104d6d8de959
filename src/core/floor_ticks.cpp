#include "freegap/detail/core/floor_ticks.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/floor_ticks.cpp"
#include <hwy/foreach_target.h>
// The above includes this file once for each vector target.

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

HWY_BEFORE_NAMESPACE();
namespace freegap::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::ScalableTag<std::int64_t>;

hn::Vec<Wide> load(const std::int64_t* answers) { return hn::LoadU(Wide(), answers); }
hn::Vec<Wide> load(const std::int32_t* answers) {
  return hn::PromoteTo(Wide(), hn::LoadU(hn::Rebind<std::int32_t, Wide>(), answers));
}

/// answers / 2^power, which is within the limits where power > 0 and else clamped first.
template <class Whole>
std::size_t floor_whole(const Whole* answers, std::size_t size, int power, std::int64_t* ticks) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  const auto most = hn::Set(d, power <= 0 ? Grid::limit_ticks >> -power : INT64_MAX);
  const auto least = hn::Set(d, power <= 0 ? -(Grid::limit_ticks >> -power) : INT64_MIN);
  std::size_t i = 0;
  // A tick of 2^power: answers are shifted. A left shift must not overflow, so they are clamped to
  // what fits first; a right shift rounds down, also for negative numbers.
  for (; i + lanes <= size; i += lanes) {
    const auto x = hn::Min(hn::Max(load(answers + i), least), most);
    hn::StoreU(power < 0 ? hn::ShiftLeftSame(x, -power) : hn::ShiftRightSame(x, power), d,
               ticks + i);
  }
  return i;
}

std::size_t floor_int64(const std::int64_t* answers, std::size_t size, int power,
                        std::int64_t* ticks) {
  return floor_whole(answers, size, power, ticks);
}
std::size_t floor_int32(const std::int32_t* answers, std::size_t size, int power,
                        std::int64_t* ticks) {
  return floor_whole(answers, size, power, ticks);
}

/// The product with a power of two is exact, but where it is below the normal numbers: there its
/// floor is 0 or -1 by sign, and a negative one may have been rounded to zero.
std::size_t floor_real(const double* answers, std::size_t size, int power, std::int64_t* ticks) {
  const hn::ScalableTag<double> d;
  const Wide di;
  const std::size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, std::ldexp(1.0, -power));
  const auto limit = hn::Set(d, static_cast<double>(Grid::limit_ticks));
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto real = hn::LoadU(d, answers + i);
    const auto scaled = hn::Mul(real, factor);
    const auto lost = hn::And(hn::Lt(real, hn::Zero(d)), hn::Eq(scaled, hn::Zero(d)));
    const auto floor = hn::Floor(hn::Min(hn::Max(scaled, hn::Neg(limit)), limit));
    hn::StoreU(hn::ConvertTo(di, hn::IfThenElse(lost, hn::Set(d, -1), floor)), di, ticks + i);
  }
  return i;
}

}  // namespace
}  // namespace freegap::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace freegap::detail {
namespace {

HWY_EXPORT(floor_int64);
HWY_EXPORT(floor_int32);
HWY_EXPORT(floor_real);

/// p for a tick of 2^p that vectors can do, |p| <= most.
std::optional<int> power_of(const Grid& grid, int most) {
  const std::optional<int> power = grid.tick().exponent_of_two();
  return power && std::abs(*power) <= most ? power : std::nullopt;
}

/// `vectors` as far as it goes, and the rest one by one.
template <class Value, class Vectors>
void floor_all(std::span<const Value> answers, const Grid& grid, int most,
               std::span<std::int64_t> ticks, const Vectors& vectors) {
  const std::optional<int> power = power_of(grid, most);
  std::size_t i = power ? vectors(answers.data(), answers.size(), *power, ticks.data()) : 0;
  for (; i < answers.size(); ++i) {
    ticks[i] = grid.floor_ticks(answers[i]);
  }
}

/// Shifts of 64 bits, and powers of two that are normal numbers.
constexpr int most_whole = 62;
constexpr int most_real = 1000;

}  // namespace

void floor_ticks(std::span<const std::int64_t> answers, const Grid& grid,
                 std::span<std::int64_t> ticks) {
  floor_all(answers, grid, most_whole, ticks, HWY_DYNAMIC_DISPATCH(floor_int64));
}
void floor_ticks(std::span<const std::int32_t> answers, const Grid& grid,
                 std::span<std::int64_t> ticks) {
  floor_all(answers, grid, most_whole, ticks, HWY_DYNAMIC_DISPATCH(floor_int32));
}
void floor_ticks(std::span<const double> answers, const Grid& grid, std::span<std::int64_t> ticks) {
  floor_all(answers, grid, most_real, ticks, HWY_DYNAMIC_DISPATCH(floor_real));
}

// Vectors take whole lanes, so the answer is repeated: a rest would be put on the grid one by one.
std::int64_t floor_ticks_in_vectors(const Answer& answer, const Grid& grid) {
  constexpr std::size_t lanes = 8;
  std::array<std::int64_t, lanes> ticks{};
  const auto floor = [&](auto value) {
    std::array<decltype(value), lanes> repeated{};
    repeated.fill(value);
    floor_ticks(std::span<const decltype(value)>(repeated), grid, ticks);
    return ticks[0];
  };
  return answer.whole() ? floor(answer.whole_number()) : floor(answer.real_number());
}

}  // namespace freegap::detail

#endif

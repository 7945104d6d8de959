#include "freegap/ceiling.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "noise/ceiling.cpp"
#include <hwy/foreach_target.h>
// The above includes this file once for each vector target.

#include <hwy/highway.h>

#include <bit>

HWY_BEFORE_NAMESPACE();
namespace freegap::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::ScalableTag<std::int64_t>;
/// As many lanes of other types.
using Floats = hn::Rebind<float, Wide>;
using Ints = hn::Rebind<std::int32_t, Wide>;
using Beginnings = hn::Rebind<std::uint16_t, Wide>;

/// The bits of 2^16 as a float.
constexpr std::int32_t end_bits = (127 + 16) << 23;

HWY_INLINE hn::Vec<Ints> load(const std::uint16_t* bits) {
  return hn::PromoteTo(Ints(), hn::LoadU(Beginnings(), bits));
}

/// Ticks and bounds added. Between two powers of two the bits of a float grow linearly, and its
/// logarithm is above that: their distance from those of 2^16 is at least 2^23 log2(2^16 / v). It
/// is a multiple of 2^8 below 2^28, so a float holds it.
HWY_INLINE hn::Vec<Wide> raised(const std::int64_t* ticks, hn::Vec<Ints> v,
                                hn::Vec<Floats> factor) {
  const Wide d;
  const Floats df;
  const Ints di;
  const auto distance = hn::Sub(hn::Set(di, end_bits), hn::BitCast(di, hn::ConvertTo(df, v)));
  const auto bound = hn::ConvertTo(di, hn::Mul(hn::ConvertTo(df, distance), factor));
  return hn::Add(hn::LoadU(d, ticks), hn::PromoteTo(d, bound));
}

Highest highest_of(float factor, const std::int64_t* HWY_RESTRICT ticks,
                   const std::uint16_t* HWY_RESTRICT bits) {
  const Wide d;
  const Ints di;
  const std::size_t lanes = hn::Lanes(d);
  const auto factors = hn::Set(Floats(), factor);
  auto one = hn::Set(d, INT64_MIN);
  auto other = one;
  auto least = hn::Set(di, INT32_MAX);
  for (std::size_t i = 0; i < noisy_block; i += 2 * lanes) {
    const auto v = load(bits + i);
    const auto w = load(bits + i + lanes);
    one = hn::Max(one, raised(ticks + i, v, factors));
    other = hn::Max(other, raised(ticks + i + lanes, w, factors));
    least = hn::Min(least, hn::Min(v, w));
  }
  return {hn::GetLane(hn::MaxOfLanes(d, hn::Max(one, other))),
          !hn::AllFalse(di, hn::Eq(least, hn::Zero(di)))};
}

void raise_all(float factor, const std::uint16_t* HWY_RESTRICT bits, std::int64_t nothing,
               std::int64_t* HWY_RESTRICT ticks) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  const auto factors = hn::Set(Floats(), factor);
  const auto none = hn::Set(d, nothing);
  for (std::size_t i = 0; i < noisy_block; i += lanes) {
    const auto v = load(bits + i);
    const auto unbounded = hn::Eq(hn::PromoteTo(d, v), hn::Zero(d));
    hn::StoreU(hn::IfThenElse(unbounded, none, raised(ticks + i, v, factors)), d, ticks + i);
  }
}

}  // namespace
}  // namespace freegap::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace freegap::detail {
namespace {
HWY_EXPORT(highest_of);
HWY_EXPORT(raise_all);

constexpr double ln_2 = 0x1.62e42fefa39efp-1;
constexpr double least_rate = 0x1p-27;

/// The first is in the lowest bits of the first word, and at the lowest address.
const std::uint16_t* beginnings(const std::uint64_t* bits) {
  static_assert(std::endian::native == std::endian::little);
  return reinterpret_cast<const std::uint16_t*>(bits);
}
}  // namespace

// 2^-22 makes up for ln 2, rounded to double, the factor and the product, rounded to single
// precision, 2^-24 each.
Ceiling::Ceiling(const Rate& rate)
    : factor(static_cast<float>(ln_2 * (1 + 0x1p-22) / rate.lower() * 0x1p-23)) {}

bool Ceiling::covers(const Rate& rate) { return rate.lower() >= least_rate; }

Highest highest(const Ceiling& ceiling, std::span<const std::int64_t> ticks,
                const std::uint64_t* bits) {
  return HWY_DYNAMIC_DISPATCH(highest_of)(ceiling.factor, ticks.data(), beginnings(bits));
}

void raise(const Ceiling& ceiling, const std::uint64_t* bits, std::int64_t nothing,
           std::span<std::int64_t> ticks) {
  HWY_DYNAMIC_DISPATCH(raise_all)(ceiling.factor, beginnings(bits), nothing, ticks.data());
}

}  // namespace freegap::detail

#endif

#include "core/simd_scan.hpp"

#include <algorithm>
#include <bit>
#include <limits>

// This file is compiled once for each kind of vector; the best for the processor is chosen when the
// program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd_scan.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace freegap::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Four running maxima of a block: each takes every fourth vector. With one maximum each load would
/// wait for the result of the one before; four of them keep the memory ports busy.
template <class D, class V = hn::Vec<D>>
struct Quarters {
  V a;
  V b;
  V c;
  V e;
};

template <class T, class D>
Quarters<D> quarters(D d, const T* HWY_RESTRICT values, std::size_t block) {
  const std::size_t lanes = hn::Lanes(d);
  auto a = hn::LoadU(d, values);
  auto b = hn::LoadU(d, values + lanes);
  auto c = hn::LoadU(d, values + 2 * lanes);
  auto e = hn::LoadU(d, values + 3 * lanes);
  for (std::size_t i = 4 * lanes; i < block; i += 4 * lanes) {
    a = hn::Max(a, hn::LoadU(d, values + i));
    b = hn::Max(b, hn::LoadU(d, values + i + lanes));
    c = hn::Max(c, hn::LoadU(d, values + i + 2 * lanes));
    e = hn::Max(e, hn::LoadU(d, values + i + 3 * lanes));
  }
  return {a, b, c, e};
}

/// Blocks of whole vectors take the SIMD loop; other blocks, and a last one that is shorter, a
/// plain loop. The largest of a set does not depend on the order, so all targets agree.
template <class T>
void maxima_of_blocks(const T* HWY_RESTRICT values, std::size_t size, std::size_t block,
                      std::int64_t* HWY_RESTRICT maxima) {
  const hn::ScalableTag<T> d;
  std::size_t first = 0;
  // The running maxima start from the first four vectors, so a block must hold whole fours of them.
  if (block % (4 * hn::Lanes(d)) == 0) {
    for (; first + block <= size; first += block, ++maxima) {
      const auto q = quarters(d, values + first, block);
      *maxima = hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(q.a, q.b), hn::Max(q.c, q.e))));
    }
  }
  for (; first < size; first += block, ++maxima) {
    *maxima = *std::max_element(values + first, values + std::min(first + block, size));
  }
}

/// Most blocks that are looked into hold few values that reach the bound. So four vectors are
/// compared at once by their maximum, and only where it reaches the bound are their lanes looked
/// at. The mask of a vector has one bit per lane; taking its lowest bit again and again gives
/// positions in rising order.
template <class T>
std::size_t positions_at_least(const T* HWY_RESTRICT values, std::size_t size, T bound,
                               std::uint32_t* HWY_RESTRICT positions) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto bounds = hn::Set(d, bound);
  std::size_t found = 0;
  std::size_t i = 0;
  const auto positions_in_vector = [&](std::size_t first) HWY_ATTR {
    const auto found_here = hn::Not(hn::Lt(hn::LoadU(d, values + first), bounds));
    std::uint64_t bits = 0;  // one per lane
    hn::StoreMaskBits(d, found_here, reinterpret_cast<std::uint8_t*>(&bits));
    for (; bits != 0; bits &= bits - 1) {
      positions[found++] =
          static_cast<std::uint32_t>(first + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  };
  // The common case is one comparison per four vectors, and no branch taken.
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    const auto q = quarters(d, values + i, 4 * lanes);
    if (!hn::AllTrue(d, hn::Lt(hn::Max(hn::Max(q.a, q.b), hn::Max(q.c, q.e)), bounds))) {
      for (std::size_t j = i; j < i + 4 * lanes; j += lanes) {
        positions_in_vector(j);
      }
    }
  }
  for (; i + lanes <= size; i += lanes) {
    positions_in_vector(i);
  }
  for (; i < size; ++i) {  // written always, counted if it reaches the bound: no branch to predict
    positions[found] = static_cast<std::uint32_t>(i);
    found += values[i] >= bound ? 1U : 0U;
  }
  return found;
}

void maxima64(const std::int64_t* values, std::size_t size, std::size_t block,
              std::int64_t* maxima) {
  maxima_of_blocks(values, size, block, maxima);
}
void maxima32(const std::int32_t* values, std::size_t size, std::size_t block,
              std::int64_t* maxima) {
  maxima_of_blocks(values, size, block, maxima);
}
std::size_t positions64(const std::int64_t* values, std::size_t size, std::int64_t bound,
                        std::uint32_t* positions) {
  return positions_at_least(values, size, bound, positions);
}
std::size_t positions32(const std::int32_t* values, std::size_t size, std::int32_t bound,
                        std::uint32_t* positions) {
  return positions_at_least(values, size, bound, positions);
}

}  // namespace
}  // namespace freegap::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace freegap::detail {
namespace {

HWY_EXPORT(maxima64);
HWY_EXPORT(maxima32);
HWY_EXPORT(positions64);
HWY_EXPORT(positions32);

}  // namespace

void maxima_of_blocks(std::span<const std::int64_t> values, std::size_t block,
                      std::span<std::int64_t> maxima) {
  HWY_DYNAMIC_DISPATCH(maxima64)(values.data(), values.size(), block, maxima.data());
}

void maxima_of_blocks(std::span<const std::int32_t> values, std::size_t block,
                      std::span<std::int64_t> maxima) {
  HWY_DYNAMIC_DISPATCH(maxima32)(values.data(), values.size(), block, maxima.data());
}

std::size_t positions_at_least(std::span<const std::int64_t> values, std::int64_t bound,
                               std::span<std::uint32_t> positions) {
  return HWY_DYNAMIC_DISPATCH(positions64)(values.data(), values.size(), bound, positions.data());
}

std::size_t positions_at_least(std::span<const std::int32_t> values, std::int64_t bound,
                               std::span<std::uint32_t> positions) {
  // The bound may lie outside the small type: then no value reaches it, or all do.
  using Limits = std::numeric_limits<std::int32_t>;
  if (bound > Limits::max()) {
    return 0;
  }
  const auto least = static_cast<std::int32_t>(std::max<std::int64_t>(bound, Limits::min()));
  return HWY_DYNAMIC_DISPATCH(positions32)(values.data(), values.size(), least, positions.data());
}

}  // namespace freegap::detail
#endif

// The kernels are compiled once for each instruction set, this file being included by itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plain_scan.cpp"
#include "plain_scan.hpp"

#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#ifndef PLAIN_SCAN_ONCE
#define PLAIN_SCAN_ONCE
namespace plain {

/// Values of a block: few enough that looking into one again is cheap, enough that most of the time
/// is spent between them.
constexpr std::size_t block_size = 256;

/// Keeps the k largest of what it is offered, and now and then forgets the rest.
template <class T>
class Largest {
 public:
  explicit Largest(std::size_t k) : k_(k), most_(std::max<std::size_t>(4 * k, 256)) {
    kept_.reserve(most_);
  }

  /// What does not lie above this need not be offered.
  [[nodiscard]] T bar() const { return bar_; }
  void raise(T bar) { bar_ = bar; }
  void offer(T value, std::size_t position) {
    kept_.push_back({value, position});
    if (kept_.size() == most_) {
      cut();
    }
  }
  /// The k largest, largest first.
  std::vector<Found<T>> finish() && {
    if (kept_.size() > k_) {
      cut();
    }
    std::sort(kept_.begin(), kept_.end(), larger);
    return std::move(kept_);
  }

 private:
  static bool larger(const Found<T>& a, const Found<T>& b) { return a.value > b.value; }

  void cut() {
    const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(kept_.begin(), last, kept_.end(), larger);
    bar_ = last->value;
    kept_.resize(k_);
  }

  std::size_t k_;
  std::size_t most_;
  std::vector<Found<T>> kept_;
  T bar_ = std::numeric_limits<T>::min();
};

}  // namespace plain
#endif

HWY_BEFORE_NAMESPACE();
namespace plain::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Vector = hn::Vec<hn::ScalableTag<T>>;

/// The same as below, at a pace that some memories prefer: the second largest are found, too, and
/// dropped.
template <class T>
Vector<T> slowly_largest_lanes(const T* block) {
  constexpr hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  auto a = hn::LoadU(d, block);
  auto b = hn::LoadU(d, block + lanes);
  auto second_a = a;
  auto second_b = b;
  for (std::size_t i = 2 * lanes; i < block_size; i += 2 * lanes) {
    const auto x = hn::LoadU(d, block + i);
    const auto y = hn::LoadU(d, block + i + lanes);
    second_a = hn::Max(second_a, hn::Min(a, x));
    second_b = hn::Max(second_b, hn::Min(b, y));
    a = hn::Max(a, x);
    b = hn::Max(b, y);
  }
  return hn::Max(hn::Max(a, b), hn::Max(second_a, second_b));
}

/// The largest values of a block, one in each lane.
template <class T>
Vector<T> largest_lanes(const T* block) {
  constexpr hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  auto a = hn::LoadU(d, block);
  auto b = hn::LoadU(d, block + lanes);
  auto c = hn::LoadU(d, block + 2 * lanes);
  auto e = hn::LoadU(d, block + 3 * lanes);
  for (std::size_t i = 4 * lanes; i < block_size; i += 4 * lanes) {
    a = hn::Max(a, hn::LoadU(d, block + i));
    b = hn::Max(b, hn::LoadU(d, block + i + lanes));
    c = hn::Max(c, hn::LoadU(d, block + i + 2 * lanes));
    e = hn::Max(e, hn::LoadU(d, block + i + 3 * lanes));
  }
  return hn::Max(hn::Max(a, b), hn::Max(c, e));
}

template <class T>
T max_of(Vector<T> lanes) {
  constexpr hn::ScalableTag<T> d;
  return hn::GetLane(hn::MaxOfLanes(d, lanes));
}

/// Calls `take(i)` for each of the values that is above the bar, as it stands at that vector.
template <class T, class Bar, class Take>
void for_each_above(std::span<const T> values, Bar bar, Take take) {
  constexpr hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    const auto above = hn::Gt(hn::LoadU(d, values.data() + i), hn::Set(d, bar()));
    if (!hn::AllFalse(d, above)) {
      std::uint64_t bits = 0;
      hn::StoreMaskBits(d, above, reinterpret_cast<std::uint8_t*>(&bits));
      for (; bits != 0; bits &= bits - 1) {
        take(i + static_cast<std::size_t>(__builtin_ctzll(bits)));
      }
    }
  }
  for (; i < values.size(); ++i) {
    if (values[i] > bar()) {
      take(i);
    }
  }
}

/// Calls `take(first, lanes)` for each whole block with a value above the bar, as it then stands,
/// and returns where the rest begins.
template <bool slowly = false, class T, class Bar, class Take>
std::size_t for_each_block_above(std::span<const T> values, Bar bar, Take take) {
  constexpr hn::ScalableTag<T> d;
  std::size_t first = 0;
  for (; first + block_size <= values.size(); first += block_size) {
    const T* block = values.data() + first;
    const auto lanes = slowly ? slowly_largest_lanes(block) : largest_lanes(block);
    if (!hn::AllFalse(d, hn::Gt(lanes, hn::Set(d, bar())))) {
      take(first, lanes);
    }
  }
  return first;
}

template <class T>
void offer_above(std::span<const T> values, std::size_t first, std::size_t last,
                 Largest<T>& largest) {
  for_each_above(
      values.subspan(first, last - first), [&] { return largest.bar(); },
      [&](std::size_t i) { largest.offer(values[first + i], first + i); });
}

template <class T>
std::vector<Found<T>> by_values(std::span<const T> values, std::size_t k) {
  Largest<T> largest(k);
  const std::size_t rest = for_each_block_above(
      values, [&] { return largest.bar(); },
      [&](std::size_t first, Vector<T>) {
        offer_above(values, first, first + block_size, largest);
      });
  offer_above(values, rest, values.size(), largest);
  return std::move(largest).finish();
}

/// The k largest values lie in the k blocks with the largest maxima, or equal some that do.
template <bool slowly, class T>
std::vector<Found<T>> by_blocks(std::span<const T> values, std::size_t k) {
  Largest<T> blocks(k);
  const std::size_t rest = for_each_block_above<slowly>(
      values, [&] { return blocks.bar(); },
      [&](std::size_t first, Vector<T> lanes) { blocks.offer(max_of<T>(lanes), first); });
  const std::vector<Found<T>> chosen = std::move(blocks).finish();
  Largest<T> largest(k);
  if (chosen.size() == k) {
    largest.raise(chosen.back().value - 1);
  }
  offer_above(values, rest, values.size(), largest);
  for (const Found<T>& block : chosen) {
    if (block.value <= largest.bar()) {
      break;
    }
    offer_above(values, block.position, block.position + block_size, largest);
  }
  return std::move(largest).finish();
}

template <class T>
std::vector<Found<T>> largest_of(std::span<const T> values, std::size_t k, Design design) {
  switch (design) {
    case Design::values:
      return by_values(values, k);
    case Design::blocks:
      return by_blocks<false>(values, k);
    case Design::slow_blocks:
      return by_blocks<true>(values, k);
  }
  return {};
}

std::vector<Found<std::int64_t>> top_k_64(std::span<const std::int64_t> values, std::size_t k,
                                          Design design) {
  return largest_of(values, k, design);
}
std::vector<Found<std::int32_t>> top_k_32(std::span<const std::int32_t> values, std::size_t k,
                                          Design design) {
  return largest_of(values, k, design);
}

std::vector<std::size_t> at_least(std::span<const std::int64_t> values, std::int64_t threshold) {
  std::vector<std::size_t> found;
  const auto bar = [&] { return threshold - 1; };
  const auto look_into = [&](std::size_t first, std::size_t last) {
    for_each_above(values.subspan(first, last - first), bar,
                   [&](std::size_t i) { found.push_back(first + i); });
  };
  const std::size_t rest = for_each_block_above(
      values, bar,
      [&](std::size_t first, Vector<std::int64_t>) { look_into(first, first + block_size); });
  look_into(rest, values.size());
  return found;
}

}  // namespace plain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plain {

HWY_EXPORT(top_k_64);
HWY_EXPORT(top_k_32);
HWY_EXPORT(at_least);

namespace {

/// `find` on each thread's share of the values, and the k best of what they found.
template <class T, class Find>
std::vector<Found<T>> shared_out(std::span<const T> values, std::size_t k, unsigned threads,
                                 Find find) {
  if (threads == 1) {
    return find(values);
  }
  const std::size_t share = values.size() / threads;
  std::vector<std::vector<Found<T>>> found(threads);
  {
    std::vector<std::jthread> running;
    for (unsigned t = 0; t < threads; ++t) {
      running.emplace_back([&, t] {
        const std::size_t first = t * share;
        found[t] = find(values.subspan(first, t + 1 == threads ? std::dynamic_extent : share));
        for (Found<T>& one : found[t]) {
          one.position += first;
        }
      });
    }
  }
  Largest<T> largest(k);
  for (const std::vector<Found<T>>& part : found) {
    for (const Found<T>& one : part) {
      largest.offer(one.value, one.position);
    }
  }
  return std::move(largest).finish();
}

}  // namespace

std::vector<Found<std::int64_t>> top_k(std::span<const std::int64_t> values, std::size_t k,
                                       Design design, unsigned threads) {
  return shared_out(values, k, threads, [&](std::span<const std::int64_t> share) {
    return HWY_DYNAMIC_DISPATCH(top_k_64)(share, k, design);
  });
}

std::vector<Found<std::int32_t>> top_k(std::span<const std::int32_t> values, std::size_t k,
                                       Design design, unsigned threads) {
  return shared_out(values, k, threads, [&](std::span<const std::int32_t> share) {
    return HWY_DYNAMIC_DISPATCH(top_k_32)(share, k, design);
  });
}

std::vector<std::size_t> at_least(std::span<const std::int64_t> values, std::int64_t threshold) {
  return HWY_DYNAMIC_DISPATCH(at_least)(values, threshold);
}

}  // namespace plain
#endif

// The kernel of bulk noise keeps its stated bound for each of the 2^31 values of the bits it sees,
// on every vector target that this machine has: nothing is sampled.
//
// The kernel depends on v by the nearest float x alone. So it runs once for each float x, and the
// bound is checked for the ends of the range of v that round to x: -ln falls, so these are the
// worst.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "noise/bulk.hpp"
#include "noise/double_enclosure.hpp"

namespace freegap::detail {
namespace {

/// Some v that all round to the same float, both ends included, and bounds of -ln U for U from
/// [first, last + 1] / 2^31. log_kernel is off by at most a relative 2^-49; 2^-44 also leaves room
/// for the enclosure in doubles, which must settle whatever vectors settle.
struct Range {
  Range(std::uint32_t first, std::uint32_t last)
      : v(first),
        least(-log_kernel((last + 1.0) * 0x1p-31) * (1 - 0x1p-44)),
        most(first == 0 ? std::numeric_limits<double>::infinity()
                        : -log_kernel(first * 0x1p-31) * (1 + 0x1p-44)) {}
  std::uint32_t v;
  double least;
  double most;
};

/// Shows `visit` all v < 2^31 in ranges that round to the same float, and some of them with a
/// neighbour that does not: it lies half-way, and rounds to the even side.
template <class Visit>
void for_all_ranges(const Visit& visit) {
  std::vector<Range> some;
  std::vector<std::uint32_t> inputs;
  const auto add = [&](std::uint32_t v, std::uint32_t first, std::uint32_t last) {
    some.emplace_back(first, last);
    inputs.push_back(v);
    if (some.size() == 1U << 20U) {
      visit(some, inputs);
      some.clear();
      inputs.clear();
    }
  };
  for (std::uint32_t v = 0; v < 1U << 24U; ++v) {
    add(v, v, v);
  }
  for (unsigned k = 24; k <= 30; ++k) {
    const std::uint32_t half = 1U << (k - 24);  // half the distance of neighbouring floats
    for (std::uint32_t i = 0; i < 1U << 23U; ++i) {
      const std::uint32_t v = (1U << k) + 2 * half * i;
      add(v, i == 0 ? v - half / 2 : v - half, v + half - (k == 30 && i + 1 == 1U << 23U ? 1 : 0));
    }
  }
  // What rounds up to 2^31.
  add((1U << 31U) - 1, (1U << 31U) - 64, (1U << 31U) - 1);
  visit(some, inputs);
}

/// How far the kernel is off beyond error_factor L, below and above; at most error_shift.
struct Excess {
  double below = -1;
  double above = -1;
};

Excess excess(const std::vector<Range>& ranges, const std::vector<std::uint32_t>& inputs,
              std::vector<BulkLogarithm>& found) {
  found.resize(ranges.size());
  bulk_logarithms(inputs, found);
  Excess result;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const double l = found[i].l;
    const double slack = BulkLogarithm::error_factor * l;
    result.below = std::fmax(result.below, l - slack - found[i].w - ranges[i].least);
    if (ranges[i].v > 0) {
      result.above = std::fmax(result.above, ranges[i].most - l - slack);
    }
    if (!(l >= 0) || !(found[i].w > 0)) {
      result.above = std::numeric_limits<double>::infinity();
    }
  }
  return result;
}

/// All targets of this machine, one bit each.
std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> result;
  for (std::int64_t all = hwy::SupportedTargets(); all != 0; all &= all - 1) {
    result.push_back(all & -all);
  }
  return result;
}

TEST(BulkKernel, KeepsItsBoundForEveryInputOnEveryTarget) {
  const std::vector<std::int64_t> all = targets();
  std::vector<Excess> worst(all.size());
  std::vector<BulkLogarithm> found;
  std::uint64_t checked = 0;
  for_all_ranges([&](const std::vector<Range>& ranges, const std::vector<std::uint32_t>& inputs) {
    checked += ranges.size();
    for (std::size_t t = 0; t < all.size(); ++t) {
      hwy::SetSupportedTargetsForTest(all[t]);
      const Excess here = excess(ranges, inputs, found);
      worst[t].below = std::fmax(worst[t].below, here.below);
      worst[t].above = std::fmax(worst[t].above, here.above);
    }
  });
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_EQ(checked, (1U << 24U) + 7 * (1U << 23U) + 1);
  for (std::size_t t = 0; t < all.size(); ++t) {
    std::printf("%-10s off by 2^%.2f below, 2^%.2f above\n", hwy::TargetName(all[t]),
                std::log2(worst[t].below), std::log2(worst[t].above));
    EXPECT_LE(worst[t].below, BulkLogarithm::error_shift) << hwy::TargetName(all[t]);
    EXPECT_LE(worst[t].above, BulkLogarithm::error_shift) << hwy::TargetName(all[t]);
    // The bound is not far too wide: a tenth of it would not suffice.
    EXPECT_GT(std::fmax(worst[t].below, worst[t].above), BulkLogarithm::error_shift / 10);
  }
}

}  // namespace
}  // namespace freegap::detail

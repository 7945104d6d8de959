// Scans in vectors find exactly what plain loops find, on every kind of vector this processor has.
#include "core/simd_scan.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace freegap::detail {
namespace {

using Random = std::mt19937_64;
constexpr std::size_t largest_size = 700;
/// Those that vectors take in whole, and those that only plain loops can.
const std::vector<std::size_t> block_sizes = {1, 2, 3, 7, 8, 16, 32, 64, 96, 128, 256};

/// Sets the kind of vector; on leaving, all are allowed again.
class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  OnlyTarget(const OnlyTarget&) = delete;
  OnlyTarget& operator=(const OnlyTarget&) = delete;
  ~OnlyTarget() { hwy::SetSupportedTargetsForTest(0); }
};

template <class T>
using Limits = std::numeric_limits<T>;

/// Lists of one size: spread out, with many ties, all alike, at the ends of the type, and with one
/// peak or two anywhere.
template <class T>
std::vector<std::vector<T>> lists(std::size_t size, Random& random) {
  const auto filled = [&](const auto& draw) {
    std::vector<T> result(size);
    std::generate(result.begin(), result.end(), draw);
    return result;
  };
  std::vector<std::vector<T>> result = {
      filled([&] { return static_cast<T>(random()); }),
      filled([&] { return static_cast<T>(random() % 3); }),
      filled([&] { return random() % 2 == 0 ? Limits<T>::min() : Limits<T>::max(); }),
      filled([&] { return static_cast<T>(Limits<T>::min() + static_cast<T>(random() % 2)); }),
      std::vector<T>(size, 5),
      std::vector<T>(size, Limits<T>::min()),
      std::vector<T>(size, Limits<T>::max())};
  for (const T ground : {Limits<T>::min(), T{-1}}) {
    std::vector<T> peaks(size, ground);
    for (std::size_t i = 0; i < size; i += 1 + random() % 60) {
      peaks[i] = static_cast<T>(random() % 2);
    }
    result.push_back(std::move(peaks));
  }
  return result;
}

/// Found in the obvious way.
template <class T>
std::vector<std::int64_t> plain_maxima(const std::vector<T>& values, std::size_t block) {
  std::vector<std::int64_t> result;
  for (std::size_t first = 0; first < values.size(); first += block) {
    const std::size_t last = std::min(first + block, values.size());
    result.push_back(*std::max_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                       values.begin() + static_cast<std::ptrdiff_t>(last)));
  }
  return result;
}

template <class T>
std::vector<std::uint32_t> plain_positions(const std::vector<T>& values, std::int64_t bound) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::int64_t{values[i]} >= bound) {
      result.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return result;
}

/// Compares all kernels on one list, on all targets.
template <class T>
void compare(const std::vector<T>& values, const std::vector<std::int64_t>& targets) {
  const std::span<const T> view(values);
  for (const std::size_t block : block_sizes) {
    const std::vector<std::int64_t> expected = plain_maxima(values, block);
    for (const std::int64_t target : targets) {
      const OnlyTarget only(target);
      std::vector<std::int64_t> maxima(expected.size(), 77);
      maxima_of_blocks(view, block, maxima);
      ASSERT_TRUE(maxima == expected)
          << hwy::TargetName(target) << ", " << values.size() << " values in blocks of " << block;
    }
  }
  for (const std::int64_t bound :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{Limits<T>::min()},
        std::int64_t{Limits<T>::min()} + 1, std::int64_t{Limits<T>::max()}, INT64_MIN, INT64_MAX,
        std::int64_t{Limits<std::int32_t>::max()} + 1}) {
    const std::vector<std::uint32_t> expected = plain_positions(values, bound);
    for (const std::int64_t target : targets) {
      const OnlyTarget only(target);
      std::vector<std::uint32_t> positions(values.size() + 1);
      positions.resize(positions_at_least(view, bound, positions));
      ASSERT_EQ(positions, expected) << hwy::TargetName(target) << ", at least " << bound;
    }
  }
}

template <class T>
class SimdScan : public ::testing::Test {};
using Numbers = ::testing::Types<std::int64_t, std::int32_t>;
TYPED_TEST_SUITE(SimdScan, Numbers);

TYPED_TEST(SimdScan, EveryKernelEqualsAPlainLoopOnEveryTarget) {
  const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  for (const std::int64_t target : targets) {
    std::printf("on %s\n", hwy::TargetName(target));
  }
  ASSERT_FALSE(targets.empty());
  Random random(71);
  for (std::size_t size = 0; size <= largest_size; ++size) {
    for (const auto& values : lists<TypeParam>(size, random)) {
      ASSERT_NO_FATAL_FAILURE(compare(values, targets));
    }
  }
}

// What the comparison is worth: it sees the place and height of one value.
TYPED_TEST(SimdScan, TheComparisonSeesOneValue) {
  std::vector<TypeParam> values(256, 1);
  values[200] = 2;
  EXPECT_EQ(plain_maxima(values, 128), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(plain_positions(values, 2), (std::vector<std::uint32_t>{200}));
}

}  // namespace
}  // namespace freegap::detail

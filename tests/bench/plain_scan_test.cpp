// The yardstick of the benchmarks does what it is said to do: it finds the k largest.
#include "plain_scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include "shapes.hpp"

namespace {

template <class T>
void expect_largest(const std::vector<T>& values, std::size_t k, plain::Design design,
                    unsigned threads) {
  std::vector<T> largest(values.begin(), values.end());
  std::sort(largest.begin(), largest.end(), std::greater<>());
  const std::vector<plain::Found<T>> found =
      plain::top_k(std::span<const T>(values), k, design, threads);
  ASSERT_EQ(found.size(), k);
  std::set<std::size_t> positions;
  for (std::size_t i = 0; i < k; ++i) {
    EXPECT_EQ(found[i].value, largest[i]);
    EXPECT_EQ(values.at(found[i].position), found[i].value);
    positions.insert(found[i].position);
  }
  EXPECT_EQ(positions.size(), k);
}

template <class T>
void expect_largest_of_every_shape() {
  for (const shapes::Named& shape : shapes::all) {
    for (const std::size_t n : {100U, 256U, 512U, 5'000U, 100'000U}) {
      std::vector<T> values(n);
      shapes::fill<T>(shape.shape, values);
      for (const std::size_t k : {1U, 10U, 100U}) {
        for (const auto design :
             {plain::Design::values, plain::Design::blocks, plain::Design::slow_blocks}) {
          for (const unsigned threads : {1U, 2U}) {
            SCOPED_TRACE(testing::Message()
                         << shape.name << ", n = " << n << ", k = " << k << ", design "
                         << static_cast<int>(design) << ", " << threads << " threads");
            expect_largest(values, k, design, threads);
          }
        }
      }
    }
  }
}

TEST(PlainScan, FindsTheLargestOf64Bits) { expect_largest_of_every_shape<std::int64_t>(); }

TEST(PlainScan, FindsTheLargestOf32Bits) { expect_largest_of_every_shape<std::int32_t>(); }

TEST(PlainScan, FindsAllThatAreNotBelow) {
  for (const shapes::Named& shape : shapes::all) {
    for (const std::size_t n : {3U, 256U, 5'001U}) {
      std::vector<std::int64_t> values(n);
      shapes::fill<std::int64_t>(shape.shape, values);
      for (const std::int64_t threshold : {0, 500, 1'000, 1'000'000, 1'000'001}) {
        std::vector<std::size_t> expected;
        for (std::size_t i = 0; i < n; ++i) {
          if (values[i] >= threshold) {
            expected.push_back(i);
          }
        }
        EXPECT_EQ(plain::at_least(values, threshold), expected) << shape.name << ' ' << threshold;
      }
    }
  }
}

}  // namespace

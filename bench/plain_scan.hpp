#pragma once

// What a scan costs that keeps nothing private: the yardstick of the benchmarks. Written to be as
// fast as the memory on every order of the values, in the widest vectors the processor has.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plain {

/// A value and where it stands.
template <class T>
struct Found {
  T value;
  std::size_t position;
};

/// How the largest values are looked for. Which is faster depends on their order and on the memory,
/// by little; but `values` is slow on ascending ones.
enum class Design : std::uint8_t {
  values,  ///< one pass that keeps the k largest values so far
  blocks,  ///< one pass that keeps the k blocks with the largest maxima; then only those blocks
  slow_blocks,  ///< the same with more to compute, which makes some memories faster
};

/// The k largest values, largest first; which of equal ones come last is left open. All values must
/// lie above the smallest of their type. On several threads, each has a share of the values.
std::vector<Found<std::int64_t>> top_k(std::span<const std::int64_t> values, std::size_t k,
                                       Design design, unsigned threads = 1);
std::vector<Found<std::int32_t>> top_k(std::span<const std::int32_t> values, std::size_t k,
                                       Design design, unsigned threads = 1);

/// The positions of all values that are not below the threshold, in order.
std::vector<std::size_t> at_least(std::span<const std::int64_t> values, std::int64_t threshold);

}  // namespace plain

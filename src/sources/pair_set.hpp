#pragma once

/// @file
/// Which unit has been seen with which item: an open-addressing set of pairs, eight bytes each.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sources/huge_pages.hpp"

namespace freegap::sources {

/// An exact set of pairs of numbers.
class PairSet {
 public:
  PairSet();
  /// Whether the pair is new; it is in the set afterwards.
  bool insert(std::uint32_t first, std::uint32_t second);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void grow();
  /// Where the pair is, or the free place where it would be.
  [[nodiscard]] std::size_t place_of(std::uint64_t pair) const;

  std::array<std::uint64_t, 2> keys_{};
  std::vector<std::uint64_t, HugePages<std::uint64_t>> pairs_;  // free: all ones
  std::size_t size_ = 0;
};

}  // namespace freegap::sources

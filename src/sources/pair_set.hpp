#pragma once

/// @file
/// A set of pairs of unit and item that have been seen, with open addressing, eight bytes per pair.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sources/huge_pages.hpp"

namespace freegap::sources {

/// An exact set of pairs of numbers.
class PairSet {
 public:
  /// Pairs as numbers, first << 32 | second.
  using Pairs = std::vector<std::uint64_t, HugePages<std::uint64_t>>;

  PairSet();
  /// Adds a pair. Returns whether it is new.
  bool insert(std::uint32_t first, std::uint32_t second);
  [[nodiscard]] std::size_t size() const { return size_; }
  /// All pairs in rising order. The set is empty afterwards.
  Pairs take_sorted();

 private:
  void grow();
  /// The place of the pair, or the free place where it belongs.
  [[nodiscard]] std::size_t place_of(std::uint64_t pair) const;

  std::array<std::uint64_t, 2> keys_{};
  Pairs pairs_;  // free: all ones
  std::size_t size_ = 0;
};

}  // namespace freegap::sources

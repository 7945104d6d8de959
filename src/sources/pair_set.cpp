#include "sources/pair_set.hpp"

#include <algorithm>
#include <limits>

#include "sources/hash.hpp"

namespace freegap::sources {
namespace {

// Two numbers below 2^32 - 1 never make this.
constexpr std::uint64_t free_place = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t smallest = 1024;

}  // namespace

PairSet::PairSet() : pairs_(smallest, free_place) {
  draw_keys(keys_);
  keys_[1] |= 1U;
}

bool PairSet::insert(std::uint32_t first, std::uint32_t second) {
  const std::uint64_t pair = (std::uint64_t{first} << 32U) | second;
  const std::size_t at = place_of(pair);
  if (pairs_[at] == pair) {
    return false;
  }
  pairs_[at] = pair;
  ++size_;
  if (4 * size_ > 3 * pairs_.size()) {
    grow();
  }
  return true;
}

PairSet::Pairs PairSet::take_sorted() {
  Pairs taken(smallest, free_place);
  taken.swap(pairs_);
  size_ = 0;
  std::erase(taken, free_place);
  std::sort(taken.begin(), taken.end());
  return taken;
}

std::size_t PairSet::place_of(std::uint64_t pair) const {
  std::size_t at = mix(pair ^ keys_[0], keys_[1]) & (pairs_.size() - 1);
  while (pairs_[at] != free_place && pairs_[at] != pair) {
    at = (at + 1) & (pairs_.size() - 1);
  }
  return at;
}

void PairSet::grow() {
  Pairs old(2 * pairs_.size(), free_place);
  old.swap(pairs_);
  for (const std::uint64_t pair : old) {
    if (pair != free_place) {
      pairs_[place_of(pair)] = pair;
    }
  }
}

}  // namespace freegap::sources

#include "freegap/groups.hpp"

#include <algorithm>
#include <numeric>

namespace freegap {

Groups::Groups(std::span<const std::int64_t> counts) : places_(counts.size()) {
  std::iota(places_.begin(), places_.end(), std::size_t{0});
  std::sort(places_.begin(), places_.end(), [&](std::size_t a, std::size_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  });
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::int64_t count = counts[places_[i]];
    if (values_.empty() || values_.back() != count) {
      values_.push_back(count);
      multiplicities_.push_back(0);
      first_.push_back(i);
    }
    ++multiplicities_.back();
  }
}

Candidates Groups::candidates(const Queries& queries) const& {
  return Candidates::grouped(std::span<const std::int64_t>(values_), multiplicities_, queries);
}

std::size_t Groups::place(const Item& item) const {
  return places_[first_[static_cast<std::size_t>(item.id)] + static_cast<std::size_t>(item.member)];
}

}  // namespace freegap

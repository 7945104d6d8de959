#include "freegap/detail/core/candidate_access.hpp"

#include <span>

#include "freegap/detail/core/answers.hpp"

namespace freegap::detail {

std::int64_t CandidateAccess::ticks(const Item& item, const Grid& grid) const {
  if (!universe()) {
    return detail::ticks(all_->answers_, static_cast<std::size_t>(item.id), grid);
  }
  const auto& ids = all_->ids_;
  const auto found = std::lower_bound(ids.begin(), ids.end(), item.id);
  const bool listed = found != ids.end() && *found == item.id;
  return listed ? grid.floor_ticks(all_->counts_[static_cast<std::size_t>(found - ids.begin())])
                : 0;
}

Answers CandidateAccess::listed() const {
  switch (all_->shape_) {
    case Candidates::Shape::dense:
      return all_->answers_;
    case Candidates::Shape::grouped:
      break;
    case Candidates::Shape::universe:
      return std::span<const std::int64_t>(all_->counts_);
  }
  return {};
}

// Before listed id number i there are ids_[i] - first - i ids that are not listed. That number does
// not fall with i, so binary search finds how many listed ids come before the wanted one. The map
// from ranks to unlisted ids is a bijection (docs/proofs/noisy_top_m.md, "Which candidate is
// which").
std::int64_t CandidateAccess::unlisted_id(std::uint64_t rank) const {
  const auto first = static_cast<std::uint64_t>(all_->universe_.first);
  std::size_t low = 0;
  std::size_t high = all_->ids_.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::uint64_t before = static_cast<std::uint64_t>(all_->ids_[middle]) - first - middle;
    if (before > rank) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<std::int64_t>(first + rank + low);
}

std::vector<ValueCount> CandidateAccess::value_counts(const Grid& grid) const {
  std::vector<ValueCount> result;
  for (const std::size_t group : all_->order_) {
    result.push_back({detail::ticks(all_->answers_, group, grid), all_->multiplicities_[group]});
  }
  const Answers list = listed();
  for (std::size_t i = 0; i < list.size(); ++i) {
    result.push_back({detail::ticks(list, i, grid), 1});
  }
  if (universe() && unlisted() > 0) {
    result.push_back({0, unlisted()});
  }
  return result;
}

Item CandidateAccess::item_of(std::size_t entry, std::uint64_t member) const {
  if (all_->shape_ == Candidates::Shape::grouped) {
    return {static_cast<std::int64_t>(all_->order_[entry]), member};
  }
  return entry < listed().size() ? listed_item(entry) : Item{unlisted_id(member), 0};
}

// Only a hint for the running time, so it need not be exact: 32 groups, or 32 evenly spread places
// of a list, each standing for its neighbours. Equal neighbours are merged.
std::vector<ValueCount> CandidateAccess::sample(const Grid& grid) const {
  constexpr std::size_t most = 32;
  std::vector<ValueCount> result;
  const auto add = [&](std::int64_t value, std::uint64_t size) {
    if (!result.empty() && result.back().ticks == value) {
      result.back().size += size;
    } else {
      result.push_back({value, size});
    }
  };
  const auto& order = all_->order_;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    add(detail::ticks(all_->answers_, order[i], grid), all_->multiplicities_[order[i]]);
  }
  const Answers list = listed();
  const std::size_t count = std::min(most, list.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = list.size() / count * i;
    add(detail::ticks(list, first + list.size() / count / 2, grid), list.size() / count);
  }
  if (universe() && unlisted() > 0) {
    add(0, unlisted());
  }
  return result;
}

CandidateAccess::Run::Run(const CandidateAccess& access, const Grid& grid, std::size_t first,
                          std::size_t last)
    : access_(access),
      grid_(&grid),
      first_(first),
      last_(last),
      size_(access.all_->before_[last] - access.all_->before_[first]),
      max_ticks_(detail::ticks(access.all_->answers_, access.all_->order_[first], grid)) {}

// The last group that begins at or before the offset.
std::size_t CandidateAccess::Run::place(std::uint64_t offset) const {
  const auto& before = access_.all_->before_;
  const auto begin = before.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto end = before.begin() + static_cast<std::ptrdiff_t>(last_);
  return static_cast<std::size_t>(std::upper_bound(begin, end, *begin + offset) - before.begin()) -
         1;
}

std::int64_t CandidateAccess::Run::ticks(std::uint64_t offset) const {
  const Candidates& all = *access_.all_;
  return constant() ? max_ticks_ : detail::ticks(all.answers_, all.order_[place(offset)], *grid_);
}

Item CandidateAccess::Run::item(std::uint64_t offset) const {
  if (first_ == last_) {  // no groups: the ids of a universe that are not listed
    return {access_.unlisted_id(offset), 0};
  }
  const Candidates& all = *access_.all_;
  const std::size_t at = place(offset);
  return {static_cast<std::int64_t>(all.order_[at]),
          offset - (all.before_[at] - all.before_[first_])};
}

}  // namespace freegap::detail

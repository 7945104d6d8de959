#include "freegap/detail/core/candidate_walk.hpp"

#include <algorithm>
#include <numeric>

#include "freegap/detail/core/answers.hpp"
#include "freegap/detail/core/floor_ticks.hpp"

namespace freegap::detail {

void CandidateAccess::Walk::next(std::span<std::int64_t> ticks) {
  first_ = place_;
  switch (all_->shape_) {
    case Candidates::Shape::dense:
      all_->answers_.visit([&](const auto& answers) {
        floor_ticks(answers.subspan(static_cast<std::size_t>(place_), ticks.size()), *grid_, ticks);
      });
      break;
    case Candidates::Shape::grouped:
      write_members(ticks);
      break;
    case Candidates::Shape::universe:
      write_ids(ticks);
      break;
  }
  place_ += ticks.size();
}

// A merge of all ids with the listed ones. Whether an id is listed enters arithmetic alone, no jump
// and no number of steps. Past the last listed id, and where none is listed, some id is compared in
// vain.
void CandidateAccess::Walk::write_ids(std::span<std::int64_t> ticks) {
  static constexpr std::int64_t nothing = 0;
  const std::size_t size = all_->ids_.size();
  const std::int64_t* ids = size > 0 ? all_->ids_.data() : &nothing;
  const std::int64_t* counts = size > 0 ? all_->counts_.data() : &nothing;
  const std::size_t last = size - static_cast<std::size_t>(size > 0);
  const auto first = static_cast<std::uint64_t>(all_->universe_.first) + place_;
  std::size_t at = at_;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const std::size_t here = std::min(at, last);
    const auto listed =
        static_cast<std::size_t>(at < size) &
        static_cast<std::size_t>(static_cast<std::uint64_t>(ids[here]) == first + i);
    ticks[i] = counts[here] & -static_cast<std::int64_t>(listed);
    at += listed;
  }
  at_ = at;
  floor_ticks(std::span<const std::int64_t>(ticks), *grid_, ticks);
}

// The group of a candidate is that of the one before, or the next. Which of both enters arithmetic
// alone.
void CandidateAccess::Walk::write_members(std::span<std::int64_t> ticks) {
  groups_.resize(ticks.size());
  std::size_t at = at_;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    groups_[i] = at;
    at += static_cast<std::size_t>(place_ + i + 1 == all_->before_[at + 1]);
  }
  at_ = at;
  all_->answers_.visit([&](const auto& values) {
    std::vector<std::remove_const_t<typename std::decay_t<decltype(values)>::element_type>> written(
        ticks.size());
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      written[i] = values[all_->order_[groups_[i]]];
    }
    floor_ticks(std::span(std::as_const(written)), *grid_, ticks);
  });
}

Item CandidateAccess::Walk::item(std::size_t offset) const {
  const std::uint64_t place = first_ + offset;
  switch (all_->shape_) {
    case Candidates::Shape::dense:
      break;
    case Candidates::Shape::grouped: {
      const std::size_t at = groups_[offset];
      return {static_cast<std::int64_t>(all_->order_[at]), place - all_->before_[at]};
    }
    case Candidates::Shape::universe:
      return {static_cast<std::int64_t>(static_cast<std::uint64_t>(all_->universe_.first) + place),
              0};
  }
  return {static_cast<std::int64_t>(place), 0};
}

std::vector<std::int64_t> ticks_by_walk(const Candidates& candidates, std::span<const Item> items,
                                        const Grid& grid) {
  constexpr std::uint64_t chunk = std::uint64_t{1} << 15U;
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return items[a].id < items[b].id; });
  const CandidateAccess access(candidates);
  CandidateAccess::Walk walk(access, grid);
  std::vector<std::int64_t> ticks;
  std::vector<std::int64_t> result(items.size());
  auto next = order.begin();
  for (std::uint64_t left = candidates.size(); left > 0; left -= ticks.size()) {
    ticks.resize(static_cast<std::size_t>(std::min(chunk, left)));
    walk.next(ticks);
    const std::int64_t first = walk.item(0).id;
    const std::int64_t last = walk.item(ticks.size() - 1).id;
    for (; next != order.end() && items[*next].id <= last; ++next) {
      result[*next] = ticks[static_cast<std::size_t>(items[*next].id - first)];
    }
  }
  return result;
}

}  // namespace freegap::detail

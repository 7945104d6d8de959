#pragma once

/// @file
/// The same few candidates in each shape, under common names 0, 1, 2, ...

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/hybrid.hpp"
#include "verify/named_order.hpp"

namespace freegap::verify {

/// Name of the threshold of a hybrid.
inline constexpr int threshold_name = -1;

/// One list of counts, dense, grouped and as a universe in which zeros are not listed.
class SmallCandidates {
 public:
  /// Counts must not be negative.
  explicit SmallCandidates(std::vector<std::int64_t> counts, Kind kind = Kind::counts)
      : counts_(std::move(counts)), kind_(kind), values_(counts_) {
    std::sort(values_.begin(), values_.end());  // smallest first: the library must sort them itself
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
    for (const std::int64_t value : values_) {
      multiplicities_.push_back(std::count(counts_.begin(), counts_.end(), value));
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] != 0) {
        ids_.push_back(first_id + static_cast<std::int64_t>(i));
        listed_.push_back(counts_[i]);
      }
    }
  }
  ~SmallCandidates() = default;
  SmallCandidates(const SmallCandidates&) = delete;
  SmallCandidates& operator=(const SmallCandidates&) = delete;

  /// The counts themselves, by name.
  [[nodiscard]] const std::vector<std::int64_t>& counts() const { return counts_; }
  /// A plain list.
  [[nodiscard]] Candidates dense() const {
    const std::span<const std::int64_t> counts = counts_;
    return kind_ == Kind::counts ? Candidates::counting(counts, Neighbours::add_remove)
                                 : Candidates::general(counts, Neighbours::add_remove, 1);
  }
  /// Values with multiplicities.
  [[nodiscard]] Candidates grouped() const {
    return Candidates::grouped(std::span<const std::int64_t>(values_), multiplicities_,
                               {kind_, Neighbours::add_remove, 1});
  }
  /// Items nobody listed, of which one unit brings at most so many. No count may be 0.
  [[nodiscard]] Candidates unknown(std::uint64_t max_items) const {
    return Candidates::unknown(counts_, max_items);
  }
  /// The same as values with multiplicities.
  [[nodiscard]] Candidates unknown_grouped(std::uint64_t max_items) const {
    return Candidates::unknown_grouped(values_, multiplicities_, max_items);
  }
  /// Ids of which only those with a count are listed. Counts only.
  [[nodiscard]] Candidates universe() const {
    return Candidates::universe(
        {first_id, first_id + static_cast<std::int64_t>(counts_.size()) - 1}, ids_, listed_,
        Neighbours::add_remove);
  }

  /// Names of the items of each shape; the threshold of a hybrid is `threshold_name`.
  [[nodiscard]] static Name dense_names() {
    return [](const Item& item) {
      return item == threshold_item ? threshold_name : static_cast<int>(item.id);
    };
  }
  /// A group's member number m is the m-th candidate with the group's value.
  [[nodiscard]] Name grouped_names() const {
    return [this](const Item& item) {
      if (item == threshold_item) {
        return threshold_name;
      }
      std::uint64_t before = 0;
      for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i] == values_.at(static_cast<std::size_t>(item.id)) &&
            before++ == item.member) {
          return static_cast<int>(i);
        }
      }
      throw std::logic_error("small candidates: no such member");
    };
  }
  /// Ids count up from the first.
  [[nodiscard]] static Name universe_names() {
    return [](const Item& item) {
      return item == threshold_item ? threshold_name : static_cast<int>(item.id - first_id);
    };
  }

 private:
  static constexpr std::int64_t first_id = 70;

  std::vector<std::int64_t> counts_;
  Kind kind_;
  std::vector<std::int64_t> values_;
  std::vector<std::int64_t> multiplicities_;
  std::vector<std::int64_t> ids_;
  std::vector<std::int64_t> listed_;
};

}  // namespace freegap::verify

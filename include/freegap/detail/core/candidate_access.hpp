#pragma once

/// @file
/// How mechanisms reach the secret answers of candidates, whatever their shape: as a list, or as
/// runs of candidates with falling answers. Secret.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/grid.hpp"

namespace freegap::detail {

/// An answer, and how many candidates have it.
struct ValueCount {
  std::int64_t ticks = 0;  ///< the answer
  std::uint64_t size = 0;  ///< number of candidates
};

/// The answers of candidates. A view: the candidates must outlive it.
class CandidateAccess {
 public:
  /// Views `candidates`.
  explicit CandidateAccess(const Candidates& candidates) : all_(&candidates) {}

  /// The answer of a candidate, in ticks. The item must be one of the candidates.
  [[nodiscard]] std::int64_t ticks(const Item& item, const Grid& grid) const;

  /// Whether `ticks` searches for the item, so that its work depends on how many ids are listed.
  [[nodiscard]] bool searches() const { return universe(); }

  /// The answers that stand in a list, one per candidate: all of a dense list, the listed ids of a
  /// universe, none of groups.
  [[nodiscard]] Answers listed() const;
  /// The candidate at a place of that list.
  [[nodiscard]] Item listed_item(std::size_t i) const {
    return {universe() ? all_->ids_[i] : static_cast<std::int64_t>(i), 0};
  }

  /// Whether the candidates are the ids of a universe.
  [[nodiscard]] bool universe() const { return all_->shape_ == Candidates::Shape::universe; }
  /// Number of ids of a universe that are not listed.
  [[nodiscard]] std::uint64_t unlisted() const { return all_->size_ - all_->ids_.size(); }
  /// The id of a universe with the given rank among those that are not listed.
  [[nodiscard]] Item unlisted_item(std::uint64_t rank) const { return {unlisted_id(rank), 0}; }

  class Walk;
  class Run;
  /// Calls `visit(const Run&)` with all candidates that do not stand in a list, each in exactly one
  /// run: groups by falling value, one by one as far as the first `m` candidates go and then in
  /// runs of growing length; the ids of a universe that are not listed as one run.
  template <std::invocable<const Run&> Visit>
  void for_each_run(std::uint64_t m, const Grid& grid, Visit&& visit) const;

  /// All answers with their multiplicities: per place in a list, else per group.
  [[nodiscard]] std::vector<ValueCount> value_counts(const Grid& grid) const;
  /// A member of entry `entry` of `value_counts`; 0 <= member < its size.
  [[nodiscard]] Item item_of(std::size_t entry, std::uint64_t member) const;
  /// About what `value_counts` says, from few candidates: evenly spread ones of a list, the largest
  /// groups.
  [[nodiscard]] std::vector<ValueCount> sample(const Grid& grid) const;

 private:
  [[nodiscard]] std::int64_t unlisted_id(std::uint64_t rank) const;

  const Candidates* all_;
};

/// Candidates whose answers fall with their offset.
class CandidateAccess::Run {
 public:
  /// The largest answer of the run, in ticks.
  [[nodiscard]] std::int64_t max_ticks() const { return max_ticks_; }
  /// Number of candidates.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Whether every candidate's answer equals `max_ticks()`.
  [[nodiscard]] bool constant() const { return last_ - first_ <= 1; }
  /// The answer at an offset, in ticks.
  [[nodiscard]] std::int64_t ticks(std::uint64_t offset) const;
  /// The candidate at an offset.
  [[nodiscard]] Item item(std::uint64_t offset) const;

 private:
  friend class CandidateAccess;
  /// Groups [first, last) by falling value.
  Run(const CandidateAccess& access, const Grid& grid, std::size_t first, std::size_t last);
  /// The ids of a universe that are not listed.
  explicit Run(const CandidateAccess& access) : access_(access), size_(access.unlisted()) {}
  [[nodiscard]] std::size_t place(std::uint64_t offset) const;

  CandidateAccess access_;
  const Grid* grid_ = nullptr;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::uint64_t size_;
  std::int64_t max_ticks_ = 0;
};

template <std::invocable<const CandidateAccess::Run&> Visit>
void CandidateAccess::for_each_run(std::uint64_t m, const Grid& grid, Visit&& visit) const {
  if (universe() && unlisted() > 0) {
    visit(Run(*this));
  }
  const std::size_t groups = all_->order_.size();
  std::size_t length = 1;
  for (std::size_t first = 0; first < groups; first += length) {
    length = all_->before_[first] < m ? 1 : 8 * length;
    visit(Run(*this, grid, first, std::min(first + length, groups)));
  }
}

}  // namespace freegap::detail

#pragma once

/// @file
/// All candidates one after another, written out in ticks with one step per candidate: for constant
/// work. How many ids of a universe are listed, and how many groups there are, does not change the
/// number of steps (docs/proofs/constant_work.md, "Universes and groups";
/// tests/core/candidate_walk_test.cpp). Secret.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/grid.hpp"
#include "freegap/item.hpp"

namespace freegap::detail {

/// Walks over all candidates: a list as it stands, a universe by rising id, groups by falling
/// value.
class CandidateAccess::Walk {
 public:
  /// Everything passed by reference must outlive this object.
  Walk(const CandidateAccess& access, const Grid& grid) : all_(access.all_), grid_(&grid) {}

  /// Writes the answers of the next candidates. In all, no more than there are.
  void next(std::span<std::int64_t> ticks);
  /// The candidate at an offset of what `next` wrote last.
  [[nodiscard]] Item item(std::size_t offset) const;

 private:
  void write_ids(std::span<std::int64_t> ticks);
  void write_members(std::span<std::int64_t> ticks);

  const Candidates* all_;
  const Grid* grid_;
  std::uint64_t first_ = 0;          // place of the first candidate written last
  std::uint64_t place_ = 0;          // of the next candidate
  std::size_t at_ = 0;               // universe: listed ids passed; groups: groups passed
  std::vector<std::size_t> groups_;  // groups: of the candidates written last, by falling value
};

/// The answers of some ids of a universe, in ticks. Walks over the whole universe, so that the work
/// does not depend on which ids are listed. Each item must be one of the candidates.
std::vector<std::int64_t> ticks_by_walk(const Candidates& candidates, std::span<const Item> items,
                                        const Grid& grid);

}  // namespace freegap::detail

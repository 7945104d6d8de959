#pragma once

/// @file
/// How candidates are named, on the secret side and in releases.

#include <cstdint>

namespace freegap {

/// Names one candidate. The caller decides what may be shown. An id of a universe is public. A
/// position is public only if the order of the list does not depend on the data. A group with a
/// member is never public, because it is secret which candidates share a value. Turn positions and
/// groups into public labels before anything is shown (docs/mechanisms/candidates.md).
struct Item {
  std::int64_t id = 0;       ///< position in a dense span, number of a group, or id in a universe
  std::uint64_t member = 0;  ///< within a group: rank of the member, 0 <= member < multiplicity
  /// Same candidate.
  friend bool operator==(const Item&, const Item&) = default;
  /// An order for searching.
  friend bool operator<(const Item& a, const Item& b);
};

}  // namespace freegap

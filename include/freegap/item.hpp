#pragma once

/// @file
/// How candidates are named, on the secret side and in releases.

#include <cstdint>

namespace freegap {

/// Names one candidate. What may be shown of it is for the caller to see to: an id of a universe is
/// public, a position is only where the order of the list does not depend on the data, and a group
/// with a member never is, because which candidates share a value is secret. Turn positions and
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

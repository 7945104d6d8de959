#pragma once

/// @file
/// Groups of equal counts, built once so that many releases from the same data cost microseconds
/// each. Secret.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/queries.hpp"

namespace freegap {

/// The counts of a list, grouped by value.
class Groups {
 public:
  /// Sorts the counts.
  explicit Groups(std::span<const std::int64_t> counts);

  /// The groups as candidates, counts by kind; this object must outlive them.
  [[nodiscard]] Candidates candidates(Neighbours neighbours,
                                      const Rational& sensitivity = 1) const& {
    return candidates(Queries{Kind::counts, neighbours, sensitivity});
  }
  /// The groups as candidates; this object must outlive them.
  [[nodiscard]] Candidates candidates(const Queries& queries) const&;
  /// Temporary groups do not outlive them.
  Candidates candidates(Neighbours neighbours, const Rational& sensitivity = 1) const&& = delete;
  /// Temporary groups do not outlive them.
  Candidates candidates(const Queries& queries) const&& = delete;

  /// Which place of the list a member of a group stands for. Each member stands for another place,
  /// whatever the noise, so a release over the groups is one over the list.
  [[nodiscard]] std::size_t place(const Item& item) const;

 private:
  std::vector<std::int64_t> values_;          // by group, falling
  std::vector<std::int64_t> multiplicities_;  // by group
  std::vector<std::size_t> first_;            // by group: where its members begin in places_
  std::vector<std::size_t> places_;           // by falling count
};

}  // namespace freegap

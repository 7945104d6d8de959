#pragma once

/// @file
/// An order of ties over common names of candidates, the same for all their shapes.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/mechanisms/ranking.hpp"

namespace freegap::verify {

/// Candidates renamed 0, 1, 2, ..., the same for every shape; see NamedOrder.
using Name = std::function<int(const Item&)>;

/// The order of a list of names, best first. A TieOrder.
class NamedOrder {
 public:
  /// `best_first` holds every name that can occur once.
  NamedOrder(std::vector<int> best_first, Name name)
      : best_first_(std::move(best_first)), name_(std::move(name)) {}

  /// Whether `a` wins a tie against `b`.
  [[nodiscard]] bool precedes(const detail::NoisyCandidate& a,
                              const detail::NoisyCandidate& b) const {
    return place(a.item) < place(b.item);
  }

 private:
  [[nodiscard]] std::ptrdiff_t place(const Item& item) const {
    const auto found = std::find(best_first_.begin(), best_first_.end(), name_(item));
    if (found == best_first_.end()) {
      throw std::logic_error("named order: unknown item");
    }
    return found - best_first_.begin();
  }

  std::vector<int> best_first_;
  Name name_;
};

}  // namespace freegap::verify

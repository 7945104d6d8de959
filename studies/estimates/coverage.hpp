// How often intervals contain the answers: for each item, for each rank and on average.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "estimates/outcomes.hpp"
#include "freegap/estimate.hpp"

namespace freegap::studies {

using testing::Mean;
using testing::Ratio;
using testing::Share;

bool contains(const std::optional<Interval>& interval, double answer);

/// Coverage and lengths of the intervals of one method. Members of a group of equal candidates are
/// exchangeable, so that a group counts as one item.
struct Coverage {
  std::map<std::int64_t, Ratio> by_item;    ///< given that it was selected; by run
  std::vector<Share> by_rank;               ///< marginal intervals
  std::vector<Share> by_rank_simultaneous;  ///< simultaneous intervals
  Mean average;                             ///< share of a run's intervals that cover
  Share simultaneous;                       ///< runs in which all simultaneous intervals cover
  Mean marginal_length;
  Mean simultaneous_length;

  void add(const std::vector<Estimate>& estimates, std::span<const double> answers);

  /// An item with its coverage and its standard error.
  struct Item {
    std::int64_t id = 0;
    double value = 1;
    double error = 0;
  };
  /// The item that is furthest below `bar`, in standard errors, among those selected in at least
  /// this share of the runs and at least a thousand times.
  [[nodiscard]] std::optional<Item> worst_item(double bar, double least_share) const;

 private:
  std::map<std::int64_t, std::uint64_t> selections_;
};

/// Ranks with fewer winners are not judged: four standard errors would be too wide.
inline constexpr std::uint64_t enough_to_tell = 1000;

/// The rank that is furthest on the wrong side of `p`, in standard errors, among those with enough
/// winners; an empty share if there is none.
std::pair<std::size_t, Share> worst_rank(const std::vector<Share>& shares, double p,
                                         bool want_high);

}  // namespace freegap::studies

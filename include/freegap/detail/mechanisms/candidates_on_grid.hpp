#pragma once

/// @file
/// Candidates as mechanisms see them: `top_m(m)` and nothing else.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/core/block_maxima.hpp"
#include "freegap/detail/mechanisms/constant_work.hpp"
#include "freegap/detail/mechanisms/noisy_top_m.hpp"
#include "freegap/grid.hpp"
#include "freegap/noise.hpp"

namespace freegap::detail {

/// How the work of a selection is done. Changes the running time, never the distribution.
struct Work {
  unsigned threads = 1;   ///< threads that scan a list, 1 to 1024
  bool constant = false;  ///< noise for every candidate: the running time is data-independent
};

/// The largest universe, or the most members of groups, for which work is constant: it grows with
/// this public number, and about so many take some seconds. A list of any length is fine.
inline constexpr std::uint64_t most_constant_work = std::uint64_t{1} << 28U;

/// The same where all candidates are kept in memory, which takes 24 bytes or more for each: choice
/// and sparse vector.
inline constexpr std::uint64_t most_written_out = std::uint64_t{1} << 24U;

/// Throws InvalidParameter where constant work was asked for and candidates that are no list have
/// more than `most` members. Public numbers alone decide.
void check_constant_work(bool asked, const Candidates& candidates, std::uint64_t most);
/// Throws InvalidParameter where these candidates cannot be worked on like this.
void check(const Work& work, const Candidates& candidates);

/// Candidates of any shape on a grid.
class CandidatesOnGrid {
 public:
  /// Candidates and grid must outlive this object.
  CandidatesOnGrid(const Candidates& candidates, const Grid& grid, const Work& work = {})
      : candidates_(&candidates), grid_(&grid), work_(work) {}

  /// The m candidates with the largest noisy values, best first (all, where there are fewer).
  template <SkippingSource Source, TieOrder Order>
  std::vector<NoisyCandidate> top_m(std::size_t m, const TickNoise& distribution, Source& noise,
                                    Order& order) const {
    ScanCounters counters;
    return top_m(m, distribution, noise, order, counters);
  }
  /// The same, telling what the scan did.
  template <SkippingSource Source, TieOrder Order>
  std::vector<NoisyCandidate> top_m(std::size_t m, const TickNoise& distribution, Source& noise,
                                    Order& order, ScanCounters& counters) const {
    if (candidates_->size() == 0) {
      return {};
    }
    if (work_.constant) {
      counters.drawn += candidates_->size();
      return constant_work_top_m(*candidates_, *grid_, m, distribution, noise, order);
    }
    const Answers list = CandidateAccess(*candidates_).listed();
    BlockMaxima maxima(list, *grid_, BlockSizes::for_top_m(list.size(), m), work_.threads);
    const std::vector<std::size_t> largest = maxima.largest(m);
    const std::optional<Position> level =
        crowd_level(*candidates_, *grid_, maxima, largest, m, distribution);
    counters.levels += level ? 1U : 0U;
    return find_top_m(*candidates_, *grid_, maxima, m, largest, level, distribution, noise, order,
                      counters);
  }

 private:
  const Candidates* candidates_;
  const Grid* grid_;
  Work work_;
};

}  // namespace freegap::detail

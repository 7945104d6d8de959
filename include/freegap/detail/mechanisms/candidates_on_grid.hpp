#pragma once

/// @file
/// Candidates as mechanisms see them: `top_m(m)` and nothing else.

#include <cstddef>
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
    const Answers list = CandidateAccess(*candidates_).listed();
    if (work_.constant) {
      counters.drawn += list.size();
      return list.visit([&](auto answers) {
        return constant_work_top_m(answers, *grid_, m, distribution, noise, order);
      });
    }
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

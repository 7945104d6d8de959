#pragma once

/// @file
/// Candidates as mechanisms see them: `leaders(m)` and nothing else.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "freegap/all_noise.hpp"
#include "freegap/candidates.hpp"
#include "freegap/grid.hpp"
#include "freegap/leaders.hpp"
#include "freegap/noise.hpp"
#include "freegap/survey.hpp"

namespace freegap {

/// How the work of a selection is done. Changes the time it takes, never the law.
struct Work {
  unsigned threads = 1;   ///< that scan a list, 1 to 1024
  bool constant = false;  ///< noise for every candidate, so that the time tells little of the data
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
  std::vector<Contender> leaders(std::size_t m, const TickNoise& law, Source& noise,
                                 Order& order) const {
    ScanCounters counters;
    return leaders(m, law, noise, order, counters);
  }
  /// The same, telling what the scan did.
  template <SkippingSource Source, TieOrder Order>
  std::vector<Contender> leaders(std::size_t m, const TickNoise& law, Source& noise, Order& order,
                                 ScanCounters& counters) const {
    const Answers list = candidates_->listed();
    if (work_.constant) {
      counters.drawn += list.size();
      return list.visit(
          [&](auto answers) { return all_noise_leaders(answers, *grid_, m, law, noise, order); });
    }
    Survey survey(list, *grid_, survey_sizes(list, *grid_, m, law), work_.threads);
    const std::vector<std::size_t> largest = survey.largest(m);
    const std::optional<Position> level =
        crowd_level(*candidates_, *grid_, survey, largest, m, law);
    counters.levels += level ? 1U : 0U;
    return find_leaders(*candidates_, *grid_, survey, m, largest, level, law, noise, order,
                        counters);
  }

 private:
  const Candidates* candidates_;
  const Grid* grid_;
  Work work_;
};

}  // namespace freegap

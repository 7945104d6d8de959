#pragma once

/// @file
/// Selecting and measuring, many times over: the runs behind every figure of squared errors.

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "experiments/combining.hpp"
#include "freegap/candidates.hpp"
#include "freegap/distribution.hpp"
#include "freegap/rational.hpp"

namespace freegap::experiments {

/// Who selects.
enum class Selecting : std::uint8_t { sparse_vector, top_k };

/// As in a table.
inline std::string name_of(Selecting selecting) {
  return selecting == Selecting::top_k ? "top-k" : "sparse vector";
}

/// How winners are selected and measured.
struct Measuring {
  Selecting selecting = Selecting::top_k;
  std::uint64_t k = 1;
  Rational to_select;   ///< budget
  Rational to_measure;  ///< budget; may be 0 for a sparse vector, whose gaps are estimates already
  Distribution distribution = Distribution::exponential;
  Kind kind = Kind::counts;
};

/// One run with at least one winner.
struct MeasuredRun {
  SquaredErrors squared;  ///< of the winners' estimates; with nothing measured those of gaps alone
  double right = 0;       ///< share of the winners that are of the true top k, or truly above
};

/// Runs on counts that fall, with noise from a seed. A sparse vector's threshold is drawn afresh
/// for each run, as in the paper.
void select_and_measure(std::span<const std::int64_t> counts, const Measuring& how,
                        std::uint64_t runs, std::uint64_t seed,
                        const std::function<void(const MeasuredRun&)>& visit);

}  // namespace freegap::experiments

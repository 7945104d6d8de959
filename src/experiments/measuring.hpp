#pragma once

/// @file
/// Repeated runs of selecting winners and measuring them: the simulations behind the figures of
/// squared errors.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "experiments/squared_errors.hpp"
#include "freegap/candidates.hpp"
#include "freegap/distribution.hpp"
#include "freegap/rational.hpp"

namespace freegap::experiments {

/// The mechanism that selects.
enum class Selecting : std::uint8_t { sparse_vector, top_k };

/// Its name in a table.
inline std::string name_of(Selecting selecting) {
  return selecting == Selecting::top_k ? "top-k" : "sparse vector";
}

/// How winners are selected and measured.
struct Measuring {
  Selecting selecting = Selecting::top_k;
  std::uint64_t k = 1;
  Rational to_select;   ///< budget
  Rational to_measure;  ///< budget; may be 0 for a sparse vector, whose gaps are estimates
  Distribution distribution = Distribution::exponential;
  Kind kind = Kind::counts;
  std::uint64_t likelihood_runs = 0;  ///< runs, from the first, with estimates by likelihood
};

/// One run with at least one winner.
struct MeasuredRun {
  SquaredErrors squared;  ///< of the winners' estimates; of gaps alone if nothing is measured
  std::optional<double> likelihood;  ///< the same for estimates by likelihood, if it has them
  double right = 0;  ///< share of the winners that belong to the true top k, or are truly above
};

/// Runs on counts in falling order, with noise from a seed, and calls `visit` for each run. A
/// sparse vector's threshold is drawn anew for each run, as in the paper.
void select_and_measure(std::span<const std::int64_t> counts, const Measuring& how,
                        std::uint64_t runs, std::uint64_t seed,
                        const std::function<void(const MeasuredRun&)>& visit);

}  // namespace freegap::experiments

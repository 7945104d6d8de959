#pragma once

/// @file
/// What `freegap verify` checks about one mechanism. Each mechanism has one source file in
/// src/verify/mechanisms that fills this struct, and one line in mechanism_table.hpp.

#include <cstdint>
#include <functional>
#include <vector>

#include "verify/black_box_bound.hpp"
#include "verify/row_tasks.hpp"
#include "verify/suite.hpp"

namespace freegap::verify {

/// Computes one row from so many tapes, or pairs of inputs, made from the seed.
using AlignmentCheck = std::function<Row(std::uint64_t replays, std::uint64_t seed)>;

/// Checks one variant that is known to be wrong.
using BadVariantCheck = std::function<BadRow(const SuiteOptions& options)>;

/// All checks of one mechanism. A list may be empty.
struct MechanismChecks {
  std::vector<AlignmentCheck> alignments;     ///< the proof, on random tapes and inputs
  std::vector<RowTask> enumerations;          ///< exact losses or distributions on small inputs
  std::vector<BlackBox> black_boxes;          ///< lower bounds on the loss from samples
  std::vector<BadVariantCheck> bad_variants;  ///< mistakes that the checks above must catch
};

}  // namespace freegap::verify

#pragma once

/// @file
/// Which of many queries are above a threshold.

#include <cstdint>
#include <memory>
#include <optional>

#include "freegap/sparse_vector.hpp"
#include "questions/labelled_candidates.hpp"
#include "questions/selection.hpp"

namespace freegap::questions {

/// In which order the listed queries are asked.
enum class Order : std::uint8_t { random, file, label };

/// "random", "file" or "label": its name in options and in JSON.
const char* name(Order order);

/// What can be said.
struct AboveOptions : SelectionOptions {
  Rational threshold;                       ///< public
  bool adaptive = false;                    ///< clear answers cost less
  std::uint64_t branches = 2;               ///< prices to try
  Rational sigma = 2;                       ///< by which a cheap answer must pass
  StopRule stop_rule = StopRule::afford;    ///< when the budget is used up
  std::optional<std::uint64_t> stop_after;  ///< so many answers above are enough
  Order order = Order::random;              ///< of asking
};

/// The options of the mechanism itself.
SparseVectorOptions sparse_vector_options(const AboveOptions& options, const Epsilon& epsilon);

/// Adds what is particular to this question to its parameters.
void add_parameters(Json& parameters, const AboveOptions& options, const char* order);

/// The question about a list of candidates.
Question above_question(const AboveOptions& options, double confidence,
                        const std::shared_ptr<const LabelledCandidates>& labelled);

}  // namespace freegap::questions

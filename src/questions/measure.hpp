#pragma once

/// @file
/// Noisy numbers of candidates that are named.

#include <memory>
#include <vector>

#include "freegap/measure.hpp"
#include "questions/labelled_candidates.hpp"
#include "questions/question.hpp"

namespace freegap::questions {

/// The question about some of the candidates.
Question measure_question(const MeasureOptions& options, double confidence,
                          const std::vector<Item>& items,
                          const std::shared_ptr<const LabelledCandidates>& labelled);

}  // namespace freegap::questions

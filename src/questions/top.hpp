#pragma once

/// @file
/// The k largest candidates, all of them or those above a threshold.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "freegap/hybrid.hpp"
#include "freegap/top_k.hpp"
#include "questions/labelled_candidates.hpp"
#include "questions/selection.hpp"

namespace freegap::questions {

/// "identity" or "estimates": its name in options and in JSON.
const char* name(Prefer prefer);

/// What can be said.
struct TopOptions : SelectionOptions {
  std::optional<Rational> above;  ///< only those above this threshold
  std::optional<Prefer> prefer;   ///< with a threshold: what the noise is spent on
  std::optional<Delta> delta;     ///< of items nobody listed; required there
  unsigned threads = 1;           ///< that scan
};

/// Refuses what makes no sense together. Throws InvalidParameter.
void check(const TopOptions& options);

/// The question, about checked options.
Question top_question(const TopOptions& options, double confidence,
                      const std::shared_ptr<const LabelledCandidates>& labelled);

/// The options of the selection itself.
TopKOptions top_k_options(const TopOptions& options);

/// The document of a release that was made without a threshold and without measurements: the one
/// that the question would give.
Outcome top_outcome(const TopOptions& options, double confidence, const sources::DataSource& source,
                    const CandidateFacts& candidates, const TopKRelease& release,
                    const std::vector<std::string>& labels);

}  // namespace freegap::questions

#pragma once

/// @file
/// From the requests of the page to questions: their members are named as the options of the
/// program.

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "freegap/estimate.hpp"
#include "questions/json.hpp"
#include "questions/labelled_candidates.hpp"
#include "questions/plan.hpp"
#include "questions/question.hpp"

namespace freegap::lab {

using questions::Json;

/// A file of the page as it was read: the candidates, and the truth about them, which only a lab
/// shows.
struct Data {
  sources::Values values;                                ///< items with their counts
  std::unordered_map<std::string, std::int64_t> counts;  ///< the same by item
  std::vector<std::size_t> ranked;  ///< places in `values`, largest count first
  std::shared_ptr<const questions::LabelledCandidates> candidates;  ///< what is asked about

  /// The truth about an item.
  [[nodiscard]] std::int64_t truth(const std::string& item) const { return counts.at(item); }
};

/// Keeps a text under a name and reads it. Throws what the program would refuse it with.
std::shared_ptr<const Data> load(const std::string& name, const std::string& text);
/// What was loaded. Throws InvalidParameter where nothing was.
std::shared_ptr<const Data> loaded(const std::string& name);

/// The question of a request about the file that it names, as `freegap simulate` would ask it.
questions::Question question_of(const Json& request);
/// The same with another way to make estimates.
questions::Question question_of(const Json& request, Method method);

/// The plan of a request: the document that `freegap plan` prints.
Json plan_of(const Json& request);
/// The standard errors to expect, with the gaps and without them, which are quicker to have than a
/// whole plan.
Json forecast_of(const Json& request);

}  // namespace freegap::lab

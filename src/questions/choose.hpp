#pragma once

/// @file
/// One candidate, chosen by the exponential mechanism.

#include <functional>
#include <memory>
#include <optional>

#include "freegap/exponential.hpp"
#include "questions/labelled_candidates.hpp"
#include "questions/question.hpp"

namespace freegap::questions {

/// What can be said.
struct ChooseOptions {
  DataOptions data;                ///< candidates
  std::optional<Epsilon> epsilon;  ///< budget; required
  std::optional<Rational> tick;    ///< of the gap
  bool classic = false;            ///< without the gap
  bool constant_work = false;      ///< the same work whatever the data
};

/// The question. With a `sampler`, its choice is released, as exponential_around says.
Question choose_question(const ChooseOptions& asked, double confidence,
                         const std::shared_ptr<const LabelledCandidates>& labelled,
                         const std::function<Item()>& sampler = {});

}  // namespace freegap::questions

#pragma once

/// @file
/// How the release of a sparse vector is written, whether its queries came from a file or a stream.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "freegap/sparse_vector.hpp"
#include "questions/document.hpp"
#include "questions/question.hpp"

namespace freegap::questions {

/// Why no more queries were answered.
enum class Stopped : std::uint8_t {
  budget,       ///< it is used up
  input,        ///< there are no more queries
  stop_after,   ///< as many answers above as were wanted
  interrupted,  ///< by a signal
  output,       ///< it takes no more
  room,         ///< more answers could not be stored
  fault         ///< the input cannot be read
};

/// Its name in JSON: that of the enumerator.
const char* name(Stopped stopped);

/// What a document's "stopped" means; a name that this version does not know stands for itself.
std::string sentence_of(const std::string& stopped);

/// Which of budget, input and stop_after ended a run.
Stopped why_stopped(const SparseVectorRelease& release, bool input_ended);

/// sparse_vector or adaptive_sparse_vector.
std::string mechanism(const SparseVectorRelease& release);

/// All answers, in the order asked, under the names in `labels`; with measurements of those above
/// the threshold, where there are some.
Json answers(const SparseVectorRelease& release, const std::optional<MeasureRelease>& direct,
             const std::vector<std::string>& labels, Estimator& estimator, double confidence);

/// Adds noise, threshold, branches, stop rule, the answers and why there are no more.
void add_answers(Json& document, const SparseVectorRelease& release, Json answers, Stopped stopped);

/// The members of an answer, in order: columns of CSV.
std::vector<std::string> answer_columns();

}  // namespace freegap::questions

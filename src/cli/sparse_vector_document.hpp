#pragma once

/// @file
/// How a sparse vector's release is written down, whether it was asked a file or a stream.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "document.hpp"
#include "freegap/sparse_vector.hpp"

namespace freegap::cli {

/// sparse_vector or adaptive_sparse_vector.
std::string mechanism(const SparseVectorRelease& release);

/// Adds noise, threshold, branches and stop rule.
void add_setting(Json& document, const SparseVectorRelease& release);

/// All answers, in the order asked, under the names in `labels`; with measurements of those above
/// the threshold, where there are some.
Json answers(const SparseVectorRelease& release, const std::optional<MeasureRelease>& direct,
             const std::vector<std::string>& labels, Estimator& estimator, double confidence);

/// budget, stop_after or input: what ended the run.
std::string why_stopped(const SparseVectorRelease& release,
                        const std::optional<std::uint64_t>& stop_after, bool input_ended);

}  // namespace freegap::cli

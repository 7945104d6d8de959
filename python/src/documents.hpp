#pragma once

/// @file
/// Releases of the library, read back from their documents. Items are numbered by their place: who
/// they are does not matter to estimates. Each throws where the document is none of its kind.

#include <optional>

#include "freegap/release/hybrid.hpp"
#include "freegap/release/measure.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/release/top_k.hpp"
#include "questions/json.hpp"

namespace freegap::python {

/// The selection of `top_k`.
TopKRelease top_k_of(const questions::Json& document);
/// The selection of `top_k_above`.
HybridRelease hybrid_of(const questions::Json& document);
/// The answers of `sparse_vector`.
SparseVectorRelease sparse_vector_of(const questions::Json& document);
/// A release of `measure`.
MeasureRelease measurement_of(const questions::Json& document);
/// What a selection measured of its own winners, if it did: `rows` are theirs.
std::optional<MeasureRelease> own_measurement_of(const questions::Json& document,
                                                 const questions::Json& rows);

}  // namespace freegap::python

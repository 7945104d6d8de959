#pragma once

/// @file
/// Mechanisms that are known to be wrong, as published or as one might write them. A verification
/// that passes everything proves nothing: each of these must be caught.

#include <vector>

#include "suite.hpp"

namespace freegap::verify {

/// Puts every bad variant, with the alignment and the cost that its author would claim, through the
/// alignment checker and the enumerator.
std::vector<BadRow> check_bad_variants(const SuiteOptions& options);

}  // namespace freegap::verify

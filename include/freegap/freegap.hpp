#pragma once

/// @file
/// Includes all public headers of freegap: differentially private selection with free gaps. Headers
/// under freegap/detail are internal; do not rely on them.

#include "freegap/allocation.hpp"             // IWYU pragma: export
#include "freegap/bits.hpp"                   // IWYU pragma: export
#include "freegap/budget.hpp"                 // IWYU pragma: export
#include "freegap/candidates.hpp"             // IWYU pragma: export
#include "freegap/confidence.hpp"             // IWYU pragma: export
#include "freegap/distribution.hpp"           // IWYU pragma: export
#include "freegap/errors.hpp"                 // IWYU pragma: export
#include "freegap/estimate.hpp"               // IWYU pragma: export
#include "freegap/exponential.hpp"            // IWYU pragma: export
#include "freegap/grid.hpp"                   // IWYU pragma: export
#include "freegap/groups.hpp"                 // IWYU pragma: export
#include "freegap/hybrid.hpp"                 // IWYU pragma: export
#include "freegap/item.hpp"                   // IWYU pragma: export
#include "freegap/measure.hpp"                // IWYU pragma: export
#include "freegap/noise.hpp"                  // IWYU pragma: export
#include "freegap/planning.hpp"               // IWYU pragma: export
#include "freegap/queries.hpp"                // IWYU pragma: export
#include "freegap/rate.hpp"                   // IWYU pragma: export
#include "freegap/rational.hpp"               // IWYU pragma: export
#include "freegap/release.hpp"                // IWYU pragma: export
#include "freegap/release/exponential.hpp"    // IWYU pragma: export
#include "freegap/release/hybrid.hpp"         // IWYU pragma: export
#include "freegap/release/measure.hpp"        // IWYU pragma: export
#include "freegap/release/sparse_vector.hpp"  // IWYU pragma: export
#include "freegap/release/top_k.hpp"          // IWYU pragma: export
#include "freegap/sparse_vector.hpp"          // IWYU pragma: export
#include "freegap/sparse_vector_plan.hpp"     // IWYU pragma: export
#include "freegap/top_k.hpp"                  // IWYU pragma: export
#include "freegap/version.hpp"                // IWYU pragma: export

#pragma once

/// @file
/// The mechanisms that `freegap verify` checks. To add one, define
/// `MechanismChecks <name>_checks(bool longer)` in src/verify/mechanisms/<name>.cpp, where `longer`
/// asks for larger enumerations, and add its line to the table.

#include <vector>

#include "verify/mechanism_checks.hpp"

// clang-format off
/// One line per mechanism, in the order of the report.
#define FREEGAP_VERIFIED_MECHANISMS(check) \
  check(measure)                           \
  check(sparse_vector)                     \
  check(top_k)                             \
  check(hybrid)                            \
  check(unknown_items)                     \
  check(exponential)                       \
  check(noisy_top_m)                       \
  check(bulk_noise)
// clang-format on

namespace freegap::verify {

#define FREEGAP_DECLARE_CHECKS(name) MechanismChecks name##_checks(bool longer);
FREEGAP_VERIFIED_MECHANISMS(FREEGAP_DECLARE_CHECKS)
#undef FREEGAP_DECLARE_CHECKS

/// The checks of all mechanisms of the table.
std::vector<MechanismChecks> all_mechanisms(bool longer);

}  // namespace freegap::verify

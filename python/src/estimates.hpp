#pragma once

/// @file
/// Estimates from releases that were made apart: a selection, and measurements of its winners.

#include <nanobind/nanobind.h>

namespace freegap::python {

/// Adds the function to the module.
void bind_estimates(nanobind::module_& module);

}  // namespace freegap::python

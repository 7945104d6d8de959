#pragma once

/// @file
/// What the benchmark of the binding compares with.

#include <nanobind/nanobind.h>

namespace freegap::python {

/// Adds the function to the module.
void bind_timing(nanobind::module_& module);

}  // namespace freegap::python

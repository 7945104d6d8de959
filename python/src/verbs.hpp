#pragma once

/// @file
/// What can be asked in one call.

#include <nanobind/nanobind.h>

namespace freegap::python {

/// Adds the functions to the module.
void bind_verbs(nanobind::module_& module);

}  // namespace freegap::python

#pragma once

/// @file
/// Releases that another library draws, charged to our ledger.

#include <nanobind/nanobind.h>

namespace freegap::python {

/// Adds the function to the module.
void bind_outside(nanobind::module_& module);

}  // namespace freegap::python

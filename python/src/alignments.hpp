#pragma once

/// @file
/// The alignment checker, for mechanisms written in Python.

#include <nanobind/nanobind.h>

namespace freegap::python {

/// Adds the checker to the module.
void bind_alignments(nanobind::module_& module);

}  // namespace freegap::python

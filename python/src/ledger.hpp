#pragma once

/// @file
/// The ledger of the program, as functions on a file.

#include <nanobind/nanobind.h>

namespace freegap::python {

/// Adds the functions to the module. Each opens the file, so that threads and processes need not
/// share an open one.
void bind_ledger(nanobind::module_& module);

}  // namespace freegap::python

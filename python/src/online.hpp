#pragma once

/// @file
/// A sparse vector that answers one query after another.

#include <nanobind/nanobind.h>

namespace freegap::python {

/// Adds the class to the module.
void bind_online(nanobind::module_& module);

}  // namespace freegap::python

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Python functions that run the compiler.
#pragma once

#include <pybind11/pybind11.h>

namespace eft::bindings {

/// Adds `compile`, `address_parameters`, `link_host_object`, `load_host_object`, and the functions
/// about targets.
void addCompileFunctions(pybind11::module_ &module);

} // namespace eft::bindings
